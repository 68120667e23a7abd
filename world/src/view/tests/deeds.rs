//! `[pure]` What people do, as they and others read it: exact texts.

use super::sample::*;
use crate::event::*;
use crate::ids::Direction;
use crate::talk::Speaker;

#[test]
fn own_deeds() {
    let tell = |away: Option<&str>| Did::Tell {
        to: t("Bob"),
        text: t("hi"),
        away: away.map(t),
    };
    let give = Did::Give {
        item: t("a rope"),
        to: t("Bob"),
    };
    let table = vec![
        (Did::Say(t("hello?")), "You say, \"hello?\"\n"),
        (Did::Emote(t("waves")), "You emote: waves\n"),
        (tell(None), "You tell Bob, \"hi\"\n"),
        (tell(Some("")), "You tell Bob, \"hi\"\nBob is away.\n"),
        (
            tell(Some("at lunch")),
            "You tell Bob, \"hi\"\nBob is away: at lunch.\n",
        ),
        (Did::Get(t("a rope")), "You get a rope.\n"),
        (Did::Drop(t("a rope")), "You drop a rope.\n"),
        (give, "You give a rope to Bob.\n"),
        (Did::Away(t("")), "You are away now.\n"),
        (Did::Away(t("back soon!")), "You are away now: back soon!\n"),
        (Did::Back, "You are back.\n"),
        (Did::Color(t("16")), "You see 16 colours.\n"),
        (Did::Color(t("off")), "You see no colours.\n"),
        (
            Did::ScreenReader(true),
            "Screen-reader mode is on. Type screenreader off to end it.\n",
        ),
        (Did::ScreenReader(false), "Screen-reader mode is off.\n"),
        (Did::Password, "Your password is changed.\n"),
        (Did::Quit, "Goodbye.\n"),
        (Did::Kick(t("Bob")), "Bob is removed from the game.\n"),
        (Did::Ban(t("bob")), "Bob is banned.\n"),
        (
            Did::Crash(t("The Inn")),
            "A crash is on its way to The Inn.\n",
        ),
        (Did::Shutdown, "The node is told to stop.\n"),
    ];
    check_all(table, Event::Did);
}

#[test]
fn deeds_of_others() {
    let (who, item) = (t("Ann"), t("a rope"));
    let emotes = |text: &str| Seen::Emotes {
        who: t("Ann"),
        text: t(text),
    };
    let arrives = |went| Seen::Arrives {
        who: t("Ann"),
        went,
    };
    let leaves = |went| Seen::Leaves {
        who: t("the cat"),
        went,
    };
    let says = Seen::Says {
        who: t("the ferryman"),
        text: t("Hm!"),
    };
    let gets = Seen::Gets {
        who: who.clone(),
        item: item.clone(),
    };
    let drops = Seen::Drops {
        who: who.clone(),
        item: item.clone(),
    };
    let gives = Seen::Gives {
        who: who.clone(),
        item: item.clone(),
        to: t("Bob"),
    };
    let table = vec![
        (says, "The ferryman says, \"Hm!\"\n"),
        (emotes("waves"), "Ann waves\n"),
        (emotes("'s eyes shine."), "Ann's eyes shine.\n"),
        (
            arrives(Some(Direction::North)),
            "Ann arrives from the south.\n",
        ),
        (arrives(None), "Ann arrives.\n"),
        (leaves(Some(Direction::Up)), "The cat leaves up.\n"),
        (leaves(Some(Direction::In)), "The cat goes in.\n"),
        (leaves(Some(Direction::Out)), "The cat goes out.\n"),
        (leaves(None), "The cat leaves.\n"),
        (Seen::Wakes(who.clone()), "Ann comes into the game.\n"),
        (Seen::Sleeps(who.clone()), "Ann leaves the game.\n"),
        (Seen::Appears(who.clone()), "Ann appears from nowhere.\n"),
        (Seen::Vanishes(who.clone()), "Ann vanishes.\n"),
        (Seen::LosesLink(who.clone()), "Ann loses the connection.\n"),
        (Seen::RegainsLink(who), "Ann is connected again.\n"),
        (
            Seen::ManyArrive(vec![t("Ann"), t("Bob")], 30),
            "Ann, Bob and 30 others arrive.\n",
        ),
        (Seen::ManyArrive(vec![t("Ann")], 0), "Ann arrives.\n"),
        (
            Seen::ManyLeave(vec![t("Ann")], 1),
            "Ann and one other leave.\n",
        ),
        (Seen::ManyLeave(vec![], 3), "Three people leave.\n"),
        (Seen::ManyLeave(vec![], 1), "Somebody leaves.\n"),
        (Seen::ManyLeave(vec![], 0), ""),
        (gets, "Ann gets a rope.\n"),
        (drops, "Ann drops a rope.\n"),
        (gives, "Ann gives a rope to Bob.\n"),
        (Seen::ItemAppears(item), "A rope appears.\n"),
        (Seen::Trembles, "The ground trembles for a moment.\n"),
    ];
    check_all(table, Event::Seen);
}

#[test]
fn what_reaches_one_alone() {
    let tell = Received::Tell {
        from: Speaker::Local(t("Ann")),
        text: t("hi"),
    };
    let item = Received::Item {
        from: t("Ann"),
        item: t("a rope"),
    };
    let table = vec![
        (tell, "Ann tells you, \"hi\"\n"),
        (item, "Ann gives you a rope.\n"),
    ];
    check_all(table, Event::Received);
}
