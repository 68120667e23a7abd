//! `[edge]` HTTP and the WebSocket at `/ws`.
//!
//! A socket speaks HTTP for one request. If it asks for a WebSocket, the same process goes on as an
//! ordinary [connection](crate::connection) with frames around its text: nothing else differs.
//! Subprotocols offered: `terminal.mudstandards.org`, and none. Absent: GMCP, telnet and JSON
//! inside a WebSocket, compression, cookies, files.

pub(crate) mod framing;
mod handshake;
mod http;
pub mod limits;
#[cfg(test)]
mod tests;

pub use http::WebDoor;

pub(crate) use http::{BUSY_ANSWER, serve};
