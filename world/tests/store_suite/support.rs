//! A store in a folder or a database of its own, and answers as values.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use belay_bots::{PostgresError, PostgresServer};
use belay_runtime::{Node, Supervisor};
use belay_world::account::Name;
use belay_world::ids::{AccountId, CharacterId, ItemId};
use belay_world::store::{
    AccountCreation, CharacterCreation, CharacterSave, CharacterSheet, Clock, ItemTransfer,
    NewItem, Owner, PostgresUrl, Score, Settings, Store, StoreError, StoreOptions, StorePlace,
    StorePort, Transfer, UnixMillis,
};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection, SqliteConnection};
use tokio::sync::oneshot;

pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A folder that is removed with everything in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.file("belay.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Where a test has its store: the same test runs on either database.
pub(crate) enum Place {
    File(Folder),
    Server(PostgresUrl),
}

impl Place {
    pub(crate) fn file() -> Self {
        Self::File(Folder::new())
    }

    /// An empty database on the server that all tests share; nothing when there is no server.
    pub(crate) fn server() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = shared_server()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let url = server.create_database(&format!("test{number}")).unwrap();
        Some(Self::Server(url.parse().unwrap()))
    }

    /// What another process is told of it.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::File(folder) => folder.database().to_str().unwrap().to_owned(),
            Self::Server(url) => url.to_string(),
        }
    }

    pub(crate) fn from_text(text: &str) -> StorePlace {
        match text.parse() {
            Ok(url) => StorePlace::Server(url),
            Err(_) => StorePlace::File(text.into()),
        }
    }

    pub(crate) fn database(&self) -> StorePlace {
        match self {
            Self::File(folder) => folder.database().into(),
            Self::Server(url) => url.clone().into(),
        }
    }

    /// A connection of another program.
    pub(crate) async fn stranger(&self) -> Stranger {
        match self {
            Self::File(folder) => {
                let options = SqliteConnectOptions::new().filename(folder.database());
                Stranger::Sqlite(options.connect().await.unwrap())
            }
            Self::Server(url) => Stranger::Postgres(connect(url).await),
        }
    }
}

/// A connection of another program.
pub(crate) enum Stranger {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Stranger {
    pub(crate) async fn run(&mut self, statement: &'static str) {
        match self {
            Self::Sqlite(sqlite) => {
                sqlx::raw_sql(statement).execute(sqlite).await.unwrap();
            }
            Self::Postgres(postgres) => {
                sqlx::raw_sql(statement).execute(postgres).await.unwrap();
            }
        }
    }

    /// Keeps all others from writing until it runs `ROLLBACK`.
    pub(crate) async fn hold(&mut self) {
        self.run(match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN; LOCK TABLE accounts, characters, items IN EXCLUSIVE MODE",
        })
        .await;
    }
}

/// Connects as no password of the machine would.
pub(crate) async fn connect(url: &PostgresUrl) -> PgConnection {
    // These servers let everybody in, so the address shows as it is.
    let options: PgConnectOptions = url.to_string().parse().unwrap();
    options.connect().await.unwrap()
}

/// The one server of this test executable; it ends with it.
pub(crate) fn shared_server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    SERVER.get_or_init(own_server).as_ref()
}

/// A server that a test may kill. Data need not outlive the machine.
pub(crate) fn own_server() -> Option<PostgresServer> {
    start_server(&["fsync=off", "max_connections=200"])
}

