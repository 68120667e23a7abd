//! `[edge]` The store process: writes what the core orders, and hands out a new directory when
//! somebody else has written.
//!
//! ```text
//! each second: reopen if there is no connection or the file was replaced
//!              write the orders, all in one transaction      ── fails ─► keep them, pause
//!              PRAGMA data_version changed? read a directory ── fails ─► old one holds, pause
//! ```
//! The pause doubles from a second up to [`STORE_RETRY_MAX`]. Nobody waits for this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use belay_runtime::{Address, Capacity, ChildSpec, Context, Exit, Flow, Heir, Mailbox, Process};
use sqlx::SqliteConnection;

use super::database::{Database, Version, run};
use super::error::OpenError;
use super::pending::Pending;
use crate::hub::directory::Directory;
use crate::hub::order::StoreOrder;
use crate::limits::{STORE_MAILBOX, STORE_POLL, STORE_RETRY_MAX, STORE_STOP};

/// Takes each new directory; `false` when there is no room for it, and it is to be offered again.
/// Must not block.
pub type OnDirectory = Arc<dyn Fn(Directory) -> bool + Send + Sync>;

/// What the store process is sent.
#[derive(Debug)]
pub(super) enum StoreMessage {
    /// To be kept.
    Order(StoreOrder),
    /// Its own timer.
    Poll,
}

/// Where orders go.
#[derive(Debug, Clone)]
pub struct Orders {
    address: Address<StoreMessage>,
    figures: Arc<StoreFigures>,
}

impl Orders {
    /// Orders. Never waits: when there is no room the order is dropped and counted.
    pub fn send(&self, order: StoreOrder) {
        if self.address.try_send(StoreMessage::Order(order)).is_err() {
            self.figures.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// How the store does.
#[derive(Debug, Default)]
pub struct StoreFigures {
    dropped: AtomicU64,
    written: AtomicU64,
    failed: AtomicU64,
    failing: AtomicBool,
}

impl StoreFigures {
    /// Orders that were dropped for lack of room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Orders that are in the database.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Tries that failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Whether the last try failed.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }
}

/// The store of a hub.
#[derive(Debug)]
pub struct Store {
    mailbox: Mailbox<StoreMessage>,
    figures: Arc<StoreFigures>,
    data_dir: PathBuf,
}

impl Store {
    /// The store of a data directory, whose database was opened once by whoever starts the hub.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            mailbox: Mailbox::new(Capacity::new(STORE_MAILBOX)),
            figures: Arc::default(),
            data_dir: data_dir.to_path_buf(),
        }
    }

    /// Where orders go.
    #[must_use]
    pub fn orders(&self) -> Orders {
        Orders {
            address: self.mailbox.address(),
            figures: Arc::clone(&self.figures),
        }
    }

    /// How it does.
    #[must_use]
    pub fn figures(&self) -> Arc<StoreFigures> {
        Arc::clone(&self.figures)
    }

    /// The process. `on_directory` gets a directory soon after the start and after each change.
    #[must_use]
    pub fn spec(&self, on_directory: OnDirectory) -> ChildSpec {
        let (figures, data_dir) = (Arc::clone(&self.figures), self.data_dir.clone());
        let pending = Heir::new(Pending::default());
        ChildSpec::process("hub:store", &self.mailbox, move || StoreProcess {
            figures: Arc::clone(&figures),
            data_dir: data_dir.clone(),
            pending: pending.clone(),
            on_directory: Arc::clone(&on_directory),
            database: None,
            version: None,
            pause: STORE_POLL,
        })
        .shutdown(belay_runtime::Shutdown::Timeout(STORE_STOP))
    }
}

struct StoreProcess {
    figures: Arc<StoreFigures>,
    data_dir: PathBuf,
    pending: Heir<Pending>,
    on_directory: OnDirectory,
    database: Option<Database>,
    /// The state of the file that the last directory was read of.
    version: Option<Version>,
    /// Until the next poll.
    pause: Duration,
}

impl Process for StoreProcess {
    type Message = StoreMessage;

    async fn init(&mut self, ctx: &mut Context<StoreMessage>) -> Result<(), Exit> {
        ctx.send_after(Duration::ZERO, StoreMessage::Poll);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<StoreMessage>,
        message: StoreMessage,
    ) -> Result<Flow, Exit> {
        match message {
            StoreMessage::Order(order) => {
                if !self.pending.with(|pending| pending.add(order)) {
                    self.figures.dropped.fetch_add(1, Ordering::Relaxed);
                }
            }
            StoreMessage::Poll => {
                let polled = self.poll().await;
                self.note(polled);
                ctx.send_after(self.pause, StoreMessage::Poll);
            }
        }
        Ok(Flow::Continue)
    }

