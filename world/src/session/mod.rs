//! `[pure]` A session: one player who plays. `state` is what it remembers, the steps decide (`line`
//! for what is typed, `answer` for what rooms say, `things` and `placing`, `question`, `waiting`,
//! `due`), `process` owns the mailbox and carries out.

mod answer;
mod body;
mod bucket;
mod carry;
mod claiming;
mod due;
mod effect;
mod entering;
mod entrance;
mod far;
mod handover;
mod incoming;
mod line;
mod link;
mod network;
mod networking;
mod passwords;
mod placing;
mod process;
mod question;
mod staff;
mod state;
mod stored;
mod talk;
mod talking;
#[cfg(test)]
mod tests;
mod things;
mod waiting;

pub use answer::{NotDelivered, Scene, answered, forgotten, lost, refused_delivery, room_closed};
pub use body::{Phase, SessionBody};
pub use bucket::Bucket;
pub use due::{due, next_due};
pub use effect::{Effect, Effects, NetworkOrder, StoreAnswer, StoreOrder, TalkOrder, TellOutcome};
pub use handover::clear_away;
pub use line::{line, told};
pub use link::{appear, end, end_now, link_lost, link_regained, settle};
pub use process::SessionProcess;
pub use question::Secret;
pub use state::{
    Ending, Gift, Held, Identity, Pending, PendingAsk, PlayState, SessionRules, Settings,
};
pub use things::{received, stored};
pub use waiting::{Awaited, arrive, looked};
