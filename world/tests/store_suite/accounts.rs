//! Accounts, characters, tokens, bans and the staff's record.

use std::net::IpAddr;
use std::time::Duration;

use belay_world::account::ResumeToken;
use belay_world::ids::{AccountId, CharacterId};
use belay_world::store::{
    AccountCreation, BanSubject, CharacterCreation, ColorSetting, Network, NewBan, Redeemed, Role,
    Score, Settings, StaffAction, StoreError, StoreOptions, UnixMillis, find_ban,
    limits::CHARACTERS_PER_ACCOUNT_MAX,
};

use super::support::{ManualClock, Place, Running, all, ask, name, post, refused, save};

const HOUR: Duration = Duration::from_secs(3_600);

pub(crate) async fn of_many_who_want_one_name_at_once_one_gets_it_whatever_the_case(place: &Place) {
    let running = Running::on(place).await;
    let spellings = ["ann", "Ann", "ANN", "aNN"];
    let asked = (0..64).map(|number| {
        let spelling = name(spellings[number % 4]);
        post(|reply| {
            running
                .port
                .create_account(spelling, format!("hash {number}"), reply)
        })
    });
    let answers = all(asked.collect()).await;
    let winners: Vec<_> = (0..64)
        .filter(|n| answers[*n] != Ok(AccountCreation::NameTaken))
        .collect();
    assert_eq!(winners.len(), 1, "{answers:?}");

    let account = ask(|reply| running.port.load_account(name("ANN"), reply)).await;
    let account = account.unwrap().unwrap();
    assert_eq!(
        answers[winners[0]],
        Ok(AccountCreation::Created(account.id))
    );
    assert_eq!(account.password_hash, format!("hash {}", winners[0]));
    assert_eq!(
        (account.name.as_str(), account.role, account.last_login),
        ("Ann", Role::Player, None)
    );
    let nobody = ask(|reply| running.port.load_account(name("bob"), reply)).await;
    assert_eq!(nobody, Ok(None));
    running.stop().await;
}

pub(crate) async fn an_account_keeps_its_password_login_and_role(place: &Place) {
    let clock = ManualClock::default();
    let options = StoreOptions {
        clock: clock.clock(),
        ..StoreOptions::default()
    };
    let running = Running::start(place.database(), options).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    clock.advance(HOUR);
    ask(|reply| port.touch_login(ann, reply)).await.unwrap();
    ask(|reply| port.set_password(ann, "other".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(
        ask(|reply| port.set_role(name("ANN"), Role::Staff, reply)).await,
        Ok(Some(ann))
    );
    assert_eq!(
        ask(|reply| port.set_role(name("bob"), Role::Staff, reply)).await,
        Ok(None)
    );
    assert_eq!(
        ask(|reply| port.list_staff(reply)).await,
        Ok(vec![name("ann")])
    );
    running.stop().await;

    let running = Running::on(place).await;
    let port = &running.port;
    let account = ask(|reply| port.load_account_by_id(ann, reply))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (account.password_hash.as_str(), account.role),
        ("other", Role::Staff)
    );
    assert_eq!(account.created_at, UnixMillis(0));
    assert_eq!(account.last_login, Some(UnixMillis(0).after(HOUR)));

    let ghost = AccountId(99);
    for answer in [
        ask(|reply| port.touch_login(ghost, reply)).await,
        ask(|reply| port.set_password(ghost, "x".to_owned(), reply)).await,
    ] {
        assert_eq!(answer, Err(StoreError::Missing));
    }
    running.stop().await;
}

pub(crate) async fn characters_are_unique_among_all_accounts_and_bounded_in_one(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let (ann, bob) = (running.account("ann").await, running.account("bob").await);
    let create = |account, text: &str| {
        let name = name(text);
        post(|reply| port.create_character(account, name, "town/square".to_owned(), reply))
    };
    let hero = running.character(ann, "hero").await;
    assert_eq!(create(bob, "HERO").await, Ok(CharacterCreation::NameTaken));
    assert_eq!(
        create(AccountId(99), "ghostly").await,
        Err(StoreError::Missing)
    );

    // All at once, so that the bound is checked inside one group.
    let letters: Vec<_> = ('a'..='l').map(|letter| format!("hero{letter}")).collect();
    let answers = all(letters.iter().map(|text| create(ann, text)).collect()).await;
    let made = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(CharacterCreation::Created(_))));
    assert_eq!(
        i64::try_from(made.count()).unwrap(),
        CHARACTERS_PER_ACCOUNT_MAX - 1
    );
    assert_eq!(answers.last(), Some(&Ok(CharacterCreation::TooMany)));

    let listed = ask(|reply| port.list_characters(ann, reply)).await.unwrap();
    assert_eq!(
        i64::try_from(listed.len()).unwrap(),
        CHARACTERS_PER_ACCOUNT_MAX
    );
    assert_eq!(
        (listed[0].id, listed[0].account, listed[0].name.as_str()),
        (hero, ann, "Hero")
    );
    let found = ask(|reply| port.find_character(name("heroa"), reply))
        .await
        .unwrap();
    assert_eq!(found.unwrap().account, ann);
    assert_eq!(
        ask(|reply| port.load_character(CharacterId(99), reply)).await,
        Ok(None)
    );
    running.stop().await;
}

