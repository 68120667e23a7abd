//! `[edge]` The server: started, killed, frozen, started again.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, chown};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::error::PostgresError;
use super::system::{
    Account, account, become_account, children_of, find_binaries, finish, free_port, io_error,
    is_over, new_directory, watch,
};

/// The user who owns everything in the server.
const USER: &str = "belay";

/// A user of this name, if a test makes one, has to say a password; all others are let in.
const GUARDED: &str = "guarded";

/// How often another free port is tried.
const PORTS_TRIED_MAX: u32 = 5;

/// Tells the server, and then its processes, some of which may have ended since they were listed.
const SIGNAL: &str = "kill \"$1\" \"$2\" || exit 1; kill \"$@\" 2>/dev/null; exit 0";

/// How often is looked whether killed processes are over.
const LOOKS_MAX: u32 = 1_000_000;

/// How long the server may take to start, in seconds.
const START_S: &str = "60";

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

impl PostgresServer {
    /// Makes a server and waits until it takes connections. `settings` are of the form
    /// `fsync=off`. Blocks for some seconds.
    ///
    /// # Errors
    /// [`PostgresError::NotInstalled`], or what went wrong.
    pub fn start(settings: &[&str]) -> Result<Self, PostgresError> {
        Self::start_with(settings, None)
    }

    /// The same with TLS: the server shows this certificate, and has its key, both in PEM.
    ///
    /// # Errors
    /// As [`PostgresServer::start`].
    pub fn start_with_tls(
        settings: &[&str],
        certificate: &str,
        key: &str,
    ) -> Result<Self, PostgresError> {
        let settings = [settings, &["ssl=on"]].concat();
        Self::start_with(&settings, Some((certificate, key)))
    }

    fn start_with(settings: &[&str], tls: Option<(&str, &str)>) -> Result<Self, PostgresError> {
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
        let rules = format!(
            "host all {GUARDED} all scram-sha-256\nhost all all all trust\nlocal all all trust\n"
        );
        let written = fs::write(server.data().join("pg_hba.conf"), rules);
        written.map_err(io_error("write to the directory"))?;
        if let Some((certificate, key)) = tls {
            server.keep("server.crt", certificate)?;
            server.keep("server.key", key)?;
        }
        server.start_on_a_free_port()?;
        Ok(server)
    }

    /// The address of a database, for whoever wants to connect.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.url_at("127.0.0.1", database)
    }

    /// The same at another address of the machine, for nodes in networks of their own. The server
    /// listens there with the setting `listen_addresses=ADDRESS`.
    #[must_use]
    pub fn url_at(&self, host: &str, database: &str) -> String {
        format!("postgres://{USER}@{host}:{}/{database}", self.port)
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
        let killed = self.signal("-KILL")?;
        // A server that starts again would take what this one leaves for one that runs: the system
        // counts processes that nobody has waited for.
        for _ in 0..LOOKS_MAX {
            if killed.iter().all(|process| is_over(process)) {
                break;
            }
            std::thread::yield_now();
        }
        for file in [
            self.data().join("postmaster.pid"),
            self.directory.join(format!(".s.PGSQL.{}.lock", self.port)),
        ] {
            fs::remove_file(file).map_err(io_error("clear away"))?;
        }
        Ok(())
    }

    /// Stops the server and all its processes where they stand: connections stay open, and nothing
    /// answers. Blocks.
    ///
    /// # Errors
    /// It does not run.
    pub fn freeze(&self) -> Result<(), PostgresError> {
        self.signal("-STOP").map(drop)
    }

    /// Lets a frozen server go on. Blocks.
    ///
    /// # Errors
    /// It does not run.
    pub fn thaw(&self) -> Result<(), PostgresError> {
        self.signal("-CONT").map(drop)
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

    /// A file that only the server's account may read.
    fn keep(&self, name: &str, text: &str) -> Result<(), PostgresError> {
        let path = self.data().join(name);
        let failed = || io_error("write to the directory");
        let mut options = fs::OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(&path);
        let mut file = opened.map_err(failed())?;
        file.write_all(text.as_bytes()).map_err(failed())?;
        match self.account {
            Some(account) => {
                chown(&path, Some(account.user), Some(account.group)).map_err(failed())
            }
            None => Ok(()),
        }
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// Tells all its processes, and says which these are.
    fn signal(&self, signal: &'static str) -> Result<Vec<String>, PostgresError> {
        let file = fs::read_to_string(self.data().join("postmaster.pid"));
        let file = file.map_err(io_error("find the server's process"))?;
        let server = file.lines().next().unwrap_or_default().to_owned();
        // Its processes are in sessions of their own, so each has to be told.
        let mut told = vec![server.clone()];
        told.extend(children_of(&server));
        let mut kill = Command::new("sh");
        kill.args(["-c", SIGNAL, "kill", signal]).args(&told);
        finish("kill", kill.output())?;
        Ok(told)
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
