//! Who was replaced does not write any more: zones by their epoch, characters by their session.

use std::time::Duration;

use belay_world::account::ResumeToken;
use belay_world::ids::{CharacterId, ItemId};
use belay_world::store::{
    ItemTransfer, NewItem, Owner, Redeemed, SessionEpoch, StoreError, StorePort, TopUp, Transfer,
    ZoneEpoch,
};

use super::support::{Place, Running, all, ask, new_item, post, room, save};

async fn claim(port: &StorePort, zone: &str, epoch: u64) -> Result<(), StoreError> {
    ask(|reply| port.claim_zone(zone, ZoneEpoch(epoch), reply)).await
}

async fn claim_character(port: &StorePort, id: CharacterId, epoch: u64) -> Result<(), StoreError> {
    ask(|reply| port.claim_character(id, SessionEpoch(epoch), reply)).await
}

fn coins(at_most: u16) -> TopUp {
    TopUp {
        prototype: "town/coin".to_owned(),
        room_key: "town/inn".to_owned(),
        at_most,
    }
}

async fn top_up(port: &StorePort, at_most: u16) -> Result<usize, StoreError> {
    let made = ask(|reply| port.top_up(vec![coins(at_most)], reply)).await?;
    Ok(made[0].len())
}

async fn transfer(
    port: &StorePort,
    item: ItemId,
    from: Owner,
    to: Owner,
) -> Result<Transfer, StoreError> {
    ask(|reply| port.transfer_item(ItemTransfer { item, from, to }, reply)).await
}

pub(crate) async fn a_zone_is_claimed_under_the_highest_epoch(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    assert_eq!(claim(port, "town", 5).await, Ok(()));
    assert_eq!(claim(port, "town", 5).await, Ok(()), "once more");
    assert_eq!(claim(port, "town", 4).await, Err(StoreError::Fenced));
    assert_eq!(claim(port, "moor", 4).await, Ok(()), "another zone");
    running.stop().await;
    let running = Running::on(place).await;
    let port = &running.port;
    assert_eq!(claim(port, "town", 4).await, Err(StoreError::Fenced));
    assert_eq!(claim(port, "town", u64::MAX).await, Ok(()));
    assert_eq!(claim(port, "town", 6).await, Err(StoreError::Fenced));
    running.stop().await;
}

pub(crate) async fn a_zone_that_was_taken_over_writes_nothing(place: &Place) {
    let running = Running::on(place).await;
    let old = running.port.for_zone("town", ZoneEpoch(5));
    assert_eq!(top_up(&old, 1).await, Err(StoreError::Fenced), "unclaimed");
    claim(&running.port, "town", 5).await.unwrap();
    assert_eq!(top_up(&old, 1).await, Ok(1));
    let item = running.item(room("town/inn")).await;

    claim(&running.port, "town", 9).await.unwrap();
    let new = running.port.for_zone("town", ZoneEpoch(9));
    assert_eq!(top_up(&old, 2).await, Err(StoreError::Fenced));
    let items = vec![new_item(room("town/inn"))];
    let made = ask(|reply| old.create_items(items, reply)).await;
    assert_eq!(made, Err(StoreError::Fenced));
    let (inn, square) = (|| room("town/inn"), || room("town/square"));
    let moved = transfer(&old, item, inn(), square()).await;
    assert_eq!(moved, Err(StoreError::Fenced));
    let destroyed = ask(|reply| old.destroy_item(item, inn(), reply)).await;
    assert_eq!(destroyed, Err(StoreError::Fenced));
    let floor = ask(|reply| old.zone_items("town".to_owned(), reply)).await;
    assert_eq!(floor.unwrap().len(), 2, "reading is free");

    assert_eq!(
        transfer(&new, item, inn(), square()).await,
        Ok(Transfer::Done)
    );
    assert_eq!(top_up(&new, 2).await, Ok(1));
    // Another zone, and whoever has no guard, are not concerned.
    claim(&running.port, "moor", 2).await.unwrap();
    let moor = running.port.for_zone("moor", ZoneEpoch(2));
    assert_eq!(
        transfer(&moor, item, square(), inn()).await,
        Ok(Transfer::Done)
    );
    assert_eq!(top_up(&running.port, 3).await, Ok(1));
    running.stop().await;
}

