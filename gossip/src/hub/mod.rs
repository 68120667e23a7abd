//! `[pure]` The hub of a network: a community's own meeting place for its games.

pub mod app;
pub mod clock;
pub mod core;
pub mod desk;
pub mod directory;
mod neighbours;
pub mod net;
pub mod order;
pub mod store;

pub use directory::Directory;
pub use order::StoreOrder;
