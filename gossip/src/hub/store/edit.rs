//! `[edge]` What the operator's commands do to games. Each is one transaction.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use uuid::Uuid;

use super::database::Database;
use super::error::{EditError, OpenError};
use super::record::GameRecord;
use crate::hub::directory::{Connection, Fault, GameText, SecretHash, ShortName};
use crate::limits::GAMES_MAX;

/// What of a game is shown to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    /// Listed at all.
    pub display: bool,
    /// Its players are shown.
    pub display_players: bool,
}

impl Visibility {
    /// All of it.
    pub const ALL: Self = Self {
        display: true,
        display_players: true,
    };
}

/// A game to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGame {
    /// Its name on the wire.
    pub name: ShortName,
    /// What it signs in with.
    pub client_id: Uuid,
    /// The hash of its secret.
    pub secret: SecretHash,
    /// What it says about itself.
    pub text: GameText,
    /// What of it is shown.
    pub visibility: Visibility,
}

const GAME_COLUMNS: &str = "id, short_name, client_id, display_name, description, homepage, \
     display, display_players, disabled, created_at, last_seen, user_agent, version, \
     (SELECT COUNT(*) FROM achievements WHERE game_id = games.id)";

impl Database {
    /// Registers a game.
    ///
    /// # Errors
    /// [`EditError::NameTaken`], [`EditError::DisplayNameTaken`], [`Fault::TooMany`].
    pub async fn add_game(&mut self, game: &NewGame, now_unix_ms: i64) -> Result<(), EditError> {
        let NewGame { name, text, .. } = game;
        let path = self.path.clone();
        let fail = |error| OpenError::sort(&path, error);
        let mut transaction = self
            .connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(fail)?;
        let count: i64 = scalar(&mut transaction, "SELECT COUNT(*) FROM games")
            .await
            .map_err(fail)?;
        if usize::try_from(count).is_ok_and(|count| count >= GAMES_MAX) {
            return Err(Fault::TooMany("games").into());
        }
        if id_of(&mut transaction, name.as_str())
            .await
            .map_err(fail)?
            .is_some()
        {
            return Err(EditError::NameTaken(name.to_string()));
        }
        let insert = sqlx::query(
            "INSERT INTO games (short_name, name_key, client_id, secret_hash, display_name, \
             display_key, created_at) VALUES ($1, $2, $3, $4, '', $2, $5)",
        );
        insert
            .bind(name.as_str())
            .bind(&*name.folded())
            .bind(game.client_id.to_string())
            .bind(game.secret.as_bytes().to_vec())
            .bind(now_unix_ms)
            .execute(&mut *transaction)
            .await
            .map_err(fail)?;
        let id = id_of(&mut transaction, name.as_str()).await.map_err(fail)?;
        let id = id.ok_or_else(|| EditError::NoGame(name.to_string()))?;
        let written = describe(&mut transaction, id, text, game.visibility).await;
        written.map_err(fail)?.or_taken(text)?;
        Ok(transaction.commit().await.map_err(fail)?)
    }

    /// Changes what a game shows of itself. `change` is handed what it shows so far.
    ///
    /// # Errors
    /// [`EditError::NoGame`], [`EditError::DisplayNameTaken`], what `change` returns.
    pub async fn change_game(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut GameText, &mut Visibility) -> Result<(), Fault>,
    ) -> Result<(), EditError> {
        let game = self.game(name).await?;
        let mut text = GameText::named(&game.display_name)?;
        text.describe(game.description.as_deref().unwrap_or_default())?;
        text.link(game.homepage.as_deref().unwrap_or_default())?;
        for way in &game.connections {
            text.connect(parse_way(way)?)?;
        }
        let mut visibility = Visibility {
            display: !game.hidden,
            display_players: !game.players_hidden,
        };
        change(&mut text, &mut visibility)?;
        let path = self.path.clone();
        let fail = |error| OpenError::sort(&path, error);
        let mut transaction = self
            .connection
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(fail)?;
        let id = id_of(&mut transaction, name).await.map_err(fail)?;
        let id = id.ok_or_else(|| EditError::NoGame(name.to_owned()))?;
        let written = describe(&mut transaction, id, &text, visibility).await;
        written.map_err(fail)?.or_taken(&text)?;
        Ok(transaction.commit().await.map_err(fail)?)
    }

    /// Switches a game off or on again.
    ///
    /// # Errors
    /// [`EditError::NoGame`].
    pub async fn switch_game(&mut self, name: &str, switch: Switch) -> Result<(), EditError> {
        let disabled = switch == Switch::Off;
        let update = sqlx::query("UPDATE games SET disabled = $2 WHERE name_key = $1");
        let update = update.bind(name.to_ascii_lowercase()).bind(disabled);
        self.changed(update, || EditError::NoGame(name.to_owned()))
            .await
    }

    /// Gives a game another secret. Its sockets are closed by the hub.
    ///
    /// # Errors
    /// [`EditError::NoGame`].
    pub async fn rotate_game(&mut self, name: &str, secret: &SecretHash) -> Result<(), EditError> {
        let hash = secret.as_bytes().to_vec();
        let update = sqlx::query("UPDATE games SET secret_hash = $2 WHERE name_key = $1");
        let update = update.bind(name.to_ascii_lowercase()).bind(hash);
        self.changed(update, || EditError::NoGame(name.to_owned()))
            .await
    }

    /// Removes a game and its achievements for good.
    ///
    /// # Errors
    /// [`EditError::NoGame`].
    pub async fn remove_game(&mut self, name: &str) -> Result<(), EditError> {
        let delete = sqlx::query("DELETE FROM games WHERE name_key = $1");
        let delete = delete.bind(name.to_ascii_lowercase());
        self.changed(delete, || EditError::NoGame(name.to_owned()))
            .await
    }

    /// A game.
    ///
    /// # Errors
    /// [`EditError::NoGame`].
    pub async fn game(&mut self, name: &str) -> Result<GameRecord, EditError> {
        let games = self.games().await?;
        let found = games
            .into_iter()
            .find(|game| game.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| EditError::NoGame(name.to_owned()))
    }

    /// All games, by name.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn games(&mut self) -> Result<Vec<GameRecord>, OpenError> {
        let games = games(&mut self.connection).await;
        games.map_err(|error| self.fail(error))
    }

    /// Runs a statement that must meet a row.
    pub(super) async fn changed(
        &mut self,
        statement: sqlx::query::Query<'_, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>,
        missing: impl FnOnce() -> EditError,
    ) -> Result<(), EditError> {
        let done = statement.execute(&mut self.connection).await;
        let done = done.map_err(|error| self.fail(error))?;
        if done.rows_affected() == 0 {
            return Err(missing());
        }
        Ok(())
    }
}

