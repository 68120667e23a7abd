//! `[edge]` A PostgreSQL server of one's own, from the installed binaries, for tests and for trying
//! a cluster on one machine. It lives in a temporary directory, listens on a free port of loopback,
//! lets everybody there in, and ends with who started it, even when that is killed.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

/// Where Debian puts the binaries of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The accounts that the server may run as when root starts it, which it refuses to run as.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// The user who owns everything in the server.
const USER: &str = "belay";

/// How often another free port is tried.
const PORTS_TRIED_MAX: u32 = 5;

/// How long the server may take to start, in seconds.
const START_S: &str = "60";

/// Waits until its input ends, that is until who started it is gone, and clears away.
const WATCH: &str = "cat >/dev/null; \"$1\" stop -D \"$2/data\" -m immediate -w; rm -rf \"$2\"";

/// A running server. Dropped, it ends, and its data is gone.
#[derive(Debug)]
pub struct PostgresServer {
    binaries: PathBuf,
    directory: PathBuf,
    account: Option<Account>,
    settings: Vec<String>,
    port: u16,
    watch: Child,
}

/// Why there is no server; its fault is the machine's.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// It is not installed.
    #[error("PostgreSQL is not installed (Debian: apt-get install postgresql)")]
    NotInstalled,
    /// Root has to run it as somebody else, and there is nobody.
    #[error("PostgreSQL does not run as root, and there is no account postgres or nobody")]
    NoAccount,
    /// A file or a program cannot be used.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// One of the programs of PostgreSQL failed.
    #[error("{program} failed: {said}")]
    Failed {
        /// Its name.
        program: &'static str,
        /// What it said.
        said: String,
    },
}

#[derive(Clone, Copy, Debug)]
struct Account {
    user: u32,
    group: u32,
}

