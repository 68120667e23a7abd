//! `[edge]` One simulated node: its disk, which survives, and one life of it, with a runtime and a
//! clock of its own.

use super::net::{Net, SimTransport};
use super::toy::{Stage, Toy};
use crate::command::Candidate;
use crate::ids::{ContentHash, DirectoryMark, Incarnation, NodeId, NodeName};
use crate::log::{Health, Log, ToyDisk};
use crate::member::{Begin, Event, Keeper, Part, Shared};
use crate::raft::Cuts;
use crate::transport::{Inbound, Lane, Member, Transport as _};
use belay_runtime::{Address, Capacity, ChildSpec, Exit, Mailbox, Supervisor};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The log is cut often, so that faults fall into that too.
const CUTS: Cuts = Cuts { every: 20, kept: 5 };

/// What survives a node's death.
#[derive(Clone)]
pub(super) struct Disk {
    pub(super) name: NodeName,
    pub(super) mark: DirectoryMark,
    /// Where its log is kept.
    pub(super) store: ToyDisk,
    pub(super) lives: Arc<Mutex<u32>>,
    /// A life that is being written, and when it is.
    pub(super) writes_life: Arc<Mutex<Option<(Duration, Incarnation)>>>,
    pub(super) members: Arc<Mutex<Vec<Member>>>,
}

/// A node that lives.
pub(super) struct Alive {
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) shared: Arc<Shared<SimTransport>>,
    pub(super) driver: Address<Event>,
    pub(super) toy: Arc<Toy>,
    /// It is stopped (SIGSTOP); this much time it has missed.
    pub(super) paused: Option<Duration>,
    /// Its machine is asleep, and its clock with it: it will not know that it missed anything.
    pub(super) asleep: bool,
    /// Its clock runs this much faster or slower, in permille.
    pub(super) skew: i32,
    _node: belay_runtime::Node,
}

impl Alive {
    /// Begins the next life of a node on its disk.
    pub(super) fn begin(
        me: NodeId,
        disk: &Disk,
        net: &Net,
        stage: &Stage,
        (seed, founds): (u64, Option<&str>),
    ) -> Self {
        let incarnation = {
            let mut lives = disk.lives.lock().unwrap();
            *lives += 1;
            Incarnation(*lives)
        };
        let transport = net.attach(me, incarnation);
        transport.members(&disk.members.lock().unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let mailbox: Mailbox<Event> = Mailbox::new(Capacity {
            messages: 4_096,
            reserved: 1_024,
        });
        let driver = mailbox.address();
        let clock = runtime.block_on(async { tokio::time::Instant::now().into_std() });
        let (name, to) = (disk.name.clone(), driver.clone());
        let shared = Shared::new(name, transport, to, Arc::new(move || clock));
        let shared = Arc::new(shared);
        shared.lives_as(me, incarnation);
        let toy = Arc::new(Toy::new(me, stage.clone()));
        let plan = Plan {
            me,
            log: Log::on(&disk.store),
            disk: disk.clone(),
            net: net.clone(),
            shared: shared.clone(),
            host: toy.clone(),
            incarnation,
            founds: founds.map(str::to_owned),
            seed: seed ^ (u64::from(me.0) << 32) ^ u64::from(incarnation.0),
        };
        let spec = ChildSpec::body("driver", &mailbox, move |ctx| {
            let begin = plan.begin();
            async move {
                let begun = begin.begin(ctx.now().into_std()).await;
                let driver = begun.map_err(|error| Exit::error(error.to_string()));
                driver?.drive(ctx).await
            }
        });
        let tree = Supervisor::builder("node").child(spec);
        let node = runtime.block_on(belay_runtime::Node::start(tree)).unwrap();
        Self {
            runtime,
            shared,
            driver,
            toy,
            paused: None,
            asleep: false,
            skew: 0,
            _node: node,
        }
    }

    /// What its clock says.
    pub(super) fn now(&self) -> std::time::Instant {
        let clock = async { tokio::time::Instant::now().into_std() };
        self.runtime.block_on(clock)
    }

    /// What the network brought, to whom it is for.
    pub(super) fn take(&self, inbound: Inbound) {
        let _in = self.runtime.enter();
        if let Inbound::Message {
            from,
            lane: Lane::Control,
            body,
            ..
        } = &inbound
            && let Some((Part::Raft, body)) = Part::unwrap(body.clone())
        {
            if let Some(raft) = self.shared.raft() {
                raft.receive(*from, &body);
            }
            return;
        }
        drop(self.driver.try_send(Event::Came(inbound)));
    }
}

/// What the driver of one life is made of.
struct Plan {
    me: NodeId,
    log: Log,
    disk: Disk,
    net: Net,
    shared: Arc<Shared<SimTransport>>,
    host: Arc<Toy>,
    incarnation: Incarnation,
    founds: Option<String>,
    seed: u64,
}

impl Plan {
    fn begin(&self) -> Begin<SimTransport> {
        let founds = self.founds.clone();
        Begin {
            shared: self.shared.clone(),
            host: self.host.clone(),
            keep: Box::new(SimKeeper {
                disk: self.disk.clone(),
                me: self.me,
                net: self.net.clone(),
            }),
            log: self.log.clone(),
            incarnation: self.incarnation,
            address: format!("10.0.0.{}:7000", self.me.0),
            founds: founds.map(|cluster| crate::member::Founding {
                cluster,
                first: self.disk.candidate(self.me),
                generation: 0,
            }),
            seed: self.seed,
            cuts: CUTS,
        }
    }
}

impl Disk {
    pub(super) fn new(node: NodeId) -> Self {
        Self {
            name: NodeName::new(&format!("n{}", node.0)).unwrap(),
            mark: DirectoryMark([u8::try_from(node.0).unwrap(); 16]),
            store: ToyDisk::default(),
            lives: Arc::default(),
            writes_life: Arc::default(),
            members: Arc::default(),
        }
    }

    /// What its keeper writes is on disk by now, and the driver is told. Whether that may go on.
    pub(super) fn turn(&self, now: Duration, driver: &Address<Event>) -> bool {
        let mut writes = self.writes_life.lock().unwrap();
        let Some((_, incarnation)) = writes.take_if(|(due, _)| *due <= now) else {
            return writes.is_none() || self.store.health() != Health::Full;
        };
        let mut lives = self.lives.lock().unwrap();
        *lives = (*lives).max(incarnation.0);
        drop(driver.try_send_owed(Event::NewLife(incarnation)));
        true
    }

    pub(super) fn candidate(&self, node: NodeId) -> Candidate {
        Candidate {
            name: self.name.clone(),
            mark: self.mark,
            incarnation: Incarnation(*self.lives.lock().unwrap()),
            address: format!("10.0.0.{}:7000", node.0),
            content: ContentHash([7; 32]),
        }
    }
}

struct SimKeeper {
    me: NodeId,
    net: Net,
    disk: Disk,
}

impl Keeper for SimKeeper {
    fn new_life(&mut self, incarnation: Incarnation) {
        let takes = match self.disk.store.health() {
            Health::Well => Duration::ZERO,
            Health::Slow(takes) => takes,
            Health::Full => Duration::MAX,
        };
        let due = self.disk.store.now().saturating_add(takes);
        *self.disk.writes_life.lock().unwrap() = Some((due, incarnation));
    }

    fn show(&mut self, incarnation: Incarnation) {
        self.net.live_as(self.me, incarnation);
    }

    fn members(&mut self, members: &[Member]) {
        *self.disk.members.lock().unwrap() = members.to_vec();
    }
}
