//! `[edge]` Looks at the credentials file and tells the bridge when it changes. It has a thread of
//! its own: a file may be on a disk that hangs.

use super::file::FileState;
use super::handle::Bridge;
use super::limits::CREDENTIALS_POLL;
use super::message::WatchMessage;
use belay_gossip::Credentials;
use belay_gossip::limits::CREDENTIALS_BYTES_MAX;
use belay_runtime::{
    Backoff, BlockingContext, Capacity, ChildSpec, Exit, Incoming, Intensity, Mailbox, Shutdown,
};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// It begins again after a crash, ever later.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(100),
    factor: 4.0,
    max: Duration::from_secs(60),
    jitter: 0.2,
};

/// How long a stop waits for a look at the file: a disk that hangs must not hold it up.
const STOP_WITHIN: Duration = Duration::from_millis(500);

/// The watcher of one file. A clone is the same.
#[derive(Clone, Debug)]
pub struct Watch {
    path: PathBuf,
    bridge: Bridge,
    mailbox: Mailbox<WatchMessage>,
}

/// What tells one version of a file from the next; `None` when there is no file.
type Stamp = Option<(u64, u64, i64, i64)>;

impl Watch {
    /// A watcher of this file, whose content the bridge is told.
    pub fn new(path: PathBuf, bridge: Bridge) -> Self {
        let mailbox = Mailbox::new(Capacity::new(8));
        let shown = path.display().to_string();
        bridge.configure(FileState::Unread { path: shown }, None);
        bridge.watched_by(mailbox.address());
        Self {
            path,
            bridge,
            mailbox,
        }
    }

    /// The child for the tree.
    pub fn spec(&self) -> ChildSpec {
        let watch = self.clone();
        let spec = ChildSpec::blocking("gossip:credentials", &self.mailbox, move |ctx| {
            watch.run(ctx)
        });
        spec.intensity(Intensity::UNLIMITED)
            .backoff(BACKOFF)
            .shutdown(Shutdown::Timeout(STOP_WITHIN))
    }

    fn run(&self, mut ctx: BlockingContext<WatchMessage>) -> Result<(), Exit> {
        let mut used = self.use_it();
        // A file that is being written looks faulty for a moment: it counts when it stays so.
        let mut seen = used;
        ctx.send_after(CREDENTIALS_POLL, WatchMessage::Look);
        loop {
            match ctx.recv()? {
                Incoming::Message(WatchMessage::Look) | Incoming::Timer(WatchMessage::Look) => {
                    let now = stamp(&self.path);
                    if now != used && (now == seen || matches!(read(&self.path), Ok(Ok(_)))) {
                        used = self.use_it();
                    }
                    seen = now;
                    ctx.send_after(CREDENTIALS_POLL, WatchMessage::Look);
                }
                Incoming::Message(WatchMessage::Reload(reply))
                | Incoming::Timer(WatchMessage::Reload(reply)) => {
                    used = self.use_it();
                    seen = used;
                    reply(self.bridge.file());
                }
                Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    }

    /// Reads the file and tells the bridge; which version it was.
    fn use_it(&self) -> Stamp {
        let before = stamp(&self.path);
        let path = self.path.display().to_string();
        let (state, credentials) = match read(&self.path) {
            Ok(Ok(credentials)) => {
                let url = credentials.url.to_string();
                let game = credentials.game.clone();
                (FileState::Read { path, url, game }, Some(credentials))
            }
            Ok(Err(reason)) => (FileState::Faulty { path, reason }, None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (FileState::Missing { path }, None)
            }
            Err(error) => {
                let reason = format!("cannot be read: {error}");
                (FileState::Faulty { path, reason }, None)
            }
        };
        if *self.bridge.file() != state {
            if is_open(&self.path) {
                tracing::warn!(
                    target: "belay_world",
                    "others on this machine can read the credentials file; it holds a secret"
                );
            }
            tracing::info!(target: "belay_world", reason = %state, "credentials for the network");
        }
        self.bridge.configure(state, credentials);
        before
    }
}

/// The credentials, or what is wrong with the file.
fn read(path: &Path) -> io::Result<Result<Credentials, String>> {
    let mut text = String::new();
    let file = File::open(path)?;
    let bytes_max = u64::try_from(CREDENTIALS_BYTES_MAX).unwrap_or(u64::MAX);
    file.take(bytes_max + 1).read_to_string(&mut text)?;
    Ok(Credentials::parse(&text).map_err(|error| error.to_string()))
}

fn stamp(path: &Path) -> Stamp {
    let of = |about: Metadata| (about.ino(), about.len(), about.mtime(), about.mtime_nsec());
    std::fs::metadata(path).ok().map(of)
}

/// Whether others than its owner may read the file.
fn is_open(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.mode() & 0o044 != 0)
}
