//! `[edge]` The bots of one node, round after round.

use std::net::SocketAddr;
use std::time::Duration;

use super::options::ClusterOptions;
use crate::target::Target;
use crate::wander::{Options, Report, run_wander};

/// Numbers of bots between those of one node and of the next.
const NUMBERS_APART: u32 = 10_000;

/// One round on the node of this number, from 0; what happened, in a line.
pub(super) async fn round(options: &ClusterOptions, node: u16, telnet: SocketAddr) -> String {
    let count = options.bots_on(node);
    let mut crowd = Options::new(Target::telnet(telnet), count);
    crowd.first = u32::from(node) * NUMBERS_APART;
    crowd.settle = Duration::from_secs(1);
    crowd.duration = options.round;
    match run_wander(crowd, std::future::pending(), |_| {}).await {
        Ok(report) => line(&report),
        Err(error) => error.to_string(),
    }
}

fn line(report: &Report) -> String {
    let lost: u64 = report
        .dropped
        .values()
        .chain(report.login_failed.values())
        .sum();
    let Report {
        online_peak,
        commands,
        latency_ms,
        unanswered,
        ..
    } = report;
    format!(
        "{online_peak} bots, {commands} commands, answers p50 {:.1} ms, p99 {:.1} ms, \
         {unanswered} unanswered, {lost} bots lost",
        latency_ms.p50, latency_ms.p99
    )
}
