//! `[pure]` Limits of the operator's edges, each with what happens when it is reached.

use std::time::Duration;

/// A request line on the control socket, without its end. Reached: refused, then closed.
pub const CONTROL_LINE_BYTES_MAX: usize = 64 * 1024;

/// Connections of the control socket at once. Reached: the next one is told "busy" and closed.
pub const CONTROL_CONNECTIONS_MAX: usize = 16;

/// How long a connection of the control socket may stay silent. Reached: closed.
pub const CONTROL_IDLE: Duration = Duration::from_secs(60);

/// How long most requests may take in the node. Reached: the client is told that it failed.
pub const CONTROL_ANSWER: Duration = Duration::from_secs(10);

/// How long a backup may take. Reached: the client is told that it failed.
pub const CONTROL_BACKUP: Duration = Duration::from_secs(600);

/// How long an order to the cluster may take: longer than the cluster itself takes to give it up.
/// Reached: the client is told that it failed.
pub const CONTROL_ORDER: Duration = Duration::from_secs(15);

/// How long a trace of a process may last. Reached: refused.
pub const CONTROL_TRACE: Duration = Duration::from_secs(300);

/// Processes in a list of those that have most of something. Reached: the rest is left out.
pub const CONTROL_TOP: usize = 20;

/// How long a room may be made to block its thread. Reached: refused.
pub const CONTROL_STALL: Duration = Duration::from_secs(5);

/// How long an answer may take to be read. Reached: closed.
pub const CONTROL_WRITE: Duration = Duration::from_secs(10);

/// An answer line that a client takes: a tree of a million processes at 250 bytes each.
/// Reached: the client gives up.
pub const CONTROL_ANSWER_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What a client waits beyond the node's own deadline, so that the node's word comes first.
pub const CONTROL_CLIENT_GRACE: Duration = Duration::from_secs(5);

/// Connections of the metrics listener at once. Reached: the next one waits in the backlog.
pub const HTTP_CONNECTIONS_MAX: usize = 32;

/// How long a request head may take, and how long a connection may stay silent. Reached: closed.
pub const HTTP_HEAD: Duration = Duration::from_secs(10);

/// How long one connection may live. Reached: closed; a scraper opens another.
pub const HTTP_CONNECTION: Duration = Duration::from_secs(300);

/// Bytes of a request head. Reached: answered 431 and closed.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;

/// Bytes of the body of an order over HTTP. Reached: answered 413.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;

/// How long such a body may take. Reached: answered 408.
pub const HTTP_BODY: Duration = Duration::from_secs(10);

/// Bytes of the token for orders over HTTP, at least: fewer can be guessed. Not reached: no order
/// is taken.
pub const TOKEN_BYTES_MIN: usize = 16;

/// Bytes of the file of the token. Reached: no order is taken.
pub const TOKEN_BYTES_MAX: usize = 4 * 1024;

/// Between two rounds that move recorded latencies into the histogram: bounds what waits there.
pub const METRICS_UPKEEP: Duration = Duration::from_secs(5);

/// Connections that wait in the kernel for `accept`. Reached: the kernel drops SYNs, and the
/// other side tries again.
pub const LISTEN_BACKLOG: i32 = 4096;

const _: () = assert!(CONTROL_ORDER.as_secs() > belay_cluster::limits::ORDER_DEADLINE.as_secs());
const _: () = assert!(CONTROL_ANSWER.as_secs() < CONTROL_BACKUP.as_secs());
// hyper's least buffer.
const _: () = assert!(HTTP_HEAD_BYTES_MAX >= 8 * 1024);
