//! `[edge]` The founding of a cluster on a database that earlier clusters may have used, and may
//! still: the new one gets a generation, and from that moment on nothing is written any more under
//! an epoch of theirs.

use belay_cluster::limits::{EPOCHS_PER_GENERATION, GENERATIONS_MAX};

use super::database::{Connection, Connector};
use super::limits::{FOUNDING_TRIES_MAX, NUMBERS_PER_EPOCH};
use super::open::{OpenStoreError, StoreOptions};
use super::place::StorePlace;
use super::sql::founding::{self as sql, Used};
use super::tree::Store;

/// The highest number of a session fits into what is stored.
const _: () = assert!(
    GENERATIONS_MAX as u64 * EPOCHS_PER_GENERATION <= i64::MAX as u64 / NUMBERS_PER_EPOCH + 1
);

/// Why no cluster can be founded on a database; **fatal** for the node.
#[derive(Debug, thiserror::Error)]
pub enum FoundingError {
    /// The database cannot be used.
    #[error(transparent)]
    Open(#[from] OpenStoreError),
    /// The database failed meanwhile.
    #[error("cannot found a cluster on the database: {0}; try again")]
    Failed(#[from] sqlx::Error),
    /// There were too many before.
    #[error(
        "{GENERATIONS_MAX} clusters were founded on this database, and it takes no more; \
         move the data to a new one (pg_dump --data-only, without zone_epochs and clusters)"
    )]
    Full,
}

impl Store {
    /// Enters a cluster in the database, by the mark of its first node, and answers how many were
    /// there before it. Whoever wrote for a zone or a character in one of those is refused from
    /// now on. The same mark again gets the same answer, and nothing changes.
    ///
    /// # Errors
    /// [`FoundingError`]: says what to do. Nothing is changed then.
    ///
    /// # Cancel safety
    /// Safe: it is one transaction.
    pub async fn found_cluster(
        place: impl Into<StorePlace>,
        options: &StoreOptions,
        mark: &str,
    ) -> Result<u32, FoundingError> {
        let connector = Connector::new(place.into(), options)?;
        connector.prepare().await?;
        let mut tries = 0;
        loop {
            let mut connection = connector.writer().await?;
            let entered = enter(&mut connection, mark).await;
            connection.close().await;
            tries += 1;
            match entered {
                // Another one that is being founded was in the way.
                Err(FoundingError::Failed(_)) if tries < FOUNDING_TRIES_MAX => {}
                entered => return entered,
            }
        }
    }
}

/// One transaction. On an error the connection is closed, which takes it back.
async fn enter(connection: &mut Connection, mark: &str) -> Result<u32, FoundingError> {
    let begin = connection.dialect().begin_write;
    connection.run(begin).await?;
    let generation = match sql::generation_of(connection, mark).await? {
        Some(known) => u32::try_from(known).unwrap_or(u32::MAX),
        None => {
            let generation = next(sql::used(connection).await?);
            if generation >= GENERATIONS_MAX {
                return Err(FoundingError::Full);
            }
            sql::enter(connection, generation, mark).await?;
            let epoch = u64::from(generation).saturating_mul(EPOCHS_PER_GENERATION);
            sql::refuse_below(connection, epoch, NUMBERS_PER_EPOCH).await?;
            generation
        }
    };
    connection.run("COMMIT").await?;
    Ok(generation)
}

/// The generation above everything that was used.
fn next(used: Used) -> u32 {
    let highest = [
        used.generation,
        used.epoch.map(of_epoch),
        used.number.map(epoch_of).map(of_epoch),
    ];
    let highest = highest.into_iter().flatten().max();
    let next = highest.map_or(0, |highest| highest.saturating_add(1));
    u32::try_from(next).unwrap_or(u32::MAX)
}

/// The generation of a cluster, by an epoch as it is stored.
pub(super) fn of_epoch(epoch: i64) -> i64 {
    epoch / i64::try_from(EPOCHS_PER_GENERATION).unwrap_or(i64::MAX)
}

/// The epoch, by the number of a session as it is stored.
pub(super) fn epoch_of(number: i64) -> i64 {
    number / i64::try_from(NUMBERS_PER_EPOCH).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_above_whatever_was_used() {
        let per = 1_i64 << 30;
        let numbers = 1_i64 << 24;
        let check = |generation, epoch, number, expected| {
            let used = Used {
                generation,
                epoch,
                number,
            };
            assert_eq!(next(used), expected, "{used:?}");
        };
        check(None, None, None, 0);
        check(None, Some(1), None, 1);
        check(None, None, Some(1), 1);
        check(None, Some(per - 1), Some(per * numbers - 1), 1);
        check(None, Some(per), None, 2);
        check(None, Some(1), Some(per * numbers), 2);
        check(Some(0), None, None, 1);
        check(Some(6), Some(1), Some(1), 7);
        check(Some(511), None, None, 512);
        check(None, Some(i64::MAX), None, u32::MAX);
    }
}
