//! `[process]` Both directions of what is said: news of the network go to channels and sessions,
//! lines of remote channels go to the network. Nothing here waits.

use super::joint::{Joint, Post, Told};
use super::message::BridgeMessage;
use super::network::Network;
use super::notices::Sign;
use super::outage::Reach;
use super::remote::{Remote, shorten};
use super::shared::Shared;
use super::shown::{NotTold, Out, Shown};
use super::word::Word;
use crate::event::{Event, Text};
use crate::node::Found;
use crate::ring::{NetworkTell, SessionMessage};
use crate::talk::{ChannelLine, Foreign, Outlet, Speaker};
use crate::view::Notice;
use belay_gossip::client::{News, Port, Receipt, SayError, TellOutcome};
use std::fmt;
use std::sync::{Arc, OnceLock};
use tokio::time::Instant;

/// The client's way in.
#[derive(Clone, Debug)]
pub(super) struct Inlet {
    shared: Arc<Shared>,
    client: Arc<OnceLock<Arc<dyn Network>>>,
    joint: Arc<Joint>,
}

/// What a session says became of a tell from another game. One that is dropped, as with a session
/// that ends, says that nobody read it.
pub struct TellReceipt {
    shared: Arc<Shared>,
    to: Option<Told>,
    open: bool,
}

impl fmt::Debug for TellReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellReceipt")
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl TellReceipt {
    /// The player read it.
    pub fn shown(mut self) {
        self.open = false;
        self.shared.counts.tells_in.add();
        self.answer(TellOutcome::Shown);
    }

    /// Nobody read it. Why is nobody's business elsewhere.
    pub fn lost(self) {
        drop(self);
    }

    fn answer(&mut self, outcome: TellOutcome) {
        if let Some(told) = self.to.take() {
            told(outcome);
        }
    }
}

impl Drop for TellReceipt {
    fn drop(&mut self) {
        if self.open {
            self.shared.counts.tells_lost.add();
            self.answer(TellOutcome::Offline);
        }
    }
}

impl Inlet {
    pub(super) fn new(shared: Arc<Shared>, joint: Arc<Joint>) -> Self {
        Self {
            shared,
            client: Arc::default(),
            joint,
        }
    }

    /// Where receipts go.
    pub(super) fn plug(&self, client: &Arc<dyn Network>) {
        self.client.get_or_init(|| client.clone());
    }

    fn line(&self, channel: &str, speaker: Remote, text: &str, missed: bool) {
        let (shared, counts) = (&self.shared, &self.shared.counts);
        if shared.is_ours(&speaker.game) {
            return;
        }
        if shared.staff().blocks_player(&speaker) {
            return counts.blocked.add();
        }
        let Some(id) = shared.channel(channel) else {
            return counts.unknown_channel.add();
        };
        let heard = Foreign {
            speaker: speaker.into(),
            text: text.into(),
            missed,
        };
        match shared.channels.foreign(id, heard) {
            Ok(()) => counts.lines_in.add(),
            Err(_) => counts.dropped.add(),
        }
    }

    fn tell(&self, from: Remote, to: &str, text: &str, receipt: Option<Receipt>) {
        let shared = &self.shared;
        let told = self.client.get().cloned().zip(receipt);
        let told = told.map(|(client, receipt)| -> Told {
            Box::new(move |outcome| client.receipt(receipt, outcome))
        });
        let link = self.joint.link();
        let elsewhere = matches!(shared.players.locate(to), Some(Found::There(_)));
        match link.filter(|_| elsewhere && !shared.staff().blocks_player(&from)) {
            Some(link) => link.told(&from, to, text, told.unwrap_or_else(|| Box::new(|_| {}))),
            None => self.tell_here(from, to, text, told),
        }
    }

    pub(super) fn tell_here(&self, from: Remote, to: &str, text: &str, told: Option<Told>) {
        let shared = &self.shared;
        let receipt = TellReceipt {
            shared: shared.clone(),
            to: told,
            open: true,
        };
        if shared.staff().blocks_player(&from) {
            shared.counts.blocked.add();
            return receipt.lost();
        }
        let Some(player) = shared.players.find_exactly(to) else {
            return receipt.lost();
        };
        let tell = SessionMessage::Elsewhere(Box::new(NetworkTell {
            from,
            text: text.into(),
            receipt,
        }));
        // What comes back says itself that it is lost.
        if player.session.try_send(tell).is_err() {
            shared.counts.dropped.add();
        }
    }

    /// A tell of a player here was taken by the network, and then nobody there read it.
    pub(super) fn unread(&self, from: &str, to: Remote) {
        if let Some(player) = self.shared.players.find_exactly(from) {
            let why = NotTold::NotThere;
            let shown = Event::Bridge(Shown::NotTold { to, why });
            let notice = Arc::new(Notice::new(shown));
            drop(player.session.try_send(SessionMessage::Notice(notice)));
        } else if let Some(link) = self.joint.link() {
            let from = from.to_owned();
            link.to_player(&from.clone(), Word::Unread { from, to });
        }
    }

    fn sign(&self, sign: Sign, who: Remote) {
        if self.shared.staff().blocks_player(&who) {
            return self.shared.counts.blocked.add();
        }
        self.post(BridgeMessage::Signed(sign, who));
    }

