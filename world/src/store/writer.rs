//! `[edge]` The one writer: gathers what its mailbox holds into groups, commits them, and answers.
//!
//! ```text
//!            ┌───────────── a group is committed: answers ─────────────┐
//!            ▼                                                         │
//!   mailbox ─► group (at most GROUP_WRITES_MAX) ─► commit ─────────────┤
//!                 │ while something is parked                          │ the database fails
//!                 ▼                                                    ▼
//!               park ◄────────────────────────────────────────── hold, pause ─► Retry
//! ```
//! While one group is on its way to the disk the next one gathers in the mailbox, so the busier the
//! node, the fewer commits a write costs. The park outlives a crash of this process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use belay_runtime::{Context, Exit, Flow, Heir, Incoming, Process};

use super::commit::{Committer, Setback};
use super::limits::{GROUP_WRITES_MAX, STOP_MESSAGES_MAX};
use super::outcome::StoreError;
use super::park::{Group, Park};
use super::request::{GuardedWrite, WriterMessage};
use super::status::Figures;

/// See the module.
pub(super) struct Writer {
    committer: Committer,
    park: Heir<Park<GuardedWrite>>,
    figures: Arc<Figures>,
    group: Vec<GuardedWrite>,
}

impl Writer {
    pub(super) fn new(
        committer: Committer,
        park: Heir<Park<GuardedWrite>>,
        figures: Arc<Figures>,
    ) -> Self {
        Self {
            committer,
            park,
            figures,
            group: Vec::new(),
        }
    }

    /// Commits what was gathered, or parks it behind what is parked already.
    async fn flush(&mut self, context: &mut Context<WriterMessage>) {
        let writes = std::mem::take(&mut self.group);
        if writes.is_empty() {
            return;
        }
        if self.park.with(|park| !park.is_empty()) {
            self.park_behind(writes);
        } else if let Some(pause) = self
            .commit(Group {
                writes,
                doubt: None,
            })
            .await
        {
            context.send_after(pause, WriterMessage::Retry);
        }
    }

    fn park_behind(&mut self, writes: Vec<GuardedWrite>) {
        for write in writes {
            if let Some(write) = self.park.with(|park| park.push(write)) {
                Figures::count(&self.figures.refused, 1);
                write.refuse(StoreError::Busy);
            }
        }
        self.show();
    }

    /// Tries the parked writes again, oldest first, until none is left or the database fails.
    async fn retry(&mut self, context: &mut Context<WriterMessage>) {
        if let Some(pause) = self.drain_park().await {
            context.send_after(pause, WriterMessage::Retry);
        }
    }

    /// The pause before the next try, when there must be one.
    async fn drain_park(&mut self) -> Option<Duration> {
        while let Some(group) = self.park.with(|park| park.next(GROUP_WRITES_MAX)) {
            let pause = self.commit(group).await;
            if pause.is_some() {
                return pause;
            }
        }
        if self.figures.failing.swap(false, Ordering::Relaxed) {
            tracing::info!("the database works again, nothing is parked");
        }
        None
    }

    /// Commits a group and answers; when the database fails, parks it and says how long to pause.
    async fn commit(&mut self, group: Group<GuardedWrite>) -> Option<Duration> {
        match self.committer.commit(group).await {
            Ok(writes) => {
                Figures::count(&self.figures.groups, 1);
                Figures::count(&self.figures.writes, writes.len());
                self.show();
                for mut write in writes {
                    write.answer().deliver();
                }
                None
            }
            Err(Setback { group, reason }) => {
                Figures::count(&self.figures.setbacks, 1);
                let pause = self.park.with(|park| park.hold(group));
                self.show();
                if !self.figures.failing.swap(true, Ordering::Relaxed) {
                    tracing::error!(reason, "the database fails, writes are parked");
                }
                Some(pause)
            }
        }
    }

    fn show(&self) {
        let parked = self.park.with(|park| park.len());
        self.figures.parked.store(parked, Ordering::Relaxed);
    }
}

impl Process for Writer {
    type Message = WriterMessage;

    async fn init(&mut self, context: &mut Context<WriterMessage>) -> Result<(), Exit> {
        // An incarnation that crashed may have left parked writes; its timer is gone.
        if self.park.with(|park| !park.is_empty()) {
            context.send_after(Duration::ZERO, WriterMessage::Retry);
        }
        Ok(())
    }

    async fn handle(
        &mut self,
        context: &mut Context<WriterMessage>,
        message: WriterMessage,
    ) -> Result<Flow, Exit> {
        match message {
            WriterMessage::Write(write) => {
                self.group.push(write);
                if self.group.len() >= GROUP_WRITES_MAX {
                    self.flush(context).await;
                }
            }
            WriterMessage::Retry => {
                self.flush(context).await;
                self.retry(context).await;
            }
        }
        Ok(Flow::Continue)
    }

    async fn batch_end(&mut self, context: &mut Context<WriterMessage>) -> Result<Flow, Exit> {
        self.flush(context).await;
        Ok(Flow::Continue)
    }

    /// Commits what is left; what the database does not take now is answered as lost.
    async fn stop(&mut self, context: &mut Context<WriterMessage>, _exit: &Exit) {
        for _ in 0..STOP_MESSAGES_MAX {
            match context.try_next() {
                Some(Incoming::Message(WriterMessage::Write(write))) => {
                    self.group.push(write);
                    if self.group.len() >= GROUP_WRITES_MAX {
                        self.flush(context).await;
                    }
                }
                Some(_) => {}
                None => break,
            }
        }
        self.flush(context).await;
        if self.drain_park().await.is_some() {
            let parked = self.park.with(|park| park.len());
            tracing::error!(
                queue_len = parked,
                "the database fails at the stop, writes are lost"
            );
        }
        self.committer.close().await;
    }
}
