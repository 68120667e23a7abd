//! [edge] The composition root: configuration, command line, and the start and stop of a node.
//! Only this module names concrete edges.

pub mod config;
