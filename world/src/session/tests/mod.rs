//! `[pure]` Goal: what a session makes of lines, answers, losses and time. Method: single steps on
//! a state without its process (`stage`), as tables and short plays; then random plays against
//! rooms and a store in memory (`random`).

mod answers;
mod commands;
mod elsewhere;
mod random;
mod stage;
mod talk;
mod things;
mod waiting;
