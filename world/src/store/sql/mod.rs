//! `[edge]` The queries, a file for each thing that is stored. Each function is part of whatever
//! transaction its caller has opened.

pub(super) mod account;
pub(super) mod ban;
pub(super) mod character;
pub(super) mod fence;
pub(super) mod founding;
pub(super) mod group;
pub(super) mod item;
pub(super) mod network_rule;
pub(super) mod staff;
pub(super) mod token;
