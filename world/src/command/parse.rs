//! `[pure]` One line to one command. Any text is an input: what cannot be read comes back as
//! [`Unclear`] with the words that would help; nothing here panics.

use super::order::{Command, Rights, Unclear};
use super::talk;
use super::verbs::{self, VERBS};
use super::words;
use crate::content::Channel;

/// What `line` asks for, typed by one with `rights`. The verb is read whatever its case; text that
/// others will read keeps its own, without control characters.
///
/// A word is a verb first, then a channel, then the beginning of a verb, then of a channel.
pub fn parse(line: &str, rights: Rights, channels: &[Channel]) -> Command {
    let line = words::safe(line);
    let line = line.trim();
    if line.is_empty() {
        return Command::Nothing;
    }
    let (word, rest) = split_verb(line);
    let rest = rest.trim();
    let speak = |channel| talk::speak(channel, rest).unwrap_or_else(Command::Unclear);
    let whole = verbs::find_whole(word).is_some();
    if let Some(channel) = talk::named(word, channels).filter(|_| !whole) {
        return speak(channel);
    }
    let Some(verb) = verbs::find(word, rights) else {
        let channel = talk::begun(word, channels);
        return channel.map_or_else(|| unknown(word, rights, channels), speak);
    };
    if verb.staff && !rights.staff {
        return Command::Unclear(Unclear::StaffOnly);
    }
    (verb.read)(rest).unwrap_or_else(Command::Unclear)
}

/// The verb and the rest. A sign that is a verb (`'`, `:`) needs no blank after it.
fn split_verb(line: &str) -> (&str, &str) {
    let sign_len = line.chars().next().map_or(0, char::len_utf8);
    match line.split_at_checked(sign_len) {
        Some((sign, rest)) if VERBS.iter().any(|verb| verb.has_sign(sign)) && is_sign(sign) => {
            (sign, rest)
        }
        _ => words::split_word(line),
    }
}

fn is_sign(text: &str) -> bool {
    text.chars().all(|sign| sign.is_ascii_punctuation())
}

