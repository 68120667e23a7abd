//! What can be wrong with the file is told before anything starts, and nothing is touched.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use belay_world::store::{OpenStoreError, Store, StoreOptions, Synchronous};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use super::support::{Folder, Running, ask, name};

async fn error(folder: &Folder, options: StoreOptions) -> OpenStoreError {
    let error = Store::open(folder.database(), options).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("belay.sqlite"), "{text}");
    error
}

async fn other_program(folder: &Folder) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(folder.database())
        .create_if_missing(true);
    options.connect().await.unwrap()
}

async fn run(connection: &mut SqliteConnection, statement: &'static str) {
    sqlx::query(statement).execute(connection).await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let long = "no database at all\n".repeat(1_000);
    for content in ["hello", "SQLite format 3", long.as_str()] {
        let folder = Folder::new();
        std::fs::write(folder.database(), content).unwrap();
        let error = error(&folder, StoreOptions::default()).await;
        assert!(
            matches!(error, OpenStoreError::NotADatabase { .. }),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(folder.database()).unwrap(), content);
    }
}

#[tokio::test]
async fn a_damaged_database_is_refused() {
    let folder = Folder::new();
    let content = ["SQLite format 3\0", &"garbage ".repeat(1_000)].concat();
    std::fs::write(folder.database(), content).unwrap();
    let error = error(&folder, StoreOptions::default()).await;
    assert!(
        matches!(
            error,
            OpenStoreError::NotADatabase { .. } | OpenStoreError::Failed { .. }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_folder_in_its_place_or_no_folder_at_all_is_told() {
    let folder = Folder::new();
    std::fs::create_dir(folder.database()).unwrap();
    let found = error(&folder, StoreOptions::default()).await;
    assert!(
        matches!(found, OpenStoreError::NotADatabase { .. }),
        "{found}"
    );

    let missing = folder.file("missing").join("belay.sqlite");
    let found = Store::open(missing.clone(), StoreOptions::default())
        .await
        .unwrap_err();
    assert!(matches!(found, OpenStoreError::NoFolder { .. }), "{found}");
    assert!(!missing.exists());
}

#[tokio::test]
async fn a_database_of_another_program_is_refused() {
    let folder = Folder::new();
    let mut other = other_program(&folder).await;
    run(&mut other, "CREATE TABLE recipes (id INTEGER)").await;
    other.close().await.unwrap();
    let error = error(&folder, StoreOptions::default()).await;
    assert!(matches!(error, OpenStoreError::Foreign { .. }), "{error}");
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_versions() {
    let folder = Folder::new();
    Running::in_folder(&folder).await.stop().await;
    let mut other = other_program(&folder).await;
    run(
        &mut other,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (77, 'of tomorrow', TRUE, X'00', 0)",
    )
    .await;
    other.close().await.unwrap();
    let error = error(&folder, StoreOptions::default()).await;
    assert!(
        matches!(
            error,
            OpenStoreError::Newer {
                found: 77,
                known: 5,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_full_disk_is_told_at_the_start() {
    for pages in [3, 20] {
        let folder = Folder::new();
        let pages_max = Arc::new(AtomicU32::new(pages));
        let options = StoreOptions {
            pages_max,
            ..StoreOptions::default()
        };
        let error = error(&folder, options).await;
        assert!(
            matches!(error, OpenStoreError::DiskFull { .. }),
            "{pages}: {error}"
        );
    }
}

#[tokio::test]
async fn a_database_that_another_process_holds_is_told() {
    let folder = Folder::new();
    Running::in_folder(&folder).await.stop().await;
    let mut other = other_program(&folder).await;
    run(&mut other, "BEGIN IMMEDIATE").await;
    let lock_wait = Duration::from_millis(1);
    let options = StoreOptions {
        lock_wait,
        ..StoreOptions::default()
    };
    let error = error(&folder, options).await;
    assert!(matches!(error, OpenStoreError::Locked { .. }), "{error}");
}

#[tokio::test]
async fn a_store_opens_again_with_all_it_holds_in_both_modes() {
    let folder = Folder::new();
    for (number, synchronous) in [(0, Synchronous::Normal), (1, Synchronous::Full)] {
        let options = StoreOptions {
            synchronous,
            ..StoreOptions::default()
        };
        let running = Running::start(folder.database(), options).await;
        let known = ask(|reply| running.port.load_account(name("ann"), reply))
            .await
            .unwrap();
        assert_eq!(known.is_some(), number > 0);
        if number == 0 {
            running.account("ann").await;
        }
        running.account(["bob", "cat"][number]).await;
        running.stop().await;
    }
}

#[tokio::test]
async fn the_schema_is_the_agreed_one() {
    let folder = Folder::new();
    Running::in_folder(&folder).await.stop().await;
    let mut other = other_program(&folder).await;
    let journal: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(journal, "wal");
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master \
         WHERE type = 'table' AND name NOT LIKE '%sql%' ORDER BY name",
    )
    .fetch_all(&mut other)
    .await
    .unwrap();
    let expected = [
        "accounts",
        "bans",
        "characters",
        "clusters",
        "commit_groups",
        "items",
        "network_rules",
        "resume_tokens",
        "staff_actions",
        "zone_epochs",
    ];
    assert_eq!(tables, expected, "and nothing is left of the probe");
}
