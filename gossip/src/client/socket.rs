//! `[edge]` The process of one connection: opens it, and carries out what the machine decides.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use belay_runtime::{Attachment, Context, Exit, Incoming};
use tokio::select;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until, timeout};

use super::answering::Answering;
use super::dial::dial;
use super::handle::sent_at;
use super::machine::{Effect, Ending, Identity, Input, Machine, Order, TellId, TellOrder, beat};
use super::roster::Roster;
use super::shared::{Message, Phase, Shared};
use super::wire::{Heard, Wire};
use crate::credentials::Credentials;
use crate::limits::FRAMES_PER_TURN;

/// How long a socket may take to say good-bye.
pub(super) const STOP_WITHIN: Duration = Duration::from_secs(2);
const CLOSE_WITHIN: Duration = Duration::from_millis(500);

/// One connection, from its opening to its end. The start is acknowledged once the hub has let us
/// in, so that until then any failure is a failed try.
pub(super) async fn run(
    shared: Arc<Shared>,
    attachment: Attachment,
    ctx: Context<Message>,
) -> Result<(), Exit> {
    let _leaving = Leaving(Arc::clone(&shared));
    let ended = match converse(&shared, &attachment, ctx).await {
        Ok(()) => return Ok(()),
        Err(ending) => ending,
    };
    let mut board = shared.board();
    board.failures += 1;
    board.wait = ended.wait;
    Err(Exit::error_coded(ended.code, ended.reason))
}

async fn converse(
    shared: &Arc<Shared>,
    attachment: &Attachment,
    ctx: Context<Message>,
) -> Result<(), Ending> {
    let Some(credentials) = shared.desk().credentials.clone() else {
        return Err(Ending::new("unconfigured", "there are no credentials"));
    };
    shared.phase.send_replace(Phase::Connecting);
    let stream = select! {
        () = ctx.stopping() => return Ok(()),
        stream = dial(&credentials, &shared.options) => stream,
    };
    let stream = stream.map_err(|reason| Ending::new("unreachable", reason))?;
    shared.phase.send_replace(Phase::Authenticating);
    let wire = Wire::new(stream, shared.options.write_within);
    let mut session = Session::new(shared, attachment, &credentials, wire, ctx.now());
    session.run(ctx).await
}

/// However a connection ends, nothing of it is shown any longer.
struct Leaving(Arc<Shared>);

impl Drop for Leaving {
    fn drop(&mut self) {
        {
            let mut board = self.0.board();
            board.roster = Arc::new(Roster::default());
            board.joined.clear();
        }
        self.0.phase.send_replace(Phase::Idle);
    }
}

struct Session<'a> {
    shared: &'a Shared,
    attachment: &'a Attachment,
    wire: Wire,
    /// There until it is dropped.
    machine: Option<Machine>,
    effects: Vec<Effect>,
    answers: BTreeMap<TellId, Answering>,
    tells: u64,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take() {
            let mut board = self.shared.board();
            board.figures = machine.figures();
            board.memory = machine.into_memory();
        }
    }
}

impl<'a> Session<'a> {
    fn new(
        shared: &'a Shared,
        attachment: &'a Attachment,
        credentials: &Credentials,
        wire: Wire,
        now: Instant,
    ) -> Self {
        let identity = Identity {
            client_id: credentials.client_id.clone(),
            client_secret: credentials.client_secret.clone(),
            game: credentials.game.clone(),
            user_agent: shared.options.user_agent.clone(),
            seed: rand::random(),
        };
        let memory = std::mem::take(&mut shared.board().memory);
        let memory = memory.of(&format!("{} {}", credentials.url, credentials.client_id));
        let wished = {
            let mut desk = shared.desk();
            desk.wishes_anew = false;
            desk.wished.clone()
        };
        let rules = shared.options.rules();
        let (machine, first) = Machine::open(rules, identity, memory, wished, now.into_std());
        Self {
            shared,
            attachment,
            wire,
            machine: Some(machine),
            effects: vec![first],
            answers: BTreeMap::new(),
            tells: 0,
        }
    }

