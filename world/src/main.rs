//! [edge] The node executable.
fn main() {}
