//! `[edge]` The composition root: configuration, command line, and the start and stop of a node.
//! Only this module names concrete edges.

mod acceptors;
mod banner;
mod cluster;
mod command_line;
pub mod config;
mod control;
mod data_dir;
mod failure;
mod gossip;
mod inspect;
mod listeners;
mod logging;
mod operations;
mod run;
mod serve;
mod stock;
mod stop;
mod tree;
mod zones;

pub use banner::Addresses;
pub use data_dir::DataDir;
pub use failure::{Failure, Status};
pub use listeners::Listeners;
pub use run::run;
pub use stop::StopRequest;
