//! The database fails while the node runs: writes park and drain, nothing is lost in silence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::support::{Folder, Place, Running, all, ask, name, new_item, post, room, save, until};
use belay_world::store::{
    Owner, Store, StoreError, StoreOptions, TopUp, Transfer,
    limits::{READ_QUEUE_MAX, READERS, WRITE_QUEUE_MAX},
};

/// Does not wait long for locks.
fn impatient() -> StoreOptions {
    StoreOptions {
        lock_wait: Duration::from_millis(1),
        ..StoreOptions::default()
    }
}

pub(crate) async fn writes_park_while_the_database_fails_and_drain_in_order_when_it_works_again(
    place: &Place,
) {
    let running = Running::start(place.database(), impatient()).await;
    let port = &running.port;
    let item = running.item(room("step/0")).await;
    let mut other = place.stranger().await;
    other.hold().await;

    let transfer = |number: u32| {
        let (from, to) = (format!("step/{number}"), format!("step/{}", number + 1));
        let transfer = belay_world::store::ItemTransfer {
            item,
            from: room(&from),
            to: room(&to),
        };
        post(|reply| port.transfer_item(transfer, reply))
    };
    let mut answers: Vec<_> = (0..100).map(transfer).collect();
    until(|| port.status().failing).await;
    answers.extend((100..600).map(transfer));
    until(|| port.status().parked == 600).await;
    let seen = ask(|reply| port.room_items("step/0".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(seen.len(), 1, "reads go on and see what is committed");

    other.run("ROLLBACK").await;
    for (number, answer) in all(answers).await.into_iter().enumerate() {
        assert_eq!(answer, Ok(Transfer::Done), "{number}");
    }
    until(|| !port.status().failing).await;
    let status = port.status();
    assert_eq!(status.parked, 0);
    assert!(status.setbacks > 0);
    let seen = ask(|reply| port.room_items("step/600".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(seen.len(), 1);
    running.stop().await;
}

pub(crate) async fn resets_that_parked_make_no_more_than_one_would(place: &Place) {
    let running = Running::start(place.database(), impatient()).await;
    let port = &running.port;
    let mut other = place.stranger().await;
    other.hold().await;
    let promise = TopUp {
        prototype: "town/coin".to_owned(),
        room_key: "town/inn".to_owned(),
        at_most: 2,
    };
    let top_up = || post(|reply| port.top_up(vec![promise.clone()], reply));
    let first = top_up();
    until(|| port.status().failing).await;
    let answers = all(vec![first, top_up(), top_up()]);
    other.run("ROLLBACK").await;
    let made: Vec<_> = answers.await.into_iter().map(Result::unwrap).collect();
    assert_eq!(made[0][0].len(), 2);
    assert_eq!(made[1..], [vec![vec![]], vec![vec![]]]);
    let stored = ask(|reply| port.all_room_items(reply)).await.unwrap();
    assert_eq!(stored.len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn a_full_disk_parks_writes_until_there_is_room() {
    let folder = Folder::new();
    let pages_max = Arc::new(AtomicU32::new(80));
    let options = StoreOptions {
        pages_max: Arc::clone(&pages_max),
        ..StoreOptions::default()
    };
    let running = Running::start(folder.database(), options).await;
    let port = &running.port;
    let hundred = || vec![new_item(room("town/square")); 100];
    // Far more than the file may hold.
    let answers: Vec<_> = (0..60)
        .map(|_| post(|reply| port.create_items(hundred(), reply)))
        .collect();
    until(|| port.status().failing).await;
    let last = post(|reply| port.create_account(name("ann"), "hash".to_owned(), reply));
    until(|| port.status().parked > 1).await;

    pages_max.store(0, Ordering::Relaxed);
    let asked = answers.len();
    let mut ids = Vec::new();
    for answer in all(answers).await {
        ids.extend(answer.unwrap());
    }
    last.await.unwrap();
    let stored = ask(|reply| port.all_room_items(reply)).await.unwrap();
    assert_eq!(
        stored.iter().map(|item| item.id).collect::<Vec<_>>(),
        ids,
        "no more and no less"
    );
    assert_eq!(ids.len(), asked * 100);
    running.stop().await;
}

pub(crate) async fn a_full_park_refuses_new_writes_and_keeps_the_old_ones(place: &Place) {
    let options = StoreOptions {
        parked_writes_max: 10,
        ..impatient()
    };
    let running = Running::start(place.database(), options).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let mut other = place.stranger().await;
    other.hold().await;

    let write = |steps| post(move |reply| port.save_characters(vec![save(hero, steps)], reply));
    let first = write(1);
    until(|| port.status().failing).await;
    let kept: Vec<_> = (2..=10).map(write).collect();
    until(|| port.status().parked == 10).await;
    assert_eq!(
        write(99).await,
        Err(StoreError::Busy),
        "answered while the database still fails"
    );
    assert!(port.status().refused >= 1);

    other.run("ROLLBACK").await;
    assert_eq!(first.await, Ok(()));
    for answer in all(kept).await {
        assert_eq!(answer, Ok(()));
    }
    assert_eq!(running.sheet(hero).await.character.score.steps, 10);
    running.stop().await;
}

pub(crate) async fn a_stop_while_the_database_fails_answers_what_is_lost(place: &Place) {
    let running = Running::start(place.database(), impatient()).await;
    let ann = running.account("ann").await;
    let mut other = place.stranger().await;
    other.hold().await;
    let write = post(|reply| running.port.touch_login(ann, reply));
    until(|| running.port.status().failing).await;
    let port = running.port.clone();
    running.stop().await;
    assert_eq!(write.await, Err(StoreError::Lost));
    let late = ask(|reply| port.touch_login(ann, reply)).await;
    assert_eq!(late, Err(StoreError::Lost), "the store has stopped");
    let late = ask(|reply| port.load_account(name("ann"), reply)).await;
    assert_eq!(late, Err(StoreError::Lost));
}

pub(crate) async fn a_stop_commits_everything_that_was_posted_before_it(place: &Place) {
    let running = Running::on(place).await;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let answers: Vec<_> = (0..2_000)
        .map(|steps| post(|reply| running.port.save_characters(vec![save(hero, steps)], reply)))
        .collect();
    running.stop().await;
    for answer in all(answers).await {
        assert_eq!(answer, Ok(()));
    }
    let running = Running::on(place).await;
    assert_eq!(running.sheet(hero).await.character.score.steps, 1_999);
    running.stop().await;
}

pub(crate) async fn full_queues_refuse_at_once_and_every_request_is_answered_once(place: &Place) {
    let store = Store::open(place.database(), StoreOptions::default())
        .await
        .unwrap();
    let port = store.port();
    // Its processes were never started: the queues fill up.
    let write = || post(|reply| port.create_account(name("ann"), "hash".to_owned(), reply));
    let read = || post(|reply| port.load_account(name("ann"), reply));
    let writes: Vec<_> = (0..WRITE_QUEUE_MAX).map(|_| write()).collect();
    let reads: Vec<_> = (0..READ_QUEUE_MAX * u32::from(READERS))
        .map(|_| read())
        .collect();
    assert_eq!(write().await, Err(StoreError::Busy));
    assert_eq!(read().await, Err(StoreError::Busy));
    assert_eq!(port.status().refused, 2);
    drop(store);
    drop(port);
    for answer in all(writes).await {
        assert_eq!(answer, Err(StoreError::Lost));
    }
    for answer in all(reads).await {
        assert_eq!(answer, Err(StoreError::Lost));
    }
}

pub(crate) async fn a_row_that_nobody_wrote_is_a_fault_of_that_read_only(place: &Place) {
    let running = Running::on(place).await;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    running.item(Owner::Character(hero)).await;
    let mut other = place.stranger().await;
    other
        .run("UPDATE characters SET settings = '{broken'")
        .await;
    let sheet = running.sheet(hero).await;
    assert_eq!(
        sheet.character.settings,
        belay_world::store::Settings::default()
    );

    other.run("UPDATE characters SET name = '?'").await;
    for _ in 0..4 {
        let answer = ask(|reply| running.port.load_character(hero, reply)).await;
        assert!(
            matches!(answer, Err(StoreError::Fault { .. })),
            "{answer:?}"
        );
    }
    let account = ask(|reply| running.port.load_account(name("ann"), reply)).await;
    assert!(account.unwrap().is_some(), "the readers go on");
    running.stop().await;
}

pub(crate) async fn reads_answer_an_error_while_the_file_cannot_be_read(place: &Place) {
    let running = Running::start(place.database(), impatient()).await;
    running.account("ann").await;
    let mut other = place.stranger().await;
    other.run("ALTER TABLE accounts RENAME TO gone").await;
    let answer = ask(|reply| running.port.load_account(name("ann"), reply)).await;
    assert!(
        matches!(answer, Err(StoreError::Fault { .. })),
        "{answer:?}"
    );
    other.run("ALTER TABLE gone RENAME TO accounts").await;
    let answer = ask(|reply| running.port.load_account(name("ann"), reply)).await;
    assert!(answer.unwrap().is_some());
    running.stop().await;
}

pub(crate) async fn a_reply_that_panics_harms_neither_the_store_nor_its_neighbours(place: &Place) {
    let running = Running::on(place).await;
    let ann = running.account("ann").await;
    let before = post(|reply| running.port.touch_login(ann, reply));
    running
        .port
        .touch_login(ann, |_| panic!("a bug of the asker"));
    let after = post(|reply| running.port.touch_login(ann, reply));
    assert_eq!((before.await, after.await), (Ok(()), Ok(())));
    running
        .port
        .load_account(name("ann"), |_| panic!("a bug of the asker"));
    let answer = ask(|reply| running.port.load_account(name("ann"), reply)).await;
    assert!(answer.unwrap().is_some());
    running.stop().await;
}
