//! `[edge]` The hub executable.

fn main() {}
