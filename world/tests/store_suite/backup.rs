//! Backups made while everybody goes on writing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use belay_world::store::{BackupError, Owner};

use super::support::{Folder, Running, ask, name, new_item, post, room, save};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_while_writing_is_one_moment_of_the_database() {
    let folder = Folder::new();
    let running = Arc::new(Running::in_folder(&folder).await);
    let ann = running.account("ann").await;
    let (one, two) = (
        running.character(ann, "one").await,
        running.character(ann, "two").await,
    );
    let items = vec![new_item(room("town/square")); 2_000];
    ask(|reply| running.port.create_items(items, reply))
        .await
        .unwrap();
    let done = Arc::new(AtomicBool::new(false));

    // Both characters always have the same steps, and they only grow.
    let writing = {
        let (running, done) = (Arc::clone(&running), Arc::clone(&done));
        async move {
            let mut steps = 0;
            while !done.load(Ordering::Relaxed) {
                steps += 1;
                let saves = vec![save(one, steps), save(two, steps)];
                ask(|reply| running.port.save_characters(saves, reply))
                    .await
                    .unwrap();
            }
            steps
        }
    };
    let backing_up = async {
        for number in 0..5 {
            let path = folder.file(&format!("backup-{number}.sqlite"));
            ask(|reply| running.port.backup(path, reply)).await.unwrap();
        }
        done.store(true, Ordering::Relaxed);
    };
    let (steps_last, ()) = tokio::join!(writing, backing_up);
    assert!(steps_last > 5, "writing went on: {steps_last}");

    let mut steps_before = 0;
    for number in 0..5 {
        let path = folder.file(&format!("backup-{number}.sqlite"));
        let backup =
            Running::start(path.as_path(), belay_world::store::StoreOptions::default()).await;
        let (one, two) = (
            backup.sheet(one).await.character,
            backup.sheet(two).await.character,
        );
        assert_eq!(one.score, two.score);
        assert!((steps_before..=steps_last).contains(&one.score.steps));
        steps_before = one.score.steps;
        let items = ask(|reply| backup.port.all_room_items(reply))
            .await
            .unwrap();
        assert_eq!(items.len(), 2_000);
        backup.stop().await;
    }
    Arc::into_inner(running).unwrap().stop().await;
}

#[tokio::test]
async fn a_backup_replaces_no_file_and_leaves_nothing_half_done() {
    let folder = Folder::new();
    let running = Running::in_folder(&folder).await;
    let backup = |path| post(|reply| running.port.backup(path, reply));
    let taken = folder.file("taken");
    std::fs::write(&taken, "precious").unwrap();
    assert_eq!(
        backup(taken.clone()).await,
        Err(BackupError::Exists {
            path: taken.clone()
        })
    );
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "precious");
    let database = folder.database();
    assert_eq!(
        backup(database.clone()).await,
        Err(BackupError::Exists { path: database })
    );

    let nowhere = folder.file("missing").join("backup");
    let answer = backup(nowhere).await;
    assert!(
        matches!(answer, Err(BackupError::Failed { .. })),
        "{answer:?}"
    );

    // What a killed backup left behind is in nobody's way.
    let target = folder.file("target");
    std::fs::write(folder.file("target.unfinished"), "half a file").unwrap();
    assert_eq!(backup(target.clone()).await, Ok(()));
    assert!(target.exists() && !folder.file("target.unfinished").exists());
    running.stop().await;
}

#[tokio::test]
async fn more_than_one_waiting_backup_is_refused() {
    let folder = Folder::new();
    let store = belay_world::store::Store::open(folder.database(), Default::default()).await;
    let store = store.unwrap();
    let port = store.port();
    // Its processes were never started: the first one waits.
    let first = post(|reply| port.backup(folder.file("one"), reply));
    let second = post(|reply| port.backup(folder.file("two"), reply));
    assert_eq!(second.await, Err(BackupError::Busy));
    drop((store, port));
    assert_eq!(first.await, Err(BackupError::Stopped));
}

#[tokio::test]
async fn a_backup_holds_the_items_of_characters_too() {
    let folder = Folder::new();
    let running = Running::in_folder(&folder).await;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    running.item(Owner::Character(hero)).await;
    let path = folder.file("copy");
    ask(|reply| running.port.backup(path.clone(), reply))
        .await
        .unwrap();
    running.stop().await;
    let copy = Running::start(path.as_path(), Default::default()).await;
    assert_eq!(copy.sheet(hero).await.items.len(), 1);
    let account = ask(|reply| copy.port.load_account(name("ann"), reply)).await;
    assert_eq!(account.unwrap().unwrap().id, ann);
    copy.stop().await;
}

#[tokio::test]
async fn regression_nobody_else_may_read_the_database_or_its_backup() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let running = Running::in_folder(&folder).await;
    let path = folder.file("backup.sqlite");
    ask(|reply| running.port.backup(path.clone(), reply))
        .await
        .unwrap();
    for file in [folder.database(), path] {
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}
