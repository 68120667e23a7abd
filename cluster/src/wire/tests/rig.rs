//! `[edge]` Nodes that have nothing but wires.

use crate::cert::{self, Tls};
use crate::ids::{ContentHash, Incarnation, NodeId, NodeName};
use crate::transport::{Class, Inbound, Lane, Member, Transport as _};
use crate::wire::rules::Rules;
use crate::wire::{Door, Hello, JoinAnswer, WireConfig, WireTransport, Wires};
use belay_runtime::{Intensity, Node, Supervisor};
use bytes::Bytes;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

/// Whoever waits longer than this for an event waits in vain.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) const LANES: [Lane; 2] = [Lane::Control, Lane::Play];

/// What a node is opened with.
pub(super) struct Setup {
    pub(super) hello: Hello,
    pub(super) listen: SocketAddr,
    pub(super) advertise: Option<String>,
    pub(super) seeds: Vec<String>,
    pub(super) tls: Option<Tls>,
    pub(super) rules: Rules,
    pub(super) door: Door,
    /// Done with what comes, before the test sees it.
    pub(super) hook: Hook,
}

pub(super) type Hook = Arc<dyn Fn(&WireTransport, &Inbound) + Send + Sync>;

/// A node that has nothing but wires.
pub(super) struct Peer {
    pub(super) wires: Wires,
    pub(super) transport: WireTransport,
    pub(super) hello: Hello,
    node: Node,
    control: Receiver<Inbound>,
    play: Receiver<Inbound>,
}

pub(super) fn name(number: u16) -> NodeName {
    NodeName::new(&format!("n{number}")).unwrap()
}

pub(super) fn hello(number: u16) -> Hello {
    Hello {
        cluster: "north".to_owned(),
        node: Some(NodeId(number)),
        name: name(number),
        incarnation: Incarnation(1),
        boot_ms: 1_000 + u64::from(number),
        content: ContentHash([7; 32]),
    }
}

/// Patient, so that a busy machine is not taken for a dead node; quick to dial again.
pub(super) fn rules() -> Rules {
    let mut rules = Rules {
        redial: (Duration::from_millis(5), Duration::from_millis(50)),
        ..Rules::default()
    };
    for lane in [&mut rules.control, &mut rules.play] {
        lane.pace.within = PATIENCE;
    }
    rules
}

pub(super) fn setup(number: u16) -> Setup {
    Setup {
        hello: hello(number),
        listen: "127.0.0.1:0".parse().unwrap(),
        advertise: None,
        seeds: Vec::new(),
        tls: None,
        rules: rules(),
        door: Arc::new(|_, reply| {
            reply.answer(JoinAnswer::Refused {
                why: "nobody joins here".to_owned(),
            });
        }),
        hook: Arc::new(|_, _| {}),
    }
}

impl Setup {
    pub(super) async fn start(self) -> Peer {
        let config = WireConfig {
            me: self.hello.clone(),
            listen: self.listen,
            advertise: self.advertise,
            seeds: self.seeds,
            tls: self.tls,
        };
        let wires = Wires::open_with(config, self.rules).unwrap();
        let (control_in, control) = channel(100_000);
        let (play_in, play) = channel(100_000);
        let inbox = |into: Sender<Inbound>| {
            let (hook, transport) = (Arc::clone(&self.hook), wires.transport());
            Arc::new(move |inbound| {
                hook(&transport, &inbound);
                drop(into.try_send(inbound));
            })
        };
        let control_wires = wires.control(inbox(control_in), self.door);
        let play_wires = wires.play(inbox(play_in));
        let tree = Supervisor::builder("node")
            .intensity(Intensity::new(0, Duration::from_secs(1)))
            .child(control_wires.on_thread())
            .child(play_wires);
        Peer {
            transport: wires.transport(),
            hello: self.hello,
            node: Node::start(tree).await.unwrap(),
            wires,
            control,
            play,
        }
    }
}

impl Peer {
    pub(super) fn id(&self) -> NodeId {
        self.hello.node.unwrap()
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.wires.address()
    }

    pub(super) fn member(&self) -> Member {
        Member {
            node: self.id(),
            name: self.hello.name.clone(),
            address: self.address().to_string(),
            incarnation: self.hello.incarnation,
        }
    }

