//! `[pure]` The world of Belay: zones of rooms and mobs, players' sessions, the telnet and
//! WebSocket edges, storage, and the composition root of the node executable `belay`.
//!
//! Each module says its stratum in the first line of its doc: pure decides, process owns a mailbox,
//! edge touches the outside. Only `app` names concrete edges.

pub mod account;
pub mod app;
pub mod being;
pub mod bridge;
pub mod cluster;
pub mod command;
pub mod connection;
pub mod content;
pub mod event;
pub mod ids;
pub mod limits;
pub mod lobby;
pub mod login;
pub mod mob;
pub mod node;
pub mod ops;
pub mod ring;
pub mod room;
#[cfg(test)]
mod sample;
pub mod session;
pub mod store;
pub mod talk;
pub mod telnet;
pub mod text;
pub mod view;
pub mod web;
pub mod zone;