/// Off or on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// May not sign in.
    Off,
    /// May sign in.
    On,
}

/// Whether a display name was free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Done,
    Taken,
}

impl Written {
    fn or_taken(self, text: &GameText) -> Result<(), EditError> {
        match self {
            Self::Done => Ok(()),
            Self::Taken => Err(EditError::DisplayNameTaken(text.display_name.to_string())),
        }
    }
}

pub(super) async fn scalar(
    connection: &mut SqliteConnection,
    query: &'static str,
) -> Result<i64, sqlx::Error> {
    sqlx::query(query).fetch_one(connection).await?.try_get(0)
}

async fn id_of(connection: &mut SqliteConnection, name: &str) -> Result<Option<i64>, sqlx::Error> {
    let row = sqlx::query("SELECT id FROM games WHERE name_key = $1")
        .bind(name.to_ascii_lowercase())
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get(0)).transpose()
}

/// Writes what a game shows of itself.
async fn describe(
    connection: &mut SqliteConnection,
    id: i64,
    text: &GameText,
    visibility: Visibility,
) -> Result<Written, sqlx::Error> {
    let update = sqlx::query(
        "UPDATE games SET display_name = $2, display_key = $3, description = $4, homepage = $5, \
         display = $6, display_players = $7 WHERE id = $1",
    );
    let update = update
        .bind(id)
        .bind(&*text.display_name)
        .bind(text.display_name.to_lowercase())
        .bind(text.description.as_deref())
        .bind(text.homepage.as_deref())
        .bind(visibility.display)
        .bind(visibility.display_players);
    match update.execute(&mut *connection).await {
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
            return Ok(Written::Taken);
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let delete = sqlx::query("DELETE FROM connections WHERE game_id = $1");
    delete.bind(id).execute(&mut *connection).await?;
    for way in &text.connections {
        sqlx::query("INSERT INTO connections (game_id, kind, address) VALUES ($1, $2, $3)")
            .bind(id)
            .bind(way.kind())
            .bind(way.address())
            .execute(&mut *connection)
            .await?;
    }
    Ok(Written::Done)
}

fn parse_way(text: &str) -> Result<Connection, Fault> {
    if let Some(address) = text.strip_prefix("secure telnet ") {
        return Connection::secure_telnet(address);
    }
    if let Some(address) = text.strip_prefix("telnet ") {
        return Connection::telnet(address);
    }
    Connection::web(text.strip_prefix("web ").unwrap_or(text))
}

async fn games(connection: &mut SqliteConnection) -> Result<Vec<GameRecord>, sqlx::Error> {
    let ways = sqlx::query("SELECT game_id, kind, address FROM connections ORDER BY kind");
    let mut by_game: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for way in ways.fetch_all(&mut *connection).await? {
        let (kind, address): (&str, &str) = (way.try_get(1)?, way.try_get(2)?);
        let ways = by_game.entry(way.try_get(0)?).or_default();
        ways.push(format!("{kind} {address}"));
    }
    let query = format!("SELECT {GAME_COLUMNS} FROM games ORDER BY name_key");
    let rows = sqlx::query(sqlx::AssertSqlSafe(query))
        .fetch_all(connection)
        .await?;
    let mut games = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: i64 = row.try_get(0)?;
        let mut game = game(row)?;
        game.connections = by_game.remove(&id).unwrap_or_default();
        games.push(game);
    }
    Ok(games)
}

fn game(row: &SqliteRow) -> Result<GameRecord, sqlx::Error> {
    Ok(GameRecord {
        name: row.try_get(1)?,
        client_id: row.try_get(2)?,
        display_name: row.try_get(3)?,
        description: row.try_get(4)?,
        homepage: row.try_get(5)?,
        connections: Vec::new(),
        hidden: !row.try_get::<bool, _>(6)?,
        players_hidden: !row.try_get::<bool, _>(7)?,
        disabled: row.try_get(8)?,
        created_at: row.try_get(9)?,
        last_seen: row.try_get(10)?,
        user_agent: row.try_get(11)?,
        version: row.try_get(12)?,
        achievements: row.try_get(13)?,
    })
}
