//! `[pure]` The machine against scripted and random hubs, and against our own.

mod network;
mod session;
