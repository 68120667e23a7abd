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

/// What tells one version of a file from the next, also when only its owner or its mode is another;
/// `None` when there is no file.
type Stamp = Option<(u64, u64, u32, [i64; 4])>;

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
        let mut seen = stamp(&self.path);
        ctx.send_after(CREDENTIALS_POLL, WatchMessage::Look);
        loop {
            match ctx.recv()? {
                Incoming::Message(WatchMessage::Look) | Incoming::Timer(WatchMessage::Look) => {
                    let now = stamp(&self.path);
                    if Some(now) != used && (now == seen || matches!(read(&self.path), Ok(Ok(_)))) {
                        used = self.use_it();
                    }
                    seen = now;
                    ctx.send_after(CREDENTIALS_POLL, WatchMessage::Look);
                }
                Incoming::Message(WatchMessage::Reload(reply))
                | Incoming::Timer(WatchMessage::Reload(reply)) => {
                    used = self.use_it();
                    seen = stamp(&self.path);
                    reply(self.bridge.file());
                }
                Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    }

    /// Reads the file and tells the bridge; which version it was, or `None` when the system did not
    /// let it be read: that may pass without a change of the file.
    fn use_it(&self) -> Option<Stamp> {
        let before = stamp(&self.path);
        let path = self.path.display().to_string();
        let read = read(&self.path);
        let is_sure = !matches!(&read, Err(error) if error.kind() != io::ErrorKind::NotFound);
        let (state, credentials) = match read {
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
        if is_sure && is_open(&self.path) {
            tracing::warn!(
                target: "belay_world",
                "others on this machine can read or write the credentials file; it holds a secret"
            );
        }
        if *self.bridge.file() != state {
            let file = &state;
            if matches!(file, FileState::Faulty { .. }) {
                tracing::warn!(target: "belay_world", %file, "no credentials for the network");
            } else {
                tracing::info!(target: "belay_world", %file, "credentials for the network");
            }
        }
        self.bridge.configure(state, credentials);
        is_sure.then_some(before)
    }
}

/// The credentials, or what is wrong with the file.
fn read(path: &Path) -> io::Result<Result<Credentials, String>> {
    let mut text = String::new();
    // Others have no end, or nothing that comes.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(Err("it is no regular file".to_owned()));
    }
    let file = File::open(path)?;
    let bytes_max = u64::try_from(CREDENTIALS_BYTES_MAX).unwrap_or(u64::MAX);
    file.take(bytes_max + 1).read_to_string(&mut text)?;
    let read = Credentials::parse(&text).map(|credentials| Credentials {
        ca: credentials.ca.map(|ca| beside(path, &ca)),
        ..credentials
    });
    Ok(read.map_err(|error| error.to_string()))
}

/// A file that the credentials file names: beside it, wherever the node was started.
fn beside(path: &Path, named: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(named)
}

fn stamp(path: &Path) -> Stamp {
    let times = |about: &Metadata| {
        let (written, changed) = (about.mtime(), about.ctime());
        [written, about.mtime_nsec(), changed, about.ctime_nsec()]
    };
    let of = |about: Metadata| (about.ino(), about.len(), about.mode(), times(&about));
    std::fs::metadata(path).ok().map(of)
}

/// Whether others than its owner may read or write the file.
fn is_open(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.mode() & 0o066 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    const FILE: &str =
        "url = \"wss://hub.example\"\nclient_id = \"id\"\nclient_secret = \"hush\"\n";

    /// A directory that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("belay-watch-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn file(&self, text: &str) -> PathBuf {
            let file = self.0.join("hub.toml");
            std::fs::write(&file, text).unwrap();
            file
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _gone = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_whose_mode_alone_changed_is_another_version() {
        let folder = Folder::new("mode");
        let file = folder.file(FILE);
        let chmod = |mode| std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        for (mode, open) in [(0o600, false), (0o640, true), (0o602, true), (0o400, false)] {
            let before = stamp(&file);
            chmod(mode);
            assert_ne!(stamp(&file), before, "{mode:o}");
            assert_eq!(is_open(&file), open, "{mode:o}");
        }
        assert!(!is_open(&folder.0), "a directory is no secret");
        assert_eq!(stamp(&folder.0.join("none")), None);
    }

    #[test]
    fn certificates_are_looked_for_beside_the_file_that_names_them() {
        let folder = Folder::new("ca");
        let read = |ca: &str| read(&folder.file(&format!("{FILE}ca = \"{ca}\"\n")));
        let ca = |named| read(named).unwrap().unwrap().ca.unwrap();
        assert_eq!(ca("ca.pem"), folder.0.join("ca.pem"));
        assert_eq!(ca("/etc/ca.pem"), Path::new("/etc/ca.pem"));
        assert_eq!(
            beside(Path::new("a.toml"), Path::new("ca.pem")),
            Path::new("ca.pem")
        );
    }

    #[test]
    fn what_is_no_file_is_sure_and_never_waited_for() {
        let folder = Folder::new("kind");
        for path in [folder.0.as_path(), Path::new("/dev/zero")] {
            let read = read(path).unwrap().map(|_| ());
            assert_eq!(read, Err("it is no regular file".to_owned()), "{path:?}");
        }
        let none = read(&folder.0.join("none"));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
