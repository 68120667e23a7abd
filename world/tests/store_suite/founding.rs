//! Clusters that are founded on one database after each other, and at once.

use belay_cluster::limits::EPOCHS_PER_GENERATION;
use belay_world::store::limits::NUMBERS_PER_EPOCH;
use belay_world::store::{
    NewItem, SessionEpoch, Store, StoreError, StoreOptions, StorePort, ZoneEpoch,
};

use super::support::{Place, Running, ask, new_item, room, save};

async fn found(place: &Place, mark: &str) -> u32 {
    let options = StoreOptions::default();
    let entered = Store::found_cluster(place.database(), &options, mark).await;
    entered.unwrap()
}

async fn claim(port: &StorePort, zone: &str, epoch: u64) -> Result<(), StoreError> {
    ask(|reply| port.claim_zone(zone, ZoneEpoch(epoch), reply)).await
}

fn coin() -> Vec<NewItem> {
    vec![new_item(room("town/inn"))]
}

pub(crate) async fn the_first_cluster_of_a_database_begins_with_the_lowest_epochs(place: &Place) {
    assert_eq!(found(place, "aa").await, 0);
    let running = Running::on(place).await;
    assert_eq!(claim(&running.port, "town", 1).await, Ok(()));
    // Its founding is told once, whatever came between.
    assert_eq!(found(place, "aa").await, 0);
    assert_eq!(claim(&running.port, "town", 2).await, Ok(()));
    running.stop().await;
}

pub(crate) async fn a_later_cluster_takes_the_database_from_an_earlier_one_at_once(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let account = running.account("ann").await;
    let hero = running.character(account, "hero").await;
    let idle = running.character(account, "idle").await;
    // A cluster of before foundings were entered.
    claim(port, "town", 700).await.unwrap();
    let old_number = SessionEpoch(700 * NUMBERS_PER_EPOCH + 3);
    let claimed = ask(|reply| port.claim_character(hero, old_number, reply)).await;
    claimed.unwrap();
    let old_zone = port.for_zone("town", ZoneEpoch(700));
    let old_session = port.for_character(hero, old_number);
    ask(|reply| old_zone.create_items(coin(), reply))
        .await
        .unwrap();

    let generation = found(place, "bb").await;
    assert_eq!(generation, 1);
    let base = u64::from(generation) * EPOCHS_PER_GENERATION;
    // Nothing of the old one is written any more, and it takes nothing, claimed or not.
    let fenced = || StoreError::Fenced;
    let made = ask(|reply| old_zone.create_items(coin(), reply)).await;
    assert_eq!(made, Err(fenced()));
    let saved = ask(|reply| old_session.save_characters(vec![save(hero, 9)], reply)).await;
    assert_eq!(saved, Err(fenced()));
    for (zone, epoch) in [("town", 701), ("moor", 702), ("town", base - 1)] {
        assert_eq!(claim(port, zone, epoch).await, Err(fenced()), "{zone}");
    }
    for character in [hero, idle] {
        let late = SessionEpoch(base * NUMBERS_PER_EPOCH - 1);
        let claimed = ask(|reply| port.claim_character(character, late, reply)).await;
        assert_eq!(claimed, Err(fenced()));
    }
    // The new one has it all.
    for zone in ["town", "moor"] {
        assert_eq!(claim(port, zone, base + 4).await, Ok(()), "{zone}");
    }
    let new_zone = port.for_zone("town", ZoneEpoch(base + 4));
    let made = ask(|reply| new_zone.create_items(coin(), reply)).await;
    assert!(made.is_ok(), "{made:?}");
    let number = SessionEpoch((base + 4) * NUMBERS_PER_EPOCH);
    let claimed = ask(|reply| port.claim_character(hero, number, reply)).await;
    assert_eq!(claimed, Ok(()));
    let new_session = port.for_character(hero, number);
    let saved = ask(|reply| new_session.save_characters(vec![save(hero, 5)], reply)).await;
    assert_eq!(saved, Ok(()));
    assert_eq!(running.sheet(hero).await.character.score.steps, 5);
    assert_eq!(found(place, "bb").await, 1, "once more");
    assert_eq!(found(place, "cc").await, 2, "and another one");
    running.stop().await;
}

#[tokio::test]
async fn clusters_that_are_founded_at_once_get_generations_of_their_own() {
    let Some(place) = Place::server() else {
        return;
    };
    let marks = ["aa", "bb", "cc", "dd"];
    let foundings = marks.map(|mark| found(&place, mark));
    let mut generations = futures_util::future::join_all(foundings).await;
    generations.sort_unstable();
    assert_eq!(generations, [0, 1, 2, 3]);
}
