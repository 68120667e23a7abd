//! `[edge]` The supervision tree of a node, top to bottom in one place.
//!
//! ```text
//! node                 one_for_one: nothing here takes the others with it
//! ├─ connections       dynamic, partitioned: the sockets; they outlive all below, and close last
//! ├─ store             writer with group commit, readers, backup
//! ├─ loader            reads floors and bans once, then is done
//! ├─ world             zones; each supervises its rooms and mobs
//! ├─ talk              channels
//! ├─ sessions          login pool; sessions (dynamic, partitioned)
//! ├─ farewell          sends players to other nodes before their sessions stop
//! ├─ bridge            to other games: notices, credentials, monitor + tether -> socket
//! ├─ ops               profiler, watchdog, metrics and health, control socket
//! └─ acceptors         telnet, HTTP: started last, stopped first
//! ```
//! The order of start is top to bottom, of stop bottom to top: first nobody new comes in, then
//! sessions save and say goodbye while their rooms and the store still answer.

use super::acceptors::Acceptors;
use super::cluster::{declare, farewell, shards};
use super::config::{Config, PlayersStart, StoreSynchronous};
use super::control;
use super::failure::{Failure, Status};
use super::operations::{self, Lookouts, NodeView};
use super::serve::Parts;
use super::stop::StopRequest;
use super::zones::zones;
use crate::account::{PasswordCost, Throttle};
use crate::bridge::{Bridge, BridgeRules, Watch};
use crate::cluster::people::People;
use crate::cluster::{RoomsHost, WorldHost};
use crate::connection::{ConnectionSettings, Reception, Refused, StartSession};
use crate::content::World;
use crate::ids::SessionId;
use crate::limits;
use crate::login::LoginRules;
use crate::node::{Bans, Claims, Players, Services, Start};
use crate::ring::{ConnectionPort, Rooms};
use crate::session::{SessionBody, SessionProcess, SessionRules, clear_away};
use crate::store::{Store, StoreOptions, StorePlace, StoreUrl, Synchronous, system_clock};
use crate::talk::Channels;
use belay_cluster::member::Member;
use belay_cluster::{Cluster, ShardSpec};
use belay_runtime::{
    Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Heir, Intensity, Mailbox, Node,
    PoolOptions, Profiler, ProfilerOptions, Restart, Shutdown, Supervisor, WatchdogOptions,
    WorkerPool,
};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A session that crashes more often is given up, and its player has to log in again.
const SESSION_INTENSITY: Intensity = Intensity::new(5, Duration::from_secs(60));

/// How long one session may take to say goodbye.
const SESSION_STOP: Duration = Duration::from_secs(5);

/// The ports into a running node, for the operator's branch of the tree.
#[derive(Clone, Debug)]
pub(super) struct Ports {
    pub(super) services: Arc<Services>,
    /// The cluster of the node, if it is in one.
    pub(super) cluster: Option<Cluster>,
    /// The shards that this node's content has.
    pub(super) shards: Arc<[ShardSpec]>,
    pub(super) connections: DynamicSupervisor,
    pub(super) profiler: Profiler,
}