pub(crate) async fn a_saved_character_comes_back_as_it_was(place: &Place) {
    let running = Running::on(place).await;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let mut state = save(hero, 7);
    state.score = Score {
        steps: 3,
        played_seconds: i64::MAX,
    };
    state.settings = Settings {
        color: ColorSetting::Off,
        screen_reader: true,
        channels: [("chat".to_owned(), false), ("gossip".to_owned(), true)].into(),
        ignored: vec!["@Othergame".to_owned()],
        notices: Some(false),
    };
    ask(|reply| running.port.save_characters(vec![state.clone()], reply))
        .await
        .unwrap();
    running.stop().await;

    let running = Running::on(place).await;
    let character = running.sheet(hero).await.character;
    assert_eq!(character.room_key, state.room_key);
    assert_eq!(
        (character.score, character.settings),
        (state.score, state.settings)
    );
    assert!(character.saved_at >= character.created_at);
    running.stop().await;
}

pub(crate) async fn a_save_of_several_is_all_or_none_and_spoils_no_neighbour(place: &Place) {
    let running = Running::on(place).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let (one, two) = (
        running.character(ann, "one").await,
        running.character(ann, "two").await,
    );
    let batch = |saves| post(|reply| port.save_characters(saves, reply));
    // Posted without a pause between: they land in one group.
    let before = batch(vec![save(two, 5)]);
    let failing = batch(vec![
        save(one, 100),
        save(CharacterId(99), 100),
        save(two, 100),
    ]);
    let after = batch(vec![save(two, 6)]);
    assert_eq!((before.await, after.await), (Ok(()), Ok(())));
    assert_eq!(failing.await, Err(StoreError::Missing));
    assert_eq!(
        running.sheet(one).await.character.score.steps,
        0,
        "rolled back with its own write"
    );
    assert_eq!(running.sheet(two).await.character.score.steps, 6);
    running.stop().await;
}

