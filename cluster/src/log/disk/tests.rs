//! `[edge]` The file: what comes back from it, and what is said of one that is torn.

use super::*;
use belay_runtime::{Node, Supervisor};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-log-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("raft.redb")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

async fn run(writer: ChildSpec) -> Node {
    Node::start(Supervisor::builder("log").child(writer))
        .await
        .unwrap()
}

async fn stop(node: Node) {
    let report = node.stop(Duration::from_secs(5)).await;
    assert_eq!(report.not_stopped, Vec::<String>::new());
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn entries(numbers: std::ops::Range<u64>) -> Change {
    let entry = |n: u64| (n, bytes(&format!("entry {n}")));
    Change::Append(numbers.map(entry).collect())
}

/// A file with something of everything, and what it holds.
async fn filled(folder: &Folder) -> Image {
    create(&folder.file()).unwrap();
    let (log, writer) = open(&folder.file()).unwrap();
    let node = run(writer).await;
    log.keep(Change::Vote(bytes("vote"))).await.unwrap();
    log.keep(entries(0..30)).await.unwrap();
    log.note_committed(Some(bytes("committed")));
    log.keep(Change::Truncate { from: 25 }).await.unwrap();
    let mark = bytes("mark");
    log.keep(Change::Purge { through: 9, mark }).await.unwrap();
    let (meta, data) = (bytes("meta"), Bytes::from(vec![7; 20_000]));
    log.keep(Change::Snapshot(Snapshot { meta, data }))
        .await
        .unwrap();
    log.keep(entries(25..40)).await.unwrap();
    stop(node).await;
    let image = log.image().clone();
    assert_eq!(image.entries.len(), 30);
    image
}

#[tokio::test]
async fn what_was_kept_comes_back() {
    let folder = Folder::new("back");
    let image = filled(&folder).await;
    let (log, _) = open(&folder.file()).unwrap();
    assert_eq!(*log.image(), image);
}

#[tokio::test]
async fn a_log_is_made_once_and_never_by_opening() {
    let folder = Folder::new("once");
    assert!(matches!(
        open(&folder.file()),
        Err(OpenError::Missing { .. })
    ));
    // Left by a start that died: it is no log yet.
    fs::write(folder.file().with_extension("new"), b"half").unwrap();
    create(&folder.file()).unwrap();
    assert!(matches!(
        create(&folder.file()),
        Err(OpenError::Exists { .. })
    ));
    let (log, _writer) = open(&folder.file()).unwrap();
    assert_eq!(*log.image(), Image::default());
    assert!(matches!(open(&folder.file()), Err(OpenError::InUse { .. })));
    let nowhere = folder.0.join("no/such/folder/raft.redb");
    assert!(matches!(create(&nowhere), Err(OpenError::Io { .. })));
}

#[tokio::test]
async fn a_log_of_another_format_is_not_read() {
    let folder = Folder::new("format");
    create(&folder.file()).unwrap();
    let database = Database::open(folder.file()).unwrap();
    let transaction = database.begin_write().unwrap();
    let mut facts = transaction.open_table(FACTS).unwrap();
    facts
        .insert(FORMAT, 9_u32.to_le_bytes().as_slice())
        .unwrap();
    drop(facts);
    transaction.commit().unwrap();
    drop(database);
    let refused = open(&folder.file()).unwrap_err();
    assert!(matches!(refused, OpenError::OtherFormat { format: 9, .. }));
}

#[tokio::test]
async fn a_log_with_a_hole_is_not_read() {
    let folder = Folder::new("hole");
    filled(&folder).await;
    let database = Database::open(folder.file()).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(ENTRIES).unwrap().remove(20).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let refused = open(&folder.file()).unwrap_err();
    assert!(matches!(refused, OpenError::Unreadable { .. }), "{refused}");
}

#[tokio::test]
async fn a_torn_log_is_named_with_what_to_do() {
    let folder = Folder::new("torn");
    filled(&folder).await;
    let whole = fs::read(folder.file()).unwrap();
    for length in [0, 1, 100, 4_096, whole.len() / 2, whole.len() - 4_096] {
        fs::write(folder.file(), &whole[..length]).unwrap();
        let refused = open(&folder.file()).unwrap_err();
        let text = refused.to_string();
        assert!(
            matches!(refused, OpenError::Unreadable { .. }),
            "{length}: {text}"
        );
        assert!(
            text.contains("raft.redb") && text.contains("join as a new node"),
            "{text}"
        );
    }
    fs::write(folder.file(), b"not a database at all").unwrap();
    assert!(matches!(
        open(&folder.file()),
        Err(OpenError::Unreadable { .. })
    ));
    fs::write(folder.file(), &whole).unwrap();
    open(&folder.file()).unwrap();
}

/// Whatever byte is altered, the log is refused or is what it was: never something else.
#[tokio::test]
async fn an_altered_byte_is_noticed_or_does_no_harm() {
    let folder = Folder::new("altered");
    let image = filled(&folder).await;
    let whole = fs::read(folder.file()).unwrap();
    let copy = folder.0.join("copy.redb");
    let mut refused = 0;
    for at in (0..whole.len()).step_by(whole.len() / 100) {
        fs::write(&copy, &whole).unwrap();
        let mut file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&copy)
            .unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte[0] ^ 0x55]).unwrap();
        drop(file);
        match open(&copy) {
            Ok((log, _)) => assert_eq!(*log.image(), image, "byte {at}"),
            Err(OpenError::Unreadable { .. }) => refused += 1,
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
    assert!(refused > 0);
}

