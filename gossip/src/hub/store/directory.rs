//! `[edge]` Reading a whole directory. A row that breaks a rule (somebody has edited the file by
//! hand) is left out and told of; it does not keep the others out.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};
use uuid::Uuid;

use super::database::{Database, run};
use super::error::OpenError;
use crate::hub::directory::{
    Achievement, Ban, BanId, Channel, Connection, Directory, Fault, Game, GameId, GameText,
    SecretHash, ShortName,
};
use crate::protocol::{BadChannelName, ChannelName};

/// What hangs on games, by their numbers.
#[derive(Default)]
struct Parts {
    connections: BTreeMap<GameId, Vec<Connection>>,
    achievements: BTreeMap<GameId, Vec<Achievement>>,
}

/// Why a row is left out.
#[derive(Debug, thiserror::Error)]
enum BadRow {
    #[error(transparent)]
    Rule(#[from] Fault),
    #[error(transparent)]
    ChannelName(#[from] BadChannelName),
    #[error("a client id or key is not a UUID")]
    Uuid(#[from] uuid::Error),
    #[error("a secret's hash has not 32 bytes")]
    Hash,
    #[error("points are not 0 to 100")]
    Points,
    #[error("an unknown kind of connection")]
    Kind,
    #[error("a column cannot be read")]
    Column(#[from] sqlx::Error),
}

impl Database {
    /// The games, bans and channels, as they are at one moment.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn directory(&mut self) -> Result<Directory, OpenError> {
        let read = read(&mut self.connection).await;
        read.map_err(|error| self.fail(error))
    }
}

/// After an error the connection must be closed.
async fn read(connection: &mut SqliteConnection) -> Result<Directory, sqlx::Error> {
    run(connection, "BEGIN").await?;
    let mut directory = Directory::new();
    let mut parts = parts(connection).await?;
    let games = sqlx::query(
        "SELECT id, client_id, secret_hash, short_name, display_name, description, homepage, \
         display, display_players, disabled FROM games ORDER BY id",
    );
    for row in games.fetch_all(&mut *connection).await? {
        let added = game(&row, &mut parts).and_then(|game| Ok(directory.add_game(game)?));
        report("games", added);
    }
    let bans = sqlx::query("SELECT id, banned, reason, until FROM bans ORDER BY id");
    for row in bans.fetch_all(&mut *connection).await? {
        report(
            "bans",
            ban(&row).and_then(|ban| Ok(directory.add_ban(ban)?)),
        );
    }
    let channels = sqlx::query(
        "SELECT name, description, hidden, paused_until FROM channels ORDER BY hidden, name",
    );
    for row in channels.fetch_all(&mut *connection).await? {
        let added = channel(&row).and_then(|channel| Ok(directory.add_channel(channel)?));
        report("channels", added);
    }
    run(connection, "ROLLBACK").await?;
    Ok(directory)
}

async fn parts(connection: &mut SqliteConnection) -> Result<Parts, sqlx::Error> {
    let mut parts = Parts::default();
    let rows = sqlx::query("SELECT game_id, kind, address FROM connections ORDER BY game_id, kind");
    for row in rows.fetch_all(&mut *connection).await? {
        let read = play_at(&row).map(|(game, way)| {
            parts.connections.entry(game).or_default().push(way);
        });
        report("connections", read);
    }
    let rows = sqlx::query(
        "SELECT game_id, key, title, description, points, display, partial_progress, \
         total_progress FROM achievements ORDER BY game_id, title, key",
    );
    for row in rows.fetch_all(&mut *connection).await? {
        let read = achievement(&row).map(|(game, achievement)| {
            parts
                .achievements
                .entry(game)
                .or_default()
                .push(achievement);
        });
        report("achievements", read);
    }
    Ok(parts)
}

fn report(table: &'static str, read: Result<(), BadRow>) {
    if let Err(reason) = read {
        tracing::warn!(table, %reason, "a row of the database is left out");
    }
}

fn game(row: &SqliteRow, parts: &mut Parts) -> Result<Game, BadRow> {
    let id = GameId(row.try_get(0)?);
    let hash: &[u8] = row.try_get(2)?;
    let mut text = GameText::named(row.try_get(4)?)?;
    text.describe(row.try_get::<Option<&str>, _>(5)?.unwrap_or_default())?;
    text.link(row.try_get::<Option<&str>, _>(6)?.unwrap_or_default())?;
    text.connections = parts.connections.remove(&id).unwrap_or_default();
    Ok(Game {
        id,
        client_id: row.try_get::<&str, _>(1)?.parse()?,
        secret: SecretHash::from_bytes(hash.try_into().map_err(|_ignored| BadRow::Hash)?),
        short_name: ShortName::parse(row.try_get(3)?)?,
        display: row.try_get(7)?,
        display_players: row.try_get(8)?,
        disabled: row.try_get(9)?,
        text,
        achievements: parts.achievements.remove(&id).unwrap_or_default(),
    })
}

fn play_at(row: &SqliteRow) -> Result<(GameId, Connection), BadRow> {
    let address: &str = row.try_get(2)?;
    let way = match row.try_get::<&str, _>(1)? {
        "telnet" => Connection::telnet(address)?,
        "secure telnet" => Connection::secure_telnet(address)?,
        "web" => Connection::web(address)?,
        _ => return Err(BadRow::Kind),
    };
    Ok((GameId(row.try_get(0)?), way))
}

fn achievement(row: &SqliteRow) -> Result<(GameId, Achievement), BadRow> {
    let points: i64 = row.try_get(4)?;
    let points = u8::try_from(points).ok().filter(|points| *points <= 100);
    let achievement = Achievement {
        key: row.try_get::<&str, _>(1)?.parse::<Uuid>()?,
        title: row.try_get::<&str, _>(2)?.into(),
        description: row.try_get::<Option<&str>, _>(3)?.map(Into::into),
        points: points.ok_or(BadRow::Points)?,
        display: row.try_get(5)?,
        partial_progress: row.try_get(6)?,
        total_progress: row.try_get(7)?,
    };
    Ok((GameId(row.try_get(0)?), achievement))
}

fn ban(row: &SqliteRow) -> Result<Ban, BadRow> {
    Ok(Ban {
        id: BanId(row.try_get(0)?),
        banned: row.try_get::<&str, _>(1)?.parse()?,
        reason: Ban::checked_reason(row.try_get(2)?)?,
        until_unix_ms: row.try_get(3)?,
    })
}

fn channel(row: &SqliteRow) -> Result<Channel, BadRow> {
    let description: Option<&str> = row.try_get(1)?;
    Ok(Channel {
        name: ChannelName::parse(row.try_get(0)?)?,
        description: description.map(Channel::checked_description).transpose()?,
        hidden: row.try_get(2)?,
        paused_until_unix_ms: row.try_get(3)?,
    })
}
