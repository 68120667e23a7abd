//! `[edge]` The cluster of a node, as its operator meets it: commands, orders, status.

mod command;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a node cannot join a cluster yet")
)]
mod leave;
pub(super) mod line;
mod orders;
mod report;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a node cannot join a cluster yet")
)]
mod shards;

pub(super) use command::carry_out;
pub(super) use orders::answer;
pub(super) use report::figures;
