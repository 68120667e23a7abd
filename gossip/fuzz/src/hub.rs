//! `[pure]` The hub without what has sockets and files.

#[path = "../../src/hub/core/mod.rs"]
pub mod core;
#[path = "../../src/hub/directory/mod.rs"]
pub mod directory;
#[path = "../../src/hub/neighbours.rs"]
mod neighbours;
#[path = "../../src/hub/order.rs"]
pub mod order;

pub use order::StoreOrder;
