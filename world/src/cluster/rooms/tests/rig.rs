//! `[process]` Whole worlds in one process, as nodes of a mesh that share a store and the rooms of
//! all zones, and players who type and read there.

use crate::account::{Name, PasswordCost, SALT_BYTES, Throttle, hash_password};
use crate::bridge::{Bridge, BridgeRules};
use crate::cluster::people::People;
use crate::cluster::{Count, Gateway, RoomsHost, Workshop, WorldHost};
use crate::content::World;
use crate::event::Event;
use crate::ids::{ConnectionId, SessionId};
use crate::limits;
use crate::login::LoginRules;
use crate::node::{Bans, Claims, Players, Services, Start};
use crate::ring::{ConnectionMessage, ConnectionPort, Input, Rooms, SessionMessage, SessionPort};
use crate::room::{CrowdRules, RoomContext};
use crate::sample::world;
use crate::session::{SessionBody, SessionProcess, SessionRules, clear_away};
use crate::store::{
    AccountCreation, CharacterCreation, Store, StoreOptions, StorePort, system_clock,
};
use crate::talk::Channels;
use crate::text::{Charset, Depth, ViewerClass};
use crate::view::render;
use crate::zone::ZonePlan;
use belay_cluster::mesh::Mesh;
use belay_cluster::{
    Built, Epoch, Fence, HandOver, Host, NodeId, PeerNews, ShardId, ShardReport, View,
};
use belay_runtime::{
    Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Heir, Incoming, Mailbox, Node,
    PoolOptions, Restart, Supervisor, WorkerPool,
};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Longer than anything takes unless it hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

pub(super) const PASSWORD: &str = "correct horse";

const COST: PasswordCost = PasswordCost {
    memory_kib: 8,
    passes: 1,
    lanes: 1,
};

const PLAIN: ViewerClass = ViewerClass {
    depth: Depth::None,
    charset: Charset::Utf8,
    screen_reader: false,
};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The nodes and their common store.
pub(super) struct Rig {
    pub(super) mesh: Mesh,
    pub(super) worlds: Vec<Realm>,
    pub(super) store: StorePort,
    keeper: Node,
    directory: PathBuf,
}

/// How the worlds of a rig are.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// With more players than this a room gathers.
    pub(super) crowd: usize,
    /// Whether mobs live.
    pub(super) mobs: bool,
    /// This node builds nothing that is moved there.
    pub(super) refuses: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            crowd: 1_000,
            mobs: false,
            refuses: 0,
        }
    }
}

/// A node's world.
pub(super) struct Realm {
    pub(super) id: NodeId,
    pub(super) host: Arc<RoomsHost>,
    sessions: DynamicSupervisor,
    sockets: DynamicSupervisor,
    services: Arc<Services>,
    node: Node,
}

/// What somebody reads: of many, only what is said to them, for reading costs a test more than all
/// the rest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hearing {
    All,
    OwnOnly,
}

/// Someone at a terminal.
pub(super) struct Bot {
    link: ConnectionId,
    session: SessionPort,
    heard: mpsc::Receiver<Option<String>>,
    pub(super) name: String,
    pub(super) seen: String,
}

pub(super) fn zone(key: &str) -> ShardId {
    ShardId::new(&format!("zone:{key}"))
}

