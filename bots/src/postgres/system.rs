//! `[edge]` What a server needs of the machine: binaries, an account, a directory, a port.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

use super::error::PostgresError;

/// Where Debian puts the binaries of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The accounts that the server may run as when root starts it, which it refuses to run as.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// Waits until its input ends, that is until who started it is gone, and clears away.
const WATCH: &str = "cat >/dev/null; \"$1\" stop -D \"$2/data\" -m immediate -w; rm -rf \"$2\"";

/// An account of the system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    pub(super) user: u32,
    pub(super) group: u32,
}

pub(super) fn io_error(what: &'static str) -> impl FnOnce(io::Error) -> PostgresError {
    move |source| PostgresError::Io { what, source }
}

pub(super) fn finish(
    program: &'static str,
    output: io::Result<Output>,
) -> Result<(), PostgresError> {
    let output = output.map_err(io_error("run a program"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(PostgresError::Failed { program, said })
}

/// The directory of the binaries: the newest of Debian's, or the one on the path.
pub(super) fn find_binaries() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, binaries)| binaries.join("initdb").is_file())
        .max();
    if let Some((_, binaries)) = newest {
        return Some(binaries);
    }
    let mut look = Command::new("sh");
    let found = look.args(["-c", "command -v initdb"]).output().ok()?;
    let initdb = String::from_utf8(found.stdout).ok()?;
    let initdb = fs::canonicalize(initdb.trim()).ok()?;
    initdb.parent().map(Path::to_owned)
}

/// Whom the server runs as, when it cannot be who starts it.
pub(super) fn account() -> Result<Option<Account>, PostgresError> {
    let own = fs::metadata("/proc/self").map_err(io_error("look at this process"))?;
    if own.uid() != 0 {
        return Ok(None);
    }
    let accounts = fs::read_to_string("/etc/passwd").map_err(io_error("read the accounts"))?;
    let find = |name: &&str| {
        accounts.lines().find_map(|line| {
            let mut fields = line.split(':');
            let is_it = fields.next() == Some(name);
            let (user, group) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            is_it.then_some(Account { user, group })
        })
    };
    let found = ACCOUNTS.iter().find_map(find);
    found.map(Some).ok_or(PostgresError::NoAccount)
}

pub(super) fn become_account(command: &mut Command, account: Option<Account>) {
    if let Some(account) = account {
        command.uid(account.user).gid(account.group);
    }
}

pub(super) fn new_directory(account: Option<Account>) -> Result<PathBuf, PostgresError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("belay-postgres-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    fs::create_dir(&directory).map_err(io_error("make a temporary directory"))?;
    if let Some(Account { user, group }) = account {
        chown(&directory, Some(user), Some(group)).map_err(io_error("give a directory away"))?;
    }
    Ok(directory)
}

pub(super) fn watch(
    binaries: &Path,
    directory: &Path,
    account: Option<Account>,
) -> Result<Child, PostgresError> {
    let mut watch = Command::new("sh");
    watch
        .args(["-c", WATCH, "watch"])
        .arg(binaries.join("pg_ctl"))
        .arg(directory)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A Ctrl-C must not end the watch before it has cleared away.
        .process_group(0);
    become_account(&mut watch, account);
    watch.spawn().map_err(io_error("run a program"))
}

pub(super) fn free_port() -> Result<u16, PostgresError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(io_error("find a free port"))?.port())
}

/// What the system says of a process after its name: its state and its parent.
fn state_and_parent(process: &str) -> Option<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold anything.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}

pub(super) fn is_over(process: &str) -> bool {
    state_and_parent(process).is_none_or(|(state, _)| state == "Z" || state == "X")
}

/// The processes whose parent this is.
pub(super) fn children_of(parent: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.to_owned();
            let (_, its_parent) = state_and_parent(&pid)?;
            (its_parent == parent).then_some(pid)
        })
        .collect()
}