fn unknown(word: &str, rights: Rights, channels: &[Channel]) -> Command {
    let near = verbs::near(word, rights, channels);
    Command::Unclear(Unclear::Unknown {
        word: words::echo(word).into(),
        near: near.into_iter().map(Into::into).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::content::World;
    use crate::ids::{ChannelId, Direction};
    use crate::sample::world;
    use crate::talk::Ignored;
    use proptest::prelude::*;
    use std::sync::{Arc, LazyLock};

    const PLAYER: Rights = Rights { staff: false };
    const STAFF: Rights = Rights { staff: true };

    fn check(line: &str, expected: Command) {
        assert_eq!(parse(line, STAFF, channels()), expected, "{line:?}");
    }

    fn channels() -> &'static [Channel] {
        static WORLD: LazyLock<Arc<World>> = LazyLock::new(world);
        WORLD.channels()
    }

    fn noun(words: &str) -> Noun {
        Noun::first(words)
    }

    fn missing(question: &str) -> Command {
        Command::Unclear(Unclear::Missing(question.into()))
    }

    fn is_bad(line: &str) {
        let got = parse(line, STAFF, channels());
        let bad = matches!(got, Command::Unclear(Unclear::BadArgument { .. }));
        assert!(bad, "{line:?} {got:?}");
    }

    #[test]
    fn bare_verbs_need_no_more() {
        check("", Command::Nothing);
        check(" \t ", Command::Nothing);
        check("n", Command::Go(Direction::North));
        check("go ne", Command::Go(Direction::Northeast));
        check("go to the north", Command::Go(Direction::North));
        check("go", missing("Go where?"));
        is_bad("go home");
        check("I", Command::Inventory);
        check("exits", Command::Exits);
        check("sc", Command::Score);
        check("password", Command::Password);
        check("resume", Command::Resume);
        check("quit", Command::Quit);
        check("shutdown", Command::Shutdown);
    }

    #[test]
    fn looks_at_rooms_things_and_ways() {
        check("look", Command::Look(LookAt::Room));
        check("look around", Command::Look(LookAt::Room));
        check("l n", Command::Look(LookAt::Way(Direction::North)));
        check("look in", Command::Look(LookAt::Way(Direction::In)));
        check(
            "look at the old sword",
            Command::Look(LookAt::Thing(noun("old sword"))),
        );
        check("look in chest", Command::Look(LookAt::Thing(noun("chest"))));
        check("look at", missing("Look at what?"));
        check("x 'Brass Lantern'", Command::Examine(noun("brass lantern")));
        check("examine", missing("Examine what?"));
    }

    #[test]
    fn things_are_taken_dropped_and_given() {
        let second = Noun {
            nth: 2,
            ..noun("sword")
        };
        check("get 2.sword", Command::Get(second));
        check("take the sword", Command::Get(noun("sword")));
        check("pick up sword", Command::Get(noun("sword")));
        check("get", missing("Get what?"));
        is_bad("get sword from chest");
        is_bad("get all");
        check("get 'from here'", Command::Get(noun("from here")));
        check("drop sword", Command::Drop(noun("sword")));
        let give = Command::Give {
            item: noun("brass lantern"),
            to: noun("ann"),
        };
        check("give 'brass lantern' to ann", give.clone());
        check("give the brass lantern to Ann", give.clone());
        check("give 'brass lantern' Ann", give.clone());
        check("give brass lantern ann", give);
        for line in ["give", "give sword", "give to ann", "give sword to"] {
            check(line, missing("Give what to whom?"));
        }
    }

    #[test]
    fn speech_keeps_its_letters() {
        check(
            "say Hello  you, 'x'",
            Command::Say("Hello  you, 'x'".into()),
        );
        check("'hello", Command::Say("hello".into()));
        check("\"hello\"", Command::Say("hello".into()));
        check("say", missing("Say what?"));
        check(": waves", Command::Emote("waves".into()));
        check("emote waves", Command::Emote("waves".into()));
        check("'", missing("Say what?"));
        let tell = Command::Tell {
            to: "ann".into(),
            text: "hello there".into(),
        };
        check("tell ann hello there", tell.clone());
        check("t 'ann'  hello there", tell);
        check("tell ann", missing("Tell ann what?"));
        check("tell", missing("Tell whom what?"));
        check("r ok", Command::Reply("ok".into()));
        check("reply", missing("Reply what?"));
        check("afk", Command::Away(None));
        check("afk at lunch", Command::Away(Some("at lunch".into())));
        check("say a\u{1b}[31mb\r\tc", Command::Say("ab c".into()));
    }

    #[test]
    fn channels_are_words_after_the_verbs() {
        let (chat, gossip) = (ChannelId(0), ChannelId(1));
        let speak = |channel, text: &str| Command::Speak {
            channel,
            text: text.into(),
        };
        check("chat hello  you", speak(chat, "hello  you"));
        check("CHAT hello", speak(chat, "hello"));
        check("gossip a", speak(gossip, "a"));
        check("chat", Command::Recent(chat));
        // Shortened, a verb comes first, and then a channel.
        check("gos a", speak(gossip, "a"));
        check("go north", Command::Go(Direction::North));
        check("g lamp", Command::Get(noun("lamp")));
        check("channels", Command::Channels);
        check("channel", Command::Channels);
        let join = Command::Channel(ChannelDeed::Join, "chat".into());
        for line in ["channels join chat", "chan join chat", "ch chat on"] {
            check(line, join.clone());
        }
        is_bad(&format!("chat {}", "x".repeat(CHAT_CHARS_MAX + 1)));
        let near = vec!["chat".into()];
        let word = "chaat".into();
        check(
            "chaat hi",
            Command::Unclear(Unclear::Unknown { word, near }),
        );
    }

    #[test]
    fn what_one_does_with_channels_is_read_in_both_orders() {
        use ChannelDeed::{History, Join, Leave, Who};
        let table = [
            ("join chat", Join),
            ("chat join", Join),
            ("chat on", Join),
            ("on chat", Join),
            ("leave chat", Leave),
            ("chat OFF", Leave),
            ("who chat", Who),
            ("history chat", History),
            ("chat", History),
        ];
        for (rest, deed) in table {
            let expected = Command::Channel(deed, "chat".into());
            check(&format!("channel {rest}"), expected);
        }
        let which = missing("Which channel? As in channel join chat");
        check("channel join", which);
        for rest in ["chat perhaps", "join chat now"] {
            is_bad(&format!("channel {rest}"));
        }
    }

    #[test]
    fn whom_one_ignores_is_read() {
        check("ignore", Command::Ignore(None));
        let typed = ["ann", "bo@othergame", "@othergame", "Bo Derek@Other Game"];
        for typed in typed {
            let whom = Ignored::parse(typed).unwrap();
            check(
                &format!("ignore {typed}"),
                Command::Ignore(Some(whom.clone())),
            );
            check(&format!("unignore {typed}"), Command::Unignore(whom));
        }
        for typed in ["'Bo Derek@Other Game'", "\"bo derek@other game\""] {
            let whom = Ignored::parse(typed.trim_matches(['\'', '"'])).unwrap();
            check(
                &format!("ignore {typed}"),
                Command::Ignore(Some(whom.clone())),
            );
            check(&format!("unignore {typed}"), Command::Unignore(whom));
        }
        check("unignore", missing("Unignore whom?"));
        is_bad("ignore @");
        is_bad(&format!("ignore {}", "x".repeat(200)));
    }

    #[test]
    fn what_is_wanted_of_other_games_is_read() {
        let network = Command::Network;
        let bridge = |order| network(NetworkCommand::Bridge(order));
        check("games", network(NetworkCommand::Games(None)));
        check(
            "games Al",
            network(NetworkCommand::Games(Some("al".into()))),
        );
        check("notices", network(NetworkCommand::Notices(None)));
        check("notices OFF", network(NetworkCommand::Notices(Some(false))));
        is_bad("notices perhaps");
        check("who @Other", Command::Who(Some("@other".into())));
        check("bridge", bridge(BridgeOrder::Status));
        check("bridge off", bridge(BridgeOrder::Off));
        check("bridge list", bridge(BridgeOrder::List));
        let (who, reason) = ("ann".into(), "for spam".into());
        check(
            "bridge mute ann for spam",
            bridge(BridgeOrder::Mute { who, reason }),
        );
        let (game, reason) = ("Other".into(), "".into());
        check(
            "bridge BLOCK @Other",
            bridge(BridgeOrder::Block { game, reason }),
        );
        check("bridge unblock x", bridge(BridgeOrder::Unblock("x".into())));
        check("bridge mute", missing("Mute whom?"));
        check("bridge block @", missing("Block which game?"));
        is_bad("bridge build");
        // Of players of other games the bridge knows nothing but their game.
        for line in ["bridge mute bo@other", "bridge block bo@other"] {
            is_bad(line);
        }
    }

    #[test]
    fn speech_over_the_limit_is_refused_and_told() {
        let fits = "\u{e9}".repeat(CHAT_CHARS_MAX);
        check(&format!("say {fits}"), Command::Say(fits.as_str().into()));
        for verb in ["say", "emote", "tell ann", "reply", "afk", "kick ann"] {
            is_bad(&format!("{verb} {fits}x"));
        }
    }

    #[test]
    fn settings_are_read_and_checked() {
        check("who", Command::Who(None));
        check("who an", Command::Who(Some("an".into())));
        check("help", Command::Help(None));
        check("help SAY", Command::Help(Some("say".into())));
        check("?say", Command::Help(Some("say".into())));
        check("color", Command::Color(None));
        check("colour OFF", Command::Color(Some("off".into())));
        check("color 256", Command::Color(Some("256".into())));
        is_bad("color pink");
        check("screenreader", Command::ScreenReader(None));
        check("screenreader on", Command::ScreenReader(Some(true)));
        check("screenreader off", Command::ScreenReader(Some(false)));
        is_bad("screenreader perhaps");
    }

    #[test]
    fn staff_orders_are_read_and_checked() {
        check("goto town/square", Command::Goto("town/square".into()));
        check("goto", missing("Go to which room or person?"));
        let kick = Command::Kick {
            who: "ann".into(),
            reason: "spamming a lot".into(),
        };
        check("kick ann spamming a lot", kick);
        check("kick", missing("Kick whom?"));
        let ban = |kind, value: &str, seconds, reason: &str| {
            Command::Ban(BanOrder {
                kind,
                value: value.into(),
                seconds,
                reason: reason.into(),
            })
        };
        let (account, address) = (BanKind::Account, BanKind::Address);
        check(
            "ban account Ann 7d spam",
            ban(account, "Ann", Some(604_800), "spam"),
        );
        check("ban account ann forever", ban(account, "ann", None, ""));
        check("ban account ann", ban(account, "ann", None, ""));
        check(
            "ban account ann rude words",
            ban(account, "ann", None, "rude words"),
        );
        check(
            "ban address ::1 30m x",
            ban(address, "::1", Some(1_800), "x"),
        );
        check(
            "ban ip 192.0.2.1 12h",
            ban(address, "192.0.2.1", Some(43_200), ""),
        );
        for line in ["ban", "ban account", "ban address"] {
            check(line, missing("Ban which account or address?"));
        }
        for line in [
            "ban ann",
            "ban address ann",
            "ban account ann 7x",
            "ban account ann 0d",
            "ban account ann 7.5d",
            "ban account ann 99999999999999999999d",
            "ban account ann 4000d",
        ] {
            is_bad(line);
        }
        check("crash room", Command::Crash(CrashTarget::Room));
        check(
            "crash mob cat",
            Command::Crash(CrashTarget::Mob(noun("cat"))),
        );
        check("crash session", Command::Crash(CrashTarget::Session(None)));
        let other = CrashTarget::Session(Some("ann".into()));
        check("crash session ann", Command::Crash(other));
        check(
            "crash",
            missing("Crash what: room, mob, channel or session?"),
        );
        check("crash mob", missing("Crash which mob?"));
        is_bad("crash everything");
    }

    #[test]
    fn staff_verbs_are_refused_to_players() {
        let refused = Command::Unclear(Unclear::StaffOnly);
        for line in [
            "shutdown",
            "goto x",
            "kick ann",
            "ban account ann",
            "crash room",
        ] {
            assert_eq!(parse(line, PLAYER, &[]), refused, "{line}");
        }
    }

    #[test]
    fn unknown_verbs_come_with_near_ones() {
        let unknown = |word: &str, near: &[&str]| {
            Command::Unclear(Unclear::Unknown {
                word: word.into(),
                near: near.iter().map(|&near| near.into()).collect(),
            })
        };
        check("loook at x", unknown("loook", &["look"]));
        check("xyzzyplugh", unknown("xyzzyplugh", &[]));
        check("/look", unknown("/look", &["look"]));
    }

    /// All text that a command carries.
    fn texts(command: &Command) -> String {
        format!("{command:?}")
    }

    proptest! {
        #[test]
        fn any_line_is_an_input(line in any::<String>(), staff in any::<bool>()) {
            let command = parse(&line, Rights { staff }, channels());
            prop_assert!(!texts(&command).contains(char::is_control));
        }

        #[test]
        fn any_rest_of_any_verb_is_an_input(
            row in 0..VERBS.len(),
            rest in "[ -~\u{0}-\u{1f}\u{a0}\u{e9}'\"2.a]{0,80}",
        ) {
            let line = format!("{} {rest}", VERBS[row].name);
            let command = parse(&line, Rights { staff: true }, channels());
            if let Command::Say(text) | Command::Emote(text) | Command::Reply(text) = command {
                prop_assert!(!text.contains(char::is_control));
                prop_assert!(!text.is_empty());
            }
        }
    }
}