impl Rig {
    /// So many nodes; no zone has an owner yet.
    pub(super) async fn new(nodes: u16, rules: Rules) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-rooms-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        let opened = Store::open(directory.join("belay.db"), StoreOptions::default()).await;
        let store = opened.unwrap();
        let port = store.port();
        let keeper = Node::start(Supervisor::builder("keeper").child(store.spec()));
        let mut rig = Self {
            mesh: Mesh::new(nodes),
            worlds: Vec::new(),
            store: port,
            keeper: keeper.await.unwrap(),
            directory,
        };
        for number in 1..=nodes {
            let realm = Realm::start(NodeId(number), &rig.mesh, &rig.store, rules).await;
            rig.worlds.push(realm);
        }
        for spec in crate::cluster::people::shards(&world(), true) {
            rig.mesh.place(&spec.shard, NodeId(1));
        }
        rig
    }

    /// Two nodes: the town on the first, the wild on the second.
    pub(super) async fn two(rules: Rules) -> Self {
        let rig = Self::new(2, rules).await;
        rig.place("town", 1).await;
        rig.place("wild", 2).await;
        rig
    }

    /// The zone lives on this node, and is open for all.
    pub(super) async fn place(&self, key: &str, node: u16) -> Epoch {
        let epoch = self.mesh.place(&zone(key), NodeId(node));
        self.is_open(key).await;
        epoch
    }

    /// Waits until all nodes know that the zone is open.
    pub(super) async fn is_open(&self, key: &str) {
        let content = world();
        let room = content.rooms().iter().position(|room| {
            let zone = content.zone(room.zone).unwrap();
            &*zone.key == key
        });
        let room = crate::ids::RoomId(u32::try_from(room.unwrap()).unwrap());
        for realm in &self.worlds {
            until("the zone is open", || realm.gateway().takes_letters(room)).await;
        }
    }

    /// Moves a zone with all that is in it; when it is there.
    pub(super) async fn moves(&self, key: &str, to: u16) -> Result<Epoch, String> {
        let (tell, told) = oneshot::channel();
        self.mesh.move_shard(&zone(key), NodeId(to), move |done| {
            drop(tell.send(done));
        });
        timeout(PATIENCE, told).await.unwrap().unwrap()
    }

    /// The world of this node.
    pub(super) fn at(&self, number: u16) -> &Realm {
        self.worlds
            .iter()
            .find(|realm| realm.id == NodeId(number))
            .unwrap()
    }

    /// An account with a character of that name.
    pub(super) async fn account(&self, name: &str) {
        let hash = hash_password(PASSWORD, &[7; SALT_BYTES], COST).unwrap();
        let (tell, told) = oneshot::channel();
        self.store
            .create_account(Name::restore(name).unwrap(), hash, move |made| {
                drop(tell.send(made));
            });
        let AccountCreation::Created(account) = told.await.unwrap().unwrap() else {
            panic!("{name} exists");
        };
        let (tell, told) = oneshot::channel();
        let named = Name::restore(name).unwrap();
        self.store
            .create_character(account, named, String::new(), move |made| {
                drop(tell.send(made));
            });
        let CharacterCreation::Created(_) = told.await.unwrap().unwrap() else {
            panic!("{name} exists");
        };
    }

    /// The node is dead: nobody hears of it any more, and nothing on it goes on.
    pub(super) async fn kill(&mut self, number: u16) {
        self.mesh.kill(NodeId(number));
        let at = self
            .worlds
            .iter()
            .position(|realm| realm.id == NodeId(number));
        let realm = self.worlds.remove(at.unwrap());
        realm.node.stop(PATIENCE).await;
    }

    pub(super) async fn stop(self) {
        for realm in self.worlds {
            self.mesh.kill(realm.id);
            let report = realm.node.stop(PATIENCE).await;
            assert_eq!(report.not_stopped, Vec::<String>::new());
        }
        self.keeper.stop(PATIENCE).await;
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

impl Realm {
    async fn start(id: NodeId, mesh: &Mesh, store: &StorePort, rules: Rules) -> Self {
        let content = world();
        let pool = PoolOptions {
            threads: 1,
            queue_max: 1_024,
        };
        let pool = WorkerPool::new("login pool", pool);
        let services = Arc::new(services(content.clone(), store, &pool));
        let cluster = mesh.cluster(id).unwrap();
        let gateway = Gateway::new(cluster.clone(), content, services.rooms.clone());
        let host = RoomsHost::new(gateway, |zones| workshop(&services, zones, rules));
        let host = Arc::new(host);
        let (sessions, sockets) = (group("players"), group("sockets"));
        let tree = Supervisor::builder("node")
            .child(sockets.spec())
            .child(host.spec())
            .child(services.channels.spec())
            .child(pool.spec())
            .child(sessions.spec())
            .child(services.bridge.spec(Vec::new));
        let node = Node::start(tree).await.unwrap();
        let people = People::join(cluster, &services).unwrap();
        let rooms: Arc<dyn Host> = if rules.refuses == id.0 {
            Arc::new(Refusing(host.clone()))
        } else {
            host.clone()
        };
        mesh.attach(id, Arc::new(WorldHost::new(rooms, people)));
        Self {
            id,
            host,
            sessions,
            sockets,
            services,
            node,
        }
    }

    pub(super) fn gateway(&self) -> &Gateway {
        self.host.gateway()
    }

    pub(super) fn count(&self, what: Count) -> u64 {
        self.gateway().counts().get(what)
    }

    /// Somebody connects.
    pub(super) fn connect(&self, hearing: Hearing) -> Bot {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mailbox = Mailbox::new(Capacity {
            messages: 4_096,
            reserved: 256,
        });
        let (tell, heard) = mpsc::channel(65_536);
        let spec = ChildSpec::body(format!("socket:{number}"), &mailbox, move |mut ctx| {
            let tell = tell.clone();
            async move {
                loop {
                    let message = match ctx.next().await {
                        Incoming::Message(message) => message,
                        Incoming::Shutdown => return Ok(()),
                        Incoming::Timer(_) | Incoming::Signal(_) => continue,
                    };
                    let close = matches!(message, ConnectionMessage::Close(_));
                    let ambient = matches!(
                        message,
                        ConnectionMessage::Notice(_) | ConnectionMessage::Tick(..)
                    );
                    if ambient && hearing == Hearing::OwnOnly {
                        continue;
                    }
                    for text in texts(&message) {
                        drop(tell.send(Some(text)).await);
                    }
                    if close {
                        drop(tell.send(None).await);
                        return Ok(());
                    }
                }
            }
        });
        self.sockets
            .spawn_child(spec.restart(Restart::Temporary))
            .unwrap();
        let link = ConnectionPort {
            id: ConnectionId(number),
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            address: mailbox.address(),
        };
        Bot {
            link: ConnectionId(number),
            session: self.session(link, number),
            heard,
            name: String::new(),
            seen: String::new(),
        }
    }

    fn session(&self, connection: ConnectionPort, number: u64) -> SessionPort {
        let id = SessionId::on(self.id.0, 1, u32::try_from(number).unwrap());
        let mailbox = Mailbox::with_kinds(Capacity {
            messages: limits::SESSION_MAILBOX,
            reserved: limits::SESSION_RESERVED,
        });
        let heir = Heir::new(SessionBody::new(connection));
        let (node, kept, last) = (self.services.clone(), heir.clone(), self.services.clone());
        let spec = ChildSpec::process(format!("session:{number}"), &mailbox, move || {
            SessionProcess::new(id, kept.clone(), node.clone())
        })
        .restart(Restart::Transient)
        .on_abandoned(move |_, _| clear_away(&heir, id, &last));
        self.sessions.spawn_child(spec).unwrap();
        mailbox.address()
    }

    /// Logs an account in, with its only character, who stands in the hall.
    pub(super) async fn log_in(&self, name: &str) -> Bot {
        let mut bot = self.welcome(name).await;
        bot.sees("The Hall").await;
        bot
    }

    /// Logs an account in, with its only character, wherever they stand.
    pub(super) async fn welcome(&self, name: &str) -> Bot {
        let mut bot = self.connect(Hearing::All);
        bot.sees("Name").await;
        bot.asks(name, "Password").await;
        bot.asks(PASSWORD, "Which").await;
        bot.asks("1", "Welcome").await;
        name.clone_into(&mut bot.name);
        bot
    }

    /// A guest, who stands in the hall.
    pub(super) async fn guest(&self) -> Bot {
        self.guest_who_hears(Hearing::All).await
    }

    /// The same, who may read only what is said to them.
    pub(super) async fn guest_who_hears(&self, hearing: Hearing) -> Bot {
        let mut bot = self.connect(hearing);
        bot.sees("Name").await;
        bot.type_line("guest");
        let seen = bot.sees("Welcome, ").await;
        let name = seen.rsplit("Welcome, ").next().unwrap();
        bot.name = name.split('.').next().unwrap().to_owned();
        bot.sees("The Hall").await;
        bot
    }
}

impl Bot {
    pub(super) fn type_line(&self, text: &str) {
        let line = Input::Line {
            text: text.to_owned(),
            cut: None,
        };
        let sent = self
            .session
            .try_send_owed(SessionMessage::Input(self.link, line));
        assert!(sent.is_ok(), "{} types {text}", self.name);
    }

    /// Reads until this was seen; what was read since the last time.
    pub(super) async fn sees(&mut self, text: &str) -> String {
        let mut since = String::new();
        while !since.contains(text) {
            match timeout(PATIENCE, self.heard.recv()).await {
                Ok(Some(Some(more))) => {
                    since.push_str(&more);
                    self.seen.push_str(&more);
                }
                Ok(Some(None) | None) => panic!("closed before {text:?}; saw {:?}", self.seen),
                Err(_) => panic!("{}: no {text:?}; saw {:?}", self.name, self.seen),
            }
        }
        since
    }

    /// Types, and reads until this was seen.
    pub(super) async fn asks(&mut self, line: &str, text: &str) -> String {
        self.type_line(line);
        self.sees(text).await
    }

    /// Reads until the connection is closed.
    pub(super) async fn is_closed(&mut self) {
        while let Some(Some(more)) = timeout(PATIENCE, self.heard.recv()).await.unwrap() {
            self.seen.push_str(&more);
        }
    }

    /// How often this was seen so far.
    pub(super) fn saw(&self, text: &str) -> usize {
        self.seen.matches(text).count()
    }
}

/// Waits until this holds.
pub(super) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let asking = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    assert!(timeout(PATIENCE, asking).await.is_ok(), "in time: {what}");
}

