//! `[process]` The port to the network: what the bridge wants of a client.

use belay_gossip::Credentials;
use belay_gossip::client::{
    ClientFigures, ClientStatus, Receipt, Roster, SayError, Tell, TellAnswer, TellOutcome,
};
use belay_runtime::ChildSpec;
use std::fmt;
use std::sync::Arc;

/// The answer to a tell.
pub type Answer = Box<dyn FnOnce(TellAnswer) + Send>;

/// A client of the network. None of this waits, and all of it may be called at any time, also
/// before the client runs.
pub trait Network: fmt::Debug + Send + Sync + 'static {
    /// The child for the tree.
    fn spec(&self) -> ChildSpec;
    /// These credentials are to be used from now on; `None` for no network.
    fn configure(&self, credentials: Option<Credentials>);
    /// Connect.
    fn on(&self);
    /// Do not.
    fn off(&self);
    /// Try now, if the next try is being waited for; whether it was.
    fn retry(&self) -> bool;
    /// Hear this channel.
    fn subscribe(&self, channel: &str);
    /// Says something on a channel.
    ///
    /// # Errors
    /// The words stay here; see [`SayError`].
    fn say(&self, channel: &str, name: &str, message: &str) -> Result<(), SayError>;
    /// A player came.
    fn sign_in(&self, name: &str);
    /// A player left.
    fn sign_out(&self, name: &str);
    /// Tells a player of another game something; the answer comes exactly once.
    fn tell(&self, tell: Tell, answer: Answer);
    /// Says what became of a tell of another game.
    fn receipt(&self, receipt: Receipt, outcome: TellOutcome);
    /// Who plays elsewhere.
    fn roster(&self) -> Arc<Roster>;
    /// What the client does.
    fn status(&self) -> ClientStatus;
    /// What it counted.
    fn figures(&self) -> ClientFigures;
    /// Some time has passed.
    fn tick(&self) {}
}
