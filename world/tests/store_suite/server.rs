//! A server that is killed, frozen, gone, or not as it should be.

use std::time::Duration;

use belay_bots::PostgresServer;
use belay_world::store::{
    BanSubject, ItemTransfer, NewBan, OpenServerError, OpenStoreError, PostgresUrl, Store,
    StoreError, StoreOptions, Transfer,
};

use super::support::{
    Place, Running, all, ask, connect, name, new_item, own_server, post, room, save, shared_server,
    start_server, until,
};

pub(crate) fn url(text: &str) -> PostgresUrl {
    text.parse().unwrap()
}

/// A server of its own with an empty database.
fn server() -> Option<(PostgresServer, PostgresUrl)> {
    let server = own_server()?;
    let url = url(&server.create_database("belay").unwrap());
    Some((server, url))
}

/// Gives up soon what does not answer.
fn impatient() -> StoreOptions {
    StoreOptions {
        server_wait: Duration::from_millis(500),
        lock_wait: Duration::from_millis(100),
        ..StoreOptions::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_under_load_loses_and_doubles_nothing_and_keeps_the_order() {
    let Some((server, url)) = server() else {
        return;
    };
    let running = Running::start(url, StoreOptions::default()).await;
    let port = &running.port;
    let item = running.item(room("step/0")).await;
    let mut made = Vec::new();
    let mut moved = Vec::new();
    let mut step = 0;
    for _ in 0..4 {
        let mut answers = Vec::new();
        let post_more = |count: u32, step: &mut u32, moved: &mut Vec<_>, answers: &mut Vec<_>| {
            for _ in 0..count {
                let (from, to) = (format!("step/{step}"), format!("step/{}", *step + 1));
                let transfer = ItemTransfer {
                    item,
                    from: room(&from),
                    to: room(&to),
                };
                moved.push(post(|reply| port.transfer_item(transfer, reply)));
                let items = vec![new_item(room("town/square"))];
                answers.push(post(|reply| port.create_items(items, reply)));
                *step += 1;
            }
        };
        post_more(400, &mut step, &mut moved, &mut answers);
        // Killed somewhere in the middle of them.
        let first = answers.remove(0);
        made.extend(first.await.unwrap());
        server.kill().unwrap();
        post_more(300, &mut step, &mut moved, &mut answers);
        until(|| port.status().failing || port.status().parked > 0).await;
        post_more(300, &mut step, &mut moved, &mut answers);
        let read = ask(|reply| port.load_account(name("ann"), reply)).await;
        assert!(
            matches!(read, Err(StoreError::Unavailable { .. })),
            "{read:?}"
        );
        server.start_again().unwrap();
        for answer in all(answers).await {
            made.extend(answer.unwrap());
        }
    }
    for (number, answer) in all(moved).await.into_iter().enumerate() {
        assert_eq!(answer, Ok(Transfer::Done), "{number}");
    }
    until(|| !port.status().failing).await;
    let at_the_end = ask(|reply| port.room_items(format!("step/{step}"), reply)).await;
    assert_eq!(at_the_end.unwrap().len(), 1);
    let stored = ask(|reply| port.room_items("town/square".to_owned(), reply)).await;
    let stored: Vec<_> = stored.unwrap().into_iter().map(|item| item.id).collect();
    assert_eq!(stored, made, "no more and no less, in order");
    assert_eq!(port.status().parked, 0);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_park_refuses_while_the_server_is_gone_and_keeps_the_old_writes() {
    let Some((server, url)) = server() else {
        return;
    };
    let options = StoreOptions {
        parked_writes_max: 10,
        ..StoreOptions::default()
    };
    let running = Running::start(url, options).await;
    let port = &running.port;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    server.kill().unwrap();
    let write = |steps| post(move |reply| port.save_characters(vec![save(hero, steps)], reply));
    let first = write(1);
    until(|| port.status().failing).await;
    let kept: Vec<_> = (2..=10).map(write).collect();
    until(|| port.status().parked == 10).await;
    assert_eq!(write(99).await, Err(StoreError::Busy));
    server.start_again().unwrap();
    assert_eq!(first.await, Ok(()));
    for answer in all(kept).await {
        assert_eq!(answer, Ok(()));
    }
    assert_eq!(running.sheet(hero).await.character.score.steps, 10);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_freezes_is_given_up_and_each_write_is_made_once() {
    let Some((server, url)) = server() else {
        return;
    };
    let running = Running::start(url, impatient()).await;
    let port = &running.port;
    let create = || {
        let items = vec![new_item(room("town/square"))];
        post(|reply| port.create_items(items, reply))
    };
    let mut made = create().await.unwrap();
    for _ in 0..3 {
        let answers: Vec<_> = (0..300).map(|_| create()).collect();
        server.freeze().unwrap();
        let more: Vec<_> = (0..300).map(|_| create()).collect();
        until(|| port.status().failing).await;
        let read = ask(|reply| port.load_account(name("ann"), reply)).await;
        assert!(
            matches!(read, Err(StoreError::Unavailable { .. })),
            "{read:?}"
        );
        server.thaw().unwrap();
        for answer in all(answers).await.into_iter().chain(all(more).await) {
            made.extend(answer.unwrap());
        }
        until(|| !port.status().failing).await;
    }
    let stored = ask(|reply| port.all_room_items(reply)).await.unwrap();
    let stored: Vec<_> = stored.into_iter().map(|item| item.id).collect();
    assert_eq!(stored, made);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_after_the_server_was_away_is_answered() {
    let Some((server, url)) = server() else {
        return;
    };
    let running = Running::start(url, StoreOptions::default()).await;
    running.account("ann").await;
    let load = || post(|reply| running.port.load_account(name("ann"), reply));
    // Each reader has a connection that breaks while it is idle.
    for answer in all((0..20).map(|_| load()).collect()).await {
        assert!(answer.unwrap().is_some());
    }
    server.kill().unwrap();
    server.start_again().unwrap();
    for answer in all((0..20).map(|_| load()).collect()).await {
        assert!(answer.unwrap().is_some());
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_the_server_refuses_fails_alone_in_its_group() {
    let Some(place) = Place::server() else { return };
    let running = Running::on(&place).await;
    let port = &running.port;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    let mut answers = Vec::new();
    for number in 0..30_i64 {
        // PostgreSQL takes no text with a zero in it.
        let reason = ["spam", "spa\0m"][usize::from(number % 10 == 3)];
        let ban = NewBan {
            subject: BanSubject::Account(name("ann")),
            reason: reason.to_owned(),
            by: "Boss".to_owned(),
            lasts: None,
        };
        answers.push(post(|reply| port.add_ban(ban, reply)));
        answers.push(post(|reply| {
            port.save_characters(vec![save(hero, number)], reply)
        }));
    }
    for (number, answer) in all(answers).await.into_iter().enumerate() {
        match number {
            6 | 26 | 46 => assert!(
                matches!(answer, Err(StoreError::Fault { .. })),
                "{answer:?}"
            ),
            _ => assert_eq!(answer, Ok(()), "{number}"),
        }
    }
    assert_eq!(running.sheet(hero).await.character.score.steps, 29);
    assert_eq!(port.status().setbacks, 0, "no group was parked");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_transfer_items_at_once_on_a_server_that_lets_the_disk_settle() {
    let Some(server) = start_server(&[]) else {
        return;
    };
    let place = Place::Server(url(&server.create_database("belay").unwrap()));
    super::measure::sixty_four_writers_transfer_items_at_once(&place).await;
}

/// The error of a database that cannot be opened.
pub(crate) async fn error(text: &str) -> OpenServerError {
    let opened = Store::open(url(text), StoreOptions::default()).await;
    let error = opened.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("secret"), "{shown}");
    let OpenStoreError::Server(error) = error else {
        panic!("{error}")
    };
    error
}

macro_rules! assert_error {
    ($text:expr, $variant:ident) => {
        let found = error($text).await;
        assert!(
            matches!(found, OpenServerError::$variant { .. }),
            "{found:?}"
        );
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_gone_or_lets_nobody_in_is_told_at_the_start() {
    let Some((server, own)) = server() else {
        return;
    };
    let port = server.port();
    let mut other = connect(&own).await;
    for statement in [
        "CREATE ROLE guarded LOGIN PASSWORD 'right'",
        "CREATE ROLE weak LOGIN",
        "ALTER DATABASE template1 CONNECTION LIMIT 0",
    ] {
        sqlx::raw_sql(statement).execute(&mut other).await.unwrap();
    }
    let at = |user: &str, database: &str| format!("postgres://{user}@127.0.0.1:{port}/{database}");
    assert_error!(&at("guarded:secret", "belay"), Refused);
    assert_error!(&at("stranger:secret", "belay"), Refused);
    assert_error!(&at("belay:secret", "nowhere"), NoDatabase);
    assert_error!(&at("weak:secret", "belay"), NoRight);
    assert_error!(&at("weak:secret", "template1"), TooMany);
    let nowhere = format!("postgres://belay:secret@127.0.0.1:{port}/belay?port=none");
    assert_error!(&nowhere, Address);
    server.kill().unwrap();
    assert_error!(&at("belay:secret", "belay"), Unreachable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_not_for_this_program_is_told_at_the_start_and_left_alone() {
    let Some(server) = shared_server() else {
        return;
    };
    let latin = ["--encoding=LATIN1", "--template=template0", "--locale=C"];
    let latin = server.create_database_with("latin", &latin).unwrap();
    assert_error!(&latin, Encoding);

    let foreign = server.create_database("foreign").unwrap();
    let mut other = connect(&url(&foreign)).await;
    let run = sqlx::raw_sql("CREATE TABLE recipes (id INTEGER)");
    run.execute(&mut other).await.unwrap();
    assert_error!(&foreign, Foreign);
    let tables: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'")
            .fetch_one(&mut other)
            .await
            .unwrap();
    assert_eq!(tables, 1);

    let own = server.create_database("newer").unwrap();
    let running = Running::start(url(&own), StoreOptions::default()).await;
    running.stop().await;
    let mut other = connect(&url(&own)).await;
    let run = sqlx::raw_sql("ALTER DATABASE newer SET default_transaction_read_only = on");
    run.execute(&mut other).await.unwrap();
    assert_error!(&own, ReadOnly);
    for statement in [
        "ALTER DATABASE newer RESET default_transaction_read_only",
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (77, 'of tomorrow', TRUE, '', 0)",
    ] {
        sqlx::raw_sql(statement).execute(&mut other).await.unwrap();
    }
    let found = error(&own).await;
    assert!(
        matches!(
            found,
            OpenServerError::Newer {
                found: 77,
                known: 5,
                ..
            }
        ),
        "{found:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_server_is_the_business_of_its_own_tool() {
    let Some(place) = Place::server() else { return };
    let running = Running::on(&place).await;
    let path = std::env::temp_dir().join("belay-no-backup");
    let answer = ask(|reply| running.port.backup(path.clone(), reply)).await;
    let text = answer.unwrap_err().to_string();
    assert!(text.contains("pg_dump"), "{text}");
    assert!(!path.exists());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_schema_has_the_same_tables_and_nothing_is_left_of_the_probe() {
    let Some(place) = Place::server() else { return };
    Running::on(&place).await.stop().await;
    let Place::Server(url) = &place else {
        unreachable!()
    };
    let mut other = connect(url).await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(tablename AS TEXT) FROM pg_tables \
         WHERE schemaname = 'public' AND tablename NOT LIKE '%sql%' ORDER BY tablename",
    )
    .fetch_all(&mut other)
    .await
    .unwrap();
    let expected = [
        "accounts",
        "bans",
        "characters",
        "clusters",
        "items",
        "network_rules",
        "resume_tokens",
        "staff_actions",
        "zone_epochs",
    ];
    assert_eq!(tables, expected, "a server numbers its transactions itself");
    let actions: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM staff_actions")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(actions, 0);
}