fn texts(message: &ConnectionMessage) -> Vec<String> {
    let events: Vec<&Event> = match message {
        ConnectionMessage::Show(shown) => vec![&shown.event],
        ConnectionMessage::Notice(notice) => vec![notice.event()],
        ConnectionMessage::Close(event) => vec![event],
        ConnectionMessage::Tick(batch, me) => batch
            .entries()
            .iter()
            .filter(|(by, _)| *by != Some(*me))
            .map(|(_, event)| event)
            .collect(),
        ConnectionMessage::Adopt(_)
        | ConnectionMessage::Hide(_)
        | ConnectionMessage::LoggedIn
        | ConnectionMessage::LoginClock { .. }
        | ConnectionMessage::Color(_)
        | ConnectionMessage::ScreenReader(_) => Vec::new(),
    };
    let render = |event: &&Event| {
        let mut out = Vec::new();
        render(event, PLAIN, &world(), &mut out);
        String::from_utf8(out).unwrap()
    };
    events.iter().map(render).collect()
}

fn group(name: &str) -> DynamicSupervisor {
    DynamicSupervisor::new(name, DynamicOptions::default())
}

fn workshop(services: &Services, zones: DynamicSupervisor, rules: Rules) -> Workshop {
    let (world, rooms, store) = (
        services.world.clone(),
        services.rooms.clone(),
        services.store.clone(),
    );
    Workshop {
        plan: Arc::new(move |id, right| {
            let shared = RoomContext {
                world: world.clone(),
                crowd: CrowdRules {
                    size: rules.crowd,
                    gap: Duration::from_millis(20),
                    size_large: 1_000,
                    gap_large: Duration::from_millis(40),
                },
                restock: Arc::new(|_, _, _| {}),
                right: Some(right),
            };
            let mut plan = ZonePlan::new(id, rooms.clone(), Arc::new(shared));
            plan.mobs = rules.mobs;
            plan
        }),
        store,
        zones,
    }
}

