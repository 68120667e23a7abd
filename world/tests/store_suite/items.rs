//! Items: one owner each, whoever races for them.

use belay_world::ids::{CharacterId, ItemId};
use belay_world::store::{
    NewItem, Owner, StoreError, TopUp, Transfer, limits::CONTAINER_DEPTH_MAX,
};

use super::support::{Place, Running, all, ask, name, new_item, post, room, save};

pub(crate) async fn of_many_who_reach_for_one_item_exactly_one_gets_it(place: &Place) {
    let running = Running::on(place).await;
    let mut characters = Vec::new();
    for number in 0..8_u8 {
        let text = format!("acc{}", char::from(b'a' + number));
        let account = running.account(&text).await;
        for part in 0..8_u8 {
            let text = format!("{text}x{}", char::from(b'a' + part));
            characters.push(running.character(account, &text).await);
        }
    }
    for _ in 0..20 {
        let item = running.item(room("town/square")).await;
        let asked = characters.iter().map(|character| {
            running.transfer(item, room("town/square"), Owner::Character(*character))
        });
        let answers = futures_util::future::join_all(asked).await;
        let winners: Vec<_> = (0..characters.len())
            .filter(|n| answers[*n] == Transfer::Done)
            .collect();
        assert_eq!(winners.len(), 1, "{answers:?}");
        for (number, character) in characters.iter().enumerate() {
            let holds = running
                .sheet(*character)
                .await
                .items
                .iter()
                .any(|held| held.id == item);
            assert_eq!(holds, number == winners[0], "{character:?}");
        }
    }
    let left = ask(|reply| running.port.all_room_items(reply))
        .await
        .unwrap();
    assert_eq!(left, []);
    running.stop().await;
}

pub(crate) async fn writes_are_made_and_answered_in_the_order_in_which_they_were_posted(
    place: &Place,
) {
    let running = Running::on(place).await;
    let item = running.item(room("step/0")).await;
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1_000);
    // Each transfer can only succeed when the one before it is done.
    for number in 0..1_000 {
        let (from, to) = (format!("step/{number}"), format!("step/{}", number + 1));
        let transfer = belay_world::store::ItemTransfer {
            item,
            from: room(&from),
            to: room(&to),
        };
        let sender = sender.clone();
        running.port.transfer_item(transfer, move |answer| {
            sender.try_send((number, answer)).unwrap();
        });
    }
    for number in 0..1_000 {
        assert_eq!(receiver.recv().await, Some((number, Ok(Transfer::Done))));
    }
    let status = running.port.status();
    assert!(
        status.writes >= 1_001 && status.groups < status.writes / 4,
        "grouped: {status:?}"
    );
    running.stop().await;
}

pub(crate) async fn a_write_that_fails_fails_alone_in_its_group(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let item = running.item(room("town/square")).await;
    let mut answers = Vec::new();
    for steps in 0..50 {
        answers.push(post(|reply| {
            port.save_characters(vec![save(hero, steps)], reply)
        }));
        answers.push(post(|reply| {
            port.save_characters(vec![save(CharacterId(99), 1)], reply)
        }));
        answers.push(post(|reply| {
            port.touch_login(belay_world::ids::AccountId(99), reply)
        }));
    }
    let moved = post(|reply| {
        let transfer = belay_world::store::ItemTransfer {
            item,
            from: room("town/square"),
            to: Owner::Character(hero),
        };
        port.transfer_item(transfer, reply);
    });
    for (number, answer) in all(answers).await.into_iter().enumerate() {
        let expected = if number % 3 == 0 {
            Ok(())
        } else {
            Err(StoreError::Missing)
        };
        assert_eq!(answer, expected, "{number}");
    }
    assert_eq!(moved.await, Ok(Transfer::Done));
    let sheet = running.sheet(hero).await;
    assert_eq!((sheet.character.score.steps, sheet.items.len()), (49, 1));
    assert_eq!(port.status().setbacks, 0, "no group was tried twice");
    running.stop().await;
}

pub(crate) async fn a_transfer_names_the_owner_before_it_and_a_place_that_exists(place: &Place) {
    let running = Running::on(place).await;
    let ann = running.account("ann").await;
    let hero = Owner::Character(running.character(ann, "hero").await);
    let square = || room("town/square");
    let item = running.item(square()).await;
    let moves = [
        (square(), hero.clone(), Transfer::Done),
        (square(), hero.clone(), Transfer::Moved),
        (room("town/inn"), square(), Transfer::Moved),
        (
            hero.clone(),
            Owner::Character(CharacterId(99)),
            Transfer::NoPlace,
        ),
        (
            hero.clone(),
            Owner::Container(ItemId(99)),
            Transfer::NoPlace,
        ),
        (hero.clone(), square(), Transfer::Done),
    ];
    for (from, to, expected) in moves {
        let answer = running.transfer(item, from.clone(), to.clone()).await;
        assert_eq!(answer, expected, "{from:?} -> {to:?}");
    }
    assert_eq!(
        running.transfer(ItemId(99), square(), hero).await,
        Transfer::Moved
    );
    running.stop().await;
}

