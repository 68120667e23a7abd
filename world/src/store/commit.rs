//! `[edge]` One group commit: all writes of a group in one transaction, each failing alone.
//!
//! A failing statement of SQLite undoes itself and leaves the transaction open, so only a write of
//! several statements needs a savepoint. An error of the database itself undoes the whole group,
//! which comes back to be tried again on a new connection.

use sqlx::{Connection as _, SqliteConnection};

use super::connect::{Connector, Create};
use super::fault::{Fault, sort};
use super::park::{Group, GroupNumber};
use super::port::Clock;
use super::record::UnixMillis;
use super::request::Write;
use super::sql::{account, ban, character, group, item, network_rule as rule, staff, token};

/// Commits groups over one connection, which it opens when it needs one.
pub(super) struct Committer {
    connector: Connector,
    clock: Clock,
    connection: Option<SqliteConnection>,
}

/// A group that is not known to be committed, and why.
pub(super) struct Setback {
    pub(super) group: Group<Write>,
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
    pub(super) async fn commit(&mut self, group: Group<Write>) -> Result<Vec<Write>, Setback> {
        let Group { mut writes, doubt } = group;
        let opened = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.connector.writer(Create::Never).await,
        };
        let mut connection = match opened {
            Ok(connection) => connection,
            Err(error) => {
                let group = Group { writes, doubt };
                return Err(Setback {
                    group,
                    reason: error.to_string(),
                });
            }
        };
        let now = (self.clock)();
        match transact(&mut connection, &mut writes, doubt, now).await {
            Ok(()) => {
                self.connection = Some(connection);
                Ok(writes)
            }
            Err(Failure { reason, doubt }) => {
                // Closing rolls back what is open. When even that fails the connection is gone.
                connection.close().await.ok();
                Err(Setback {
                    group: Group { writes, doubt },
                    reason,
                })
            }
        }
    }

    /// Closes the connection in good order.
    pub(super) async fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close().await.ok();
        }
    }
}

struct Failure {
    reason: String,
    doubt: Option<GroupNumber>,
}

impl Failure {
    fn of(error: &sqlx::Error, doubt: Option<GroupNumber>) -> Self {
        Self {
            reason: error.to_string(),
            doubt,
        }
    }
}

async fn transact(
    connection: &mut SqliteConnection,
    writes: &mut [Write],
    doubt: Option<GroupNumber>,
    now: UnixMillis,
) -> Result<(), Failure> {
    let in_doubt = |error: sqlx::Error| Failure::of(&error, doubt);
    group::run(connection, "BEGIN IMMEDIATE")
        .await
        .map_err(in_doubt)?;
    if let Some(number) = doubt {
        let last = group::last(connection).await.map_err(in_doubt)?;
        if last >= number {
            // It was committed although the commit reported an error; the outcomes are staged.
            return group::run(connection, "ROLLBACK").await.map_err(in_doubt);
        }
    }
    let undone = |error: sqlx::Error| Failure::of(&error, None);
    let number = group::count(connection).await.map_err(undone)?;
    for write in writes {
        let outcome = attempt(connection, write, now).await;
        outcome.map_err(|reason| Failure {
            reason,
            doubt: None,
        })?;
    }
    let committed = group::run(connection, "COMMIT").await;
    committed.map_err(|error| Failure::of(&error, Some(number)))
}

/// Makes one write and stages its outcome; an error is the reason why the database cannot go on.
async fn attempt(
    connection: &mut SqliteConnection,
    write: &mut Write,
    now: UnixMillis,
) -> Result<(), String> {
    let composed = write.is_composed();
    if composed {
        around(connection, "SAVEPOINT one_write").await?;
    }
    let made = apply(connection, write, now).await;
    let refusal = match made.as_ref().map_err(sort) {
        Ok(()) => None,
        Err(Fault::Request(error)) => Some(error),
        Err(Fault::Outage(reason)) => return Err(reason),
    };
    if let Some(error) = refusal {
        if composed {
            around(connection, "ROLLBACK TO one_write").await?;
        }
        write.answer().stage_error(error);
    }
    if composed {
        around(connection, "RELEASE one_write").await?;
    }
    Ok(())
}

async fn around(connection: &mut SqliteConnection, statement: &'static str) -> Result<(), String> {
    group::run(connection, statement)
        .await
        .map_err(|error| error.to_string())
}

async fn apply(
    connection: &mut SqliteConnection,
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
    use crate::store::open::{StoreOptions, prepare};
    use crate::store::outcome::{AccountCreation, StoreError};
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
            let connector = Connector::new(folder.join("belay.sqlite"), &options);
            prepare(&connector).await.unwrap();
            let committer = Committer::new(connector, options.clock);
            Self {
                folder,
                committer,
                seen: Seen::default(),
            }
        }

        fn write(&self, name: &str) -> Write {
            let seen = Arc::clone(&self.seen);
            Write::CreateAccount {
                name: Name::parse(name).unwrap(),
                password_hash: "hash".to_owned(),
                answer: Answer::new(move |answer| seen.lock().unwrap().push(answer)),
            }
        }

        async fn commit(&mut self, writes: Vec<Write>, doubt: Option<GroupNumber>) -> Vec<Write> {
            let setback = match self.committer.commit(Group { writes, doubt }).await {
                Ok(writes) => return writes,
                Err(setback) => setback,
            };
            panic!("{}", setback.reason)
        }

        fn deliver(&self, writes: Vec<Write>) -> Vec<Result<AccountCreation, StoreError>> {
            for mut write in writes {
                write.answer().deliver();
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
