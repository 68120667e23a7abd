//! `[edge]` Goal: whatever a hub does, the game does not notice, knows why the network is away, and
//! is back when the hub is well. Method: hubs that play a script on real sockets, and a client in a
//! tree that bears no restart.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by it"
)]

mod hub;
mod real;
mod scene;
mod talk;
mod tls;
mod unwell;
