//! `[edge]` The handle of a client.

use std::fmt;
use std::sync::Arc;

use belay_runtime::{
    Attachment, ChildSpec, Exit, Intensity, Restart, Shutdown, Supervisor, Tether, TetherOptions,
};
use time::OffsetDateTime;
use tokio::time::Instant;

use super::answering::Answering;
use super::figures::ClientFigures;
use super::machine::Order;
use super::monitor;
use super::news::{ClientStatus, Receipt, SayError, Tell, TellAnswer, TellOutcome};
use super::options::ClientOptions;
use super::roster::Roster;
use super::shared::{Desk, Message, Port, Shared};
use super::socket;
use crate::credentials::Credentials;
use crate::limits::CHANNELS_HEARD_MAX;
use crate::protocol::{ChannelName, format_time};

/// A client of a hub, and the handle to it.
///
/// Put its [`spec`](Self::spec) into a tree and [configure](Self::configure) it. All its methods
/// may be called from any thread, before it runs as well, and none of them waits.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    tether: Tether,
}

/// Whether there may be a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// There may.
    On,
    /// There may not.
    Off,
}

impl Client {
    /// A client without credentials, switched on, that does not run yet.
    pub fn new(options: ClientOptions, port: Arc<dyn Port>) -> Self {
        let tether_options = tether_options(&options);
        let shared = Arc::new(Shared::new(options, port));
        let (of_waits, of_sockets) = (Arc::clone(&shared), Arc::clone(&shared));
        let tether_options = tether_options.delay_for(move |_: &Exit| of_waits.board().wait.take());
        let tether = Tether::new("gossip:tether", tether_options, move |attachment| {
            socket_spec(&of_sockets, attachment)
        });
        Self { shared, tether }
    }

    /// The spec to put it into a tree with: a supervisor of its monitor and its tether. Nothing
    /// that a hub or the network does moves a restart counter of that tree.
    pub fn spec(&self) -> ChildSpec {
        let client = self.clone();
        ChildSpec::supervisor("gossip", move || {
            let monitor = monitor::spec(Arc::clone(&client.shared), client.tether.clone());
            Supervisor::builder("gossip")
                .child(monitor)
                .child(client.tether.spec())
        })
    }

    /// Where to connect to and as whom; `None` for nowhere. Other credentials than before are
    /// tried at once, whatever came of those before.
    pub fn configure(&self, credentials: Option<Credentials>) {
        self.order(|desk| {
            let changed = desk.credentials != credentials;
            desk.credentials = credentials;
            changed
        });
    }

    /// Switches the connection on or off.
    pub fn switch(&self, switch: Switch) {
        self.order(|desk| {
            desk.off = switch == Switch::Off;
            false
        });
    }

    /// Tries to connect at once, when it is waiting for the next try.
    pub fn retry(&self) {
        self.tether.attach_now();
    }

    /// Says something on a channel. Words that have to wait for the hub's rate limit may be
    /// dropped for later ones ([`SAY_QUEUE_MAX`](crate::limits::SAY_QUEUE_MAX)); that is counted.
    ///
    /// # Errors
    /// See [`SayError`].
    pub fn say(&self, channel: &str, name: &str, message: &str) -> Result<(), SayError> {
        if !self.shared.is_online() {
            return Err(SayError::Offline);
        }
        if !self.shared.board().joined.contains(channel) {
            return Err(SayError::NotSubscribed);
        }
        let order = Order::Say {
            channel: channel.to_owned(),
            name: name.to_owned(),
            message: message.to_owned(),
        };
        let sent = self
            .shared
            .mailbox
            .address()
            .try_send(Message::Order(order));
        sent.map_err(|_full_or_closed| SayError::Busy)
    }

    /// A player came. When there is no connection that is said by the next heartbeat.
    pub fn sign_in(&self, name: &str) {
        self.try_order(Order::SignIn(name.to_owned()));
    }

    /// A player left. When there is no connection that is said by the next heartbeat.
    pub fn sign_out(&self, name: &str) {
        self.try_order(Order::SignOut(name.to_owned()));
    }