    /// The next thing that a lane brings.
    pub(super) async fn next(&mut self, lane: Lane) -> Inbound {
        let inbox = match lane {
            Lane::Control => &mut self.control,
            Lane::Play => &mut self.play,
        };
        let next = timeout(PATIENCE, inbox.recv()).await;
        next.unwrap_or_else(|_| panic!("nothing comes in the {lane:?} lane"))
            .unwrap()
    }

    pub(super) async fn expect_up(&mut self, lane: Lane, from: u16, incarnation: u32) {
        let up = Inbound::Up {
            from: NodeId(from),
            incarnation: Incarnation(incarnation),
            lane,
        };
        assert_eq!(self.next(lane).await, up);
    }

    pub(super) async fn expect_down(&mut self, lane: Lane, from: u16) {
        let from = NodeId(from);
        assert_eq!(self.next(lane).await, Inbound::Down { from, lane });
    }

    pub(super) async fn expect(&mut self, lane: Lane, from: u16, text: &str) {
        match self.next(lane).await {
            Inbound::Message {
                from: who, body, ..
            } => {
                assert_eq!((who, &*body), (NodeId(from), text.as_bytes()));
            }
            other => panic!("{text:?} was expected, {other:?} came"),
        }
    }

    pub(super) fn say(&self, lane: Lane, to: u16, text: &str) {
        let body = Bytes::copy_from_slice(text.as_bytes());
        self.transport
            .send(NodeId(to), lane, Class::Owed, body)
            .unwrap();
    }

    /// What is wrong with this peer, once something is.
    pub(super) async fn trouble_with(&self, peer: &str) -> String {
        let wait = async {
            loop {
                let troubled = self.wires.shared.troubled.notified();
                let troubles = self.transport.troubles();
                let found = troubles.into_iter().find(|(name, _)| name == peer);
                match found {
                    Some((_, trouble)) => break trouble,
                    None => troubled.await,
                }
            }
        };
        timeout(PATIENCE, wait).await.expect("there is no trouble")
    }

    /// Ends it without any farewell.
    pub(super) async fn kill(self) {
        self.node.root().kill();
        self.node.finished().await;
    }

    /// Nothing more came than was expected.
    pub(super) async fn stop(mut self) {
        let stopped = self.node.stop(PATIENCE).await;
        assert_eq!(stopped.not_stopped.len(), 0, "{stopped:?}");
        for inbox in [&mut self.control, &mut self.play] {
            while let Ok(inbound) = inbox.try_recv() {
                assert!(
                    matches!(inbound, Inbound::Down { .. }),
                    "{inbound:?} came as well"
                );
            }
        }
    }
}

/// Tells each of them who the others are.
pub(super) fn introduce(peers: &[&Peer]) {
    let members: Vec<Member> = peers.iter().map(|peer| peer.member()).collect();
    for peer in peers {
        peer.transport.members(&members);
    }
}

/// Two nodes, n1 and n2, with wires in both lanes.
pub(super) async fn pair(setups: [Setup; 2]) -> (Peer, Peer) {
    let [one, two] = setups;
    let (mut one, mut two) = (one.start().await, two.start().await);
    introduce(&[&one, &two]);
    for lane in LANES {
        one.expect_up(lane, 2, 1).await;
        two.expect_up(lane, 1, 1).await;
    }
    (one, two)
}

/// A directory for the time of a test.
pub(super) struct TempDir(PathBuf);

impl TempDir {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-wire-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// An authority.
    pub(super) fn ca(&self, name: &str) -> PathBuf {
        let dir = self.join(name);
        cert::new_ca(&dir).unwrap();
        dir
    }

    /// The directory of a node with a certificate of this authority.
    pub(super) fn node(&self, ca: &Path, number: u16) -> PathBuf {
        let dir = self.join(&format!("n{number}"));
        cert::new_certificate(ca, &name(number), &dir).unwrap();
        dir
    }

    /// A node with a certificate of this authority.
    pub(super) fn setup(&self, ca: &Path, number: u16) -> Setup {
        Setup {
            tls: Some(cert::load(&self.node(ca, number)).unwrap()),
            ..setup(number)
        }
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