impl PostgresServer {
    /// Makes a server and waits until it takes connections. `settings` are of the form
    /// `fsync=off`. Blocks for some seconds.
    ///
    /// # Errors
    /// [`PostgresError::NotInstalled`], or what went wrong.
    pub fn start(settings: &[&str]) -> Result<Self, PostgresError> {
        let binaries = find_binaries().ok_or(PostgresError::NotInstalled)?;
        let account = account()?;
        let directory = new_directory(account)?;
        let watch = watch(&binaries, &directory, account)?;
        let mut server = Self {
            binaries,
            directory,
            account,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            port: 0,
            watch,
        };
        let data = server.data();
        let data = data.to_string_lossy();
        server.run(
            "initdb",
            &[
                "-D",
                &data,
                "-U",
                USER,
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
        )?;
        server.start_on_a_free_port()?;
        Ok(server)
    }

    /// The address of a database, for whoever wants to connect.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port that it listens on. It stays the same when the server is started again.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database and answers its address. Blocks.
    ///
    /// # Errors
    /// The server does not run, or has a database of this name.
    pub fn create_database(&self, name: &str) -> Result<String, PostgresError> {
        self.create_database_with(name, &[])
    }

    /// The same with options of `createdb`.
    ///
    /// # Errors
    /// As above.
    pub fn create_database_with(
        &self,
        name: &str,
        options: &[&str],
    ) -> Result<String, PostgresError> {
        let port = self.port.to_string();
        let mut arguments = vec!["-h", "127.0.0.1", "-p", &port, "-U", USER];
        arguments.extend(options);
        arguments.push(name);
        self.run("createdb", &arguments)?;
        Ok(self.url(name))
    }

    /// Kills the server and all its processes at once, as a power cut would. Blocks.
    ///
    /// # Errors
    /// It does not run.
    pub fn kill(&self) -> Result<(), PostgresError> {
        self.signal("-KILL")
    }

    /// Stops the server and all its processes where they stand: connections stay open, and nothing
    /// answers. Blocks.
    ///
    /// # Errors
    /// It does not run.
    pub fn freeze(&self) -> Result<(), PostgresError> {
        self.signal("-STOP")
    }

    /// Lets a frozen server go on. Blocks.
    ///
    /// # Errors
    /// It does not run.
    pub fn thaw(&self) -> Result<(), PostgresError> {
        self.signal("-CONT")
    }

    /// Starts the server again after it was killed, on the same port. Blocks.
    ///
    /// # Errors
    /// It does not start.
    pub fn start_again(&self) -> Result<(), PostgresError> {
        let data = self.data();
        let data = data.to_string_lossy();
        let log = self.directory.join("log");
        let settings = self.settings.iter();
        let settings: String = settings.map(|setting| format!(" -c {setting}")).collect();
        let options = format!(
            "-h 127.0.0.1 -p {} -k '{}'{settings}",
            self.port,
            self.directory.display()
        );
        let log = log.to_string_lossy();
        self.run(
            "pg_ctl",
            &[
                "start", "-D", &data, "-l", &log, "-o", &options, "-w", "-t", START_S,
            ],
        )
    }

    fn start_on_a_free_port(&mut self) -> Result<(), PostgresError> {
        let mut tried = 0;
        loop {
            tried += 1;
            self.port = free_port()?;
            match self.start_again() {
                // Somebody else may have taken the port in between.
                Err(PostgresError::Failed { .. }) if tried < PORTS_TRIED_MAX => {}
                done => return done,
            }
        }
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    fn signal(&self, signal: &'static str) -> Result<(), PostgresError> {
        let file = fs::read_to_string(self.data().join("postmaster.pid"));
        let file = file.map_err(io_error("find the server's process"))?;
        let server = file.lines().next().unwrap_or_default().to_owned();
        // Its processes are in sessions of their own, so each has to be told.
        let mut told = vec![server.clone()];
        told.extend(children_of(&server));
        let mut kill = Command::new("sh");
        kill.args(["-c", "kill \"$@\"", "kill", signal]).args(&told);
        finish("kill", kill.output())
    }

    fn run(&self, program: &'static str, arguments: &[&str]) -> Result<(), PostgresError> {
        let mut command = Command::new(self.binaries.join(program));
        command.args(arguments).current_dir(&self.directory);
        // The server inherits what pg_ctl has, and must not hold our pipes open.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("said-{number}"));
        let said = fs::File::create(&path);
        let said = said.map_err(io_error("write to the directory"))?;
        let both = said
            .try_clone()
            .map_err(io_error("write to the directory"))?;
        command.stdin(Stdio::null()).stdout(both).stderr(said);
        become_account(&mut command, self.account);
        let status = command.status().map_err(io_error("run PostgreSQL"))?;
        if status.success() {
            return Ok(());
        }
        let said = fs::read_to_string(&path).unwrap_or_default();
        Err(PostgresError::Failed { program, said })
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Its input ends here: it stops the server and clears away.
        drop(self.watch.stdin.take());
        drop(self.watch.wait());
    }
}

fn io_error(what: &'static str) -> impl FnOnce(io::Error) -> PostgresError {
    move |source| PostgresError::Io { what, source }
}

fn finish(program: &'static str, output: io::Result<Output>) -> Result<(), PostgresError> {
    let output = output.map_err(io_error("run a program"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(PostgresError::Failed { program, said })
}

/// The directory of the binaries: the newest of Debian's, or the one on the path.
fn find_binaries() -> Option<PathBuf> {
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
fn account() -> Result<Option<Account>, PostgresError> {
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

fn become_account(command: &mut Command, account: Option<Account>) {
    if let Some(account) = account {
        command.uid(account.user).gid(account.group);
    }
}

fn new_directory(account: Option<Account>) -> Result<PathBuf, PostgresError> {
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

fn watch(
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

fn free_port() -> Result<u16, PostgresError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(io_error("find a free port"))?.port())
}

/// The processes whose parent this is.
fn children_of(parent: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.to_owned();
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name, which may hold anything: the state and the parent.
            let (_, after_name) = stat.rsplit_once(')')?;
            (after_name.split_whitespace().nth(1)? == parent).then_some(pid)
        })
        .collect()
}
