//! `[pure]` What a node does while it leads, in one term: grant leases and count them out, plan,
//! see moves through, carry out orders, change who votes. It begins with nothing but the view, and
//! all that it learns is lost with the term.

mod leader;
mod membership;
mod moves;
mod orders;
mod proposals;
mod reconcile;

pub(super) use leader::Lead;
pub(super) use orders::Asker;
