//! `[process]` All channels: the one way to reach them, who is on them, and their supervisor.

use super::line::{Foreign, NotTaken};
use super::message::{ChannelMessage, Outlet};
use super::process::{ChannelBody, ChannelContext, ChannelProcess};
use super::relay::Relay;
use crate::content::World;
use crate::event::Text;
use crate::ids::ChannelId;
use crate::limits;
use crate::ops::metrics;
use crate::ring::{Receipt, SessionPort};
use crate::view::Notice;
use belay_runtime::{
    Address, Backoff, Capacity, ChildSpec, Groups, Heir, Intensity, JoinError, Mailbox, Pid,
    Supervisor, TrySendError,
};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Who is on which channel.
pub type Members = Groups<ChannelId, Arc<Notice>>;

/// A channel that keeps crashing comes back later and later, and is never given up: what it
/// remembers is small, and its members wait for it.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(20),
    factor: 4.0,
    max: Duration::from_secs(5),
    jitter: 0.5,
};

/// All channels. A clone is the same.
#[derive(Clone)]
pub struct Channels {
    world: Arc<World>,
    posts: Arc<[Mailbox<ChannelMessage>]>,
    members: Members,
    outlet: Arc<OnceLock<Arc<dyn Outlet>>>,
    relay: Arc<OnceLock<Arc<dyn Relay>>>,
}

impl Channels {
    /// The channels of this content, with nobody on them; they run once [`Channels::spec`] does.
    pub fn new(world: Arc<World>) -> Self {
        let capacity = Capacity {
            messages: limits::CHANNEL_MAILBOX,
            reserved: limits::CHANNEL_RESERVED,
        };
        let posts = world.channels().iter();
        Self {
            posts: posts.map(|_| Mailbox::with_kinds(capacity)).collect(),
            world,
            members: Groups::new(),
            outlet: Arc::default(),
            relay: Arc::default(),
        }
    }

    /// The child for the node's tree: a supervisor with a process for each channel.
    pub fn spec(&self) -> ChildSpec {
        let heirs: Vec<Heir<ChannelBody>> = self
            .world
            .channels_by_id()
            .map(|(id, _)| Heir::new(ChannelBody::new(id)))
            .collect();
        let channels = self.clone();
        ChildSpec::supervisor("talk", move || {
            let children = channels.children(&heirs);
            Supervisor::builder("talk").children(children)
        })
    }

    fn children(&self, heirs: &[Heir<ChannelBody>]) -> Vec<ChildSpec> {
        let mut children = Vec::with_capacity(heirs.len());
        let all = self.world.channels_by_id().zip(self.posts.iter());
        for (((channel, about), post), heir) in all.zip(heirs) {
            let shared = ChannelContext {
                channel,
                remote: about.remote.is_some(),
                members: self.members.clone(),
                outlet: self.outlet.clone(),
                relay: self.relay.clone(),
            };
            let heir = heir.clone();
            let name = format!("channel:{}", about.name);
            let child = ChildSpec::process(name, post, move || {
                ChannelProcess::new(heir.clone(), shared.clone())
            });
            children.push(child.intensity(Intensity::UNLIMITED).backoff(BACKOFF));
        }
        children
    }

    /// From now on lines of our players on remote channels go there too. There is one outlet;
    /// whether this one is it.
    pub fn plug(&self, outlet: Arc<dyn Outlet>) -> bool {
        self.outlet.set(outlet).is_ok()
    }

    /// From now on the channels of this node are among those of others; whether it is the first
    /// time. To be called before anybody speaks.
    pub fn link(&self, relay: Arc<dyn Relay>) -> bool {
        self.relay.set(relay).is_ok()
    }

    /// Hands a channel what came from another node. What has no room is lost, and who waits for an
    /// answer with it is told.
    pub fn from_afar(&self, channel: ChannelId, message: ChannelMessage) {
        if !self.try_from_afar(channel, message) {
            metrics::ambient_dropped(1);
        }
    }

    /// The same; whether there was room.
    pub fn try_from_afar(&self, channel: ChannelId, message: ChannelMessage) -> bool {
        self.send(channel, message).is_ok()
    }

