//! `[process]` Whole worlds in one process, as nodes of a mesh that share a store, and players who
//! type and read there.

use super::network::Script;
use crate::account::{Name, PasswordCost, SALT_BYTES, Throttle, hash_password};
use crate::bridge::{Bridge, BridgeRules};
use crate::cluster::WorldHost;
use crate::cluster::people::People;
use crate::content::World;
use crate::event::Event;
use crate::ids::{AccountId, CharacterId, ConnectionId, SessionId, ZoneId};
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
use belay_cluster::{Host, NodeId, ShardId};
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
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

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

/// A node's world.
pub(super) struct Realm {
    pub(super) id: NodeId,
    pub(super) services: Arc<Services>,
    pub(super) network: Arc<Script>,
    sessions: DynamicSupervisor,
    sockets: DynamicSupervisor,
    links: Mutex<Vec<(SessionPort, ConnectionId)>>,
    node: Node,
}

/// Someone at a terminal.
pub(super) struct Bot {
    pub(super) link: ConnectionId,
    session: Arc<Mutex<SessionPort>>,
    heard: mpsc::Receiver<Heard>,
    pub(super) seen: String,
}

enum Heard {
    Text(String),
    Closed,
}

impl Rig {
    /// So many nodes; no shard has an owner yet.
    pub(super) async fn new(nodes: u16) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-people-{}-{number}", std::process::id());
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
            let realm = Realm::start(NodeId(number), &rig.mesh, &rig.store).await;
            rig.worlds.push(realm);
        }
        rig
    }

    /// The world of this node.
    pub(super) fn at(&self, number: u16) -> &Realm {
        self.worlds
            .iter()
            .find(|realm| realm.id == NodeId(number))
            .unwrap()
    }

    /// All shards of people live on this node.
    pub(super) fn place_all(&self, node: u16) {
        for spec in crate::cluster::people::shards(&world(), true) {
            self.mesh.place(&spec.shard, NodeId(node));
        }
    }

    /// An account with a character of that name.
    pub(super) async fn account(&self, name: &str) -> (AccountId, CharacterId) {
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
        let CharacterCreation::Created(character) = told.await.unwrap().unwrap() else {
            panic!("{name} exists");
        };
        (account, character)
    }

    /// On how many nodes somebody of this name plays.
    pub(super) fn sessions_of(&self, name: &str) -> usize {
        let plays = |realm: &&Realm| realm.services.players.find_exactly(name).is_some();
        self.worlds.iter().filter(plays).count()
    }

    /// Waits until the record has the character in this room.
    pub(super) async fn saved(&self, name: &str, room: &str) {
        let look = async {
            loop {
                let (tell, told) = oneshot::channel();
                let name = Name::restore(name).unwrap();
                self.store
                    .find_character(name, move |found| drop(tell.send(found)));
                let found = told.await.unwrap().unwrap().unwrap();
                if found.room_key == room {
                    return;
                }
            }
        };
        assert!(timeout(PATIENCE, look).await.is_ok(), "saved in {room}");
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
    async fn start(id: NodeId, mesh: &Mesh, store: &StorePort) -> Self {
        let content = world();
        let pool = PoolOptions {
            threads: 1,
            queue_max: 64,
        };
        let pool = WorkerPool::new("login pool", pool);
        let network = Arc::new(Script::default());
        let services = Arc::new(services(content.clone(), store, &pool, &network));
        let (sessions, sockets) = (group("players"), group("sockets"));
        let tree = Supervisor::builder("node")
            .child(sockets.spec())
            .child(zones(&services))
            .child(services.channels.spec())
            .child(pool.spec())
            .child(sessions.spec())
            .child(services.bridge.spec(Vec::new));
        let people = People::join(mesh.cluster(id).unwrap(), &services).unwrap();
        let node = Node::start(tree).await.unwrap();
        let rooms: Arc<dyn Host> = Arc::new(NoRooms);
        mesh.attach(id, Arc::new(WorldHost::new(rooms, people)));
        Self {
            id,
            services,
            network,
            sessions,
            sockets,
            links: Mutex::default(),
            node,
        }
    }

    /// Somebody connects.
    pub(super) fn connect(&self) -> Bot {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let session: Arc<Mutex<Option<SessionPort>>> = Arc::default();
        let mailbox = Mailbox::new(Capacity {
            messages: 256,
            reserved: 256,
        });
        let (tell, heard) = mpsc::channel(4_096);
        let adopted = session.clone();
        let spec = ChildSpec::body(format!("socket:{number}"), &mailbox, move |mut ctx| {
            let (tell, adopted) = (tell.clone(), adopted.clone());
            async move {
                loop {
                    let message = match ctx.next().await {
                        Incoming::Message(message) => message,
                        Incoming::Shutdown => return Ok(()),
                        Incoming::Timer(_) | Incoming::Signal(_) => continue,
                    };
                    if let ConnectionMessage::Adopt(port) = message {
                        *adopted.lock().unwrap() = Some(port);
                        continue;
                    }
                    let close = matches!(message, ConnectionMessage::Close(_));
                    if let Some(text) = text(&message) {
                        drop(tell.send(Heard::Text(text)).await);
                    }
                    if close {
                        drop(tell.send(Heard::Closed).await);
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
        let port = self.session(link, number);
        session.lock().unwrap().get_or_insert(port.clone());
        let current = Arc::new(Mutex::new(port));
        Bot {
            link: ConnectionId(number),
            session: current,
            heard,
            seen: String::new(),
        }
    }

    fn session(&self, connection: ConnectionPort, number: u64) -> SessionPort {
        let id = SessionId((u64::from(self.id.0) << 48) | number);
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
        let link = (mailbox.address(), ConnectionId(number));
        self.links.lock().unwrap().push(link);
        mailbox.address()
    }

    /// Logs an account in, with its only character.
    pub(super) async fn log_in(&self, name: &str) -> Bot {
        let mut bot = self.at_the_door(name).await;
        bot.type_line("1");
        bot.sees("Welcome").await;
        bot
    }

    /// Everything but the choice of the character, after which the account is claimed.
    pub(super) async fn at_the_door(&self, name: &str) -> Bot {
        let mut bot = self.connect();
        bot.sees("Name").await;
        bot.type_line(name);
        bot.sees("Password").await;
        bot.type_line(PASSWORD);
        bot.sees("Which").await;
        bot
    }

    /// A guest, and their name.
    pub(super) async fn guest(&self) -> (Bot, String) {
        let mut bot = self.connect();
        bot.sees("Name").await;
        bot.type_line("guest");
        let seen = bot.sees("Welcome, ").await;
        let name = seen.rsplit("Welcome, ").next().unwrap();
        let name = name.split('.').next().unwrap().to_owned();
        (bot, name)
    }

    /// How many sessions play or log in here.
    pub(super) fn sessions(&self) -> usize {
        self.sessions.count()
    }

    /// The connection of the session of this name.
    pub(super) fn link_of(&self, name: &str) -> Option<ConnectionId> {
        let player = self.services.players.find_exactly(name)?;
        self.links
            .lock()
            .unwrap()
            .iter()
            .find(|(port, _)| port.process() == player.session.process())
            .map(|(_, link)| *link)
    }

    /// The names of all who play, as `who` has them here.
    pub(super) fn who(&self) -> String {
        let (people, total) = self.services.players.list(None, 99);
        assert_eq!(people.len(), total);
        let names = people.iter().map(|one| one.name.to_string());
        names.collect::<Vec<_>>().join(" ")
    }
}

impl Bot {
    pub(super) fn type_line(&self, text: &str) {
        let line = Input::Line {
            text: text.to_owned(),
            cut: None,
        };
        let session = self.session.lock().unwrap().clone();
        drop(session.try_send_owed(SessionMessage::Input(self.link, line)));
    }

    /// The socket is gone.
    pub(super) fn hang_up(&self) {
        let session = self.session.lock().unwrap().clone();
        drop(session.try_send_owed(SessionMessage::Input(self.link, Input::Closed)));
    }

    /// Reads until this was seen; what was read since the last time.
    pub(super) async fn sees(&mut self, text: &str) -> String {
        let mut since = String::new();
        loop {
            if since.contains(text) {
                return since;
            }
            match timeout(PATIENCE, self.heard.recv()).await {
                Ok(Some(Heard::Text(more))) => {
                    since.push_str(&more);
                    self.seen.push_str(&more);
                }
                Ok(Some(Heard::Closed) | None) => {
                    panic!("closed before {text:?}; saw {:?}", self.seen)
                }
                Err(_) => panic!("no {text:?} in time; saw {:?}", self.seen),
            }
        }
    }

    /// Types, and reads until this was seen.
    pub(super) async fn asks(&mut self, line: &str, text: &str) -> String {
        self.type_line(line);
        self.sees(text).await
    }

    /// Reads until the connection is closed; the last words.
    pub(super) async fn is_closed(&mut self) -> String {
        let mut since = String::new();
        loop {
            match timeout(PATIENCE, self.heard.recv()).await {
                Ok(Some(Heard::Text(more))) => {
                    since.push_str(&more);
                    self.seen.push_str(&more);
                }
                Ok(Some(Heard::Closed) | None) => return since,
                Err(_) => panic!("not closed in time; saw {:?}", self.seen),
            }
        }
    }

    /// Reads until the player is in or the connection is closed; whether they are in.
    pub(super) async fn is_in(&mut self) -> bool {
        let mut since = String::new();
        loop {
            if since.contains("Welcome") || since.contains("goes on") {
                return true;
            }
            match timeout(PATIENCE, self.heard.recv()).await {
                Ok(Some(Heard::Text(more))) => {
                    since.push_str(&more);
                    self.seen.push_str(&more);
                }
                Ok(Some(Heard::Closed) | None) => return false,
                Err(_) => panic!("neither in nor out; saw {:?}", self.seen),
            }
        }
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

fn text(message: &ConnectionMessage) -> Option<String> {
    let event: &Event = match message {
        ConnectionMessage::Show(shown) => &shown.event,
        ConnectionMessage::Notice(notice) => notice.event(),
        ConnectionMessage::Close(event) => event,
        ConnectionMessage::Tick(..)
        | ConnectionMessage::Adopt(_)
        | ConnectionMessage::Hide(_)
        | ConnectionMessage::LoggedIn
        | ConnectionMessage::LoginClock { .. }
        | ConnectionMessage::Color(_)
        | ConnectionMessage::ScreenReader(_) => return None,
    };
    let mut out = Vec::new();
    render(event, PLAIN, &world(), &mut out);
    Some(String::from_utf8(out).unwrap())
}

fn group(name: &str) -> DynamicSupervisor {
    DynamicSupervisor::new(name, DynamicOptions::default())
}

fn zones(services: &Arc<Services>) -> ChildSpec {
    let shared = Arc::new(RoomContext {
        world: services.world.clone(),
        crowd: CrowdRules {
            size: 50,
            gap: Duration::from_millis(50),
            size_large: 500,
            gap_large: Duration::from_millis(100),
        },
        restock: Arc::new(|_, _, _| {}),
        right: None,
    });
    let rooms = services.rooms.clone();
    let count = u16::try_from(services.world.zones().len()).unwrap();
    ChildSpec::supervisor("world", move || {
        let plan = |id| {
            let mut plan = ZonePlan::new(ZoneId(id), rooms.clone(), shared.clone());
            plan.mobs = false;
            plan.spec()
        };
        Supervisor::builder("world").children((0..count).map(plan).collect::<Vec<_>>())
    })
}

fn services(
    world: Arc<World>,
    store: &StorePort,
    pool: &WorkerPool,
    network: &Arc<Script>,
) -> Services {
    let (players, channels) = (Players::new(), Channels::new(world.clone()));
    let around = (players.clone(), channels.clone());
    let rules = BridgeRules {
        notices: true,
        guests_speak: true,
    };
    let bridge = Bridge::new(world.clone(), around, rules, |port| {
        network.plug(port);
        network.clone()
    });
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
            save_every: Duration::from_millis(50),
            commands_per_s: 1_000,
            commands_burst: 1_000,
        },
        start: Start::StartRoom,
        shutdown: Arc::new(|| {}),
        next_guest: AtomicU64::new(1),
    }
}

/// Each world of these tests has rooms of its own.
struct NoRooms;

impl Host for NoRooms {
    fn run(&self, _: &ShardId, _: belay_cluster::Fence) {}
    fn stop(&self, _: &ShardId, _: belay_cluster::Epoch) {}
    fn freeze(&self, _: &ShardId, _: belay_cluster::Epoch, _: belay_cluster::HandOver) {}
    fn thaw(&self, _: &ShardId, _: belay_cluster::Epoch) {}
    fn build(
        &self,
        _: &ShardId,
        _: belay_cluster::Epoch,
        _: bytes::Bytes,
        _: belay_cluster::Built,
    ) {
    }
    fn suspend(&self, _: bool) {}
    fn changed(&self, _: &Arc<belay_cluster::View>) {}
    fn peer(&self, _: NodeId, _: belay_cluster::PeerNews) {}
    fn deliver(&self, _: NodeId, _: bytes::Bytes) {}
    fn report(&self, _: &mut Vec<belay_cluster::ShardReport>) {}
}
