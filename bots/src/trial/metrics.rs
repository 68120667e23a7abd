//! `[edge]` The figures of a node, from its operations port.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An answer takes no longer.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// An answer is no longer; the rest is not read.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// Figures by name, with their labels as they are written.
pub(super) type Metrics = BTreeMap<String, u64>;

/// Reads the figures of a node.
///
/// # Errors
/// The system's; `TimedOut` after some seconds.
pub(super) async fn metrics(ops: SocketAddr) -> io::Result<Metrics> {
    let read = async {
        let mut stream = TcpStream::connect(ops).await?;
        let ask = format!("GET /metrics HTTP/1.1\r\nHost: {ops}\r\nConnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).await?;
        let mut answer = Vec::new();
        stream
            .take(ANSWER_BYTES_MAX)
            .read_to_end(&mut answer)
            .await?;
        Ok(parse(&String::from_utf8_lossy(&answer)))
    };
    timeout(ANSWER_WITHIN, read).await?
}

/// The whole numbers in it; what is no figure, or has a fraction, is passed over.
fn parse(text: &str) -> Metrics {
    let figure = |line: &str| {
        let (name, value) = line.trim_end().rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    text.lines().filter_map(figure).collect()
}

/// How much a figure grew.
pub(super) fn growth(before: &Metrics, after: &Metrics, name: &str) -> u64 {
    let of = |metrics: &Metrics| metrics.get(name).copied().unwrap_or(0);
    of(after).saturating_sub(of(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_their_labels() {
        let before = parse("# TYPE a counter\na{lane=\"play\"} 3\nb 0.5\nc 7\n");
        let after = parse("HTTP/1.1 200 OK\r\n\r\na{lane=\"play\"} 10\r\nc 7\r\n");
        assert_eq!(growth(&before, &after, "a{lane=\"play\"}"), 7);
        assert_eq!(growth(&before, &after, "c"), 0);
        assert_eq!(growth(&before, &after, "none"), 0);
        assert!(!before.contains_key("b"));
    }
}
