//! `[edge]` What a trial stands on: a generated world, and enough open files.

use std::io;
use std::path::Path;

use super::error::TrialError;
use super::options::TrialOptions;
use super::torus::Torus;
use crate::cluster::Launcher;

/// Descriptors beyond those of the bots: files, pipes, the probes.
const FILES_BESIDE: u64 = 600;

/// Makes the world, and has the nodes play it.
pub(super) async fn make_world(
    launcher: &mut Launcher,
    options: &TrialOptions,
) -> Result<Torus, TrialError> {
    let world = launcher.directory().join("world");
    let place = world.display().to_string();
    let (rooms, zones) = (options.rooms.to_string(), options.zones.to_string());
    let words = [
        "content", "generate", "--rooms", &rooms, "--zones", &zones, "--out", &place,
    ];
    let Some(first) = launcher.plans.first() else {
        return Ok(Torus::default());
    };
    first.run(&words).await.map_err(TrialError::World)?;
    let texts = read_files(&world).map_err(|source| TrialError::Read {
        place: place.clone(),
        source,
    })?;
    let mut more = vec!["--content".to_owned(), place];
    for setting in [
        "players.start=spread",
        "login.hash_memory_kib=8",
        "login.hash_passes=1",
    ] {
        more.extend(["--set".to_owned(), setting.to_owned()]);
    }
    for plan in &mut launcher.plans {
        // What was typed comes last, and holds.
        let typed = std::mem::replace(&mut plan.more, more.clone());
        plan.more.extend(typed);
    }
    Ok(Torus::read(texts.iter().map(String::as_str)))
}

fn read_files(directory: &Path) -> io::Result<Vec<String>> {
    let entries = std::fs::read_dir(directory)?;
    let read = |entry: io::Result<std::fs::DirEntry>| std::fs::read_to_string(entry?.path());
    entries.map(read).collect()
}

/// Whether this process may open a socket for each bot.
pub(super) fn check_files(bots: u32) -> Result<(), TrialError> {
    let wanted = u64::from(bots) + FILES_BESIDE;
    // Who cannot look is told by the first socket that fails.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let allowed = open_files(&limits).unwrap_or(u64::MAX);
    if allowed < wanted {
        return Err(TrialError::Files { wanted, allowed });
    }
    Ok(())
}

/// The soft limit of open files; `None` when there is none, or it is not told.
fn open_files(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_of_files_is_read() {
        let limits = "Limit    Soft Limit   Hard Limit   Units\n\
            Max processes             100                  200                  processes\n\
            Max open files            1024                 524288               files\n";
        assert_eq!(open_files(limits), Some(1024));
        assert_eq!(open_files(&limits.replace("1024", "unlimited")), None);
        assert!(check_files(u32::MAX).is_err(), "nobody may open so many");
    }
}
