//! `[process]` The desk itself.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use belay_runtime::{
    Address, Capacity, ChildSpec, Context, Exit, Flow, Heir, Mailbox, MonitorId, Process, Reply,
    Signal,
};

use super::notices::Notices;
use super::port::{SocketMessage, SocketPort};
use crate::hub::core::{Effect, Frame, Hub, Input, ListedGame, Moment, SocketId};
use crate::hub::directory::Directory;
use crate::hub::order::StoreOrder;
use crate::limits::{CORE_CRASHES_MAX, CORE_MAILBOX, CORE_RESERVED, CORE_TICK};
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

/// The desk, before it is in a tree.
pub struct Desk {
    mailbox: Mailbox<DeskMessage>,
    notices: Arc<Notices>,
    state: Heir<State>,
    make: MakeHub,
    clock: fn() -> i64,
}

/// Makes a hub to which nobody is connected.
pub type MakeHub = Arc<dyn Fn(Directory) -> Hub + Send + Sync>;

/// What outlives a crash.
#[derive(Debug)]
struct State {
    hub: Hub,
    ports: BTreeMap<SocketId, SocketPort>,
    /// Since the last input that was handled.
    crashes: u32,
}

impl Desk {
    /// A desk for the hub that `make` makes of `directory`. `clock` tells the time in Unix
    /// milliseconds.
    #[must_use]
    pub fn new(make: MakeHub, directory: Directory, clock: fn() -> i64) -> Self {
        let notices = Notices::default();
        let hub = make(directory.clone());
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
                crashes: 0,
            }),
            make,
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
        let make = Arc::clone(&self.make);
        ChildSpec::process("hub:core", &self.mailbox, move || DeskProcess {
            notices: Arc::clone(&notices),
            state: state.clone(),
            orders: Arc::clone(&orders),
            make: Arc::clone(&make),
            clock,
            watched: BTreeMap::new(),
            effects: Vec::new(),
        })
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

struct DeskProcess {
    notices: Arc<Notices>,
    state: Heir<State>,
    orders: OnOrder,
    make: MakeHub,
    clock: fn() -> i64,
    watched: BTreeMap<MonitorId, SocketId>,
    /// Empty between two inputs; kept for its room.
    effects: Vec<Effect>,
}

impl Process for DeskProcess {
    type Message = DeskMessage;

    async fn init(&mut self, ctx: &mut Context<DeskMessage>) -> Result<(), Exit> {
        if ctx.incarnation() > 0 {
            self.after_a_crash();
        }
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
    fn after_a_crash(&self) {
        let crashes = self.state.with(|state| {
            state.crashes += 1;
            state.crashes
        });
        if crashes < CORE_CRASHES_MAX {
            return;
        }
        tracing::error!(
            crashes,
            "the state of the network is spoiled; all sockets are cut"
        );
        let directory = self.notices.directory();
        let hub = (self.make)((*directory).clone());
        self.state.with(|state| {
            for port in std::mem::take(&mut state.ports).into_values() {
                port.process.kill();
            }
            state.hub = hub;
            state.crashes = 0;
        });
    }

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
            state.crashes = 0;
            for effect in effects.drain(..) {
                carry_out(&mut state.ports, effect, orders, (notices, now.at));
            }
        });
    }
}

fn carry_out(
    ports: &mut BTreeMap<SocketId, SocketPort>,
    effect: Effect,
    orders: &OnOrder,
    (notices, now): (&Notices, Instant),
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
        Effect::Note(note) => notices.note(note, now),
    }
}

fn send(
    ports: &mut BTreeMap<SocketId, SocketPort>,
    socket: SocketId,
    frame: Frame,
    notices: &Notices,
) {
    let Some(port) = ports.get(&socket) else {
        return;
    };
    if port.send(frame) {
        return;
    }
    // Cut is what a game can see: it comes back and knows that it missed something.
    if let Some(port) = ports.remove(&socket)
        && port.process.is_alive()
    {
        notices.count_cut();
        let name = port.process.name();
        tracing::warn!(name, "a socket does not read and is cut");
        port.process.kill();
    }
}
