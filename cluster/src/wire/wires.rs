//! `[edge]` The wires of a node: opened once, run as two parts of its tree.

use super::acceptor::{self, Door};
use super::handshake::Hello;
use super::knock;
use super::rules::Rules;
use super::seats::Inbox;
use super::shared::{Shared, WireTransport};
use super::side;
use crate::cert::Tls;
use crate::ids::NodeName;
use crate::transport::Lane;
use belay_runtime::{ChildSpec, Intensity, Supervisor};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// What the wires of a node need to know.
#[derive(Clone, Debug)]
pub struct WireConfig {
    /// Who this node is. It has a number.
    pub me: Hello,
    /// Where it listens; port 0 for one that the system chooses.
    pub listen: SocketAddr,
    /// Where others reach it, if that is another address: `HOST:PORT`.
    pub advertise: Option<String>,
    /// Where it may find members that it does not find where they were: `HOST:PORT` each.
    pub seeds: Vec<String>,
    /// Its certificates. Without them only loopback may be listened at.
    pub tls: Option<Tls>,
}

/// The wires of a node.
#[derive(Clone, Debug)]
pub struct Wires {
    pub(crate) shared: Arc<Shared>,
    pub(crate) tls: Option<Tls>,
    listener: Arc<TcpListener>,
    seeds: Arc<[String]>,
    address: SocketAddr,
}

/// Why no wires were opened; **fatal**.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Others could speak as nodes, and read what nodes say.
    #[error(
        "the cluster listens at {0}, which others can reach: that needs certificates, made with \
         \"belay cluster ca new\" and \"belay cluster cert NODE\"; without them it is loopback only"
    )]
    NotLoopback(SocketAddr),
    /// The certificate is another node's.
    #[error("this node is {node}, and its certificate is for {certificate}")]
    OtherCertificate {
        /// Who this node is.
        node: NodeName,
        /// For whom the certificate is.
        certificate: String,
    },
    /// It has no number, or no cluster.
    #[error("the node has no number yet")]
    NoNumber,
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
}

impl Wires {
    /// Listens. Nobody is let in, and nobody is dialled, before the two parts run and the members
    /// are known.
    ///
    /// # Errors
    /// Why not.
    pub fn open(config: WireConfig) -> Result<Self, OpenError> {
        Self::open_with(config, Rules::default())
    }

    pub(crate) fn open_with(config: WireConfig, rules: Rules) -> Result<Self, OpenError> {
        let WireConfig {
            me,
            listen,
            advertise,
            seeds,
            tls,
        } = config;
        if me.node.is_none() || me.cluster.is_empty() {
            return Err(OpenError::NoNumber);
        }
        match &tls {
            None if !listen.ip().is_loopback() => return Err(OpenError::NotLoopback(listen)),
            None => {}
            Some(tls) => tls.is_for(&me.name).map_err(|certificate| {
                let node = me.name.clone();
                OpenError::OtherCertificate { node, certificate }
            })?,
        }
        let failed = |source| OpenError::Listen {
            address: listen,
            source,
        };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Shared::new(me, rules);
        shared.reached_at(advertise.unwrap_or_else(|| address.to_string()));
        Ok(Self {
            shared: Arc::new(shared),
            tls,
            listener: Arc::new(listener),
            seeds: seeds.into(),
            address,
        })
    }

    /// Where this node listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where members may be found.
    pub(super) fn seeds(&self) -> Arc<[String]> {
        Arc::clone(&self.seeds)
    }

    /// To send with.
    pub fn transport(&self) -> WireTransport {
        WireTransport(Arc::clone(&self.shared))
    }

    /// The control wires and the listener, for the cluster's own thread. What comes goes to
    /// `inbox`; who asks to join is answered by `door`.
    pub fn control(&self, inbox: Inbox, door: Door) -> ChildSpec {
        self.shared.side(Lane::Control).seats.deliver_to(inbox);
        let wires = self.clone();
        ChildSpec::supervisor("control-wires", move || {
            let lane = Lane::Control;
            let connections = wires.shared.side(lane).connections.spec();
            Supervisor::builder("control-wires")
                .intensity(Intensity::new(10, Duration::from_secs(10)))
                .child(connections)
                .child(side::spec(&wires, lane))
                .child(knock::spec(&wires))
                .child(acceptor::spec(&wires, &wires.listener, &door))
        })
    }

    /// The play wires, for the main runtime. What comes goes to `inbox`.
    pub fn play(&self, inbox: Inbox) -> ChildSpec {
        self.shared.side(Lane::Play).seats.deliver_to(inbox);
        let wires = self.clone();
        ChildSpec::supervisor("play-wires", move || {
            let lane = Lane::Play;
            let connections = wires.shared.side(lane).connections.spec();
            Supervisor::builder("play-wires")
                .intensity(Intensity::new(10, Duration::from_secs(10)))
                .child(connections)
                .child(side::spec(&wires, lane))
        })
    }
}