/// Starts the tree and waits until all of it is up; then players can come in.
///
/// # Errors
/// What did not start.
pub(super) async fn start(
    parts: Parts,
    request: &StopRequest,
    view: &NodeView,
) -> anyhow::Result<Node> {
    let Parts {
        config,
        content,
        listeners,
        figures,
        member,
    } = parts;
    let config = &config;
    let store = open_store(config).await?;
    let pool = WorkerPool::new(
        "login pool",
        PoolOptions {
            threads: size(config.login.threads(cores())),
            queue_max: size(config.login.queue),
        },
    );
    let services = Arc::new(services(
        config,
        Arc::new(content.world),
        &store,
        &pool,
        request,
    ));
    let (talk, bridge) = (services.channels.spec(), bridge(config, &services));
    let cluster = member.as_ref().map(Member::cluster);
    let zones = zones(config, &services, cluster.as_ref());
    let (connections, sessions) = (dynamic("connections"), dynamic("players"));
    let reception = Reception::new(
        connection_settings(config),
        services.world.clone(),
        session_starter(config, &services, &sessions, cluster.as_ref()),
        connections.clone(),
    );
    let acceptors = Acceptors::new(config, (listeners.telnet, listeners.http), reception)?;
    let gossip = config.gossip.credentials().is_some();
    let shards: Arc<[ShardSpec]> = shards(&services.world, gossip).into();
    let across = across(member, &services, zones.host, &shards);
    let lookouts = lookouts(config);
    let deadline = config.drain.deadline;
    let leave = |cluster: &Cluster| farewell(cluster.clone(), services.clone(), deadline);
    let farewell = cluster.as_ref().map(leave);
    let ports = Ports {
        services,
        cluster,
        shards,
        connections: connections.clone(),
        profiler: lookouts.profiler.clone(),
    };
    let pages = operations::pages(figures, view, &ports, config.cluster.token());
    let handler = control::handler(ports, request, view);
    let ops = operations::spec((listeners.ops, listeners.control), pages, handler, lookouts)?;
    let tree = Supervisor::builder("node")
        .child(connections.spec())
        .child(store.spec())
        .child(zones.loader)
        .child(zones.world)
        .children(across)
        .child(talk)
        .child(session_group(pool, sessions))
        .children(farewell)
        .child(bridge)
        .child(ops)
        .child(ChildSpec::supervisor("acceptors", move || {
            acceptors.build()
        }));
    let started = Node::start(tree).await;
    started.map_err(|error| Failure::error(Status::Internal, format!("cannot start: {error}")))
}

/// The cluster's parts of the tree: after the zones that it hands out, and stopped after the
/// sessions whose words it carries.
fn across(
    member: Option<Member>,
    services: &Arc<Services>,
    rooms: Option<Arc<RoomsHost>>,
    declared: &[ShardSpec],
) -> Vec<ChildSpec> {
    let (Some(member), Some(rooms)) = (member, rooms) else {
        return Vec::new();
    };
    let cluster = member.cluster();
    let Some(people) = People::join(cluster.clone(), services) else {
        return Vec::new();
    };
    let mut parts = member.specs(Arc::new(WorldHost::new(rooms, people)));
    parts.push(declare(cluster, declared.to_vec()));
    parts
}

fn lookouts(config: &Config) -> Lookouts {
    let threshold = config.watchdog.threshold;
    Lookouts {
        profiler: Profiler::new(ProfilerOptions::default()),
        watchdog: (config.watchdog.enabled).then_some(WatchdogOptions { threshold }),
    }
}

fn session_group(pool: WorkerPool, sessions: DynamicSupervisor) -> ChildSpec {
    ChildSpec::supervisor("sessions", move || {
        Supervisor::builder("sessions")
            .child(pool.spec())
            .child(sessions.spec())
    })
}

/// The bridge to other games. It starts after all that it tells anything to, and stops before.
fn bridge(config: &Config, services: &Services) -> ChildSpec {
    let bridge = services.bridge.clone();
    let file = config.gossip.credentials().map(Path::to_owned);
    let watch = file.map(|file| Watch::new(file, bridge.clone()));
    bridge.spec(move || watch.iter().map(Watch::spec).collect())
}

fn bridge_rules(config: &Config) -> BridgeRules {
    BridgeRules {
        notices: config.gossip.notices,
        guests_speak: config.gossip.guests_speak,
    }
}

/// A supervisor with a partition for each core.
fn dynamic(name: &str) -> DynamicSupervisor {
    let options = DynamicOptions {
        partitions: size(cores()),
        ..DynamicOptions::default()
    };
    DynamicSupervisor::new(name, options)
}

async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let (place, options) = store_place(config);
    let opened = Store::open(place, options).await;
    opened.map_err(|error| Failure::error(Status::Io, error.to_string()))
}

