//! `[edge]` What a member does before its tree starts, and the parts that it gives to the tree.

use super::begin::{Begin, Founding};
use super::event::{Event, JoinReply};
use super::identity::{Identity, IdentityError, IdentityFile};
use super::keep::{self, Desk, FileKeeper};
use super::route::Part;
use super::shared::Shared;
use crate::cert::{self, CertificateError};
use crate::command::Candidate;
use crate::handle::Cluster;
use crate::host::{Host, PeerNews};
use crate::ids::{ContentHash, DirectoryMark, NodeId, NodeName};
use crate::log::{self, Log};
use crate::raft::{self, Cuts};
use crate::transport::{Inbound, Member as Peer, Transport as _};
use crate::wire::{Hello, Inbox, JoinAsk, OpenError, WireConfig, WireTransport, Wires};
use belay_runtime::{Address, Capacity, ChildSpec, Exit, Mailbox, Shutdown, Supervisor};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Messages that wait for the driver; more are said again by their senders.
const DRIVER_QUEUE: Capacity = Capacity {
    messages: 4_096,
    reserved: 1_024,
};

/// How long the driver may take to stop.
const DRIVER_STOP: Duration = Duration::from_secs(2);

/// The file of raft's log, in the cluster's folder of the data directory.
const LOG_FILE: &str = "raft.redb";

/// How a node is a member.
#[derive(Clone, Debug)]
pub struct MemberConfig {
    /// The data directory, whose lock the caller holds.
    pub data_dir: PathBuf,
    /// What the node is called.
    pub name: NodeName,
    /// Where it listens for other nodes.
    pub listen: SocketAddr,
    /// Where others reach it, if that is another address: `HOST:PORT`.
    pub advertise: Option<String>,
    /// Members to ask, for a node that is none yet, and where a member looks for others that are
    /// not where they were: `HOST:PORT` each.
    pub join: Vec<String>,
    /// The directory with its certificates.
    pub certificates: Option<PathBuf>,
    /// Its content.
    pub content: ContentHash,
    /// When its process started, in milliseconds of Unix time.
    pub boot_ms: u64,
}

/// Why a node cannot be a member; **fatal**.
#[derive(Debug, thiserror::Error)]
pub enum OpenMemberError {
    /// Who it is cannot be read or written.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Its certificates cannot be used.
    #[error(transparent)]
    Certificates(#[from] CertificateError),
    /// Its log cannot be used.
    #[error("{0}")]
    Log(String),
    /// No wires.
    #[error(transparent)]
    Wires(#[from] OpenError),
    /// It is no member, and knows nobody to ask.
    #[error(
        "{} is no member of a cluster: found one with \"belay cluster init\", \
         or name a member with \"--join HOST:PORT\"", path.display()
    )]
    NoMember {
        /// The data directory.
        path: PathBuf,
    },
    /// The cluster will not have it.
    #[error("the cluster refuses this node: {0}")]
    Refused(String),
}

/// Makes a data directory the first node of a new cluster; the cluster begins when the node is
/// first started. The caller holds the directory's lock.
///
/// # Errors
/// It is a member already, or cannot be written.
pub fn found(data_dir: &Path, name: NodeName, cluster: &str) -> Result<(), OpenMemberError> {
    let file = IdentityFile::new(data_dir);
    let identity = file.founder(name, cluster)?;
    make_log(&file)?;
    file.write(&identity)?;
    Ok(())
}

/// A member whose parts are not running yet.
#[derive(Debug)]
pub struct Member {
    config: MemberConfig,
    identity: Identity,
    file: IdentityFile,
    wires: Wires,
    log: Log,
    log_writer: ChildSpec,
    shared: Arc<Shared<WireTransport>>,
    mailbox: Mailbox<Event>,
    generation: u32,
}

