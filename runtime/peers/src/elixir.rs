//! Elixir, where it is installed: `elixir.sh` runs `elixir.exs`, which has the same workloads.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::workload::apart;
use crate::workload::measure::*;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/elixir.sh");

/// The sizes by name, as the script wants them in its environment.
const SIZES: [(&str, usize); 14] = [
    ("CHILDREN", CHILDREN),
    ("CALLS", CALLS),
    ("PAIRS", PAIRS),
    ("CALLS_OF_PAIR", CALLS_OF_PAIR),
    ("TIME_OUT", TIME_OUT.as_secs() as usize),
    ("SENDERS", SENDERS),
    ("MESSAGES_OF_SENDER", MESSAGES_OF_SENDER),
    ("RECEIVERS", RECEIVERS),
    ("MESSAGES_TO_RECEIVER", MESSAGES_TO_RECEIVER),
    ("SHARED_BYTES", SHARED_BYTES),
    ("CRASHING", CRASHING),
    ("STORMS", STORMS),
    ("NAMES", NAMES),
    ("LOOKUPS", LOOKUPS),
];

/// Versions of Elixir and OTP; empty where there is none. The script says why.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut command = Command::new("sh");
        let output = command
            .args([SCRIPT, "version"])
            .stderr(Stdio::inherit())
            .output();
        let text = output.map_or_else(|_| Vec::new(), |output| output.stdout);
        match String::from_utf8_lossy(&text).trim() {
            "" => String::new(),
            version => format!(", {version}"),
        }
    })
}

pub fn is_there() -> bool {
    !version().is_empty()
}

pub fn run(workload: Workload) -> Figures {
    let mut command = Command::new("sh");
    command.args([SCRIPT, workload.name()]);
    apart::read(command.envs(SIZES.map(|(name, size)| (name, size.to_string()))))
}
