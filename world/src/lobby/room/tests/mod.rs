//! `[pure]` Goal: a room tells everybody the truth, whatever happens in whichever order. Method:
//! named cases one by one, and random programs against two models: a naive one that remembers who
//! sits there from what was asked and answered, and clients that know nothing but what they were
//! told and take no nonsense (a player added twice, one who leaves without having come, a gap).

mod client;
mod moderation;
mod named;
mod random;
mod stage;