    /// The session is on the channel until it leaves or ends; a restart of either changes nothing.
    ///
    /// # Errors
    /// As for any group of the runtime.
    pub fn join(&self, channel: ChannelId, session: &SessionPort) -> Result<(), JoinError> {
        self.members.join(channel, session)
    }

    /// The session is not on the channel any more.
    pub fn leave(&self, channel: ChannelId, session: &SessionPort) {
        self.members.leave(&channel, session);
    }

    /// The session is on no channel any more. One that ends is off them anyway; this is for one
    /// that has to wait for its last save.
    pub fn leave_all(&self, session: &SessionPort) {
        for (channel, _) in self.world.channels_by_id() {
            self.leave(channel, session);
        }
    }

    /// How many are on the channel.
    pub fn count(&self, channel: ChannelId) -> usize {
        self.members.count(&channel)
    }

    /// A player speaks. If the channel does not take it, the receipt is withdrawn.
    ///
    /// # Errors
    /// The channel is busy or closed.
    pub fn say(
        &self,
        channel: ChannelId,
        (name, by): (Text, Pid),
        text: Text,
        receipt: Receipt,
    ) -> Result<(), NotTaken> {
        let message = ChannelMessage::Say {
            name,
            text,
            by,
            receipt,
        };
        self.ask(channel, message)
    }

    /// A player wants the last lines. If the channel does not take it, the receipt is withdrawn.
    ///
    /// # Errors
    /// The channel is busy or closed.
    pub fn history(&self, channel: ChannelId, receipt: Receipt) -> Result<(), NotTaken> {
        self.ask(channel, ChannelMessage::History(receipt))
    }

    /// Somebody of another game speaks. It never waits.
    ///
    /// # Errors
    /// The channel is busy or closed, and the line is lost.
    pub fn foreign(&self, channel: ChannelId, heard: Foreign) -> Result<(), NotTaken> {
        let sent = self.send(channel, ChannelMessage::Foreign(heard));
        sent.map_err(|(why, _)| why)
    }

    /// What players of this game said is forgotten.
    ///
    /// # Errors
    /// The channel is busy beyond its reserve, or closed.
    pub fn forget(&self, channel: ChannelId, game: Text) -> Result<(), NotTaken> {
        self.owed(channel, ChannelMessage::Forget(game))
    }

    /// Makes the channel's process crash (staff, tests).
    ///
    /// # Errors
    /// The channel is busy beyond its reserve, or closed.
    pub fn crash(&self, channel: ChannelId) -> Result<(), NotTaken> {
        self.owed(channel, ChannelMessage::Crash)
    }

    fn ask(&self, channel: ChannelId, message: ChannelMessage) -> Result<(), NotTaken> {
        self.send(channel, message).map_err(|(why, message)| {
            if let Some(ChannelMessage::Say { receipt, .. } | ChannelMessage::History(receipt)) =
                message
            {
                receipt.withdraw();
            }
            why
        })
    }

    fn owed(&self, channel: ChannelId, message: ChannelMessage) -> Result<(), NotTaken> {
        let post = self.post(channel).ok_or(NotTaken::Closed)?;
        post.try_send_owed(message).map_err(|error| why(&error))
    }

    fn send(
        &self,
        channel: ChannelId,
        message: ChannelMessage,
    ) -> Result<(), (NotTaken, Option<ChannelMessage>)> {
        let Some(post) = self.post(channel) else {
            return Err((NotTaken::Closed, Some(message)));
        };
        post.try_send(message)
            .map_err(|error| (why(&error), Some(error.into_inner())))
    }

    fn post(&self, channel: ChannelId) -> Option<Address<ChannelMessage>> {
        let post = self.posts.get(usize::from(channel.0))?;
        Some(post.address())
    }
}

fn why<M>(error: &TrySendError<M>) -> NotTaken {
    match error {
        TrySendError::Full(_) => NotTaken::Busy,
        TrySendError::Closed(_) => NotTaken::Closed,
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channels")
            .field("channels", &self.posts.len())
            .finish_non_exhaustive()
    }
}
