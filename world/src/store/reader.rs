//! `[edge]` A reader: answers reads over a connection of its own.

use belay_runtime::{Context, Exit, Flow, Process};

use super::database::{Connection, Connector, Fault, sort};
use super::outcome::StoreError;
use super::port::Clock;
use super::record::{CharacterSheet, UnixMillis};
use super::request::Read;
use super::sql::{account, ban, character, item, network_rule, staff};
use crate::ids::CharacterId;

/// One of the pool. It opens its connection with the first read, and again after a failure.
pub(super) struct Reader {
    connector: Connector,
    clock: Clock,
    connection: Option<Connection>,
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
        if let Err(fault) = self.fetch(&mut read).await {
            return read.refuse(match fault {
                Fault::Request(error) => error,
                Fault::Outage(reason) | Fault::Conflict(reason) => {
                    tracing::error!(target: "belay_world", reason, "the database cannot be read");
                    StoreError::Unavailable { reason }
                }
            });
        }
        read.answer().deliver();
    }

    /// Reads and stages the outcome. A connection that broke while it was idle is no failure: the
    /// read is made again over a new one.
    async fn fetch(&mut self, read: &mut Read) -> Result<(), Fault> {
        if let Some(connection) = self.connection.take() {
            match self.fetch_over(connection, read).await {
                Err(Fault::Outage(reason)) if self.connector.file().is_none() => {
                    tracing::debug!(target: "belay_world", reason, "a connection broke");
                }
                settled => return settled,
            }
        }
        let connection = self.connector.reader().await.map_err(|error| sort(&error));
        self.fetch_over(connection?, read).await
    }

    async fn fetch_over(
        &mut self,
        mut connection: Connection,
        read: &mut Read,
    ) -> Result<(), Fault> {
        let now = (self.clock)();
        fetch(&mut connection, read, now)
            .await
            .map_err(|error| sort(&error))?;
        self.connection = Some(connection);
        Ok(())
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
            connection.close().await;
        }
    }
}

/// Reads and stages the outcome.
async fn fetch(
    connection: &mut Connection,
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
        Read::ZoneItems { zone_key, answer } => {
            answer.stage(item::of_zone(connection, zone_key).await?);
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
    connection: &mut Connection,
    character: CharacterId,
) -> Result<Option<CharacterSheet>, sqlx::Error> {
    connection.run(connection.dialect().begin_read).await?;
    let sheet = character::load(connection, character).await?;
    connection.run("COMMIT").await?;
    Ok(sheet)
}