/// Where the database is, and how it is opened.
pub(super) fn store_place(config: &Config) -> (StorePlace, StoreOptions) {
    let synchronous = match config.store.synchronous {
        StoreSynchronous::Normal => Synchronous::Normal,
        StoreSynchronous::Full => Synchronous::Full,
    };
    let options = StoreOptions {
        synchronous,
        ..StoreOptions::default()
    };
    let place = match &config.store.url {
        StoreUrl::Sqlite => StorePlace::File(config.data.dir.join("belay.db")),
        StoreUrl::Postgres(url) => StorePlace::Server(url.clone()),
    };
    (place, options)
}

fn services(
    config: &Config,
    world: Arc<World>,
    store: &Store,
    pool: &WorkerPool,
    request: &StopRequest,
) -> Services {
    let request = request.clone();
    let count = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let (players, channels) = (Players::new(), Channels::new(world.clone()));
    let around = (players.clone(), channels.clone());
    let bridge = Bridge::new(
        world.clone(),
        around,
        bridge_rules(config),
        crate::bridge::client,
    );
    Services {
        rooms: Rooms::new(world.rooms().len()),
        channels,
        bridge,
        world,
        store: store.port(),
        pool: pool.clone(),
        claims: Claims::new(),
        players,
        people: People::new(),
        bans: Bans::new(Vec::new(), system_clock()),
        throttle: Mutex::new(Throttle::new()),
        password_cost: PasswordCost {
            memory_kib: config.login.hash_memory_kib,
            passes: config.login.hash_passes,
            lanes: 1,
        },
        login: LoginRules {
            guests: config.players.guests,
            failures_max: 5,
            characters_max: limits::CHARACTERS_MAX,
        },
        play: SessionRules {
            linkdead: config.players.linkdead,
            save_every: config.save.every,
            commands_per_s: count(config.players.commands_per_s),
            commands_burst: count(config.players.commands_burst),
        },
        start: match config.players.start {
            PlayersStart::Start => Start::StartRoom,
            PlayersStart::Spread => Start::Spread { seed: 1 },
        },
        shutdown: Arc::new(move || request.ask()),
        next_guest: AtomicU64::new(1),
    }
}

/// A session for each connection, until as many play as may.
fn session_starter(
    config: &Config,
    services: &Arc<Services>,
    sessions: &DynamicSupervisor,
    cluster: Option<&Cluster>,
) -> StartSession {
    let (services, sessions) = (services.clone(), sessions.clone());
    let players_max = size(config.players.max);
    let next = AtomicU32::new(1);
    let cluster = cluster.cloned();
    let home = move || {
        let at = cluster.as_ref();
        at.map_or((0, 0), |at| (at.me().0, at.incarnation().0))
    };
    Arc::new(move |connection: ConnectionPort| {
        if sessions.count() >= players_max {
            return Err(Refused::Busy);
        }
        let (node, life) = home();
        let id = SessionId::on(node, life, next.fetch_add(1, Ordering::Relaxed));
        let mailbox = Mailbox::with_kinds(Capacity {
            messages: limits::SESSION_MAILBOX,
            reserved: limits::SESSION_RESERVED,
        });
        let heir = Heir::new(SessionBody::new(connection));
        let (node, kept) = (services.clone(), heir.clone());
        let last = services.clone();
        let spec = ChildSpec::process(format!("session:{}", id.number()), &mailbox, move || {
            SessionProcess::new(id, kept.clone(), node.clone())
        })
        .restart(Restart::Transient)
        .shutdown(Shutdown::Timeout(SESSION_STOP))
        .intensity(SESSION_INTENSITY)
        .on_abandoned(move |_, _| clear_away(&heir, id, &last));
        match sessions.spawn_child(spec) {
            Ok(_) => Ok(mailbox.address()),
            Err(_) => Err(Refused::Stopping),
        }
    })
}

fn connection_settings(config: &Config) -> ConnectionSettings {
    let some = |number: u32| (number > 0).then(|| size(number));
    ConnectionSettings {
        output_gap: config.output.gap,
        backlog_bytes: config.output.backlog,
        login_deadline: config.players.login_deadline,
        connections_max: size(config.players.max),
        per_address_max: some(config.connections.per_address).unwrap_or(usize::MAX),
        per_loopback_max: some(config.connections.per_address_loopback),
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    u32::try_from(cores).unwrap_or(1)
}
