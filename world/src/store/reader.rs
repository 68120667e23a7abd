//! `[edge]` A reader: answers reads over a connection of its own.

use belay_runtime::{Context, Exit, Flow, Process};
use sqlx::{Connection as _, SqliteConnection};

use super::connect::Connector;
use super::fault::{Fault, sort};
use super::outcome::StoreError;
use super::port::Clock;
use super::record::{CharacterSheet, UnixMillis};
use super::request::Read;
use super::sql::{account, ban, character, group, item, network_rule, staff};
use crate::ids::CharacterId;

/// One of the pool. It opens its connection with the first read, and again after a failure.
pub(super) struct Reader {
    connector: Connector,
    clock: Clock,
    connection: Option<SqliteConnection>,
}

impl Reader {
    pub(super) fn new(connector: Connector, clock: Clock) -> Self {
        Self {
            connector,
            clock,
            connection: None,
        }
    }

    async fn answer(&mut self, mut read: Read) {
        let opened = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.connector.reader().await,
        };
        let mut connection = match opened {
            Ok(connection) => connection,
            Err(error) => {
                return read.refuse(StoreError::Unavailable {
                    reason: error.to_string(),
                });
            }
        };
        match fetch(&mut connection, &mut read, (self.clock)()).await {
            Ok(()) => {
                self.connection = Some(connection);
                read.answer().deliver();
            }
            Err(error) => read.refuse(match sort(&error) {
                Fault::Request(error) => error,
                Fault::Outage(reason) => {
                    tracing::error!(target: "belay_world", reason, "the database cannot be read");
                    StoreError::Unavailable { reason }
                }
            }),
        }
    }
}

impl Process for Reader {
    type Message = Read;

    async fn handle(&mut self, _context: &mut Context<Read>, read: Read) -> Result<Flow, Exit> {
        self.answer(read).await;
        Ok(Flow::Continue)
    }

    async fn stop(&mut self, _context: &mut Context<Read>, _exit: &Exit) {
        if let Some(connection) = self.connection.take() {
            connection.close().await.ok();
        }
    }
}

/// Reads and stages the outcome.
async fn fetch(
    connection: &mut SqliteConnection,
    read: &mut Read,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    match read {
        Read::LoadAccount { name, answer } => answer.stage(account::load(connection, name).await?),
        Read::LoadAccountById { account, answer } => {
            answer.stage(account::load_by_id(connection, *account).await?);
        }
        Read::ListStaff { answer } => answer.stage(account::list_staff(connection).await?),
        Read::ListCharacters { account, answer } => {
            answer.stage(character::list(connection, *account).await?);
        }
        Read::FindCharacter { name, answer } => {
            answer.stage(character::find(connection, name).await?);
        }
        Read::LoadCharacter { character, answer } => {
            answer.stage(sheet(connection, *character).await?);
        }
        Read::RoomItems { room_key, answer } => {
            answer.stage(item::of_room(connection, room_key).await?);
        }
        Read::AllRoomItems { answer } => answer.stage(item::of_all_rooms(connection).await?),
        Read::ListBans { answer } => answer.stage(ban::list(connection, now).await?),
        Read::ListNetworkRules { answer } => answer.stage(network_rule::list(connection).await?),
        Read::ListStaffActions { answer } => answer.stage(staff::list(connection).await?),
    }
    Ok(())
}

/// A character and its items as of one moment: both reads are in one transaction. After an error
/// the connection is dropped, and the transaction with it.
async fn sheet(
    connection: &mut SqliteConnection,
    character: CharacterId,
) -> Result<Option<CharacterSheet>, sqlx::Error> {
    group::run(connection, "BEGIN").await?;
    let sheet = character::load(connection, character).await?;
    group::run(connection, "COMMIT").await?;
    Ok(sheet)
}
