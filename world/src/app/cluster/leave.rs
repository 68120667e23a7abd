//! `[process]` The first step of a stop in a cluster: the node's shards move to others while it
//! still runs them, so that nobody waits for a lease to lapse.

use std::time::Duration;

use belay_cluster::{Cluster, NodeId, NodePhase, Order, OrderError, Placement, View};
use tokio::sync::oneshot;
use tokio::time::{interval, timeout};

/// Between two looks at what the node still owns.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a node parted from its shards.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// It owns none any more.
    Empty,
    /// No other node can own any: they stop with this one.
    Alone,
    /// Time was up while it owned so many.
    Owns(usize),
    /// The leader did not carry out the order.
    Refused(OrderError),
}

/// Has the node emptied, for as long as that may take.
///
/// **Cancel safety**: the order stands; a node that was to be emptied owns shards again when it
/// is started anew.
pub(crate) async fn leave(cluster: &Cluster, within: Duration) -> Left {
    let me = cluster.me();
    if !others_can_own(&cluster.view(), me) {
        return Left::Alone;
    }
    let (reply, replied) = oneshot::channel();
    let order = Order::Drain(cluster.name(), true);
    cluster.order(order, move |outcome| drop(reply.send(outcome)));
    let emptied = timeout(within, async {
        match replied.await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Left::Refused(error),
            Err(_gone) => return Left::Refused(OrderError::NoLeader),
        }
        let mut looks = interval(LOOK_EVERY);
        while owned(&cluster.view(), me) > 0 {
            looks.tick().await;
        }
        Left::Empty
    });
    let outcome = emptied.await;
    outcome.unwrap_or_else(|_elapsed| Left::Owns(owned(&cluster.view(), me)))
}

/// Whether there is another node that shards, and players, can go to.
pub(super) fn others_can_own(view: &View, me: NodeId) -> bool {
    let mut others = view.nodes.iter().filter(|(id, _)| **id != me);
    others.any(|(_, node)| node.phase == NodePhase::Up)
}

fn owned(view: &View, me: NodeId) -> usize {
    let owners = view.shards.values().filter_map(Placement::owner);
    owners.filter(|(owner, _)| *owner == me).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use belay_cluster::scripted::Script;
    use belay_cluster::{Epoch, Incarnation, NodeName, NodeView, ShardId};
    use tokio::time::Instant;

    const WITHIN: Duration = Duration::from_secs(10);

    /// Nodes 1 and 2; the shard is on this one.
    fn view(other: NodePhase, owner: u16) -> View {
        let node = |number: u16, phase| {
            let node = NodeView {
                name: NodeName::new(&format!("n{number}")).unwrap(),
                address: String::new(),
                incarnation: Incarnation(1),
                phase,
            };
            (NodeId(number), node)
        };
        let placement = Placement::Placed {
            node: NodeId(owner),
            epoch: Epoch(5),
        };
        View {
            nodes: [node(1, NodePhase::Up), node(2, other)].into(),
            shards: [(ShardId::new("zone:a"), placement)].into(),
            ..View::default()
        }
    }

    fn script(answer: Result<String, OrderError>, first: View) -> Script {
        let name = NodeName::new("n1").unwrap();
        let script = Script::new(name, move |_| answer.clone());
        script.view(first);
        script
    }

    fn done() -> Result<String, OrderError> {
        Ok("draining".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn waits_until_the_last_shard_is_elsewhere() {
        let script = script(done(), view(NodePhase::Up, 1));
        let cluster = script.cluster();
        let moved = async {
            interval(LOOK_EVERY * 10).tick().await;
            let later = timeout(LOOK_EVERY * 10, std::future::pending::<()>()).await;
            assert!(later.is_err());
            assert_eq!(script.orders(), [Order::Drain(cluster.name(), true)]);
            script.view(view(NodePhase::Up, 2));
        };
        let (left, ()) = tokio::join!(leave(&cluster, WITHIN), moved);
        assert_eq!(left, Left::Empty);
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_wait_longer_than_it_may() {
        let script = script(done(), view(NodePhase::Up, 1));
        let start = Instant::now();
        assert_eq!(leave(&script.cluster(), WITHIN).await, Left::Owns(1));
        assert_eq!(start.elapsed(), WITHIN);
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_wait_for_nodes_that_can_own_nothing() {
        for phase in [NodePhase::Joining, NodePhase::Draining, NodePhase::Down] {
            let script = script(done(), view(phase, 1));
            assert_eq!(
                leave(&script.cluster(), WITHIN).await,
                Left::Alone,
                "{phase:?}"
            );
            assert!(script.orders().is_empty());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn stops_all_the_same_when_nobody_leads() {
        let script = script(Err(OrderError::NoLeader), view(NodePhase::Up, 1));
        let left = leave(&script.cluster(), WITHIN).await;
        assert_eq!(left, Left::Refused(OrderError::NoLeader));
    }
}