impl Member {
    /// Begins a life of this node: who it is, its place in the cluster, its log and its listener.
    /// A node that is no member yet asks to be one, again and again until somebody answers.
    ///
    /// # Errors
    /// It cannot be a member, and why.
    ///
    /// # Cancel safety
    /// The node may have joined; it gets the same number when it asks again.
    pub async fn open(config: MemberConfig) -> Result<Self, OpenMemberError> {
        let file = IdentityFile::new(&config.data_dir);
        let certificates = config.certificates.as_deref();
        let tls = certificates.map(cert::load).transpose()?;
        let mut identity = file.begin_life(&config.name)?;
        if identity.number().is_none() {
            super::join::join(&config, &file, &mut identity, tls.as_ref()).await?;
        }
        let log = log::open(&file.folder().join(LOG_FILE));
        let (log, log_writer) = log.map_err(|error| OpenMemberError::Log(error.to_string()))?;
        let wires = Wires::open(WireConfig {
            me: hello(&config, &identity),
            listen: config.listen,
            advertise: config.advertise.clone(),
            seeds: config.join.clone(),
            tls,
        })?;
        let number = identity.number().unwrap_or_default();
        let mailbox = Mailbox::new(DRIVER_QUEUE);
        let transport = wires.transport();
        transport.members(&peers(&identity));
        let shared = Shared::new(
            config.name.clone(),
            transport,
            mailbox.address(),
            Arc::new(now),
        );
        shared.lives_as(number, identity.incarnation());
        Ok(Self {
            config,
            identity,
            file,
            wires,
            log,
            log_writer,
            shared: Arc::new(shared),
            mailbox,
            generation: 0,
        })
    }

    /// Whether this life is to found its cluster, and the mark by which that can be told from
    /// other foundings. Then [`Member::found_in`] wants to be called.
    pub fn founds(&self) -> Option<DirectoryMark> {
        let founds = self.identity.founder && !raft::holds_commands(&self.log);
        founds.then(|| self.identity.mark().unwrap_or_default())
    }

    /// So many clusters were founded on the same storage before: the epochs of this one will be
    /// above theirs, whatever those still do. Of no account once the cluster is founded.
    pub fn found_in(&mut self, generation: u32) {
        self.generation = generation;
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.wires.address()
    }

    /// The cluster, as the program sees it.
    pub fn cluster(&self) -> Cluster {
        Cluster::new(self.shared.clone())
    }

    /// The parts of the tree, in the order in which they start: the writers of log and identity,
    /// the cluster on a thread of its own, and the play wires.
    pub fn specs(self, host: Arc<dyn Host>) -> Vec<ChildSpec> {
        let Self {
            config,
            identity,
            file,
            wires,
            log,
            log_writer,
            shared,
            mailbox,
            generation,
        } = self;
        let driver = mailbox.address();
        let address = config.advertise.clone();
        let address = address.unwrap_or_else(|| wires.address().to_string());
        let founds = identity.founder.then(|| {
            let mut first = candidate(&config, &identity);
            first.address.clone_from(&address);
            Founding {
                cluster: identity.cluster.clone(),
                first,
                generation,
            }
        });
        let incarnation = identity.incarnation();
        let (keeper, desk) = keep::writer(file, identity, driver.clone());
        let play = wires.play(play_inbox(&driver, &host));
        let plan = DriverPlan {
            shared: shared.clone(),
            host,
            log,
            incarnation,
            address,
            founds,
            boot_ms: config.boot_ms,
            desk,
            transport: wires.transport(),
        };
        let cluster = ChildSpec::supervisor("cluster", move || {
            let control = wires.control(control_inbox(&shared), door(&driver));
            Supervisor::builder("cluster")
                .child(plan.spec(&mailbox))
                .child(control)
        });
        vec![log_writer, keeper, cluster.on_thread(), play]
    }
}

/// What the driver is made of, each time anew.
#[derive(Clone)]
struct DriverPlan {
    shared: Arc<Shared<WireTransport>>,
    host: Arc<dyn Host>,
    log: Log,
    incarnation: crate::ids::Incarnation,
    address: String,
    founds: Option<Founding>,
    boot_ms: u64,
    desk: Desk,
    transport: WireTransport,
}

impl DriverPlan {
    fn spec(&self, mailbox: &Mailbox<Event>) -> ChildSpec {
        let plan = self.clone();
        let spec = ChildSpec::body("driver", mailbox, move |ctx| {
            let begin = plan.begin();
            async move {
                let begun = begin.begin(ctx.now().into_std()).await;
                let driver = begun.map_err(|error| Exit::error(error.to_string()))?;
                driver.drive(ctx).await
            }
        });
        spec.shutdown(Shutdown::Timeout(DRIVER_STOP))
    }

