//! `[edge]` The store as a whole: opened and checked, it hands out its port and its processes.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use belay_runtime::{
    Capacity, ChildSpec, Heir, Intensity, Mailbox, MailboxPolicy, Shutdown, Supervisor,
};

use super::backup::BackupMaker;
use super::commit::Committer;
use super::database::Connector;
use super::limits::{
    BACKUP_QUEUE_MAX, CRASH_WINDOW, CRASHES_MAX, READ_QUEUE_MAX, READER_STOP_MAX, READERS,
    RETRY_FIRST, RETRY_MAX, WRITE_QUEUE_MAX, WRITER_STOP_MAX,
};
use super::lines::Lines;
use super::open::{OpenStoreError, StoreOptions};
use super::park::Park;
use super::place::StorePlace;
use super::port::StorePort;
use super::reader::Reader;
use super::request::{Backup, GuardedWrite, Read, WriterMessage};
use super::status::Figures;
use super::writer::Writer;

/// A database that was checked and whose schema is up to date. Its processes run once
/// [`Store::spec`] is started in a tree.
pub struct Store {
    connector: Connector,
    options: StoreOptions,
    writer: Mailbox<WriterMessage>,
    readers: Vec<Mailbox<Read>>,
    backup: Mailbox<Backup>,
    figures: Arc<Figures>,
    port: StorePort,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("connector", &self.connector)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the database, brings its schema up to date and proves that it can be written. A file
    /// is made when there is none; a database on a server must exist, and may be empty.
    ///
    /// # Errors
    /// [`OpenStoreError`] (**fatal**): says what is wrong and what to do. Nothing has started then.
    ///
    /// # Cancel safety
    /// Safe: each migration is one transaction.
    pub async fn open(
        place: impl Into<StorePlace>,
        options: StoreOptions,
    ) -> Result<Self, OpenStoreError> {
        let connector = Connector::new(place.into(), &options)?;
        connector.prepare().await?;
        let mailbox = |messages| Capacity {
            messages,
            reserved: 0,
        };
        let writer = Mailbox::with_kinds(mailbox(WRITE_QUEUE_MAX));
        let readers: Vec<_> = (0..READERS)
            .map(|_| Mailbox::with_kinds(mailbox(READ_QUEUE_MAX)))
            .collect();
        let backup = Mailbox::new(mailbox(BACKUP_QUEUE_MAX));
        let figures = Arc::new(Figures::default());
        let port = StorePort::new(Lines {
            writer: writer.address(),
            readers: readers.iter().map(Mailbox::address).collect(),
            backup: backup.address(),
            figures: Arc::clone(&figures),
            next_reader: AtomicUsize::new(0),
        });
        Ok(Self {
            connector,
            options,
            writer,
            readers,
            backup,
            figures,
            port,
        })
    }

    /// The way to ask the store.
    pub fn port(&self) -> StorePort {
        self.port.clone()
    }

    /// The store's processes, as one child for the node's tree: a supervisor over the writer, the
    /// readers and the backups. A failing database ends none of them.
    pub fn spec(self) -> ChildSpec {
        // Made once: what is parked outlives every crash below.
        let (first, max) = (RETRY_FIRST, RETRY_MAX);
        let park = Heir::new(Park::new(self.options.parked_writes_max, first, max));
        ChildSpec::supervisor("store", move || {
            let mut builder = Supervisor::builder("store")
                .intensity(Intensity::new(CRASHES_MAX, CRASH_WINDOW))
                .child(self.writer_spec(park.clone()));
            for (number, mailbox) in (1..).zip(&self.readers) {
                builder = builder.child(self.reader_spec(number, mailbox));
            }
            builder.child(self.backup_spec())
        })
    }

    fn writer_spec(&self, park: Heir<Park<GuardedWrite>>) -> ChildSpec {
        let connector = self.connector.clone();
        let clock = Arc::clone(&self.options.clock);
        let figures = Arc::clone(&self.figures);
        ChildSpec::process("store:writer", &self.writer, move || {
            let committer = Committer::new(connector.clone(), Arc::clone(&clock));
            Writer::new(committer, park.clone(), Arc::clone(&figures))
        })
        .queue(MailboxPolicy::Keep)
        .shutdown(Shutdown::Timeout(WRITER_STOP_MAX))
    }

    fn reader_spec(&self, number: u16, mailbox: &Mailbox<Read>) -> ChildSpec {
        let connector = self.connector.clone();
        let clock = Arc::clone(&self.options.clock);
        ChildSpec::process(format!("store:reader:{number}"), mailbox, move || {
            Reader::new(connector.clone(), Arc::clone(&clock))
        })
        .queue(MailboxPolicy::Keep)
        .shutdown(Shutdown::Timeout(READER_STOP_MAX))
    }

    fn backup_spec(&self) -> ChildSpec {
        let connector = self.connector.clone();
        ChildSpec::process("store:backup", &self.backup, move || {
            BackupMaker::new(connector.clone())
        })
        .queue(MailboxPolicy::Keep)
        .shutdown(Shutdown::Timeout(READER_STOP_MAX))
    }
}