    /// Until the connection is over, which is no failure only when we are asked to stop.
    async fn run(&mut self, mut ctx: Context<Message>) -> Result<(), Ending> {
        self.carry_out(&ctx)?;
        let mut frames = 0;
        loop {
            let wake = self.wake_at(ctx.now());
            let input = select! {
                biased;
                incoming = ctx.next() => match incoming {
                    Incoming::Message(message) | Incoming::Timer(message) => self.taken(message),
                    Incoming::Signal(_) => continue,
                    Incoming::Shutdown => {
                        // Whether it could be said in time is of no matter.
                        drop(timeout(CLOSE_WITHIN, self.wire.close()).await);
                        return Ok(());
                    }
                },
                heard = self.wire.next() => {
                    frames += 1;
                    self.step_heard(heard, ctx.now());
                    None
                }
                () = until(wake) => Some(Input::Time),
            };
            if let Some(input) = input {
                self.step(input, ctx.now());
            }
            let wishes = self.shared.desk().take_wishes();
            if let Some(wishes) = wishes {
                self.step(Input::Wish(wishes), ctx.now());
            }
            self.carry_out(&ctx)?;
            self.show();
            if frames >= FRAMES_PER_TURN {
                frames = 0;
                yield_now().await;
            }
        }
    }

    fn wake_at(&self, now: Instant) -> Option<Instant> {
        let machine = self.machine.as_ref()?;
        let machine = machine.wake_at(now.into_std()).map(Instant::from_std);
        machine.into_iter().chain(self.wire.write_until()).min()
    }

    fn taken(&mut self, message: Message) -> Option<Input<'static>> {
        match message {
            Message::Order(order) => Some(Input::Order(order)),
            Message::Wish => None,
            Message::Tell(tell, answering) => {
                let id = TellId(self.tells);
                self.tells += 1;
                self.answers.insert(id, answering);
                let sent_at = sent_at();
                Some(Input::Order(Order::Tell(TellOrder { id, tell, sent_at })))
            }
        }
    }

    fn step_heard(&mut self, heard: Heard, now: Instant) {
        match heard {
            Heard::Text(text) => self.step(Input::Text(&text), now),
            Heard::Other(bytes) => self.step(Input::Other(bytes), now),
            Heard::Closed(code) => self.step(Input::Closed(code), now),
            Heard::Lost(reason) => self.step(Input::Lost(reason), now),
        }
    }

    fn step(&mut self, input: Input<'_>, now: Instant) {
        if let Some(machine) = &mut self.machine {
            machine.step(input, now.into_std(), &mut self.effects);
        }
    }

    /// Carries out what the machine decided, all of it, and looks whether the hub reads.
    fn carry_out(&mut self, ctx: &Context<Message>) -> Result<(), Ending> {
        let mut effects = std::mem::take(&mut self.effects);
        for effect in effects.drain(..) {
            match effect {
                Effect::Send(text) => self.put(text)?,
                Effect::Beat => self.put(beat(self.shared.port.players()))?,
                Effect::Deliver(news) => self.shared.port.deliver(news),
                Effect::Answer(id, answer) => {
                    if let Some(answering) = self.answers.remove(&id) {
                        answering.give(answer);
                    }
                }
                Effect::Online => {
                    let since = ctx.now();
                    self.show();
                    self.shared.phase.send_replace(Phase::Online { since });
                    ctx.ready();
                }
                Effect::Proven => self.attachment.proven(),
                Effect::End(ending) => return Err(ending),
            }
        }
        self.effects = effects;
        match self.wire.write_until() {
            Some(until) if until <= ctx.now() => Err(does_not_read()),
            Some(_) | None => Ok(()),
        }
    }

    fn put(&mut self, text: String) -> Result<(), Ending> {
        if self.wire.put(text) {
            Ok(())
        } else {
            Err(does_not_read())
        }
    }

    /// Lets others see what changed.
    fn show(&mut self) {
        let Some(machine) = &mut self.machine else {
            return;
        };
        let (roster, joined) = (machine.take_roster(), machine.take_joined());
        let mut board = self.shared.board();
        board.figures = machine.figures();
        if let Some(roster) = roster.filter(|_| machine.is_online()) {
            board.roster = Arc::new(roster);
        }
        if let Some(joined) = joined.filter(|_| machine.is_online()) {
            board.joined = joined;
        }
    }
}

fn does_not_read() -> Ending {
    Ending::new("stalled", "the hub does not read what we send")
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}
