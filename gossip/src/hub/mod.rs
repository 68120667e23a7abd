//! `[pure]` The hub of a network: a community's own meeting place for its games.

pub mod directory;
pub mod order;

pub use directory::Directory;
pub use order::StoreOrder;
