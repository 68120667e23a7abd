//! `[edge]` Load bots: outside players that walk, talk and measure a node over real sockets.
//!
//! Four ways in. [`Bot`] is one scriptable client (telnet or WebSocket) for tests: it connects,
//! logs in, types, waits for texts, and tells its transcript when something does not come.
//! [`run_wander`] drives a crowd by the thousand and returns a [`Report`]. [`run_load`],
//! [`run_flood`] and [`run_chop`] pretend games and hubs of the Gossip network. For tests of whole
//! nodes there is a [`PostgresServer`] too, and [`history`] says whether what happened may be.
//!
//! Nothing here knows the node's code: all that is shared is the dialogue in [`dialogue`], and the
//! events of the Gossip protocol.

pub mod dialogue;
pub mod history;

mod bot;
mod cluster;
mod dice;
mod faults;
mod gossip;
mod limits;
mod link;
mod login;
mod measure;
mod names;
mod postgres;
mod procfs;
mod table;
mod tail;
mod target;
mod telnet;
mod transcript;
mod trial;
mod values;
mod wander;

pub use bot::{Bot, BotError, Entry, Trouble};
pub use cluster::{ClusterError, ClusterFlags, ClusterOptions, run_cluster};
pub use faults::Fault;
pub use gossip::{
    ChopError, ChopFlags, ChopOptions, ChopReport, Credentials, CredentialsError, Endpoint,
    FloodError, FloodFlags, FloodOptions, FloodReport, HubFigures, LoadError, LoadFlags,
    LoadOptions, LoadReport, run_chop, run_flood, run_load,
};
pub use link::Lost;
pub use login::{Failure, Who};
pub use names::letters;
pub use postgres::{PostgresError, PostgresServer};
pub use table::Percentiles;
pub use target::{Route, Target};
pub use trial::{Scenario, TrialError, TrialFlags, TrialOptions, TrialReport, run_trial};
pub use wander::{
    Arrival, BytesPerPlayer, CrashPlan, Details, Identity, Mix, NodeFigures, Options, Pace,
    Progress, RawOptions, Report, Stage, WanderError, run_wander,
};