fn services(world: Arc<World>, store: &StorePort, pool: &WorkerPool) -> Services {
    let (players, channels) = (Players::new(), Channels::new(world.clone()));
    let around = (players.clone(), channels.clone());
    let rules = BridgeRules {
        notices: false,
        guests_speak: false,
    };
    let bridge = Bridge::new(world.clone(), around, rules, crate::bridge::client);
    Services {
        rooms: Rooms::new(world.rooms().len()),
        channels,
        bridge,
        world,
        store: store.clone(),
        pool: pool.clone(),
        claims: Claims::new(),
        players,
        people: People::new(),
        bans: Bans::new(Vec::new(), system_clock()),
        throttle: Mutex::new(Throttle::new()),
        password_cost: COST,
        login: LoginRules {
            guests: true,
            failures_max: 5,
            characters_max: limits::CHARACTERS_MAX,
        },
        play: SessionRules {
            linkdead: Duration::from_secs(60),
            save_every: Duration::from_secs(5),
            commands_per_s: 10_000,
            commands_burst: 10_000,
        },
        start: Start::StartRoom,
        shutdown: Arc::new(|| {}),
        next_guest: AtomicU64::new(1),
    }
}

/// A node that builds nothing that is moved there.
struct Refusing(Arc<RoomsHost>);

impl Host for Refusing {
    fn run(&self, shard: &ShardId, fence: Fence) {
        self.0.run(shard, fence);
    }

    fn stop(&self, shard: &ShardId, epoch: Epoch) {
        self.0.stop(shard, epoch);
    }

    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver) {
        self.0.freeze(shard, epoch, reply);
    }

    fn thaw(&self, shard: &ShardId, epoch: Epoch) {
        self.0.thaw(shard, epoch);
    }

    fn build(&self, shard: &ShardId, moving: Epoch, state: bytes::Bytes, reply: Built) {
        let torn = state.slice(..state.len() - 1);
        self.0.build(shard, moving, torn, reply);
    }

    fn suspend(&self, on: bool) {
        self.0.suspend(on);
    }

    fn changed(&self, view: &Arc<View>) {
        self.0.changed(view);
    }

    fn peer(&self, node: NodeId, news: PeerNews) {
        self.0.peer(node, news);
    }

    fn deliver(&self, from: NodeId, body: bytes::Bytes) {
        self.0.deliver(from, body);
    }

    fn report(&self, out: &mut Vec<ShardReport>) {
        self.0.report(out);
    }
}
