//! `[pure]` Mobs: who they are stands in the content; `deed` decides what one does next, `process`
//! does it.

mod deed;
mod process;
mod record;

pub use deed::{Deed, Draw, next_deed, next_pause};
pub use process::{MobBody, MobProcess};
pub use record::MobRecord;
