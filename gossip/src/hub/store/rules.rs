//! `[edge]` What the operator's commands do to bans and channels. Each is one transaction.

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _};

use super::database::Database;
use super::edit::scalar;
use super::error::{EditError, OpenError};
use super::record::{BanRecord, ChannelRecord};
use crate::hub::directory::{Banned, Fault};
use crate::limits::BANS_MAX;
use crate::protocol::ChannelName;

/// A ban to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BanPlan {
    /// Whom it keeps out.
    pub banned: Banned,
    /// When it ends, in Unix milliseconds.
    pub until_unix_ms: Option<i64>,
    /// Why.
    pub reason: Box<str>,
}

impl Database {
    /// Bans somebody, or changes the end and the reason of a ban.
    ///
    /// # Errors
    /// [`Fault::TooMany`].
    pub async fn add_ban(&mut self, ban: &BanPlan, now_unix_ms: i64) -> Result<(), EditError> {
        let path = self.path.clone();
        let fail = |error| OpenError::sort(&path, error);
        let mut transaction = self
            .connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(fail)?;
        let count: i64 = scalar(&mut transaction, "SELECT COUNT(*) FROM bans")
            .await
            .map_err(fail)?;
        if usize::try_from(count).is_ok_and(|count| count >= BANS_MAX) {
            return Err(Fault::TooMany("bans").into());
        }
        let text = ban.banned.to_string();
        let upsert = sqlx::query(
            "INSERT INTO bans (banned, banned_key, reason, until, created_at) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (banned_key) DO UPDATE SET \
             banned = excluded.banned, reason = excluded.reason, until = excluded.until",
        );
        let upsert = upsert
            .bind(&text)
            .bind(text.to_lowercase())
            .bind(&*ban.reason);
        let upsert = upsert.bind(ban.until_unix_ms).bind(now_unix_ms);
        upsert.execute(&mut *transaction).await.map_err(fail)?;
        Ok(transaction.commit().await.map_err(fail)?)
    }

    /// Lifts a ban.
    ///
    /// # Errors
    /// [`EditError::NoBan`].
    pub async fn remove_ban(&mut self, banned: &Banned) -> Result<(), EditError> {
        let text = banned.to_string();
        let delete = sqlx::query("DELETE FROM bans WHERE banned_key = $1");
        let delete = delete.bind(text.to_lowercase());
        self.changed(delete, || EditError::NoBan(text)).await
    }

    /// All bans, the ended ones as well, newest first.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn bans(&mut self) -> Result<Vec<BanRecord>, OpenError> {
        let rows = sqlx::query(
            "SELECT banned, reason, until, created_at FROM bans ORDER BY created_at DESC, banned",
        );
        let rows = rows.fetch_all(&mut self.connection).await;
        let records = rows.and_then(|rows| rows.iter().map(ban).collect());
        records.map_err(|error| self.fail(error))
    }

    /// Describes a channel and so shows it to all; makes it when it does not exist.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn describe_channel(
        &mut self,
        name: &ChannelName,
        description: Option<&str>,
        now_unix_ms: i64,
    ) -> Result<(), EditError> {
        let upsert = sqlx::query(
            "INSERT INTO channels (name, description, hidden, created_at) \
             VALUES ($1, $2, FALSE, $3) ON CONFLICT (name) DO UPDATE SET hidden = FALSE, \
             description = COALESCE(excluded.description, description)",
        );
        let upsert = upsert
            .bind(name.as_str())
            .bind(description)
            .bind(now_unix_ms);
        self.changed(upsert, || EditError::NoChannel(name.to_string()))
            .await
    }

    /// Hides a channel. Whoever knows its name can use it as before.
    ///
    /// # Errors
    /// [`EditError::NoChannel`].
    pub async fn hide_channel(&mut self, name: &ChannelName) -> Result<(), EditError> {
        let update = sqlx::query("UPDATE channels SET hidden = TRUE WHERE name = $1");
        let update = update.bind(name.as_str());
        self.changed(update, || EditError::NoChannel(name.to_string()))
            .await
    }

    /// Pauses a channel until a time; `None` resumes it.
    ///
    /// # Errors
    /// [`EditError::NoChannel`].
    pub async fn pause_channel(
        &mut self,
        name: &ChannelName,
        until_unix_ms: Option<i64>,
    ) -> Result<(), EditError> {
        let update = sqlx::query("UPDATE channels SET paused_until = $2 WHERE name = $1");
        let update = update.bind(name.as_str()).bind(until_unix_ms);
        self.changed(update, || EditError::NoChannel(name.to_string()))
            .await
    }

    /// All channels, by name.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn channels(&mut self) -> Result<Vec<ChannelRecord>, OpenError> {
        let rows = sqlx::query(
            "SELECT name, description, hidden, paused_until, created_at FROM channels \
             ORDER BY name",
        );
        let rows = rows.fetch_all(&mut self.connection).await;
        let records = rows.and_then(|rows| rows.iter().map(channel).collect());
        records.map_err(|error| self.fail(error))
    }
}

fn ban(row: &SqliteRow) -> Result<BanRecord, sqlx::Error> {
    Ok(BanRecord {
        banned: row.try_get(0)?,
        reason: row.try_get(1)?,
        until: row.try_get(2)?,
        created_at: row.try_get(3)?,
    })
}

fn channel(row: &SqliteRow) -> Result<ChannelRecord, sqlx::Error> {
    Ok(ChannelRecord {
        name: row.try_get(0)?,
        description: row.try_get(1)?,
        hidden: row.try_get(2)?,
        paused_until: row.try_get(3)?,
        created_at: row.try_get(4)?,
    })
}
