//! `[edge]` One group commit: all writes of a group in one transaction, each failing alone.
//!
//! A failing statement of SQLite undoes itself and leaves the transaction open, so only a write of
//! several statements needs a savepoint. With PostgreSQL it spoils the whole transaction: the group
//! is then made again with a savepoint for each write, which costs the more only when it is needed.
//! An error of the database itself undoes the whole group, which comes back to be tried again on a
//! new connection.

use super::database::{Connection, Connector, Fault, sort};
use super::held::{Held, Wanted};
use super::limits::CONFLICT_TRIES_MAX;
use super::outcome::StoreError;
use super::park::Group;
use super::port::Clock;
use super::record::UnixMillis;
use super::request::{GuardedWrite, Write};
use super::sql::group::Fate;
use super::sql::{account, ban, character, fence, group, item, network_rule as rule, staff, token};

/// Commits groups over one connection, which it opens when it needs one.
pub(super) struct Committer {
    connector: Connector,
    clock: Clock,
    connection: Option<Connection>,
}

/// A group that is not known to be committed, and why.
pub(super) struct Setback {
    pub(super) group: Group<GuardedWrite>,
    pub(super) reason: String,
}

impl Committer {
    pub(super) fn new(connector: Connector, clock: Clock) -> Self {
        Self {
            connector,
            clock,
            connection: None,
        }
    }

    /// Commits the group and gives the writes back with their outcomes staged, to be delivered.
    /// Not cancel safe: a group that is dropped half way answers that it is lost.
    pub(super) async fn commit(
        &mut self,
        mut group: Group<GuardedWrite>,
    ) -> Result<Vec<GuardedWrite>, Setback> {
        let opened = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.connector.writer().await,
        };
        let mut connection = match opened {
            Ok(connection) => connection,
            Err(error) => {
                let reason = error.to_string();
                return Err(Setback { group, reason });
            }
        };
        let now = (self.clock)();
        match settle(&mut connection, &mut group, now).await {
            Ok(()) => {
                self.connection = Some(connection);
                Ok(group.writes)
            }
            Err(reason) => {
                // Closing rolls back what is open. When even that fails the connection is gone.
                connection.close().await;
                Err(Setback { group, reason })
            }
        }
    }

    /// Closes the connection in good order.
    pub(super) async fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close().await;
        }
    }
}

/// Why a transaction did not come to its end.
enum Stop {
    /// The database cannot go on.
    Outage(String),
    /// Another node's transaction was in the way.
    Conflict(String),
    /// A write failed that had no savepoint of its own.
    NotAlone,
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        match sort(&error) {
            Fault::Conflict(reason) => Self::Conflict(reason),
            Fault::Outage(_) | Fault::Request(_) => Self::Outage(error.to_string()),
        }
    }
}

/// Which writes get a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Savepoints {
    /// Those of several statements.
    Composed,
    /// All of them.
    Each,
}

/// Makes the group, again when that promises success; an error is the reason why the database
/// cannot go on.
async fn settle(
    connection: &mut Connection,
    group: &mut Group<GuardedWrite>,
    now: UnixMillis,
) -> Result<(), String> {
    let (mut savepoints, mut conflicts) = (Savepoints::Composed, 0);
    loop {
        match transact(connection, group, (now, savepoints)).await {
            Ok(()) => return Ok(()),
            Err(Stop::Outage(reason)) => return Err(reason),
            Err(Stop::Conflict(reason)) => {
                conflicts += 1;
                if conflicts >= CONFLICT_TRIES_MAX {
                    return Err(reason);
                }
            }
            Err(Stop::NotAlone) => savepoints = Savepoints::Each,
        }
        let undone = connection.run("ROLLBACK").await;
        undone.map_err(|error| error.to_string())?;
    }
}

async fn transact(
    connection: &mut Connection,
    group: &mut Group<GuardedWrite>,
    how: (UnixMillis, Savepoints),
) -> Result<(), Stop> {
    connection.run(connection.dialect().begin_write).await?;
    if let Some(number) = group.doubt {
        match group::fate(connection, number).await? {
            Fate::Undone => group.doubt = None,
            Fate::Open => {
                let reason = "the outcome of the last commit is not known yet";
                return Err(Stop::Outage(reason.to_owned()));
            }
            // It was committed although the commit reported an error; the outcomes are staged.
            Fate::Committed => return Ok(connection.run("ROLLBACK").await?),
            Fate::Forgotten => {
                // Dropped, each answers that nobody knows.
                group.writes.clear();
                return Ok(connection.run("ROLLBACK").await?);
            }
        }
    }
    let number = group::number(connection).await?;
    fill(connection, &mut group.writes, how).await?;
    group.doubt = Some(number);
    connection.run("COMMIT").await?;
    group.doubt = None;
    Ok(())
}