/// Many changes that come while one commit is under way share the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_share_one_commit() {
    let folder = Folder::new("group");
    create(&folder.file()).unwrap();
    let (log, writer) = open(&folder.file()).unwrap();
    // Queued before anybody takes them.
    let count = u64::from(LOG_QUEUE_MAX) / 2;
    let kept = Arc::new(AtomicU64::new(0));
    for index in 0..count {
        let kept = kept.clone();
        let done = move |outcome: Result<(), LogError>| {
            outcome.unwrap();
            kept.fetch_add(1, Ordering::Relaxed);
        };
        log.change(entries(index..index + 1), Box::new(done)).await;
    }
    assert_eq!(log.image().entries.len() as u64, count, "read at once");
    assert_eq!(kept.load(Ordering::Relaxed), 0, "and not kept yet");
    let node = run(writer).await;
    log.keep(Change::Vote(bytes("vote"))).await.unwrap();
    assert_eq!(kept.load(Ordering::Relaxed), count);
    let (changes, commits) = log.counted();
    assert_eq!(changes, count + 1);
    assert!(commits <= 2, "{commits} commits");
    stop(node).await;
}

#[tokio::test]
async fn who_brings_more_than_the_queue_holds_waits() {
    let folder = Folder::new("queue");
    create(&folder.file()).unwrap();
    let (log, writer) = open(&folder.file()).unwrap();
    for index in 0..u64::from(LOG_QUEUE_MAX) {
        log.change(entries(index..index + 1), Box::new(|_| {}))
            .await;
    }
    let more = log.keep(Change::Vote(bytes("vote")));
    let mut more = std::pin::pin!(more);
    assert!(futures_util::poll!(more.as_mut()).is_pending());
    let node = run(writer).await;
    more.await.unwrap();
    stop(node).await;
    assert_eq!(
        log.keep(Change::Vote(bytes("later"))).await,
        Err(LogError::Closed)
    );
}

/// A disk that fails when it is told to.
#[derive(Debug)]
struct Frail {
    memory: redb::backends::InMemoryBackend,
    broken: Arc<AtomicBool>,
}

impl Frail {
    fn check(&self) -> Result<(), io::Error> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(io::Error::other("the disk is full"));
        }
        Ok(())
    }
}

impl redb::StorageBackend for Frail {
    fn len(&self) -> Result<u64, io::Error> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.check()?;
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.check()?;
        self.memory.write(offset, data)
    }
}

#[tokio::test]
async fn after_a_failure_of_the_disk_nothing_is_kept_any_more() {
    let broken = Arc::new(AtomicBool::new(false));
    let backend = Frail {
        memory: redb::backends::InMemoryBackend::new(),
        broken: broken.clone(),
    };
    let database = Database::builder().create_with_backend(backend).unwrap();
    prepare(&database).unwrap();
    let path = Path::new("frail/raft.redb");
    let (log, writer) = start(database, path, Image::default());
    let node = run(writer).await;
    log.keep(entries(0..1)).await.unwrap();
    broken.store(true, Ordering::Relaxed);
    let failed = log.keep(entries(1..2)).await.unwrap_err();
    let text = failed.to_string();
    assert!(
        text.contains("frail/raft.redb") && text.contains("disk is full"),
        "{text}"
    );
    broken.store(false, Ordering::Relaxed);
    assert_eq!(
        log.keep(entries(2..3)).await,
        Err(failed),
        "entry 1 would be missing"
    );
    let gap = log.keep(entries(7..8)).await;
    assert!(matches!(gap, Err(LogError::Gap(_))));
    stop(node).await;
}

#[tokio::test]
async fn a_log_in_memory_ends_with_its_node() {
    let log = Log::memory();
    log.keep(entries(0..3)).await.unwrap();
    let next = log.restarted();
    assert_eq!(*next.image(), *log.image());
    assert_eq!(log.keep(entries(3..4)).await, Err(LogError::Closed));
    next.keep(entries(3..4)).await.unwrap();
    assert_eq!(next.counted(), (1, 1));
}
