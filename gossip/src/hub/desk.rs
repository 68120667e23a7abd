//! `[process]` The one process that owns the state of the network, and the ways to and from it.
//!
//! ```text
//! sockets, store, operator ─ DeskMessage ─► step(input, now) ─► SocketMessage, StoreOrder
//! ```
//! The state is an heir: a crash loses the input that met it and nothing else, and all sockets
//! stay. Nobody is waited for: a socket whose queue is full is cut. Nothing here knows what a
//! socket is made of.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use belay_runtime::{
    Address, Capacity, ChildSpec, Context, Exit, Flow, Heir, Mailbox, MonitorId, Process,
    ProcessRef, Reply, Signal,
};

use super::core::{CloseWith, Effect, Figures, Frame, Hub, Input, ListedGame, Moment, SocketId};
use super::directory::Directory;
use super::order::StoreOrder;
use crate::limits::{CORE_MAILBOX, CORE_RESERVED, CORE_TICK, SOCKET_QUEUE_BYTES};
use crate::protocol::Decoded;

/// Takes what is to be kept. Must not block.
pub type OnOrder = Arc<dyn Fn(StoreOrder) + Send + Sync>;

/// What the desk is sent.
#[derive(Debug)]
pub enum DeskMessage {
    /// A WebSocket opened.
    Opened {
        /// Its number.
        socket: SocketId,
        /// Where it comes from.
        address: IpAddr,
        /// The way to it.
        port: SocketPort,
    },
    /// A text frame came.
    Frame {
        /// From which socket.
        socket: SocketId,
        /// As it was read.
        frame: Decoded,
    },
    /// A socket ended; behind all that it sent.
    Closed(SocketId),
    /// The operator changed something.
    Directory(Box<Directory>),
    /// The hub will go down for about so many seconds.
    Restart(u64),
    /// Who is online, for the public page.
    Look(Reply<Vec<ListedGame>>),
    /// Its own timer.
    Tick,
}

/// What a socket is sent.
#[derive(Debug)]
pub enum SocketMessage {
    /// Write this.
    Frame(Frame),
    /// Write what came before, then close.
    Close(CloseWith),
}

/// The way to a socket.
#[derive(Debug, Clone)]
pub struct SocketPort {
    address: Address<SocketMessage>,
    process: ProcessRef,
    /// Bytes of frames that were sent and not taken yet.
    queued: Arc<AtomicUsize>,
}

impl SocketPort {
    /// The way to the socket of a process.
    #[must_use]
    pub fn new(address: Address<SocketMessage>, process: ProcessRef) -> Self {
        Self {
            address,
            process,
            queued: Arc::default(),
        }
    }

    /// The socket has taken a frame out of its queue.
    pub fn taken(&self, frame: &Frame) {
        self.queued.fetch_sub(frame.len(), Ordering::Relaxed);
    }

    /// Whether it had room.
    fn send(&self, frame: Frame) -> bool {
        let bytes = frame.len();
        let queued = self.queued.fetch_add(bytes, Ordering::Relaxed);
        queued + bytes <= SOCKET_QUEUE_BYTES
            && self.address.try_send(SocketMessage::Frame(frame)).is_ok()
    }
}

/// What others may look at without asking.
#[derive(Debug, Default)]
pub struct Notices {
    directory: RwLock<Arc<Directory>>,
    figures: RwLock<Figures>,
    /// Sockets that were cut because they did not read.
    cut: AtomicU64,
}

impl Notices {
    /// The directory that holds.
    #[must_use]
    pub fn directory(&self) -> Arc<Directory> {
        let directory = self.directory.read();
        Arc::clone(&directory.unwrap_or_else(PoisonError::into_inner))
    }

    /// What the core counted, a second old at most.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let figures = self.figures.read();
        figures.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sockets that were cut because they did not read.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut.load(Ordering::Relaxed)
    }

    fn set_directory(&self, directory: Directory) {
        let mut held = self
            .directory
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *held = Arc::new(directory);
    }

    fn set_figures(&self, figures: Figures) {
        *self.figures.write().unwrap_or_else(PoisonError::into_inner) = figures;
    }
}

/// The desk, before it is in a tree.
#[derive(Debug)]
pub struct Desk {
    mailbox: Mailbox<DeskMessage>,
    notices: Arc<Notices>,
    state: Heir<State>,
    clock: fn() -> i64,
}

/// What outlives a crash.
#[derive(Debug)]
struct State {
    hub: Hub,
    ports: BTreeMap<SocketId, SocketPort>,
}

impl Desk {
    /// A desk for `hub`, which has `directory`. `clock` tells the time in Unix milliseconds.
    #[must_use]
    pub fn new(hub: Hub, directory: Directory, clock: fn() -> i64) -> Self {
        let notices = Notices::default();
        notices.set_directory(directory);
        Self {
            mailbox: Mailbox::new(Capacity {
                messages: CORE_MAILBOX,
                reserved: CORE_RESERVED,
            }),
            notices: Arc::new(notices),
            state: Heir::new(State {
                hub,
                ports: BTreeMap::new(),
            }),
            clock,
        }
    }

    /// The way to it.
    #[must_use]
    pub fn address(&self) -> Address<DeskMessage> {
        self.mailbox.address()
    }

    /// What others may look at.
    #[must_use]
    pub fn notices(&self) -> Arc<Notices> {
        Arc::clone(&self.notices)
    }