    async fn stop(&mut self, ctx: &mut Context<StoreMessage>, _exit: &Exit) {
        while let Some(incoming) = ctx.try_next() {
            if let belay_runtime::Incoming::Message(StoreMessage::Order(order)) = incoming {
                let _fits = self.pending.with(|pending| pending.add(order));
            }
        }
        if !self.pending.with(|pending| pending.is_empty()) {
            let written = self.write().await;
            self.note(written);
        }
        if let Some(database) = self.database.take()
            && let Err(error) = database.close().await
        {
            tracing::debug!(reason = %error, "the database did not close");
        }
    }
}

impl StoreProcess {
    async fn poll(&mut self) -> Result<(), OpenError> {
        if let Some(database) = &self.database
            && !database.is_current().await
        {
            tracing::warn!("the database file was replaced; reading the one that is there");
            self.database = None;
        }
        self.write().await?;
        self.open().await?;
        let Some(database) = &mut self.database else {
            return Ok(());
        };
        let version = database.version().await?;
        if self.version == Some(version) {
            return Ok(());
        }
        let directory = database.directory().await?;
        if (self.on_directory)(directory) {
            self.version = Some(version);
        }
        Ok(())
    }

    async fn open(&mut self) -> Result<&mut Database, OpenError> {
        let database = match self.database.take() {
            Some(database) => database,
            None => {
                // Another connection counts for itself.
                self.version = None;
                Database::reopen(&self.data_dir).await?
            }
        };
        Ok(self.database.insert(database))
    }

    /// Writes what is pending; what cannot be written stays pending.
    async fn write(&mut self) -> Result<(), OpenError> {
        if self.pending.with(|pending| pending.is_empty()) {
            return Ok(());
        }
        let pending = self.pending.clone();
        let database = self.open().await?;
        let orders = pending.with(Pending::take);
        let written = apply(&mut database.connection, &orders).await;
        let written = written.map_err(|error| database.fail(error));
        match written {
            Ok(()) => {
                let count = u64::try_from(orders.len()).unwrap_or(u64::MAX);
                self.figures.written.fetch_add(count, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                pending.with(|pending| pending.put_back(orders));
                Err(error)
            }
        }
    }

    /// Logs the first failure of an outage and its end, and settles when to try again.
    fn note(&mut self, outcome: Result<(), OpenError>) {
        let failed = outcome.is_err();
        let failing = self.figures.failing.swap(failed, Ordering::Relaxed);
        match outcome {
            Ok(()) => {
                if failing {
                    tracing::info!("the database works again");
                }
                self.pause = STORE_POLL;
            }
            Err(error) => {
                self.figures.failed.fetch_add(1, Ordering::Relaxed);
                self.database = None;
                self.pause = (self.pause * 2).min(STORE_RETRY_MAX);
                if failing {
                    tracing::debug!(reason = %error, "the database still fails");
                } else {
                    tracing::error!(
                        reason = %error,
                        "the database fails; the chat goes on, what is to be kept waits"
                    );
                }
            }
        }
    }
}

/// All orders, in one transaction. A game that is gone by now takes its orders with it. After an
/// error the connection must be closed.
async fn apply(connection: &mut SqliteConnection, orders: &Pending) -> Result<(), sqlx::Error> {
    run(connection, "BEGIN IMMEDIATE").await?;
    seen(connection, orders).await?;
    channels(connection, orders).await?;
    achievements(connection, orders).await?;
    run(connection, "COMMIT").await
}

async fn seen(connection: &mut SqliteConnection, orders: &Pending) -> Result<(), sqlx::Error> {
    for (game, seen) in &orders.seen {
        let update = sqlx::query(
            "UPDATE games SET last_seen = $2, user_agent = COALESCE($3, user_agent), \
             version = COALESCE($4, version) WHERE id = $1",
        );
        let update = update.bind(game.0).bind(seen.seen_unix_ms);
        let update = update
            .bind(seen.user_agent.as_deref())
            .bind(seen.version.as_deref());
        update.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn channels(connection: &mut SqliteConnection, orders: &Pending) -> Result<(), sqlx::Error> {
    for channel in &orders.channels {
        let insert = sqlx::query(
            "INSERT OR IGNORE INTO channels (name, created_at) \
             SELECT $1, CAST(unixepoch('subsec') * 1000 AS INTEGER) \
             WHERE (SELECT COUNT(*) FROM channels) < $2",
        );
        let most = i64::try_from(crate::limits::CHANNELS_MAX).unwrap_or(i64::MAX);
        insert
            .bind(channel.as_str())
            .bind(most)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn achievements(
    connection: &mut SqliteConnection,
    orders: &Pending,
) -> Result<(), sqlx::Error> {
    for ((game, key), achievement) in &orders.achievements {
        let key = key.to_string();
        let Some(achievement) = achievement else {
            let delete = sqlx::query("DELETE FROM achievements WHERE key = $1 AND game_id = $2");
            delete
                .bind(key)
                .bind(game.0)
                .execute(&mut *connection)
                .await?;
            continue;
        };
        let upsert = sqlx::query(
            "INSERT INTO achievements (key, game_id, title, description, points, display, \
             partial_progress, total_progress) SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM games \
             WHERE id = $2 ON CONFLICT (key) DO UPDATE SET title = excluded.title, \
             description = excluded.description, points = excluded.points, \
             display = excluded.display, partial_progress = excluded.partial_progress, \
             total_progress = excluded.total_progress",
        );
        let upsert = upsert.bind(key).bind(game.0).bind(&*achievement.title);
        let upsert = upsert.bind(achievement.description.as_deref());
        let upsert = upsert
            .bind(i64::from(achievement.points))
            .bind(achievement.display);
        let upsert = upsert
            .bind(achievement.partial_progress)
            .bind(achievement.total_progress);
        upsert.execute(&mut *connection).await?;
    }
    Ok(())
}