pub(crate) async fn a_container_takes_its_content_along_and_never_holds_itself(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let square = || room("town/square");
    let bag = running.item(square()).await;
    let pouch = running.item(Owner::Container(bag)).await;
    let coin = running.item(Owner::Container(pouch)).await;
    let stone = running.item(square()).await;
    let ids = |items: Vec<belay_world::store::ItemRecord>| -> Vec<ItemId> {
        items.into_iter().map(|item| item.id).collect()
    };
    let on_floor = ask(|reply| port.room_items("town/square".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(ids(on_floor), [bag, pouch, coin, stone]);

    for inner in [bag, pouch, coin] {
        let answer = running
            .transfer(bag, square(), Owner::Container(inner))
            .await;
        assert_eq!(answer, Transfer::NoPlace, "the bag into {inner:?}");
    }
    assert_eq!(
        running
            .transfer(bag, square(), Owner::Character(hero))
            .await,
        Transfer::Done
    );
    assert_eq!(ids(running.sheet(hero).await.items), [bag, pouch, coin]);
    assert_eq!(
        ids(ask(|reply| port.all_room_items(reply)).await.unwrap()),
        [stone]
    );

    // Somebody else's: it stays whole.
    let destroy = |item, owner| post(move |reply| port.destroy_item(item, owner, reply));
    assert_eq!(destroy(bag, square()).await, Ok(Transfer::Moved));
    assert_eq!(
        destroy(bag, Owner::Character(hero)).await,
        Ok(Transfer::Done)
    );
    assert_eq!(
        destroy(bag, Owner::Character(hero)).await,
        Ok(Transfer::Moved)
    );
    let items = running.sheet(hero).await.items;
    assert_eq!(
        items[0].owner,
        Owner::Character(hero),
        "the content falls to the owner"
    );
    assert_eq!(ids(items), [pouch, coin]);
    assert!(
        running.item(square()).await > stone,
        "a number is never used twice"
    );
    running.stop().await;
}

pub(crate) async fn containers_stand_in_each_other_only_so_deep(place: &Place) {
    let running = Running::on(place).await;
    let mut inner = running.item(room("town/square")).await;
    for depth in 1..=CONTAINER_DEPTH_MAX + 1 {
        let next = running.item(room("town/square")).await;
        let answer = running
            .transfer(next, room("town/square"), Owner::Container(inner))
            .await;
        let fits = depth <= CONTAINER_DEPTH_MAX;
        assert_eq!(answer == Transfer::Done, fits, "{depth}: {answer:?}");
        inner = next;
    }
    running.stop().await;
}

pub(crate) async fn items_are_made_all_or_none_with_their_prototype_and_origin(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let reset = NewItem {
        origin: Some("town/cellar".to_owned()),
        ..new_item(room("town/inn"))
    };
    let made = ask(|reply| port.create_items(vec![reset.clone(), reset.clone()], reply)).await;
    let made = made.unwrap();
    assert!(made[0] < made[1]);
    let items = ask(|reply| port.room_items("town/inn".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(
        (&items[0].prototype, &items[0].origin, &items[0].owner),
        (&reset.prototype, &reset.origin, &reset.owner)
    );
    assert_eq!(
        ask(|reply| port.create_items(Vec::new(), reply)).await,
        Ok(Vec::new())
    );
    assert_eq!(
        ask(|reply| port.find_character(name("nobodyx"), reply)).await,
        Ok(None)
    );
    running.stop().await;
}

fn promise(room_key: &str, prototype: &str, at_most: u16) -> TopUp {
    TopUp {
        prototype: prototype.to_owned(),
        room_key: room_key.to_owned(),
        at_most,
    }
}

pub(crate) async fn a_reset_tops_up_what_it_made_wherever_that_is(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let hero = Owner::Character(running.character(ann, "hero").await);
    let coins = || promise("town/inn", "town/coin", 3);
    // Two in a row, the second before the first is answered: together they make three.
    let asked = [(); 2].map(|()| post(|reply| port.top_up(vec![coins()], reply)));
    let mut answers = all(asked.into()).await.into_iter().map(Result::unwrap);
    let made = answers.next().unwrap().remove(0);
    assert_eq!(made.len(), 3);
    assert_eq!(answers.next(), Some(vec![vec![]]));

    // Carried, in another room and in a bag, they count.
    let inn = || room("town/inn");
    let bag = running.item(room("town/square")).await;
    for (coin, to) in [
        (made[0], hero),
        (made[1], room("town/square")),
        (made[2], Owner::Container(bag)),
    ] {
        assert_eq!(running.transfer(coin, inn(), to).await, Transfer::Done);
    }
    // What another reset made, or nobody's, does not count, nor does another kind.
    running.item(inn()).await;
    let others = vec![
        promise("town/square", "town/coin", 1),
        coins(),
        promise("town/inn", "town/sword", 1),
        promise("town/inn", "town/lamp", 0),
    ];
    let answer = ask(|reply| port.top_up(others, reply)).await.unwrap();
    let counts: Vec<_> = answer.iter().map(Vec::len).collect();
    assert_eq!(counts, [1, 0, 1, 0]);

    // One is destroyed: one comes back, with its origin.
    let destroyed = ask(|reply| port.destroy_item(made[1], room("town/square"), reply)).await;
    assert_eq!(destroyed, Ok(Transfer::Done));
    let answer = ask(|reply| port.top_up(vec![coins()], reply)).await;
    let back = answer.unwrap().remove(0);
    assert_eq!(back.len(), 1);
    let at_inn = ask(|reply| port.room_items("town/inn".to_owned(), reply)).await;
    let coin = at_inn.unwrap().into_iter().find(|item| item.id == back[0]);
    let coin = coin.unwrap();
    assert_eq!(coin.prototype, "town/coin");
    assert_eq!(coin.origin.as_deref(), Some("town/inn"));
    // A content with a smaller promise takes nothing away.
    let fewer = promise("town/inn", "town/coin", 1);
    let answer = ask(|reply| port.top_up(vec![fewer], reply)).await;
    assert_eq!(answer, Ok(vec![vec![]]));
    running.stop().await;
}
