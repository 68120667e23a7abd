//! `[pure]` The options of `wander` as they are typed: text, not yet checked.

/// Options of a wandering crowd as text; [`Options::check`](crate::Options::check) reads them.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RawOptions {
    /// Address of the node: its telnet port, or its HTTP port with --ws
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4000")]
    pub target: String,
    /// How many bots
    #[arg(long, value_name = "N", default_value = "100")]
    pub count: String,
    /// Bots started per second
    #[arg(
        long,
        value_name = "PER_S",
        default_value = "100",
        conflicts_with = "burst"
    )]
    pub ramp: String,
    /// Start all bots at once
    #[arg(long)]
    pub burst: bool,
    /// How long to measure, after ramp and settling
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub duration: String,
    /// Warm-up between the last login and the measuring
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub settle: String,
    /// A bot that is not in after this, all attempts together, is given up
    #[arg(long, value_name = "TIME", default_value = "120s")]
    pub login_deadline: String,
    /// Log in as guests (the default)
    #[arg(long, conflicts_with = "accounts")]
    pub guests: bool,
    /// Log in with accounts of this prefix and a number in letters; created when unknown
    #[arg(long, value_name = "PREFIX")]
    pub accounts: Option<String>,
    /// Number of the first bot, so that several processes do not clash
    #[arg(long, value_name = "N", default_value = "0")]
    pub first: String,
    /// Over WebSocket instead of telnet
    #[arg(long)]
    pub ws: bool,
    /// What the bots do, by weight
    #[arg(long, value_name = "MIX", default_value = "move=60,say=25,look=15")]
    pub mix: String,
    /// Stay in the room of the login: the mix without its moves
    #[arg(long)]
    pub stay: bool,
    /// Seconds between an answer and the next command
    #[arg(long, value_name = "A-B", default_value = "3.5-7.0")]
    pub pace: String,
    /// Makes the bots' choices repeatable
    #[arg(long, value_name = "S")]
    pub seed: Option<String>,
    /// Local addresses to connect from, taken in turn
    #[arg(long, value_name = "A-B")]
    pub sources: Option<String>,
    /// Worker threads of the bots; one is enough for 10,000 and costs the least
    #[arg(long, value_name = "N", default_value = "1")]
    pub workers: String,
    /// Process whose CPU and memory to report
    #[arg(long, value_name = "PID")]
    pub node_pid: Option<String>,
    /// Crash so many random rooms per second while measuring (wants --control)
    #[arg(long, value_name = "PER_S")]
    pub crash_rooms: Option<String>,
    /// Control socket of the node, for --crash-rooms
    #[arg(long, value_name = "SOCKET")]
    pub control: Option<String>,
}