    /// The process.
    #[must_use]
    pub fn spec(&self, orders: OnOrder) -> ChildSpec {
        let (notices, state, clock) = (self.notices(), self.state.clone(), self.clock);
        ChildSpec::process("hub:core", &self.mailbox, move || DeskProcess {
            notices: Arc::clone(&notices),
            state: state.clone(),
            orders: Arc::clone(&orders),
            clock,
            watched: BTreeMap::new(),
            effects: Vec::new(),
        })
    }
}

struct DeskProcess {
    notices: Arc<Notices>,
    state: Heir<State>,
    orders: OnOrder,
    clock: fn() -> i64,
    watched: BTreeMap<MonitorId, SocketId>,
    /// Empty between two inputs; kept for its room.
    effects: Vec<Effect>,
}

impl Process for DeskProcess {
    type Message = DeskMessage;

    async fn init(&mut self, ctx: &mut Context<DeskMessage>) -> Result<(), Exit> {
        // The sockets of the incarnation before this one.
        let ports = self.state.with(|state| state.ports.clone());
        for (socket, port) in ports {
            self.watch(ctx, socket, &port);
        }
        ctx.send_after(CORE_TICK, DeskMessage::Tick);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<DeskMessage>,
        message: DeskMessage,
    ) -> Result<Flow, Exit> {
        match message {
            DeskMessage::Opened {
                socket,
                address,
                port,
            } => {
                self.watch(ctx, socket, &port);
                self.state.with(|state| state.ports.insert(socket, port));
                self.step(ctx, Input::Opened { socket, address });
            }
            DeskMessage::Frame { socket, frame } => self.step(ctx, Input::Frame { socket, frame }),
            DeskMessage::Closed(socket) => self.closed(ctx, socket),
            DeskMessage::Directory(directory) => {
                self.notices.set_directory((*directory).clone());
                self.step(ctx, Input::Directory(directory));
            }
            DeskMessage::Restart(downtime_s) => self.step(ctx, Input::Restart { downtime_s }),
            // Who asked may have given up.
            DeskMessage::Look(reply) => {
                drop(reply.send(self.state.with(|state| state.hub.listed_games())));
            }
            DeskMessage::Tick => {
                self.step(ctx, Input::Tick);
                let (figures, due) = self
                    .state
                    .with(|state| (state.hub.figures(), state.hub.next_due()));
                self.notices.set_figures(figures);
                let now = ctx.now().into_std();
                let due = due.map_or(CORE_TICK, |due| due.saturating_duration_since(now));
                // Not more often than a clock that people look at needs.
                let pause = due.clamp(Duration::from_millis(10), CORE_TICK);
                ctx.send_after(pause, DeskMessage::Tick);
            }
        }
        Ok(Flow::Continue)
    }

    async fn signal(
        &mut self,
        ctx: &mut Context<DeskMessage>,
        signal: Signal,
    ) -> Result<Flow, Exit> {
        if let Signal::Down { monitor, .. } = signal
            && let Some(socket) = self.watched.remove(&monitor)
        {
            // Signals overtake messages, and what the socket sent last still counts.
            let behind = ctx.address().try_send_owed(DeskMessage::Closed(socket));
            if behind.is_err() {
                self.closed(ctx, socket);
            }
        }
        Ok(Flow::Continue)
    }
}

impl DeskProcess {
    fn watch(&mut self, ctx: &mut Context<DeskMessage>, socket: SocketId, port: &SocketPort) {
        let monitor = ctx.monitor(&port.process);
        self.watched.insert(monitor, socket);
    }

    fn closed(&mut self, ctx: &Context<DeskMessage>, socket: SocketId) {
        self.state.with(|state| state.ports.remove(&socket));
        self.step(ctx, Input::Closed { socket });
    }

    fn step(&mut self, ctx: &Context<DeskMessage>, input: Input) {
        let now = Moment {
            at: ctx.now().into_std(),
            unix_ms: (self.clock)(),
        };
        let Self {
            state,
            effects,
            orders,
            notices,
            ..
        } = self;
        state.with(|state| {
            state.hub.step(input, now, effects);
            for effect in effects.drain(..) {
                carry_out(&state.ports, effect, orders, notices);
            }
        });
    }
}

fn carry_out(
    ports: &BTreeMap<SocketId, SocketPort>,
    effect: Effect,
    orders: &OnOrder,
    notices: &Notices,
) {
    match effect {
        Effect::Send(socket, frame) => send(ports, socket, frame, notices),
        Effect::Broadcast(sockets, frame) => {
            for socket in sockets {
                send(ports, socket, frame.clone(), notices);
            }
        }
        Effect::Close(socket, with) => {
            if let Some(port) = ports.get(&socket)
                && port
                    .address
                    .try_send_owed(SocketMessage::Close(with))
                    .is_err()
            {
                port.process.kill();
            }
        }
        Effect::Store(order) => orders(order),
    }
}

fn send(ports: &BTreeMap<SocketId, SocketPort>, socket: SocketId, frame: Frame, notices: &Notices) {
    let Some(port) = ports.get(&socket) else {
        return;
    };
    // Cut is what a game can see: it comes back and knows that it missed something.
    if !port.send(frame) && port.process.is_alive() {
        notices.cut.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            name = port.process.name(),
            "a socket does not read and is cut"
        );
        port.process.kill();
    }
}
