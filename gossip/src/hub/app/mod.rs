//! `[edge]` The executable `belay-hub`: its command line, and what each command does. Only this
//! part names concrete edges and puts the hub together.

mod bans;
mod channels;
mod command_line;
mod data_dir;
mod ensure;
mod failure;
mod games;
mod logging;
mod metrics;
mod run;
mod secret;
mod serve;
mod signals;
mod span;
mod tree;
mod words;

pub use run::run;
