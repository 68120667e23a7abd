//! `[pure]` The configuration of a node, in three steps: text, then [`RawConfig`], then a checked
//! [`Config`].
//!
//! ```text
//! defaults <- file (TOML) <- flags <- --set KEY=VALUE     each value remembers its origin
//!                    RawConfig
//!                        | check: every problem goes into one report
//!                     Config
//! ```
//!
//! One table ([`SETTINGS`]) lists what can be set; reading, checking and printing all walk it.
//! Nothing here reads a file or the environment: `app::command_line` hands the text in.

mod checked;
mod cluster;
mod print;
mod problem;
mod quantity;
mod raw;
mod setting;
mod table;

pub use checked::{
    Config, Connections, Content, Crowd, Data, Drain, Gossip, Listen, Log, LogFormat, Login, Mobs,
    Output, Players, PlayersStart, Save, Store, StoreSynchronous, Watchdog, Web, Zone,
};
pub use cluster::{Cluster, Node};
pub use print::to_toml;
pub use problem::{Origin, Problem, Report};
pub(crate) use quantity::{duration_text, parse_duration};
pub use raw::{RawConfig, RawValue};
pub use setting::{Kind, Setting};
pub use table::SETTINGS;