pub(crate) fn start_server(settings: &[&str]) -> Option<PostgresServer> {
    match PostgresServer::start(settings) {
        Ok(server) => Some(server),
        Err(PostgresError::NotInstalled) => {
            // Past the capture of the test runner, so that it is seen.
            let told = "SKIPPED: tests on PostgreSQL want it (apt-get install postgresql)\n";
            drop(std::io::Write::write_all(
                &mut std::io::stderr(),
                told.as_bytes(),
            ));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A clock that a test moves.
#[derive(Clone, Default)]
pub(crate) struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    pub(crate) fn advance(&self, duration: Duration) {
        let millis = i64::try_from(duration.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn clock(&self) -> Clock {
        let time = Arc::clone(&self.0);
        Arc::new(move || UnixMillis(time.load(Ordering::Relaxed)))
    }
}

/// A store whose processes run.
pub(crate) struct Running {
    pub(crate) port: StorePort,
    node: Node,
}

impl Running {
    pub(crate) async fn start(place: impl Into<StorePlace>, options: StoreOptions) -> Self {
        let store = Store::open(place, options).await.unwrap();
        let port = store.port();
        let node = Node::start(Supervisor::builder("node").child(store.spec()))
            .await
            .unwrap();
        Self { port, node }
    }

    pub(crate) async fn on(place: &Place) -> Self {
        Self::start(place.database(), StoreOptions::default()).await
    }

    pub(crate) async fn in_folder(folder: &Folder) -> Self {
        Self::start(folder.database(), StoreOptions::default()).await
    }

    pub(crate) async fn stop(self) {
        let report = self.node.stop(DEADLINE).await;
        assert!(report.not_stopped.is_empty(), "{:?}", report.not_stopped);
    }

    pub(crate) async fn account(&self, text: &str) -> AccountId {
        let hash = "hash".to_owned();
        match ask(|reply| self.port.create_account(name(text), hash, reply)).await {
            Ok(AccountCreation::Created(id)) => id,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn character(&self, account: AccountId, text: &str) -> CharacterId {
        let made = ask(|reply| {
            self.port
                .create_character(account, name(text), "town/square".to_owned(), reply);
        });
        match made.await {
            Ok(CharacterCreation::Created(id)) => id,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn item(&self, owner: Owner) -> ItemId {
        let ids = ask(|reply| self.port.create_items(vec![new_item(owner)], reply)).await;
        ids.unwrap()[0]
    }

    pub(crate) async fn transfer(&self, item: ItemId, from: Owner, to: Owner) -> Transfer {
        let transfer = ItemTransfer { item, from, to };
        ask(|reply| self.port.transfer_item(transfer, reply))
            .await
            .unwrap()
    }

    pub(crate) async fn sheet(&self, character: CharacterId) -> CharacterSheet {
        let sheet = ask(|reply| self.port.load_character(character, reply)).await;
        sheet.unwrap().unwrap()
    }
}

type Pending<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;
type Reply<T, E> = Box<dyn FnOnce(Result<T, E>) + Send>;

/// Posts a request at once; the answer can be awaited later.
pub(crate) fn post<T: Send + 'static, E: Send + 'static>(
    request: impl FnOnce(Reply<T, E>),
) -> Pending<T, E> {
    let (sender, receiver) = oneshot::channel();
    request(Box::new(move |answer| drop(sender.send(answer))));
    Box::pin(async {
        let answer = tokio::time::timeout(DEADLINE, receiver).await;
        answer
            .expect("an answer in time")
            .expect("the reply is called")
    })
}

/// Posts a request and awaits its answer.
pub(crate) async fn ask<T: Send + 'static, E: Send + 'static>(
    request: impl FnOnce(Reply<T, E>),
) -> Result<T, E> {
    post(request).await
}

/// Awaits answers in order.
pub(crate) async fn all<T>(answers: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut values = Vec::new();
    for answer in answers {
        values.push(answer.await);
    }
    values
}

/// Asks again and again until the check holds: for states that no answer announces.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, wait)
        .await
        .expect("the state in time");
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub(crate) fn room(key: &str) -> Owner {
    Owner::Room(key.to_owned())
}

pub(crate) fn new_item(owner: Owner) -> NewItem {
    NewItem {
        prototype: "town/sword".to_owned(),
        owner,
        origin: None,
    }
}

pub(crate) fn save(id: CharacterId, steps: i64) -> CharacterSave {
    let score = Score {
        steps,
        ..Score::default()
    };
    CharacterSave {
        id,
        room_key: "town/inn".to_owned(),
        score,
        settings: Settings::default(),
    }
}

pub(crate) fn refused<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> StoreError {
    answer.unwrap_err()
}
