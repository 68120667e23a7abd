//! `[pure]` Which module a path in the source means, and what stratum that module is of. Reads
//! text, not syntax: what a macro hides is not seen.

use std::collections::BTreeMap;

/// Who may use whom: a stratum uses itself and those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stratum {
    Pure,
    Process,
    Edge,
}

impl Stratum {
    /// What the first line of a file says.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let tag = text.strip_prefix("//! `[")?.split_once("]` ")?.0;
        let known = [
            ("pure", Self::Pure),
            ("process", Self::Process),
            ("edge", Self::Edge),
        ];
        known
            .iter()
            .find(|(name, _)| *name == tag)
            .map(|(_, stratum)| *stratum)
    }
}

/// All modules by their full path, and what they re-export under which path of their own.
pub(crate) struct Modules {
    strata: BTreeMap<String, Stratum>,
    exported: BTreeMap<String, String>,
}

impl Modules {
    /// Reads what all source files say of themselves.
    pub(crate) fn read(files: &[(String, String)]) -> Self {
        let sources = || {
            files
                .iter()
                .filter(|(path, _)| is_source(path) && !is_test(path))
        };
        let strata: BTreeMap<_, _> = sources()
            .filter_map(|(path, text)| Some((module_of(path)?, Stratum::of(text)?)))
            .collect();
        let mut exported = BTreeMap::new();
        for (path, text) in sources() {
            let Some(module) = module_of(path) else {
                continue;
            };
            for (_, tree) in statements(without_tests(text)).filter(|(start, _)| *start != "use ") {
                for used in expand_all(tree) {
                    let name = used.rsplit("::").next().unwrap_or_default();
                    let child =
                        format!("{module}::{}", used.split("::").next().unwrap_or_default());
                    let local = strata.contains_key(&child);
                    let full = if local {
                        format!("{module}::{used}")
                    } else {
                        full(&module, &used)
                    };
                    exported.insert(format!("{module}::{name}"), full);
                }
            }
        }
        Self { strata, exported }
    }

    /// The module in which the thing at a full path is, through re-exports, and its stratum.
    pub(crate) fn find(&self, path: &str) -> Option<(String, Stratum)> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let ends = path
                .match_indices("::")
                .map(|(at, _)| at)
                .chain([path.len()]);
            let parts: Vec<&str> = ends.filter_map(|end| path.get(..end)).collect();
            let exported = parts.iter().rev().find_map(|part| {
                let target = self.exported.get(*part)?;
                Some(format!("{target}{}", path.get(part.len()..)?))
            });
            match exported.filter(|target| *target != path) {
                Some(target) => path = target,
                None => {
                    let module = parts
                        .iter()
                        .rev()
                        .find(|part| self.strata.contains_key(**part))?;
                    return Some(((*module).to_owned(), *self.strata.get(*module)?));
                }
            }
        }
        None
    }
}

/// Code of a crate: it has a stratum.
pub(crate) fn is_source(path: &str) -> bool {
    path.ends_with(".rs") && path.split('/').nth(1) == Some("src")
}

/// A file of a crate's source that holds nothing but tests.
pub(crate) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The text before the tests at its end.
pub(crate) fn without_tests(text: &str) -> &str {
    let starts = [
        "\n#[cfg(test)]\nmod tests {",
        "\n#[cfg(test)]\npub(crate) mod tests {",
    ];
    let end = starts.iter().filter_map(|start| text.find(start)).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Every path of ours that code names, in full, with its line. Re-exports of a `mod.rs` or of the
/// crate's root are judged where they lead, by whoever uses them.
pub(crate) fn uses(path: &str, code: &str) -> Vec<(usize, String)> {
    let Some(module) = module_of(path) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut reexport = false;
    for (index, line) in code.split_inclusive('\n').enumerate() {
        let from = code
            .get(line.as_ptr() as usize - code.as_ptr() as usize..)
            .unwrap_or_default();
        reexport |= line.starts_with("pub use ") || line.starts_with("pub(crate) use ");
        for start in ["crate::", "super::", "belay_runtime::"] {
            for (at, _) in line
                .split("//")
                .next()
                .unwrap_or_default()
                .match_indices(start)
            {
                let joined = line
                    .get(..at)
                    .is_some_and(|before| before.ends_with([':', '_']));
                if !reexport && !joined {
                    let paths = expand_all(from.get(at..).unwrap_or_default());
                    found.extend(paths.iter().map(|used| (index + 1, full(&module, used))));
                }
            }
        }
        reexport &= !line.contains(';');
    }
    found
}

/// `world/src/room/step.rs` is `belay_world::room::step`. An executable's root is no module.
fn module_of(path: &str) -> Option<String> {
    let (krate, rest) = path.strip_suffix(".rs")?.split_once("/src/")?;
    let rest = rest.strip_suffix("/mod").unwrap_or(rest);
    match rest {
        "main" => None,
        "lib" => Some(format!("belay_{krate}")),
        _ => Some(format!("belay_{krate}::{}", rest.replace('/', "::"))),
    }
}

/// A path as written in a module, from its crate's name on.
fn full(module: &str, used: &str) -> String {
    let mut base = module;
    let mut rest = used;
    if let Some(path) = used.strip_prefix("crate::") {
        return format!("{}::{path}", module.split("::").next().unwrap_or_default());
    }
    while let Some(path) = rest.strip_prefix("super::") {
        base = base.rsplit_once("::").map_or(base, |(parent, _)| parent);
        rest = path;
    }
    if rest == used {
        used.to_owned()
    } else {
        format!("{base}::{rest}")
    }
}

/// The `use` statements at the start of a line: how each starts, and its tree of paths.
fn statements(code: &str) -> impl Iterator<Item = (&'static str, &str)> {
    const STARTS: [&str; 3] = ["use ", "pub use ", "pub(crate) use "];
    STARTS.into_iter().flat_map(move |start| {
        let at_line = code.match_indices(start);
        at_line
            .filter(|(at, _)| *at == 0 || code.get(..*at).is_some_and(|text| text.ends_with('\n')))
            .filter_map(move |(at, _)| Some((start, code.get(at + start.len()..)?)))
    })
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand_all(tree: &str) -> Vec<String> {
    let mut found = Vec::new();
    expand(tree, "", &mut found);
    found
}

fn expand<'a>(tree: &'a str, prefix: &str, found: &mut Vec<String>) -> &'a str {
    let tree = tree.trim_start();
    if let Some(mut list) = tree.strip_prefix('{') {
        loop {
            list = list.trim_start_matches([',', ' ', '\n']);
            if list.is_empty() || list.starts_with('}') {
                return list.get(1..).unwrap_or_default();
            }
            list = expand(list, prefix, found);
            list = list
                .find([',', '}'])
                .and_then(|end| list.get(end..))
                .unwrap_or_default();
        }
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (name, after) = tree.split_at(tree.find(|c| !word(c)).unwrap_or(tree.len()));
    let path = format!("{prefix}{name}");
    match after.strip_prefix("::") {
        Some(after) => expand(after, &format!("{path}::"), found),
        None => {
            found.push(path);
            after
        }
    }
}
