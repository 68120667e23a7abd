//! `[pure]` Goal: shards are where they should be, and stay there. Method: worlds of a log, a
//! leader that plans, and nodes that renew, report, die and lag; time passes only in steps.

mod balance;
mod drain;
mod faults;
mod place;
mod random;
mod restart;
mod voters;
mod world;
