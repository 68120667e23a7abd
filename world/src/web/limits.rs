//! `[pure]` The bounds of HTTP and WebSocket, each with its unit and what happens when it is
//! reached.

use std::time::Duration;

/// Bytes of a request's head. Hyper answers a longer one with 431.
pub const REQUEST_HEAD_BYTES_MAX: usize = 8 * 1_024;

/// How long a client may take to send the head of its request. Then the socket is closed.
pub const REQUEST_HEAD_MAX: Duration = Duration::from_secs(5);

/// How long one request and its answer may take in all. Then the socket is closed.
pub const REQUEST_MAX: Duration = Duration::from_secs(10);

/// Payload bytes of one frame from a client. More: closed with 1009.
pub const FRAME_BYTES_MAX: usize = 16 * 1_024;

/// Payload bytes of one message from a client. More: closed with 1009.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1_024;

/// Bytes that the reader of frames takes at once; it keeps a buffer of this size.
pub const READ_BUFFER_BYTES: usize = 1_024;

/// A ping is sent this often.
pub const PING_EVERY: Duration = Duration::from_secs(30);

/// Silence after which the client is gone: closed.
pub const SILENCE_MAX: Duration = Duration::from_secs(75);

const _: () = assert!(FRAME_BYTES_MAX <= MESSAGE_BYTES_MAX);
