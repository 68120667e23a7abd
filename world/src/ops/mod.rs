//! `[edge]` The operator's edges: control socket, metrics and health, listeners.
//!
//! Nothing here knows about rooms, sessions or the database: requests and figures pass through
//! functions that the composition root gives.

mod accept;
mod cluster_figure;
mod cluster_meters;
pub mod control;
pub mod http;
mod label;
pub mod limits;
pub mod listen;
pub mod memory;
pub mod metrics;
mod network_figure;
mod network_meters;
pub mod orders;
pub mod peer_figures;
mod sample;
mod token;