    /// Sends a tell. The answer comes exactly once, within
    /// [`answer_within`](ClientOptions::answer_within), and at once when there is no connection.
    /// It may come in this call, or from the task of the socket, and must not block.
    pub fn tell(&self, tell: Tell, answer: impl FnOnce(TellAnswer) + Send + 'static) {
        let answering = Answering::new(answer);
        if !self.shared.is_online() {
            return answering.give(TellAnswer::Offline);
        }
        // What comes back was not taken; its answer is given when it is dropped.
        drop(
            self.shared
                .mailbox
                .address()
                .try_send(Message::Tell(tell, answering)),
        );
    }

    /// Says what became of a tell that came with a receipt.
    pub fn receipt(&self, receipt: Receipt, outcome: TellOutcome) {
        self.try_order(Order::Receipt(receipt, outcome));
    }

    /// Hears a channel from here on, over reconnects too; `false` when there are
    /// [too many](CHANNELS_HEARD_MAX).
    pub fn subscribe(&self, channel: &ChannelName) -> bool {
        self.wish(|desk| {
            let room = desk.wished.len() < CHANNELS_HEARD_MAX;
            if room {
                desk.wished.insert(channel.clone());
            }
            room || desk.wished.contains(channel)
        })
    }

    /// Hears a channel no longer.
    pub fn unsubscribe(&self, channel: &ChannelName) {
        self.wish(|desk| desk.wished.remove(channel));
    }

    /// Who plays elsewhere. Empty when there is no connection.
    pub fn roster(&self) -> Arc<Roster> {
        Arc::clone(&self.shared.board().roster)
    }

    /// What the client does.
    pub fn status(&self) -> ClientStatus {
        let tether = self.tether.status();
        let status = self.shared.status(&tether, Instant::now());
        status.unwrap_or(ClientStatus::Connecting)
    }

    /// What it counted.
    pub fn figures(&self) -> ClientFigures {
        let board = self.shared.board();
        ClientFigures {
            failures: board.failures,
            ..board.figures
        }
    }

    fn try_order(&self, order: Order) {
        if self.shared.is_online() {
            // What has no room is said by the next heartbeat.
            drop(
                self.shared
                    .mailbox
                    .address()
                    .try_send(Message::Order(order)),
            );
        }
    }

    fn wish<R>(&self, wish: impl FnOnce(&mut Desk) -> R) -> R {
        let result = {
            let mut desk = self.shared.desk();
            desk.wishes_anew = true;
            wish(&mut desk)
        };
        // Without room there is enough to wake the socket.
        drop(self.shared.mailbox.address().try_send(Message::Wish));
        result
    }

    /// Changes what is wanted, and lets the tether know; `change` says whether the credentials
    /// are others.
    fn order(&self, change: impl FnOnce(&mut Desk) -> bool) {
        let mut desk = self.shared.desk();
        let before = desk.is_wanted();
        let changed = change(&mut desk);
        match (before, desk.is_wanted()) {
            (_, false) => self.tether.cut(),
            (false, true) => self.tether.attach(),
            (true, true) if changed => self.tether.reattach(),
            (true, true) => {}
        }
        drop(desk);
        // The monitor looks at what is wanted as well.
        self.shared.phase.send_modify(|_| {});
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// Any failure cuts the tether: there is a delay before each try, and its length grows until the
/// connection says that all is well.
fn tether_options(options: &ClientOptions) -> TetherOptions {
    TetherOptions {
        intensity: Intensity::new(0, std::time::Duration::from_secs(1)),
        backoff: options.backoff,
        proven_after: None,
        // The socket has deadlines of its own, with better reasons.
        start_within: (options.connect_within + options.authenticate_within) * 2,
        attaches_at_start: false,
        ..TetherOptions::default()
    }
}

fn socket_spec(shared: &Arc<Shared>, attachment: Attachment) -> ChildSpec {
    let (mailbox, shared) = (shared.mailbox.clone(), Arc::clone(shared));
    ChildSpec::body("gossip:socket", &mailbox, move |ctx| {
        socket::run(Arc::clone(&shared), attachment.clone(), ctx)
    })
    .restart(Restart::Temporary)
    .acknowledged()
    .shutdown(Shutdown::Timeout(socket::STOP_WITHIN))
}

/// The time, as tells carry it.
pub(super) fn sent_at() -> String {
    format_time(OffsetDateTime::now_utc())
}
