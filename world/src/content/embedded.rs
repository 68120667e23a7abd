//! `[pure]` The starter world inside the executable, so that it runs anywhere.

use super::load::{SourceFile, WORLD_FILE};

/// The files of `world/content`.
pub fn embedded() -> Vec<SourceFile> {
    [
        ("harbour.toml", include_str!("../../content/harbour.toml")),
        ("heights.toml", include_str!("../../content/heights.toml")),
        (WORLD_FILE, include_str!("../../content/world.toml")),
    ]
    .into_iter()
    .map(|(name, text)| SourceFile {
        name: name.to_owned(),
        text: text.to_owned(),
    })
    .collect()
}
