//! `[edge]` Goal: what the layout promises and no compiler checks is true: strata, crate arrows,
//! sizes, names. Method: plain text checks over all files; faults planted in a small tree in
//! memory show that each check can fail.

mod paths;

use std::{fs, io, path::Path};

use paths::{Modules, Stratum};

/// The crates, and what each may use of ours. Tests of `world` may use the bots, and tests of any
/// crate that crate itself, with features that only tests want.
const ARROWS: &[(&str, &[&str])] = &[
    ("runtime", &[]),
    ("cluster", &["belay-runtime"]),
    ("gossip", &["belay-runtime"]),
    ("world", &["belay-runtime", "belay-cluster", "belay-gossip"]),
    ("bots", &["belay-gossip"]),
];

/// What code that only decides never says.
const NOT_PURE: &[&str] = &[
    "async fn",
    "async move",
    ".await",
    "Instant::now",
    "SystemTime",
    "rand::rng",
    "getrandom",
    "Mutex",
    "RwLock",
    "Atomic",
    "println!",
    "std::process::Command",
];

/// What code that owns a mailbox is handed and does not reach for itself. Pure code neither.
const NOT_PROCESS: &[&str] = &[
    "tokio::spawn",
    "tokio::net",
    "tokio::fs",
    "tokio::signal",
    "std::fs",
    "std::env",
    "std::net::Tcp",
    "std::net::Udp",
    "std::os::unix::net",
    "sqlx::",
    "axum::",
];

/// What is broken openly: file, part of the fault's text, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "world/tests/tidy/main.rs",
        "was left behind",
        "plants what it looks for",
    ),
    (
        "runtime/src/seat.rs",
        "lines without tests",
        "one loop and its states; to be divided",
    ),
    (
        "world/src/event.rs",
        "lines without tests",
        "one enumeration with its docs",
    ),
    (
        "world/src/login/dialogue.rs",
        "lines without tests",
        "one state machine; to be divided",
    ),
];

/// All faults of a tree, given as (path from the root, text).
fn check(files: &[(String, String)]) -> Vec<String> {
    let modules = Modules::read(files);
    let mut faults = Vec::new();
    for (path, text) in files {
        let mut fault = |line: usize, what: String| {
            let excepted =
                |&&(file, part, _): &&(&str, &str, &str)| file == path && what.contains(part);
            if EXCEPTIONS.iter().find(excepted).is_none() {
                faults.push(format!("{path}:{line}: {what}"));
            }
        };
        if path.ends_with("Cargo.toml") {
            check_arrows(path, text, &mut fault);
        } else {
            check_form(path, text, &mut fault);
            check_strata(path, text, &modules, &mut fault);
        }
    }
    faults
}

/// The manifest of a crate names no crate of ours that it may not know.
fn check_arrows(path: &str, text: &str, fault: &mut impl FnMut(usize, String)) {
    let Some((name, allowed)) = ARROWS
        .iter()
        .find(|(name, _)| path == format!("{name}/Cargo.toml"))
    else {
        return;
    };
    let mut dev = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            dev = line.contains("dev-dependencies");
        }
        let key = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let itself = key.strip_prefix("belay-") == Some(*name);
        let for_tests = dev && (itself || (*name == "world" && key == "belay-bots"));
        if key.starts_with("belay-") && !allowed.contains(&key) && !for_tests {
            fault(index + 1, format!("{name} must not use {key}"));
        }
    }
}

/// Sizes, names and leftovers, in any file.
fn check_form(path: &str, text: &str, fault: &mut impl FnMut(usize, String)) {
    for word in ["actor", "manager", "helper", "util"] {
        if path
            .split(['/', '_', '.'])
            .any(|part| part.trim_end_matches('s') == word)
        {
            fault(1, format!("the name says `{word}`: say what it does"));
        }
    }
    let length = paths::without_tests(text).lines().count();
    if length > 400 && paths::is_source(path) && !paths::is_test(path) {
        fault(
            length,
            format!("{length} lines without tests, more than 400"),
        );
    }
    for (index, line) in text.lines().enumerate() {
        if line.chars().count() > 100 {
            fault(index + 1, "more than 100 columns".to_owned());
        }
        for left in ["todo!(", "unimplemented!(", "dbg!("] {
            if line.contains(left) {
                fault(index + 1, format!("`{left}` was left behind"));
            }
        }
    }
}

/// Each source file names its stratum and keeps to it.
fn check_strata(path: &str, text: &str, modules: &Modules, fault: &mut impl FnMut(usize, String)) {
    if !paths::is_source(path) {
        return;
    }
    let Some(own) = Stratum::of(text) else {
        fault(
            1,
            "the first line names no stratum, like: //! `[pure]` ...".to_owned(),
        );
        return;
    };
    if paths::is_test(path) || own == Stratum::Edge {
        return;
    }
    let code = paths::without_tests(text);
    let pure_only = if own == Stratum::Pure { NOT_PURE } else { &[] };
    for (index, line) in code.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        for word in pure_only
            .iter()
            .chain(NOT_PROCESS)
            .filter(|word| line.contains(**word))
        {
            fault(index + 1, format!("{own:?} code says `{word}`"));
        }
    }
    for (line, used) in paths::uses(path, code) {
        if let Some((module, stratum)) = modules.find(&used).filter(|(_, found)| *found > own) {
            fault(
                line,
                format!("{own:?} code uses `{used}` of {module}, which is {stratum:?}"),
            );
        }
    }
}

