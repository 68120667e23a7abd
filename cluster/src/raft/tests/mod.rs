//! `[process]` Goal: what is acknowledged stays, on every node, whatever happens to a minority; the
//! log on disk keeps what it said it kept. Method: openraft's own suite on both logs; whole rafts
//! on one thread over links of the test's making, under a clock that only moves when all wait, so
//! that each run does the same; a real file in a folder of its own.

mod cluster;
mod conformance;
mod disk;
mod faults;
mod net;
mod random;
mod voters;
