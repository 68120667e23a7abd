//! `[pure]` What must hold for any text of a player, in every event that carries one.

use super::sample::*;
use crate::bridge::{GameAbout, GameSeen, NotTold, Remote, RemoteWho, Shown, Sign, Signed};
use crate::event::*;
use crate::ids::ChannelId;
use crate::talk::{ChannelLine, Ignored, Speaker, Talk};
use crate::text::{Charset, Depth, ViewerClass};
use crate::view::render;
use proptest::prelude::*;

#[test]
fn the_letter_that_is_a_telnet_command_is_doubled() {
    let latin = ViewerClass {
        charset: Charset::Latin1,
        ..PLAIN
    };
    let mut out = Vec::new();
    let event = Event::Did(Did::Say(t("\u{ff}")));
    render(&event, latin, &world(), &mut out);
    assert_eq!(out, b"You say, \"\xff\xff\"\r\n");
}

/// An event of each kind that carries text of players, with `text` in every place.
fn carrying(text: &str) -> Vec<Event> {
    let text = &t(text);
    let mut events = scenes(text);
    events.extend(seen(text).map(Event::Seen));
    events.extend(did(text).map(Event::Did));
    events.extend(refused(text).map(Event::Refused));
    events.extend(talk(text).map(Event::Talk));
    events.extend(elsewhere(text).map(Event::Bridge));
    events.extend(login(text).map(Event::Login));
    events.extend([
        Event::System(SystemEvent::Kicked(text.clone())),
        Event::System(SystemEvent::Goodbye(text.clone())),
    ]);
    events
}

fn talk(text: &Text) -> [Talk; 4] {
    let (channel, x) = (ChannelId(1), || text.clone());
    let line = ChannelLine {
        channel,
        speaker: Speaker::Foreign {
            name: x(),
            game: x(),
        },
        text: x(),
        missed: true,
    };
    let said = Talk::Said {
        line: line.clone(),
        remark: Some(x()),
    };
    let lines = vec![(line.clone(), 7)];
    [
        Talk::Line(line),
        said,
        Talk::History { channel, lines },
        Talk::Ignored(Ignored::Local(x())),
    ]
}

fn elsewhere(text: &Text) -> [Shown; 9] {
    let x = || text.clone();
    let who = || Remote {
        name: x(),
        game: x(),
    };
    let seen = GameSeen {
        game: x(),
        names: vec![x()],
        more: 2,
    };
    let about = GameAbout {
        game: x(),
        title: Some(x()),
        address: Some(x()),
        players: 3,
    };
    let (sign, names) = (Sign::In, vec![who(), who()]);
    [
        Shown::Told {
            to: who(),
            text: x(),
        },
        Shown::NotTold {
            to: who(),
            why: NotTold::Refused(x()),
        },
        Shown::NotTold {
            to: who(),
            why: NotTold::NotThere,
        },
        Shown::Several(vec![x(), x()]),
        Shown::NoGame(x()),
        Shown::Who(RemoteWho {
            games: vec![seen],
            ..RemoteWho::default()
        }),
        Shown::Games(vec![about], 1),
        Shown::Signed(Signed {
            sign,
            names,
            more: 1,
        }),
        Shown::Report(vec![x()]),
    ]
}

fn scenes(text: &Text) -> Vec<Event> {
    let x = || text.clone();
    let someone = PersonSeen {
        name: x(),
        away: true,
        linkdead: false,
    };
    let room = RoomSeen {
        people: vec![someone.clone()],
        mobs: vec![x()],
        items: vec![(x(), 2)],
        ..empty(VOID)
    };
    vec![
        Event::RoomSeen(Box::new(room)),
        Event::ThingSeen {
            name: x(),
            description: x(),
        },
        Event::Received(Received::Tell {
            from: Speaker::Foreign {
                name: x(),
                game: x(),
            },
            text: x(),
        }),
        Event::Told(Told::Who {
            people: vec![someone],
            total: 3,
        }),
        Event::Told(Told::Inventory(vec![(x(), 2)])),
        Event::Told(Told::ResumeToken(x())),
    ]
}

fn seen(text: &Text) -> [Seen; 6] {
    let x = || text.clone();
    [
        Seen::Says {
            who: x(),
            text: x(),
        },
        Seen::Emotes {
            who: x(),
            text: x(),
        },
        Seen::Arrives {
            who: x(),
            went: None,
        },
        Seen::ManyArrive(vec![x(), x()], 2),
        Seen::ItemAppears(x()),
        Seen::Gives {
            who: x(),
            item: x(),
            to: x(),
        },
    ]
}

