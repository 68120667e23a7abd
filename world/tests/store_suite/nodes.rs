//! Several nodes on one database at once.

use std::time::Duration;

use belay_world::account::ResumeToken;
use belay_world::ids::ItemId;
use belay_world::store::{
    AccountCreation, CharacterCreation, Owner, Redeemed, SessionEpoch, Store, StoreError,
    StoreOptions, TopUp, Transfer, ZoneEpoch, limits::CHARACTERS_PER_ACCOUNT_MAX,
};

use super::support::{Place, Running, all, ask, connect, name, new_item, post, room, save};

async fn two_nodes() -> Option<[Running; 2]> {
    let place = Place::server()?;
    Some([Running::on(&place).await, Running::on(&place).await])
}

async fn stop(nodes: [Running; 2]) {
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_at_once_make_the_schema_once() {
    let Some(place) = Place::server() else { return };
    let starts = (0..6).map(|_| Store::open(place.database(), StoreOptions::default()));
    for opened in futures_util::future::join_all(starts).await {
        opened.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_nodes_that_reach_for_an_item_one_gets_it() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let account = nodes[0].account("ann").await;
    let heroes = [
        nodes[0].character(account, "one").await,
        nodes[1].character(account, "two").await,
    ];
    let items = vec![new_item(room("town/square")); 200];
    let items = ask(|reply| nodes[0].port.create_items(items, reply))
        .await
        .unwrap();
    let take = |node: usize| {
        let asked = items.iter().map(|item| {
            let to = Owner::Character(heroes[node]);
            nodes[node].transfer(*item, room("town/square"), to)
        });
        futures_util::future::join_all(asked.collect::<Vec<_>>())
    };
    let (first, second) = tokio::join!(take(0), take(1));
    for (number, answers) in first.into_iter().zip(second).enumerate() {
        assert!(
            matches!(
                answers,
                (Transfer::Done, Transfer::Moved) | (Transfer::Moved, Transfer::Done)
            ),
            "{number}: {answers:?}"
        );
    }
    let mut held: Vec<ItemId> = Vec::new();
    for (node, hero) in nodes.iter().zip(heroes) {
        held.extend(node.sheet(hero).await.items.iter().map(|item| item.id));
    }
    held.sort_unstable();
    assert_eq!(held, items);
    stop(nodes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_and_a_token_go_to_one_of_two_nodes() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    for letter in 'a'..='p' {
        let text = format!("ann{letter}");
        let asked = [text.clone(), text.to_uppercase()];
        let created = nodes.iter().zip(&asked).map(|(node, text)| {
            post(|reply| {
                node.port
                    .create_account(name(text), "hash".to_owned(), reply)
            })
        });
        let created = all(created.collect()).await;
        let made: Vec<_> = created
            .into_iter()
            .filter_map(|answer| match answer.unwrap() {
                AccountCreation::Created(account) => Some(account),
                AccountCreation::NameTaken => None,
            })
            .collect();
        assert_eq!(made.len(), 1, "{text}");

        let hero = nodes[0].character(made[0], &format!("hero{letter}")).await;
        let hash = ResumeToken::from_random([u8::try_from(letter).unwrap(); 16]).hash();
        let (holder, lasts) = (
            Redeemed {
                account: made[0],
                character: hero,
            },
            Duration::from_secs(60),
        );
        ask(|reply| nodes[0].port.issue_token(hash, holder, lasts, reply))
            .await
            .unwrap();
        let redeemed = nodes
            .iter()
            .map(|node| post(|reply| node.port.redeem_token(hash, reply)));
        let redeemed = all(redeemed.collect()).await;
        let winners = redeemed
            .iter()
            .filter(|answer| **answer == Ok(Some(holder)));
        assert_eq!(winners.count(), 1, "{redeemed:?}");
    }
    stop(nodes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_make_no_more_characters_than_an_account_may_have() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let account = nodes[0].account("ann").await;
    let asked = (0..20_u8).map(|number| {
        let text = format!("hero{}", char::from(b'a' + number));
        let node = &nodes[usize::from(number % 2)];
        post(|reply| {
            node.port
                .create_character(account, name(&text), "town/inn".to_owned(), reply);
        })
    });
    let answers = all(asked.collect()).await;
    let made = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(CharacterCreation::Created(_))))
        .count();
    assert_eq!(i64::try_from(made), Ok(CHARACTERS_PER_ACCOUNT_MAX));
    stop(nodes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_container_comes_to_lie_in_itself_and_no_item_in_one_that_is_gone() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let square = || room("town/square");
    for _ in 0..30 {
        let bags = [nodes[0].item(square()).await, nodes[1].item(square()).await];
        let coin = nodes[0].item(square()).await;
        let (first, second) = tokio::join!(
            nodes[0].transfer(bags[0], square(), Owner::Container(bags[1])),
            nodes[1].transfer(bags[1], square(), Owner::Container(bags[0])),
        );
        let done = [first, second].map(|answer| answer == Transfer::Done);
        assert_eq!(
            done.iter().filter(|done| **done).count(),
            1,
            "{first:?} {second:?}"
        );
        // The outer one is destroyed while a coin goes into it.
        let outer = bags[usize::from(done[0])];
        let (put, destroyed) = tokio::join!(
            nodes[0].transfer(coin, square(), Owner::Container(outer)),
            ask(|reply| nodes[1].port.destroy_item(outer, square(), reply)),
        );
        assert_eq!(destroyed, Ok(Transfer::Done));
        assert!(matches!(put, Transfer::Done | Transfer::NoPlace), "{put:?}");
        let floor = ask(|reply| nodes[0].port.room_items("town/square".to_owned(), reply)).await;
        let floor = floor.unwrap();
        assert!(floor.iter().any(|item| item.id == coin), "{put:?}");
        assert!(floor.iter().all(|item| item.owner == square()), "{floor:?}");
    }
    stop(nodes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_want_the_same_rows_in_another_order_both_get_them() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let account = nodes[0].account("ann").await;
    let mut heroes = Vec::new();
    for letter in 'a'..='h' {
        heroes.push(nodes[0].character(account, &format!("hero{letter}")).await);
    }
    let mut answers = Vec::new();
    for steps in 0..40 {
        for number in 0..heroes.len() {
            let there = heroes[number];
            let back = heroes[heroes.len() - 1 - number];
            for (node, hero) in nodes.iter().zip([there, back]) {
                answers.push(post(|reply| {
                    node.port.save_characters(vec![save(hero, steps)], reply);
                }));
            }
        }
    }
    for answer in all(answers).await {
        assert_eq!(answer, Ok(()));
    }
    for hero in heroes {
        assert_eq!(nodes[1].sheet(hero).await.character.score.steps, 39);
    }
    stop(nodes).await;
}

/// The old owner of a zone goes on writing while the new one claims it, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_zone_wrote_before_it_was_taken_over_is_there_and_nothing_comes_after() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let mut owner = 0;
    let mut at_most = 0;
    ask(|reply| nodes[0].port.claim_zone("town", ZoneEpoch(1), reply))
        .await
        .unwrap();
    for epoch in 1..=20 {
        let old = nodes[owner].port.for_zone("town", ZoneEpoch(epoch));
        let new = &nodes[1 - owner].port;
        let mut promised = Vec::new();
        for _ in 0..60 {
            at_most += 1;
            let promise = TopUp {
                prototype: "town/coin".to_owned(),
                room_key: "town/inn".to_owned(),
                at_most,
            };
            promised.push(post(|reply| old.top_up(vec![promise], reply)));
        }
        let next = ZoneEpoch(epoch + 1);
        ask(|reply| new.claim_zone("town", next, reply))
            .await
            .unwrap();
        let floor = ask(|reply| new.zone_items("town".to_owned(), reply)).await;
        let floor = floor.unwrap();
        let mut made = Vec::new();
        let mut fenced = false;
        for answer in all(promised).await {
            match answer {
                Ok(lists) => {
                    assert!(!fenced, "made after another was fenced");
                    made.extend(lists.concat());
                }
                Err(StoreError::Fenced) => fenced = true,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(
            made.iter()
                .all(|id| floor.iter().any(|item| item.id == *id)),
            "{epoch}: the new owner read all that the old one made"
        );
        let later = ask(|reply| new.zone_items("town".to_owned(), reply)).await;
        assert_eq!(later.unwrap(), floor, "{epoch}: nothing came after");
        at_most = u16::try_from(floor.len()).unwrap();
        owner = 1 - owner;
    }
    stop(nodes).await;
}

/// Transactions of this database that the server ended: they waited for each other in a circle.
async fn deadlocks(place: &Place) -> i64 {
    let Place::Server(url) = place else { return 0 };
    let mut stranger = connect(url).await;
    // A node's connection tells its count as it ends.
    let others = "SELECT COUNT(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while sqlx::query_scalar::<_, i64>(others)
        .fetch_one(&mut stranger)
        .await
        .unwrap()
        > 0
    {
        tokio::task::yield_now().await;
    }
    let count = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    sqlx::query_scalar(count)
        .fetch_one(&mut stranger)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn regression_a_crowd_that_changes_nodes_makes_none_wait_for_another_in_a_circle() {
    let Some(place) = Place::server() else { return };
    let nodes = [Running::on(&place).await, Running::on(&place).await];
    let mut heroes = Vec::new();
    for number in 0..30_u8 {
        let letters = [b'a' + number / 26, b'a' + number % 26].map(char::from);
        let text = format!("ann{}{}", letters[0], letters[1]);
        let account = nodes[0].account(&text).await;
        heroes.push(nodes[0].character(account, &text).await);
    }
    for round in 1..30 {
        // The one saves them as they leave, the other takes them over in another order.
        let saves = heroes.iter().map(|hero| {
            let port = nodes[0].port.for_character(*hero, SessionEpoch(round));
            post(|reply| port.save_characters(vec![save(*hero, 1)], reply))
        });
        let claims = heroes.iter().rev().map(|hero| {
            let epoch = SessionEpoch(round + 1);
            post(|reply| nodes[1].port.claim_character(*hero, epoch, reply))
        });
        let (saves, claims) = (saves.collect(), claims.collect());
        for saved in all(saves).await {
            assert!(
                matches!(saved, Ok(()) | Err(StoreError::Fenced)),
                "{saved:?}"
            );
        }
        for claimed in all(claims).await {
            assert_eq!(claimed, Ok(()));
        }
    }
    stop(nodes).await;
    assert_eq!(deadlocks(&place).await, 0);
}
