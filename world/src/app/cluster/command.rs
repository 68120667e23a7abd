//! `[edge]` What each command of `belay cluster` does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use belay_cluster::NodeName;
use belay_cluster::cert::{self, CA_FILE, CA_KEY_FILE, CertificateError};

use super::line::{CaAction, ClusterAction, NodeOrder};
use super::member;
use crate::app::failure::{Failure, Status};
use crate::app::run::{ask, print, show};
use crate::ops::control::{ClusterOrder, ControlRequest};

/// Carries out one of them.
///
/// # Errors
/// What went wrong, as a [`Failure`].
pub(crate) fn carry_out(action: ClusterAction) -> anyhow::Result<ExitCode> {
    let (data, order) = match action {
        ClusterAction::Init(flags) => return member::init(&flags),
        ClusterAction::Ca {
            action: CaAction::New { out },
        } => return new_ca(&out),
        ClusterAction::Cert { node, ca, out } => return new_certificate(&node, &ca, out),
        ClusterAction::Status { lines, json, node } => {
            let order = ClusterOrder::Status { lines };
            return show(&node.data, &ControlRequest::Cluster { order }, json);
        }
        ClusterAction::Drain(NodeOrder { name: node, asked }) => {
            (asked.data, ClusterOrder::Drain { node })
        }
        ClusterAction::Undrain(NodeOrder { name: node, asked }) => {
            (asked.data, ClusterOrder::Undrain { node })
        }
        ClusterAction::Forget(NodeOrder { name: node, asked }) => {
            (asked.data, ClusterOrder::Forget { node })
        }
        ClusterAction::Move { shard, node, asked } => {
            (asked.data, ClusterOrder::Move { shard, node })
        }
        ClusterAction::Retire { shard, asked } => (asked.data, ClusterOrder::Retire { shard }),
        ClusterAction::Rebalance(asked) => (asked.data, ClusterOrder::Rebalance),
    };
    give(&data, order)
}

fn give(data: &Path, order: ClusterOrder) -> anyhow::Result<ExitCode> {
    ask(data, &ControlRequest::Cluster { order })
}

fn new_ca(out: &Path) -> anyhow::Result<ExitCode> {
    cert::new_ca(out).map_err(|error| refused(&error))?;
    let (dir, key) = (out.display(), out.join(CA_KEY_FILE));
    print(&format!(
        "made the authority of a cluster in {dir}, valid for ten years\n\
         keep {} safe, and on no node: who has it can make nodes\n\
         next: belay cluster cert NODE --ca {dir}\n",
        key.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn new_certificate(node: &str, ca: &Path, out: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let name = NodeName::new(node).map_err(|why| {
        let message = format!("\"{node}\" is not a name of a node: {why}");
        Failure::error(Status::Configuration, message)
    })?;
    let authority = ca.join(CA_FILE);
    if !authority.exists() {
        let message = format!(
            "there is no {}\nmake an authority with \"belay cluster ca new --out DIR\", or name \
             its directory with --ca DIR",
            authority.display()
        );
        return Err(Failure::error(Status::Unavailable, message));
    }
    let out = out.unwrap_or_else(|| PathBuf::from(format!("{name}-certificates")));
    cert::new_certificate(ca, &name, &out).map_err(|error| refused(&error))?;
    let dir = out.display();
    print(&format!(
        "made the certificate of {name} in {dir}, valid for two years\n\
         next: copy {dir} to the machine of {name}, and start it with --set \
         cluster.certificates={dir}\n",
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn refused(error: &CertificateError) -> anyhow::Error {
    let status = match error {
        CertificateError::Write { .. }
        | CertificateError::Exists { .. }
        | CertificateError::OtherNode { .. } => Status::CannotCreate,
        CertificateError::Read { .. } => Status::Io,
        CertificateError::TooLong { .. }
        | CertificateError::NotPem { .. }
        | CertificateError::Readable { .. }
        | CertificateError::Expired { .. }
        | CertificateError::NotYet { .. }
        | CertificateError::OtherAuthority { .. }
        | CertificateError::OtherKey { .. }
        | CertificateError::Bad { .. } => Status::Data,
    };
    Failure::error(status, error.to_string())
}