    fn begin(&self) -> Begin<WireTransport> {
        Begin {
            shared: self.shared.clone(),
            host: self.host.clone(),
            keep: Box::new(FileKeeper {
                desk: self.desk.clone(),
                transport: self.transport.clone(),
            }),
            log: self.log.clone(),
            incarnation: self.incarnation,
            address: self.address.clone(),
            founds: self.founds.clone(),
            seed: self.boot_ms ^ u64::from(self.incarnation.0).rotate_left(32),
            cuts: Cuts::default(),
        }
    }
}

/// Who this node is, on its wires.
fn hello(config: &MemberConfig, identity: &Identity) -> Hello {
    Hello {
        cluster: identity.cluster.clone(),
        node: identity.number(),
        name: config.name.clone(),
        incarnation: identity.incarnation(),
        boot_ms: config.boot_ms,
        content: config.content,
    }
}

/// Who this node is, when it founds or joins.
pub(super) fn candidate(config: &MemberConfig, identity: &Identity) -> Candidate {
    let address = config.advertise.clone();
    Candidate {
        name: config.name.clone(),
        mark: identity.mark().unwrap_or_default(),
        incarnation: identity.incarnation(),
        address: address.unwrap_or_else(|| config.listen.to_string()),
        content: config.content,
    }
}

/// The log of a node that has just got its number, or is to found. What lies there without a
/// number in the identity is left over from a start that was cut off.
pub(super) fn make_log(file: &IdentityFile) -> Result<(), OpenMemberError> {
    let path = file.make_folder()?.join(LOG_FILE);
    if path.exists() {
        let removed = std::fs::remove_file(&path);
        removed.map_err(|error| OpenMemberError::Log(format!("{}: {error}", path.display())))?;
    }
    log::create(&path).map_err(|error| OpenMemberError::Log(error.to_string()))
}

fn peers(identity: &Identity) -> Vec<Peer> {
    let peers = identity.peers.iter().map(|known| Peer {
        node: NodeId(known.number),
        name: known.name.clone(),
        address: known.address.clone(),
        incarnation: crate::ids::Incarnation(0),
    });
    peers.collect()
}

/// What comes over control wires: raft's own to raft, the rest to the driver.
fn control_inbox(shared: &Arc<Shared<WireTransport>>) -> Inbox {
    let shared = shared.clone();
    Arc::new(move |inbound| {
        if let Inbound::Message { from, body, .. } = &inbound
            && let Some((Part::Raft, body)) = Part::unwrap(body.clone())
        {
            if let Some(raft) = shared.raft() {
                raft.receive(*from, &body);
            }
            return;
        }
        post(&shared.driver, inbound);
    })
}

/// What comes over play wires: the host's own to the host, hand-overs to the driver.
fn play_inbox(driver: &Address<Event>, host: &Arc<dyn Host>) -> Inbox {
    let (driver, host) = (driver.clone(), host.clone());
    Arc::new(move |inbound| {
        match &inbound {
            Inbound::Message { from, body, .. } => {
                if let Some((Part::Host, body)) = Part::unwrap(body.clone()) {
                    return host.deliver(*from, body);
                }
            }
            Inbound::Up {
                from, incarnation, ..
            } => host.peer(*from, PeerNews::Up(*incarnation)),
            Inbound::Down { from, .. } => host.peer(*from, PeerNews::Down),
        }
        post(&driver, inbound);
    })
}

fn post(driver: &Address<Event>, inbound: Inbound) {
    let news = matches!(inbound, Inbound::Up { .. } | Inbound::Down { .. });
    let sent = if news {
        // A wire that came or went is told once, so it has room of its own.
        driver.try_send_owed(Event::Came(inbound))
    } else {
        driver.try_send(Event::Came(inbound))
    };
    if sent.is_err() {
        tracing::debug!(target: "belay_cluster", "the driver has too much to do");
    }
}

fn door(driver: &Address<Event>) -> crate::wire::Door {
    let driver = driver.clone();
    Arc::new(move |ask: JoinAsk, reply: crate::wire::JoinReply| {
        let reply = JoinReply::new(move |answer| reply.answer(answer));
        // Dropped, the node is told to try again.
        drop(driver.try_send(Event::Join(ask.candidate, reply)));
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where a node gets its time from"
)]
fn now() -> Instant {
    Instant::now()
}