pub(crate) async fn a_token_is_redeemed_once_by_whoever_is_first_and_never_after_its_time(
    place: &Place,
) {
    let clock = ManualClock::default();
    let options = StoreOptions {
        clock: clock.clock(),
        ..StoreOptions::default()
    };
    let running = Running::start(place.database(), options).await;
    let port = &running.port;
    let ann = running.account("ann").await;
    let hero = running.character(ann, "hero").await;
    let holder = Redeemed {
        account: ann,
        character: hero,
    };
    let hash = |number: u8| ResumeToken::from_random([number; 16]).hash();
    let issue = |number| post(move |reply| port.issue_token(hash(number), holder, HOUR, reply));
    let redeem = |number| post(move |reply| port.redeem_token(hash(number), reply));

    issue(1).await.unwrap();
    let answers = all((0..32).map(|_| redeem(1)).collect()).await;
    let winners: Vec<_> = answers
        .iter()
        .filter(|answer| **answer != Ok(None))
        .collect();
    assert_eq!(winners, [&Ok(Some(holder))]);

    issue(2).await.unwrap();
    issue(3).await.unwrap();
    assert_eq!(
        redeem(2).await,
        Ok(None),
        "a new token replaces the one before"
    );
    assert_eq!(redeem(3).await, Ok(Some(holder)));

    issue(4).await.unwrap();
    clock.advance(HOUR);
    assert_eq!(redeem(4).await, Ok(None), "expired");

    issue(5).await.unwrap();
    ask(|reply| port.set_password(ann, "other".to_owned(), reply))
        .await
        .unwrap();
    assert_eq!(
        redeem(5).await,
        Ok(None),
        "a new password takes tokens back"
    );
    issue(6).await.unwrap();
    ask(|reply| port.revoke_tokens(ann, reply)).await.unwrap();
    assert_eq!(redeem(6).await, Ok(None), "revoked");

    let bob = running.account("bob").await;
    let stolen = Redeemed {
        account: bob,
        character: hero,
    };
    let answer = ask(|reply| port.issue_token(hash(7), stolen, HOUR, reply)).await;
    assert_eq!(
        refused(answer),
        StoreError::Missing,
        "the character is another's"
    );
    running.stop().await;
}

pub(crate) async fn bans_are_replaced_lifted_and_end_in_time(place: &Place) {
    let clock = ManualClock::default();
    let options = StoreOptions {
        clock: clock.clock(),
        ..StoreOptions::default()
    };
    let running = Running::start(place.database(), options).await;
    let port = &running.port;
    let address: IpAddr = "192.0.2.9".parse().unwrap();
    let network: Network = "192.0.2.0/24".parse().unwrap();
    let subjects = [
        BanSubject::Address(network),
        BanSubject::Account(name("ann")),
        BanSubject::Character(name("hero")),
    ];
    let ban = |subject: &BanSubject, reason: &str, lasts| {
        let (subject, reason, by) = (subject.clone(), reason.to_owned(), "Boss".to_owned());
        post(|reply| {
            port.add_ban(
                NewBan {
                    subject,
                    reason,
                    by,
                    lasts,
                },
                reply,
            )
        })
    };
    for subject in &subjects {
        ban(subject, "spam", Some(HOUR)).await.unwrap();
    }
    ban(&subjects[1], "more spam", None).await.unwrap();
    let bans = ask(|reply| port.list_bans(reply)).await.unwrap();
    assert_eq!(bans.len(), 3);
    let found = find_ban(&bans, address, None, None, UnixMillis(0)).unwrap();
    assert_eq!((&found.subject, found.by.as_str()), (&subjects[0], "Boss"));

    clock.advance(HOUR);
    let bans = ask(|reply| port.list_bans(reply)).await.unwrap();
    assert_eq!(bans.len(), 1, "{bans:?}");
    assert_eq!(
        (&bans[0].subject, bans[0].reason.as_str()),
        (&subjects[1], "more spam")
    );
    let lift = || post(|reply| port.remove_ban(subjects[1].clone(), reply));
    assert_eq!((lift().await, lift().await), (Ok(true), Ok(false)));
    assert_eq!(ask(|reply| port.list_bans(reply)).await, Ok(Vec::new()));
    running.stop().await;
}

pub(crate) async fn what_the_staff_did_is_read_newest_first(place: &Place) {
    let running = Running::on(place).await;
    let action = |target: &str| StaffAction {
        staff: name("boss"),
        action: "kick".to_owned(),
        target: target.to_owned(),
        reason: "it's '; DROP TABLE items; --".to_owned(),
    };
    for target in ["Ann", "Bob"] {
        ask(|reply| running.port.record_staff_action(action(target), reply))
            .await
            .unwrap();
    }
    let actions = ask(|reply| running.port.list_staff_actions(reply))
        .await
        .unwrap();
    let actions: Vec<_> = actions.into_iter().map(|record| record.action).collect();
    assert_eq!(actions, [action("Bob"), action("Ann")]);
    running.stop().await;
}