fn did(text: &Text) -> [Did; 5] {
    let x = || text.clone();
    let tell = Did::Tell {
        to: x(),
        text: x(),
        away: Some(x()),
    };
    [
        Did::Say(x()),
        Did::Emote(x()),
        Did::Away(x()),
        Did::Color(x()),
        tell,
    ]
}

fn refused(text: &Text) -> [Refusal; 6] {
    let x = || text.clone();
    let near = || vec![x(), x()];
    [
        Refusal::Missing(x()),
        Refusal::NotHere(x()),
        Refusal::CannotListen(x()),
        Refusal::BadArgument {
            given: x(),
            allowed: x(),
        },
        Refusal::UnknownVerb {
            word: x(),
            near: near(),
        },
        Refusal::NoHelp {
            topic: x(),
            near: near(),
        },
    ]
}

fn login(text: &Text) -> [LoginEvent; 6] {
    let x = || text.clone();
    [
        LoginEvent::AskCreate(x()),
        LoginEvent::AskCharacter(vec![x(), x()]),
        LoginEvent::BadName(x()),
        LoginEvent::NameTaken(x()),
        LoginEvent::Banned(x()),
        LoginEvent::Welcome {
            name: x(),
            back: true,
        },
    ]
}

/// What the bytes hold besides whole CR LF line ends, doubled FF and our own colours.
fn faults(bytes: &[u8], viewer: ViewerClass) -> Vec<String> {
    let mut faults = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        at += match (byte, next) {
            (b'\r', Some(b'\n')) => 2,
            (0xff, Some(0xff)) if viewer.charset == Charset::Latin1 => 2,
            (0x1b, Some(b'[')) if viewer.depth != Depth::None => {
                let end = bytes[at..]
                    .iter()
                    .position(|&byte| byte == b'm')
                    .unwrap_or(0);
                let inside = &bytes[at + 2..at + end.max(2)];
                if !inside.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';')) {
                    faults.push(format!("not a colour at {at}"));
                }
                2
            }
            (b'\r' | b'\n' | 0x1b | 0xff, _) | (0..0x20, _) if byte != b'\t' => {
                faults.push(format!("{byte:#04x} at {at}"));
                1
            }
            _ => 1,
        };
    }
    faults
}

#[test]
fn faults_in_bytes_are_found() {
    for (bytes, count) in [
        (&b"a\r\nb\r\n"[..], 0),
        (b"a\rb", 1),
        (b"a\nb\r", 2),
        (b"\x1b[31m", 1),
        (b"\xff\xff", 2),
        (b"\x07", 1),
    ] {
        assert_eq!(faults(bytes, PLAIN).len(), count, "{bytes:?}");
    }
    assert_eq!(faults(b"\x1b[31mx\x1b[0m", COLORED), Vec::<String>::new());
    assert_eq!(faults(b"\x1b[2Jx\x1b[0m", COLORED).len(), 1);
}

proptest! {
    #[test]
    fn no_text_of_a_player_reaches_another_terminal_raw(
        text in "[ -~\u{0}-\u{1f}\u{1b}\r\n\u{7f}-\u{9f}\u{ff}\u{2028}\u{202e}\u{e9}]{0,20}",
        class in 0..classes().len(),
    ) {
        let viewer = classes()[class];
        let world = world();
        let lines_of = |text: &str| -> Vec<usize> {
            let count = |event: &Event| {
                let mut out = Vec::new();
                render(event, viewer, &world, &mut out);
                let found = faults(&out, viewer);
                assert!(found.is_empty(), "{found:?} {event:?}");
                out.iter().filter(|&&byte| byte == b'\n').count()
            };
            // A closer look shows the content's paragraphs, which have lines of their own.
            let events = carrying(text);
            let lines = events.iter().filter(|event| !matches!(event, Event::ThingSeen { .. }));
            lines.map(count).collect()
        };
        prop_assume!(!crate::text::clean(&text).is_empty());
        prop_assert_eq!(lines_of(&text), lines_of("x"), "a player made lines");
    }

    #[test]
    fn any_text_renders(text in any::<String>()) {
        for event in carrying(&text) {
            for viewer in [PLAIN, ALOUD, COLORED] {
                let mut out = Vec::new();
                render(&event, viewer, &world(), &mut out);
                let found = faults(&out, viewer);
                prop_assert!(found.is_empty(), "{:?} {:?}", found, event);
            }
        }
    }
}