    fn post(&self, message: BridgeMessage) {
        if self.shared.post.try_send(message).is_err() {
            self.shared.counts.dropped.add();
        }
    }
}

impl Port for Inlet {
    fn players(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.shared.players.count());
        let each = |player: &Arc<crate::node::Player>| names.push(player.name.to_string());
        self.shared.players.for_each(each);
        names.extend(self.shared.players.names_elsewhere());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Only the node of the connection hears the network; who comes and goes it tells the others.
    fn deliver(&self, news: News) {
        if self.joint.post() != Post::Here {
            return;
        }
        match &news {
            News::SignIn { .. } | News::SignOut { .. } | News::GameUp(_) | News::GameDown(_) => {
                self.joint.to_all(Word::News(news.clone()));
            }
            News::Channel { .. }
            | News::Tell { .. }
            | News::TellReceipt { .. }
            | News::Missed { .. }
            | News::Status(_) => {}
        }
        self.take(news);
    }
}

impl Inlet {
    /// News of the network, from this node's client or the node that has the connection.
    pub(super) fn take(&self, news: News) {
        match news {
            News::Channel {
                channel,
                game,
                name,
                message,
                missed,
            } => self.line(&channel, remote(&name, &game), &message, missed),
            News::Tell {
                from_game,
                from_name,
                to_name,
                message,
                receipt,
                ..
            } => self.tell(remote(&from_name, &from_game), &to_name, &message, receipt),
            News::TellReceipt {
                from_name,
                to_name,
                to_game,
                outcome: TellOutcome::Ignored | TellOutcome::Offline,
            } => self.unread(&from_name, remote(&to_name, &to_game)),
            News::TellReceipt { .. } | News::Missed { .. } => {}
            News::SignIn { game, name } => self.sign(Sign::In, remote(&name, &game)),
            News::SignOut { game, name } => self.sign(Sign::Out, remote(&name, &game)),
            News::GameUp(game) => self.post(BridgeMessage::GameUp(game)),
            News::GameDown(game) => self.post(BridgeMessage::GameDown(game)),
            News::Status(status) => {
                self.shared.note(&status, Instant::now().into_std());
                drop(self.shared.post.try_send_owed(BridgeMessage::Status));
            }
        }
    }
}

fn remote(name: &str, game: &str) -> Remote {
    Remote {
        name: shorten(name),
        game: shorten(game),
    }
}

impl From<Remote> for Speaker {
    fn from(remote: Remote) -> Self {
        let Remote { name, game } = remote;
        Self::Foreign { name, game }
    }
}

/// The channels' way out.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) shared: Arc<Shared>,
    pub(super) client: Arc<dyn Network>,
}

impl Lines {
    /// Why a line stays here, for its speaker, who may know that already.
    fn kept(&self, speaker: &Text, line: &ChannelLine) -> Option<Result<(), Text>> {
        let shared = &self.shared;
        if let Some(reason) = shared.muted(speaker) {
            return Some(Err(muted(&reason)));
        }
        let guest = |found: Found| match found {
            Found::Here(player) => player.is_guest(),
            Found::There(far) => far.guest,
        };
        if !shared.rules.guests_speak && shared.players.locate(speaker).is_some_and(guest) {
            return Some(Err(GUEST.into()));
        }
        let about = shared.world.channel(line.channel)?;
        match self
            .client
            .say(about.remote.as_deref()?, speaker, &line.text)
        {
            Ok(()) => None,
            Err(SayError::Busy) => Some(Err(BUSY.into())),
            Err(SayError::Offline) => {
                // The client knows it first.
                let mut outage = shared.outage();
                if outage.reach() == Reach::Well {
                    outage.set(Reach::Out, Instant::now().into_std());
                }
                Some(Ok(()))
            }
            Err(SayError::NotSubscribed) if shared.out().is_none() => Some(Err(NOT_HEARD.into())),
            Err(SayError::NotSubscribed) => Some(Ok(())),
        }
    }
}

const GUEST: &str = "Only players here read that: guests may not speak to other games.";
const NOT_HEARD: &str = "Only players here read that: the network does not take this channel.";
const BUSY: &str = "Only players here read that: too much is being said at once.";

fn muted(reason: &str) -> Text {
    let stop = if reason.is_empty() { "" } else { ": " };
    format!("Only players here read that: you may not speak to other games{stop}{reason}").into()
}

impl Outlet for Lines {
    fn said(&self, line: &ChannelLine) -> Option<Text> {
        let Speaker::Local(speaker) = &line.speaker else {
            return None;
        };
        let counts = &self.shared.counts;
        let Some(kept) = self.kept(speaker, line) else {
            counts.lines_out.add();
            return None;
        };
        counts.lines_kept.add();
        match kept {
            Err(why) => Some(why),
            Ok(()) => {
                let mut outage = self.shared.outage();
                let told = outage.tell(speaker);
                let out = match outage.reach() {
                    Reach::Nowhere => Out::Nowhere,
                    Reach::Well | Reach::Out => Out::OfReach,
                };
                told.then(|| out.text().into())
            }
        }
    }
}