pub(crate) async fn a_session_that_was_replaced_writes_nothing(place: &Place) {
    let running = Running::on(place).await;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    let item = running.item(room("town/square")).await;
    let (holder, square) = (
        Redeemed {
            account,
            character: hero,
        },
        || room("town/square"),
    );
    let writes = |port: StorePort, steps| async move {
        let saved = ask(|reply| port.save_characters(vec![save(hero, steps)], reply)).await;
        let token = ResumeToken::from_random([u8::try_from(steps).unwrap(); 16]).hash();
        let lasts = Duration::from_secs(60);
        let issued = ask(|reply| port.issue_token(token, holder, lasts, reply)).await;
        let taken = transfer(&port, item, square(), Owner::Character(hero)).await;
        let dropped = transfer(&port, item, Owner::Character(hero), square()).await;
        (saved, issued, taken, dropped)
    };
    let fine = (Ok(()), Ok(()), Ok(Transfer::Done), Ok(Transfer::Done));
    let fenced = || StoreError::Fenced;
    let refused = (Err(fenced()), Err(fenced()), Err(fenced()), Err(fenced()));

    let first = running.port.for_character(hero, SessionEpoch(1));
    assert_eq!(writes(first.clone(), 1).await, fine, "nobody claimed more");
    assert_eq!(claim_character(&first, hero, 1).await, Ok(()));
    assert_eq!(writes(first.clone(), 2).await, fine);
    let second = running.port.for_character(hero, SessionEpoch(2));
    assert_eq!(claim_character(&running.port, hero, 2).await, Ok(()));
    assert_eq!(writes(first.clone(), 99).await, refused);
    assert_eq!(writes(second, 3).await, fine);
    assert_eq!(
        claim_character(&running.port, hero, 1).await,
        Err(StoreError::Fenced)
    );
    let steps = running.sheet(hero).await.character.score.steps;
    assert_eq!(steps, 3, "the late save changed nothing");

    let nobody = claim_character(&running.port, CharacterId(99), 1).await;
    assert_eq!(nobody, Err(StoreError::Missing));
    let ghost = running.port.for_character(CharacterId(99), SessionEpoch(1));
    let saved = ask(|reply| ghost.save_characters(vec![save(CharacterId(99), 1)], reply)).await;
    assert_eq!(saved, Err(StoreError::Missing));
    running.stop().await;
}

pub(crate) async fn a_write_of_a_zone_for_a_character_needs_both(place: &Place) {
    let running = Running::on(place).await;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    let item = running.item(room("town/square")).await;
    claim(&running.port, "town", 3).await.unwrap();
    claim_character(&running.port, hero, 7).await.unwrap();
    let take = |zone, session| {
        let port = running.port.for_zone("town", ZoneEpoch(zone));
        let port = port.for_character(hero, SessionEpoch(session));
        async move { transfer(&port, item, room("town/square"), Owner::Character(hero)).await }
    };
    assert_eq!(take(2, 7).await, Err(StoreError::Fenced));
    assert_eq!(take(3, 6).await, Err(StoreError::Fenced));
    assert_eq!(take(3, 7).await, Ok(Transfer::Done));
    running.stop().await;
}

pub(crate) async fn a_claim_fences_what_is_posted_behind_it_in_the_same_group(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    claim(port, "town", 1).await.unwrap();
    let old = port.for_zone("town", ZoneEpoch(1));
    let create = |port: &StorePort| {
        let items = vec![new_item(room("town/inn"))];
        post(|reply| port.create_items(items, reply))
    };
    // All in the mailbox before the first of them is committed.
    let before: Vec<_> = (0..50).map(|_| create(&old)).collect();
    let claimed = post(|reply| port.claim_zone("town", ZoneEpoch(2), reply));
    let after: Vec<_> = (0..50).map(|_| create(&old)).collect();
    for answer in all(before).await {
        assert!(answer.is_ok(), "{answer:?}");
    }
    assert_eq!(claimed.await, Ok(()));
    for answer in all(after).await {
        assert_eq!(answer, Err(StoreError::Fenced));
    }
    let floor = ask(|reply| port.zone_items("town".to_owned(), reply)).await;
    assert_eq!(floor.unwrap().len(), 50);
    running.stop().await;
}

pub(crate) async fn the_floors_of_one_zone_are_read_in_order_with_what_lies_in_containers(
    place: &Place,
) {
    let running = Running::on(place).await;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    let mut expected = Vec::new();
    for key in ["town/a", "town/z", "town/ä", "town/a/b"] {
        let bag = running.item(room(key)).await;
        expected.extend([bag, running.item(Owner::Container(bag)).await]);
    }
    for key in [
        "town", "town0", "town-2/a", "towns/a", "moor/a", "Town/a", "towm/a",
    ] {
        running.item(room(key)).await;
    }
    running.item(Owner::Character(hero)).await;
    let zone = |key: &str| {
        let key = key.to_owned();
        post(|reply| running.port.zone_items(key, reply))
    };
    let found: Vec<_> = zone("town").await.unwrap().into_iter().collect();
    let ids: Vec<_> = found.iter().map(|item| item.id).collect();
    assert_eq!(ids, expected);
    assert_eq!(zone("nowhere").await, Ok(Vec::new()));
    let new = NewItem {
        origin: Some("town/a".to_owned()),
        ..new_item(room("nowhere/a"))
    };
    let made = ask(|reply| running.port.create_items(vec![new], reply)).await;
    let found = zone("nowhere").await.unwrap();
    assert_eq!(found[0].id, made.unwrap()[0]);
    assert_eq!(found[0].origin.as_deref(), Some("town/a"));
    running.stop().await;
}
