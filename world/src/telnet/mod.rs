//! `[pure]` The telnet protocol of a server, without sockets and without a clock.
//!
//! ```text
//!  socket bytes ──► Codec::feed ──┬──► answers (bytes for the socket)
//!                                 └──► Input (lines, window, terminal, …)
//!  encode_text / text::Painter ──────► text for the socket, FF doubled
//! ```
//!
//! Offered: TTYPE, NAWS, CHARSET, EOR; ECHO while a password is asked for. Accepted when the client
//! asks: SGA, BINARY, TM. Everything else is refused once. Absent: GMCP, MSSP, MSDP, NEW-ENVIRON,
//! compression, MXP, LINEMODE, START-TLS, urgent data. Queues and writes are the connection's.

mod budget;
mod charset;
mod code;
mod codec;
mod decode;
mod first;
mod input;
pub mod limits;
mod line;
mod machine;
mod options;
mod qmethod;
mod terminal;
mod ticks;
mod window;

pub use crate::text::encode_text;
pub use codec::Codec;
pub use first::NotTelnet;
pub use input::{CloseReason, Input, Line, Window};
pub use terminal::{Mtts, TerminalInfo};
