//! [edge] The supervision tree of a node, top to bottom, in one place. Start order is top to
//! bottom, stop order bottom to top.
//!
//! ```text
//! node        one_for_one: nothing here takes the others with it
//! └─ ops      metrics and health, control socket
//! ```

use belay_runtime::{Node, Supervisor};

use super::operations::{self, NodeView};
use super::serve::Parts;
use super::stop::StopRequest;

/// Starts the tree and waits until all of it is up.
///
/// # Errors
/// What did not start.
pub(super) async fn start(
    parts: Parts,
    request: &StopRequest,
    view: &NodeView,
) -> anyhow::Result<Node> {
    let Parts {
        config: _,
        content: _,
        listeners,
        figures,
    } = parts;
    let pages = operations::pages(figures, view);
    let handler = operations::control_handler(request, view);
    let ops = operations::spec((listeners.ops, listeners.control), pages, handler)?;
    Ok(Node::start(Supervisor::builder("node").child(ops)).await?)
}
