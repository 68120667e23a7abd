//! `[pure]` What a player sees of the world, for the eye and for the ear: exact texts.

use super::sample::*;
use crate::event::*;
use crate::ids::{Direction, RoomId};

fn inn() -> RoomSeen {
    let away = PersonSeen {
        away: true,
        ..person("Bob")
    };
    let linkdead = PersonSeen {
        linkdead: true,
        ..person("Cid")
    };
    RoomSeen {
        room: INN,
        people: vec![person("Ann"), away, linkdead],
        people_more: 312,
        mobs: vec![t("a harbour cat")],
        items: vec![
            (t("A brass lantern stands here."), 3),
            (t("A rope lies here."), 1),
        ],
    }
}

#[test]
fn a_room_is_compact_for_the_eye() {
    check(
        Event::RoomSeen(Box::new(inn())),
        PLAIN,
        "The Inn\n\
         Benches stand along walls that smoke and time have made as dark as the beer,\n\
         and the fire talks to itself.\n\
         It is warm.\n\
         Exits: north, east and up.\n\
         Ann, Bob (away), Cid (no connection) and 312 others are here.\n\
         A harbour cat is here.\n\
         A brass lantern stands here. (3)\n\
         A rope lies here.\n",
    );
}

#[test]
fn a_room_is_a_line_a_thing_for_the_ear() {
    check(
        Event::RoomSeen(Box::new(inn())),
        ALOUD,
        "The Inn\n\
         Benches stand along walls that smoke and time have made as dark as the beer, and the \
         fire talks to itself.\n\
         It is warm.\n\
         Exits: north, east and up.\n\
         Ann is here.\n\
         Bob is here, away from the keyboard.\n\
         Cid is here, without a connection.\n\
         312 others are here.\n\
         A harbour cat is here.\n\
         A brass lantern stands here, three of them.\n\
         A rope lies here.\n",
    );
}

#[test]
fn a_room_has_colour_for_those_who_see_it() {
    let mut room = empty(SQUARE);
    room.people = vec![person("Ann")];
    check(
        Event::RoomSeen(Box::new(room)),
        COLORED,
        "\u{1b}[33mThe Square\u{1b}[0m\n\
         Cobbles.\n\
         \u{1b}[36mExits: south.\u{1b}[0m\n\
         \u{1b}[94mAnn is here.\u{1b}[0m\n",
    );
}

#[test]
fn rooms_with_few_or_nothing_read_well_too() {
    let table: Vec<(&[&str], u32, &str, &str)> = vec![
        (&[], 0, "", ""),
        (&["Ann"], 0, "Ann is here.\n", "Ann is here.\n"),
        (
            &["Ann", "Bob"],
            0,
            "Ann and Bob are here.\n",
            "Ann is here.\nBob is here.\n",
        ),
        (
            &["Ann"],
            1,
            "Ann and one other are here.\n",
            "Ann is here.\nOne other is here.\n",
        ),
        (&[], 1, "One other is here.\n", "One other is here.\n"),
        (&[], 2, "Two others are here.\n", "Two others are here.\n"),
    ];
    for (people, people_more, eye, ear) in table {
        let room = RoomSeen {
            people: people.iter().map(|name| person(name)).collect(),
            people_more,
            ..empty(VOID)
        };
        let start = "The Void\nNothing.\nExits: none.\n";
        check(
            Event::RoomSeen(Box::new(room.clone())),
            PLAIN,
            &format!("{start}{eye}"),
        );
        check(
            Event::RoomSeen(Box::new(room)),
            ALOUD,
            &format!("{start}{ear}"),
        );
    }
    check(
        Event::RoomSeen(Box::new(empty(RoomId(99)))),
        PLAIN,
        "Somewhere\n",
    );
}

#[test]
fn closer_looks() {
    let thing = |description: &str| Event::ThingSeen {
        name: t("a rope"),
        description: t(description),
    };
    let way = |way, room| Event::WaySeen { way, room };
    let table = vec![
        (thing("Old hemp."), "A rope\nOld hemp.\n"),
        (thing(" "), "You see nothing special about a rope.\n"),
        (
            way(Direction::North, Some(SQUARE)),
            "To the north is The Square.\n",
        ),
        (way(Direction::Up, Some(SQUARE)), "Above is The Square.\n"),
        (
            way(Direction::In, Some(RoomId(99))),
            "Inside is somewhere.\n",
        ),
        (way(Direction::West, None), "There is no exit that way.\n"),
        (Event::ExitsListed(vec![]), "There is no way out of here.\n"),
        (
            Event::ExitsListed(vec![(Direction::North, SQUARE), (Direction::Up, VOID)]),
            "North leads to The Square.\nUp leads to The Void.\n",
        ),
    ];
    check_all(table, |event| event);
}

#[test]
fn lists_differ_for_eye_and_ear() {
    let items = Told::Inventory(vec![(t("a rope"), 1), (t("a coin"), 13)]);
    check(
        Event::Told(items.clone()),
        PLAIN,
        "You carry:\nA rope\nA coin (13)\n",
    );
    check(
        Event::Told(items),
        ALOUD,
        "You carry:\nA rope.\nA coin, 13 of them.\n",
    );
    let who = Told::Who {
        people: inn().people,
        total: 312,
    };
    check(
        Event::Told(who.clone()),
        PLAIN,
        "Players: Ann, Bob (away) and Cid (no connection).\n312 players in all.\n",
    );
    check(
        Event::Told(who),
        ALOUD,
        "Ann.\nBob, away from the keyboard.\nCid, without a connection.\n312 players in all.\n",
    );
}
