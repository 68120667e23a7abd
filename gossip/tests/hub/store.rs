//! `[edge]` A database that fails, before the start and under a running hub.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use belay_gossip::hub::store::{Database, Store};
use belay_runtime::{Node, Supervisor};
use serde_json::Value;
use sqlx::{Connection as _, SqliteConnection};

use crate::stand::{Directory, Hub, PATIENCE, add_game, run, said, say, until, well};

#[tokio::test]
async fn a_file_that_is_no_database_of_ours_is_told_and_left_alone() {
    let directory = Directory::new();
    let file = directory.join("hub.sqlite");
    let garbage = vec![0x42; 100_000];
    fs::write(&file, &garbage).unwrap();
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["game", "add", "GameA"],
    ] {
        let (code, _, err) = said(&run(directory.path(), arguments).await);
        assert_eq!(code, 65, "{err}");
        assert!(err.contains("is not a database, or damaged"), "{err}");
    }
    assert_eq!(fs::read(&file).unwrap(), garbage);
    fs::remove_file(&file).unwrap();
    let url = format!("sqlite://{}?mode=rwc", file.display());
    let mut foreign = SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("CREATE TABLE recipes (name TEXT)")
        .execute(&mut foreign)
        .await
        .unwrap();
    foreign.close().await.unwrap();
    let (code, _, err) = said(&run(directory.path(), &["game", "list"]).await);
    assert_eq!(code, 65, "{err}");
    assert!(err.contains("the database of another program"), "{err}");
}

#[tokio::test]
async fn regression_the_database_is_private_from_its_first_byte() {
    let directory = Directory::new();
    let mode = |name: &str| {
        let metadata = fs::metadata(directory.join(name)).expect(name);
        metadata.permissions().mode() & 0o777
    };
    let files = ["hub.sqlite", "hub.sqlite-wal", "hub.sqlite-shm"];
    let database = Database::open(directory.path()).await.unwrap();
    assert_eq!(files.map(mode), [0o600; 3]);
    // Those of an earlier, careless time as well.
    for name in files {
        fs::set_permissions(directory.join(name), Permissions::from_mode(0o644)).unwrap();
    }
    let again = Database::open(directory.path()).await.unwrap();
    assert_eq!(files.map(mode), [0o600; 3]);
    again.close().await.unwrap();
    database.close().await.unwrap();
}

#[tokio::test]
async fn regression_a_directory_that_finds_no_room_is_offered_again() {
    let directory = Directory::new();
    add_game(directory.path(), "GameA", &[]).await;
    let offers = Arc::new(AtomicU32::new(0));
    let offered = Arc::clone(&offers);
    let store = Store::new(directory.path());
    let spec = store.spec(Arc::new(move |_| offered.fetch_add(1, Relaxed) >= 1));
    let node = Node::start(Supervisor::builder("hub").child(spec)).await;
    let node = node.unwrap();
    until(|| async { offers.load(Relaxed) }, |offers| *offers == 2).await;
    node.stop(PATIENCE).await;
    assert_eq!(
        offers.load(Relaxed),
        2,
        "what was taken is not offered again"
    );
}

#[tokio::test]
async fn a_directory_that_cannot_be_is_told() {
    let directory = Directory::new();
    let file = directory.join("file");
    fs::write(&file, "x").unwrap();
    let (code, _, err) = said(&run(&file.join("data"), &["game", "add", "GameA"]).await);
    assert_eq!(code, 73, "{err}");
    assert!(
        err.contains("choose another data directory with --data DIR"),
        "{err}"
    );
    fs::create_dir(directory.join("hub.sqlite")).unwrap();
    let (code, _, err) = said(&run(directory.path(), &["game", "list"]).await);
    assert_eq!(code, 73, "{err}");
}

#[tokio::test]
async fn a_locked_database_holds_up_neither_chat_nor_start_and_is_written_later() {
    let directory = Directory::new();
    let data = directory.path();
    let first = add_game(data, "GameA", &[]).await;
    let second = add_game(data, "GameB", &[]).await;
    let url = format!("sqlite://{}", directory.join("hub.sqlite").display());
    let mut other = SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let hub = Hub::start(data, &[]).await;
    let mut speaker = hub.join(&first, &["gossip"]).await;
    let mut listener = hub.join(&second, &["gossip"]).await;
    until(|| hub.figure("store_failing"), |failing| *failing == 1.0).await;
    assert!(hub.health().await.starts_with("HTTP/1.1 503 "));
    listener.settle().await;
    speaker.send(say("gossip", "hello")).await;
    assert_eq!(
        listener.event("channels/broadcast").await["payload"]["message"],
        "hello"
    );
    let (code, _, err) = said(&run(data, &["game", "disable", "GameA"]).await);
    assert_eq!(code, 69, "{err}");
    assert!(err.contains("locked by another process"), "{err}");
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    let seen = || async {
        let games: Value =
            serde_json::from_str(&well(data, &["game", "list", "--json"]).await).unwrap();
        (
            games[0]["user_agent"].clone(),
            games[1]["last_seen"].is_i64(),
        )
    };
    until(seen, |seen| *seen == (Value::from("Test 1"), true)).await;
    until(|| hub.figure("store_failing"), |failing| *failing == 0.0).await;
}

#[tokio::test]
async fn a_database_that_is_spoiled_under_the_hub_ends_no_chat_and_a_good_one_is_taken() {
    let directory = Directory::new();
    let data = directory.path();
    let first = add_game(data, "GameA", &[]).await;
    let second = add_game(data, "GameB", &[]).await;
    let file = directory.join("hub.sqlite");
    let copy = fs::read(&file).unwrap();
    let hub = Hub::start(data, &[]).await;
    let mut speaker = hub.join(&first, &["gossip"]).await;
    for extra in ["hub.sqlite-wal", "hub.sqlite-shm"] {
        drop(fs::remove_file(directory.join(extra)));
    }
    fs::remove_file(&file).unwrap();
    fs::write(&file, vec![0x42; 100_000]).unwrap();
    until(|| hub.figure("store_failing"), |failing| *failing == 1.0).await;
    // The last good directory holds.
    let mut listener = hub.join(&second, &["gossip"]).await;
    listener.settle().await;
    speaker.send(say("gossip", "hello")).await;
    assert_eq!(
        listener.event("channels/broadcast").await["payload"]["message"],
        "hello"
    );
    fs::remove_file(&file).unwrap();
    fs::write(&file, copy).unwrap();
    until(|| hub.figure("store_failing"), |failing| *failing == 0.0).await;
    well(data, &["game", "disable", "GameA"]).await;
    speaker.ended().await;
    assert_eq!(hub.figure("restarts_total").await, 0.0);
}
