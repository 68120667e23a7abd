//! `[pure]` Other games: exact texts.

use super::sample::*;
use crate::bridge::{GameAbout, GameSeen, NotTold, Out, Remote, RemoteWho, Shown, Sign, Signed};
use crate::event::*;

fn bo() -> Remote {
    Remote::parse("Bo@Othergame").unwrap()
}

fn not_told(why: NotTold) -> Shown {
    Shown::NotTold { to: bo(), why }
}

#[test]
fn a_tell_is_told_or_the_reason_why_it_is_not() {
    let table = vec![
        (
            Shown::Told {
                to: bo(),
                text: t("hi"),
            },
            "You tell Bo@Othergame, \"hi\"\n",
        ),
        (
            not_told(NotTold::NoGame),
            "There is no game Othergame on the network just now.\n",
        ),
        (
            not_told(NotTold::NotSupported),
            "Othergame takes no tells.\n",
        ),
        (
            not_told(NotTold::NotThere),
            "Nobody called Bo can be reached in Othergame just now.\n",
        ),
        (
            not_told(NotTold::SenderUnknown),
            "The network does not know yet that you are here. Try again in a moment.\n",
        ),
        (
            not_told(NotTold::Here),
            "Othergame is this game. Tell its players by their names alone.\n",
        ),
        (
            not_told(NotTold::Out(Out::OfReach)),
            "Gossip is out of reach, so nobody was told. Try again later.\n",
        ),
        (
            not_told(NotTold::Out(Out::Nowhere)),
            "This game is on no network of games.\n",
        ),
        (
            not_told(NotTold::TimedOut),
            "Gossip did not answer in time; perhaps nobody was told.\n",
        ),
        (
            not_told(NotTold::Muted(t("spam"))),
            "You may not speak to players of other games: spam.\n",
        ),
        (
            not_told(NotTold::Blocked),
            "Players of Othergame cannot be reached from here.\n",
        ),
        (
            not_told(NotTold::Ignored),
            "You ignore Bo@Othergame. Type ignore for the list, and unignore first.\n",
        ),
        (
            Shown::Several(vec![t("Alpha"), t("Alphabet"), t("Alps")]),
            "That can mean Alpha, Alphabet or Alps.\n",
        ),
        (
            Shown::NoGame(t("x")),
            "There is no game x on the network. Type games for the list.\n",
        ),
        (
            Shown::Out(Out::OfReach),
            "Gossip is out of reach; your words stay here.\n",
        ),
    ];
    check_all(table, Event::Bridge);
}

#[test]
fn what_is_not_known_of_other_games_is_said() {
    let table = vec![
        (
            Shown::Unknown(Out::OfReach),
            "Gossip is out of reach; nothing is known of other games just now.\n",
        ),
        (
            Shown::Unknown(Out::Nowhere),
            "This game is on no network of games.\n",
        ),
    ];
    check_all(table, Event::Bridge);
}

#[test]
fn who_comes_and_goes_is_one_line() {
    let signed = |sign, names: &[&str], more| {
        let names = names.iter().map(|name| Remote::parse(name).unwrap());
        let names = names.collect();
        Shown::Signed(Signed { sign, names, more })
    };
    let table = vec![
        (
            signed(Sign::In, &["Bo@Other"], 0),
            "Bo@Other has come online.\n",
        ),
        (
            signed(Sign::Out, &["Bo@Other"], 0),
            "Bo@Other has gone offline.\n",
        ),
        (
            signed(Sign::In, &["Bo@Other", "Cy@Third"], 4),
            "Bo@Other, Cy@Third and four others have come online.\n",
        ),
    ];
    check_all(table, Event::Bridge);
}

#[test]
fn lists_of_other_games_are_for_the_eye_and_for_the_ear() {
    let seen = |game: &str, names: &[&str], more| GameSeen {
        game: t(game),
        names: names.iter().map(|name| t(name)).collect(),
        more,
    };
    let list = Shown::Who(RemoteWho {
        games: vec![
            seen("Alpha", &["Bo", "Cy"], 3),
            seen("Beta", &["Di"], 0),
            seen("Gamma", &[], 0),
        ],
        games_more: 2,
        players_more: 40,
    });
    check(
        Event::Bridge(list.clone()),
        PLAIN,
        "In other games:\n\
         Alpha: Bo, Cy and three others.\n\
         Beta: Di.\n\
         Gamma: nobody who is shown.\n\
         And two games more, with 40 players.\n",
    );
    check(
        Event::Bridge(list),
        ALOUD,
        "In other games:\n\
         In Alpha: Bo, Cy and three others.\n\
         In Beta: Di.\n\
         In Gamma: nobody who is shown.\n\
         And two games more, with 40 players.\n",
    );
    let games = Shown::Games(
        vec![
            GameAbout {
                game: t("Alpha"),
                title: Some(t("The First Game")),
                address: Some(t("telnet alpha.example 4000")),
                players: 5,
            },
            GameAbout {
                game: t("Beta"),
                title: None,
                address: None,
                players: 1,
            },
        ],
        1,
    );
    check(
        Event::Bridge(games),
        PLAIN,
        "Connected games:\n\
         Alpha, The First Game: five players; telnet alpha.example 4000.\n\
         Beta: one player.\n\
         And one game more.\n",
    );
    check(
        Event::Bridge(Shown::Who(RemoteWho::default())),
        PLAIN,
        "Nobody plays in other games just now.\n",
    );
}