/// Makes all writes and stages their outcomes.
async fn fill(
    connection: &mut Connection,
    writes: &mut [GuardedWrite],
    (now, savepoints): (UnixMillis, Savepoints),
) -> Result<(), Stop> {
    let mut held = Held::default();
    held.hold_all(connection, Wanted::of(writes)).await?;
    for GuardedWrite { guard, write } in writes {
        if let Some(guard) = guard
            && held.fences(connection, guard).await?
        {
            write.answer().stage_error(StoreError::Fenced);
            continue;
        }
        let alone = savepoints == Savepoints::Each || write.is_composed();
        match alone {
            true => attempt_alone(connection, write, now).await?,
            false => attempt(connection, write, now).await?,
        }
        if let Some(claimed) = write.claimed() {
            held.forget(claimed);
        }
    }
    Ok(())
}

/// Makes one write and stages its outcome.
async fn attempt(
    connection: &mut Connection,
    write: &mut Write,
    now: UnixMillis,
) -> Result<(), Stop> {
    let Err(error) = apply(connection, write, now).await else {
        return Ok(());
    };
    let spoilt = error.as_database_error().is_some() && !connection.dialect().statements_fail_alone;
    match sort(&error) {
        Fault::Outage(reason) => Err(Stop::Outage(reason)),
        Fault::Conflict(reason) => Err(Stop::Conflict(reason)),
        Fault::Request(_) if spoilt => Err(Stop::NotAlone),
        Fault::Request(error) => {
            write.answer().stage_error(error);
            Ok(())
        }
    }
}

/// The same with a savepoint, so that a failure undoes this write only.
async fn attempt_alone(
    connection: &mut Connection,
    write: &mut Write,
    now: UnixMillis,
) -> Result<(), Stop> {
    connection.run("SAVEPOINT one_write").await?;
    let made = apply(connection, write, now).await;
    match made.as_ref().map_err(sort) {
        Ok(()) => {}
        Err(Fault::Outage(reason)) => return Err(Stop::Outage(reason)),
        Err(Fault::Conflict(reason)) => return Err(Stop::Conflict(reason)),
        Err(Fault::Request(error)) => {
            connection.run("ROLLBACK TO one_write").await?;
            write.answer().stage_error(error);
        }
    }
    Ok(connection.run("RELEASE one_write").await?)
}

