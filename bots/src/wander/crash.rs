//! `[edge]` Crashes random rooms of the node through its control socket, at a steady rate.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::options::CrashPlan;
use crate::limits::{CONTROL_ANSWER_BYTES_MAX, CONTROL_DEADLINE};
use crate::measure::Causes;

const REQUEST: &[u8] = b"{\"command\":\"crash-room\"}\n";

/// What came of the requests.
#[derive(Debug, Default)]
pub(crate) struct Crashes {
    /// Rooms that were crashed.
    pub(crate) done: AtomicU64,
    /// Requests that failed.
    pub(crate) failed: Causes,
}

/// Crashes rooms until it is dropped; a lost connection is made anew for the next request.
pub(crate) async fn crash_rooms(plan: &CrashPlan, crashes: &Crashes) {
    let mut ticks = interval(Duration::from_secs_f64(1.0 / plan.per_s));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut socket = None;
    loop {
        ticks.tick().await;
        match timeout(CONTROL_DEADLINE, crash_one(plan, &mut socket)).await {
            Ok(Ok(())) => drop(crashes.done.fetch_add(1, Relaxed)),
            Ok(Err(cause)) => {
                socket = None;
                crashes.failed.count(&cause);
            }
            Err(_) => {
                socket = None;
                crashes.failed.count("no answer");
            }
        }
    }
}

/// One request and its answer; the cause when it failed.
async fn crash_one(
    plan: &CrashPlan,
    socket: &mut Option<BufReader<UnixStream>>,
) -> Result<(), String> {
    let say = |error: std::io::Error| error.kind().to_string();
    let stream = match socket {
        Some(stream) => stream,
        None => {
            let fresh = UnixStream::connect(&plan.control).await.map_err(say)?;
            socket.insert(BufReader::new(fresh))
        }
    };
    stream.get_mut().write_all(REQUEST).await.map_err(say)?;
    let mut line = String::new();
    stream
        .take(CONTROL_ANSWER_BYTES_MAX)
        .read_line(&mut line)
        .await
        .map_err(say)?;
    judge(&line)
}

/// Whether an answer line says that it was done.
fn judge(line: &str) -> Result<(), String> {
    let Ok(answer) = serde_json::from_str::<serde_json::Value>(line) else {
        return Err(if line.is_empty() {
            "closed"
        } else {
            "not JSON"
        }
        .to_owned());
    };
    if let Some(error) = answer.get("error") {
        let text = error
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned);
        return Err(text.chars().take(80).collect());
    }
    match answer.get("ok") {
        Some(serde_json::Value::Bool(false)) => Err("refused".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_good_answers_from_bad_ones() {
        for (line, expected) in [
            ("{\"ok\":true}\n", Ok(())),
            ("{\"room\":\"town/square\"}\n", Ok(())),
            ("{\"ok\":false}\n", Err("refused".to_owned())),
            ("{\"error\":\"no rooms\"}\n", Err("no rooms".to_owned())),
            ("", Err("closed".to_owned())),
            ("what?\n", Err("not JSON".to_owned())),
        ] {
            assert_eq!(judge(line), expected, "{line:?}");
        }
    }
}
