//! `[process]` Goal: whoever plays on whichever node, people are found, told, removed and let in as
//! on one node. Method: whole worlds over a mesh that the test cuts, heals and kills, with sessions
//! that are typed to and a store that all share.

mod channels;
mod claims;
mod games;
mod model;
mod network;
mod presence;
mod rig;