async fn apply(
    connection: &mut Connection,
    write: &mut Write,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    match write {
        Write::CreateAccount {
            name,
            password_hash,
            answer,
        } => {
            answer.stage(account::create(connection, name, password_hash, now).await?);
        }
        Write::SetPassword {
            account,
            password_hash,
            answer,
        } => {
            answer.stage(account::set_password(connection, *account, password_hash).await?);
        }
        Write::TouchLogin { account, answer } => {
            answer.stage(account::touch_login(connection, *account, now).await?);
        }
        Write::SetRole { name, role, answer } => {
            answer.stage(account::set_role(connection, name, *role).await?);
        }
        Write::CreateCharacter {
            account,
            name,
            room_key,
            answer,
        } => {
            answer.stage(character::create(connection, *account, name, room_key, now).await?);
        }
        Write::SaveCharacters { saves, answer } => {
            answer.stage(character::save_all(connection, saves, now).await?);
        }
        Write::CreateItems { items, answer } => {
            answer.stage(item::create_all(connection, items, now).await?);
        }
        Write::TopUp { promises, answer } => {
            answer.stage(item::top_up_all(connection, promises, now).await?);
        }
        Write::TransferItem { transfer, answer } => {
            answer.stage(item::transfer(connection, transfer).await?);
        }
        Write::DestroyItem {
            item,
            owner,
            answer,
        } => {
            answer.stage(item::destroy(connection, *item, owner).await?);
        }
        Write::AddBan { ban, answer } => answer.stage(ban::add(connection, ban, now).await?),
        Write::RemoveBan { subject, answer } => {
            answer.stage(ban::remove(connection, subject).await?);
        }
        Write::Rule { change, answer } => answer.stage(rule::set(connection, change, now).await?),
        Write::IssueToken { token, answer } => {
            answer.stage(token::issue(connection, token, now).await?);
        }
        Write::RedeemToken { hash, answer } => {
            answer.stage(token::redeem(connection, hash, now).await?);
        }
        Write::RevokeTokens { account, answer } => {
            answer.stage(token::revoke(connection, *account).await?);
        }
        Write::Claim { claim, answer } => answer.settle(fence::claim(connection, claim).await?),
        Write::RecordStaffAction { action, answer } => {
            answer.stage(staff::record(connection, action, now).await?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Name;
    use crate::store::answer::Answer;
    use crate::store::open::StoreOptions;
    use crate::store::outcome::AccountCreation;
    use crate::store::park::GroupNumber;
    use crate::store::place::StorePlace;
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex};

    type Seen = Arc<Mutex<Vec<Result<AccountCreation, StoreError>>>>;

    /// A database that was prepared, in a folder that is removed at the end.
    struct Scene {
        folder: PathBuf,
        committer: Committer,
        seen: Seen,
    }

    impl Scene {
        async fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("belay-{name}-{}", std::process::id()));
            std::fs::create_dir(&folder).unwrap();
            let options = StoreOptions::default();
            let place = StorePlace::File(folder.join("belay.sqlite"));
            let connector = Connector::new(place, &options).unwrap();
            connector.prepare().await.unwrap();
            let committer = Committer::new(connector, options.clock);
            Self {
                folder,
                committer,
                seen: Seen::default(),
            }
        }

        fn write(&self, name: &str) -> GuardedWrite {
            let seen = Arc::clone(&self.seen);
            let write = Write::CreateAccount {
                name: Name::parse(name).unwrap(),
                password_hash: "hash".to_owned(),
                answer: Answer::new(move |answer| seen.lock().unwrap().push(answer)),
            };
            GuardedWrite { guard: None, write }
        }

        async fn commit(
            &mut self,
            writes: Vec<GuardedWrite>,
            doubt: Option<GroupNumber>,
        ) -> Vec<GuardedWrite> {
            let setback = match self.committer.commit(Group { writes, doubt }).await {
                Ok(writes) => return writes,
                Err(setback) => setback,
            };
            panic!("{}", setback.reason)
        }

        fn deliver(&self, writes: Vec<GuardedWrite>) -> Vec<Result<AccountCreation, StoreError>> {
            for mut write in writes {
                write.write.answer().deliver();
            }
            std::mem::take(&mut self.seen.lock().unwrap())
        }
    }

    impl Drop for Scene {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.folder).ok();
        }
    }

    #[tokio::test]
    async fn a_group_in_doubt_is_made_once_whether_or_not_it_was_in() {
        let mut scene = Scene::new("doubt").await;
        let write = scene.write("ann");
        let writes = scene.commit(vec![write], None).await;
        // Its commit is reported as failed although it is in: the outcome stands.
        let writes = scene.commit(writes, Some(GroupNumber(1))).await;
        let answers = scene.deliver(writes);
        assert!(
            matches!(answers[..], [Ok(AccountCreation::Created(_))]),
            "{answers:?}"
        );

        // The next one is not in: it is made now.
        let write = scene.write("bob");
        let writes = scene.commit(vec![write], Some(GroupNumber(2))).await;
        let answers = scene.deliver(writes);
        assert!(
            matches!(answers[..], [Ok(AccountCreation::Created(_))]),
            "{answers:?}"
        );

        let write = scene.write("ann");
        let writes = scene.commit(vec![write], None).await;
        assert_eq!(scene.deliver(writes), [Ok(AccountCreation::NameTaken)]);
    }

    #[tokio::test]
    async fn a_setback_gives_the_group_back_with_its_doubt_and_unanswered() {
        let mut scene = Scene::new("setback").await;
        std::fs::remove_dir_all(&scene.folder).unwrap();
        let group = Group {
            writes: vec![scene.write("ann")],
            doubt: Some(GroupNumber(7)),
        };
        let Err(Setback { group, reason }) = scene.committer.commit(group).await else {
            panic!("there is no file to write to");
        };
        assert!(!reason.is_empty());
        assert_eq!((group.writes.len(), group.doubt), (1, Some(GroupNumber(7))));
        assert!(scene.seen.lock().unwrap().is_empty());
    }
}