/// The Rust files and manifests below a directory, without what builds leave behind.
fn gather(root: &Path, dir: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            gather(root, &path, files)?;
        } else if name.ends_with(".rs") || name == "Cargo.toml" {
            let below = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            files.push((below, fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

#[test]
fn the_tree_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for (name, _) in ARROWS {
        gather(root, &root.join(name), &mut files).unwrap();
    }
    assert!(files.len() > 200, "only {} files were found", files.len());
    let faults = check(&files);
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// A small tree in which nothing is wrong: a path and a text on each line, `~` ends its lines.
const CLEAN: &str = "
runtime/src/lib.rs | //! `[process]` A.~mod exit;~pub use exit::Reason;
runtime/src/exit.rs | //! `[pure]` A.~pub struct Reason;
world/src/lib.rs | //! `[pure]` A.~pub mod door;~pub mod socket;
world/src/socket.rs | //! `[edge]` A.~use tokio::net::TcpStream;
world/src/door/mod.rs | //! `[pure]` A.~pub use process::Door;~pub use step::open;
world/src/door/process.rs | //! `[process]` A.~use super::step::open;
world/src/door/step.rs | //! `[pure]` A.~use belay_runtime::Reason;~#[cfg(test)]~mod tests {~.await
world/Cargo.toml | belay-runtime = 1~[dev-dependencies]~belay-bots.workspace = true
world/src/a.rs | //! `[edge]` A.~fn f() { crate::door::Door::open() }";

/// A file to plant, its text, and the one fault that it is.
const PLANTED: &str = "
world/src/a.rs | //! A plant. | :1: the first line names no stratum
world/src/a.rs | //! `[pure]` A.~async fn grow() {} | :2: Pure code says `async fn`
world/src/a.rs | //! `[pure]` A.~Instant::now() | :2: Pure code says `Instant::now`
world/src/a.rs | //! `[process]` A.~std::fs::read(a) | :2: Process code says `std::fs`
world/src/a.rs | //! `[pure]` A.~use crate::socket; | belay_world::socket, which is Edge
world/src/a.rs | //! `[pure]` A.~use crate::{~  door::{open, Door},~}; | door::process, which is P
world/src/a.rs | //! `[pure]` A.~fn f(d: &crate::door::Door) {} | `belay_world::door::Door`
world/src/a.rs | //! `[process]` A.~use super::socket::x as y; | :2: Process code uses
world/src/a.rs | //! `[pure]` A.~use belay_runtime::Node; | belay_runtime, which is Process
world/src/door/a/mod.rs | //! `[pure]` A.~use super::process::Door; | which is Process
world/src/a_helpers.rs | //! `[pure]` A. | :1: the name says `helper`
world/tests/a.rs | fn f() { dbg!(1); } | :1: `dbg!(` was left behind
bots/Cargo.toml | belay-world.workspace = true | :1: bots must not use belay-world
world/Cargo.toml | belay-bots = 1 | :1: world must not use belay-bots
runtime/Cargo.toml | belay-runtime = 1 | :1: runtime must not use belay-runtime
runtime/Cargo.toml | [dev-dependencies]~belay-bots = 1 | :2: runtime must not use belay-bots";

fn clean_and(path: &str, text: &str) -> Vec<(String, String)> {
    let clean = CLEAN.lines().filter_map(|line| line.split_once(" | "));
    let all = clean.chain([(path, text)]);
    all.map(|(path, text)| (path.to_owned(), text.replace("~", "\n")))
        .collect()
}

#[test]
fn finds_each_kind_of_planted_fault() {
    assert_eq!(
        check(&clean_and("world/src/b.rs", "//! `[pure]` A.")),
        Vec::<String>::new()
    );
    let long = format!(
        "world/src/a.rs | //! `[pure]` A.{} | :401: 401 lines",
        "~//".repeat(400)
    );
    let wide = format!(
        "world/tests/a.rs | //! {} | :1: more than 100 columns",
        "w".repeat(97)
    );
    for plant in PLANTED
        .lines()
        .skip(1)
        .chain([long.as_str(), wide.as_str()])
    {
        let parts: Vec<&str> = plant.split(" | ").collect();
        let [path, text, expected] = parts[..] else {
            panic!("not three parts: {plant}")
        };
        let faults = check(&clean_and(path, text));
        assert!(
            matches!(faults.as_slice(), [one] if one.starts_with(path) && one.contains(expected)),
            "{plant}\nfound {faults:#?}"
        );
    }
}
