//! `[pure]` The content: area files, their check, and the world that comes of them.
//!
//! A content directory holds `world.toml` and one file per zone; how they are written is told in
//! `world/content/README.md`. [`load`] turns texts into a [`World`] or into [`Faults`];
//! only `directory` touches files, and nothing here knows about processes or players.

mod directory;
mod embedded;
mod fault;
mod fields;
mod generate;
mod keys;
pub mod limits;
mod link;
mod load;
mod log;
mod raw;
mod raw_channel;
mod raw_room;
mod reach;
mod text;
mod world;

pub use directory::{
    DEFAULT_DIRECTORY, Origin, Report, WriteError, check, load_directory, open, write_generated,
};
pub use embedded::embedded;
pub use fault::{Fault, Faults, Place, Severity};
pub use generate::{GenerateError, GenerateOptions, generate};
pub use load::{Loaded, SourceFile, WORLD_FILE, load};
pub use world::{
    Channel, Exit, ItemPrototype, Mob, Reset, Room, Thing, World, Zone, channel_named,
};
