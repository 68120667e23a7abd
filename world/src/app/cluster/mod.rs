//! `[edge]` The cluster of a node, as its operator meets it: commands, orders, status.

mod command;
mod farewell;
mod leave;
pub(super) mod line;
mod member;
mod orders;
mod report;
mod shards;

pub(super) use command::carry_out;
pub(super) use farewell::farewell;
pub(super) use leave::{Left, leave};
pub(super) use member::open;
pub(super) use orders::answer;
pub(super) use report::{figures, peers};
pub(super) use shards::{declare, shards};
