//! [edge] The load bot executable.
fn main() {}
