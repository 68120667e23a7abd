//! `[process]` Goal: players notice nothing of where a room is: they walk, speak and carry things
//! across nodes, and what a node's death or a zone's move does to them is one line. Method: whole
//! worlds in one process as nodes of a mesh whose placement the test writes, with real sessions,
//! rooms and one store.

mod across;
mod bytes;
mod fences;
mod moving;
mod rig;
mod things;
mod waiting;
