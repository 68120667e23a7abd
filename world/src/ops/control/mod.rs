//! `[edge]` The control socket: a Unix socket in the data directory, for the operator alone.
//!
//! ```text
//! client                          node
//!   {"command":"tree"}\n    ->      ControlHandler (given by the composition root)
//!                           <-    {"outcome":"done","text":"...","data":...}\n
//!                              or {"outcome":"refused","error":"..."}\n   (busy, failed)
//! ```
//!
//! One JSON line each way; a connection may ask again and again, one request at a time. The
//! file's mode 0600 is the protection: who can open it may do everything. What a request does is
//! not known here.

mod client;
mod request;
mod server;
mod socket;

pub use client::{ClientError, ask};
pub use request::{BanKind, ClusterOrder, ControlAnswer, ControlRequest, GossipOrder, TreeOrder};
pub use server::{ControlHandler, serve};
pub use socket::{SOCKET_NAME, SocketError, bind};
