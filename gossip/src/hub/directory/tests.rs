//! `[pure]` Goal: a directory lets in, mutes and refuses exactly whom its operator says. Method:
//! small directories with times as arguments.

use super::*;

const NOW: i64 = 1_000_000;

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn game(number: u128, name: &str) -> Game {
    Game {
        id: GameId(1),
        client_id: uuid(number),
        secret: SecretHash::of(uuid(number + 1_000)),
        short_name: ShortName::parse(name).expect("a name"),
        display: true,
        display_players: true,
        disabled: false,
        text: GameText::named(name).expect("a name"),
        achievements: Vec::new(),
    }
}

fn ban(text: &str, until_unix_ms: Option<i64>) -> Ban {
    Ban {
        id: BanId(1),
        banned: text.parse().expect("a ban"),
        until_unix_ms,
        reason: "".into(),
    }
}

fn directory(bans: &[(&str, Option<i64>)]) -> Directory {
    let mut directory = Directory::new();
    directory.add_game(game(1, "GameA")).expect("fits");
    for (text, until) in bans {
        directory.add_ban(ban(text, *until)).expect("fits");
    }
    directory
}

fn name(text: &str) -> ShortName {
    ShortName::parse(text).expect("a name")
}

#[test]
fn admits_only_the_right_secret_of_an_enabled_game() {
    let mut directory = directory(&[]);
    let mut off = game(2, "GameB");
    off.disabled = true;
    directory.add_game(off).expect("fits");
    let admitted = |id, secret| directory.admit(uuid(id), uuid(secret), NOW).is_some();
    assert!(admitted(1, 1_001));
    assert!(!admitted(1, 1_002));
    assert!(!admitted(3, 1_001));
    assert!(!admitted(2, 1_002), "disabled");
    assert_eq!(
        directory.game(uuid(2)).expect("known").short_name.as_str(),
        "GameB"
    );
}

#[test]
fn names_are_unique_ignoring_case() {
    let mut directory = directory(&[]);
    assert_eq!(directory.add_game(game(2, "gamea")), Err(Fault::NameTaken));
    assert_eq!(directory.add_game(game(1, "Other")), Err(Fault::NameTaken));
    assert_eq!(
        directory.game_named("GAMEA").expect("known").client_id,
        uuid(1)
    );
    assert!(directory.game_named("Other").is_none());
}

#[test]
fn a_banned_game_is_out_until_the_ban_ends() {
    let banned = directory(&[("@gamea", Some(NOW + 1))]);
    assert!(banned.admit(uuid(1), uuid(1_001), NOW).is_none());
    assert!(banned.admit(uuid(1), uuid(1_001), NOW + 1).is_some());
    let ever = directory(&[("@GAMEA", None), ("@GameA", Some(0))]);
    assert!(ever.admit(uuid(1), uuid(1_001), i64::MAX).is_none());
}

#[test]
fn a_player_is_muted_in_their_game_or_everywhere() {
    let bans = [("Bo@GameA", None), ("\u{c9}va", Some(NOW + 1))];
    let directory = directory(&bans);
    assert!(directory.is_muted("BO", &name("gamea"), NOW));
    assert!(directory.is_muted(" bo ", &name("GameA"), NOW));
    assert!(!directory.is_muted("bo", &name("GameB"), NOW));
    assert!(directory.is_muted("\u{e9}va", &name("GameB"), NOW));
    assert!(!directory.is_muted("\u{e9}va", &name("GameB"), NOW + 1));
}

#[test]
fn regression_a_banned_player_is_muted_also_with_signs_that_nobody_sees() {
    let directory = directory(&[("Bo@GameA", None), ("Eve", None)]);
    for evasion in ["B\u{200b}o", "\u{feff}Bo", "BO\u{2060} ", "\u{202e}bo"] {
        assert!(
            directory.is_muted(evasion, &name("GameA"), NOW),
            "{evasion:?}"
        );
    }
    assert!(directory.is_muted("Ev\u{200d}e", &name("GameB"), NOW));
    assert!(!directory.is_muted("B o", &name("GameA"), NOW));
}

#[test]
fn regression_a_mistyped_address_bans_no_name() {
    for text in [
        "192.0.2",
        "192.0.2.300",
        "192.0.2.*",
        "10.0.0.1:4000",
        "2001:db8:::1",
    ] {
        assert_eq!(text.parse::<Banned>(), Err(Fault::Ban), "{text}");
    }
    for text in ["Ann B.", "Dr.No", "Abe", "1st", "007"] {
        assert_eq!(text.parse(), Ok(Banned::Name(text.into())), "{text}");
    }
}

#[test]
fn an_address_is_refused_alone_or_with_its_network() {
    let directory = directory(&[
        ("192.0.2.7", None),
        ("198.51.100.0/24", Some(NOW + 1)),
        ("2001:db8::/32", None),
    ]);
    let refused = |text: &str, now| directory.is_refused(text.parse().expect("address"), now);
    assert!(refused("192.0.2.7", NOW));
    assert!(refused("::ffff:192.0.2.7", NOW));
    assert!(!refused("192.0.2.8", NOW));
    assert!(refused("198.51.100.200", NOW));
    assert!(!refused("198.51.100.200", NOW + 1));
    assert!(refused("2001:db8:1::9", NOW));
    assert!(!refused("2001:db9::9", NOW));
}

#[test]
fn a_ban_reads_back_as_it_was_written() {
    let texts = [
        "@GameA",
        "Bo@GameA",
        "Bo the Bold",
        "192.0.2.7",
        "10.0.0.0/8",
        "2001:db8::/32",
        "::1",
        "0.0.0.0/0",
        "::/0",
    ];
    for text in texts {
        let banned: Banned = text.parse().expect(text);
        assert_eq!(banned.to_string(), text);
    }
    let faults = [
        ("", Fault::PlayerName),
        ("@", Fault::ShortName),
        ("Bo@", Fault::ShortName),
        ("a@b@GameA", Fault::PlayerName),
        ("10.0.0.0/33", Fault::Ban),
        ("10.0.0.0/x", Fault::Ban),
        ("10.0.0/8", Fault::Ban),
        ("Bo\u{1b}", Fault::PlayerName),
    ];
    for (text, fault) in faults {
        assert_eq!(text.parse::<Banned>(), Err(fault), "{text:?}");
    }
}

#[test]
fn a_channel_is_hidden_until_it_is_described_and_paused_until_its_time() {
    let mut directory = Directory::new();
    let name = ChannelName::parse("gossip").expect("a name");
    assert!(!directory.is_listed("gossip"));
    directory
        .add_channel(Channel::hidden(name.clone()))
        .expect("fits");
    assert!(!directory.is_listed("gossip"));
    directory
        .add_channel(Channel {
            hidden: false,
            paused_until_unix_ms: Some(NOW + 1),
            ..Channel::hidden(name)
        })
        .expect("fits");
    assert!(directory.is_listed("gossip"));
    assert!(!directory.is_listed("Gossip"), "the case counts");
    assert!(directory.is_paused("gossip", NOW));
    assert!(!directory.is_paused("gossip", NOW + 1));
}

#[test]
fn a_games_texts_are_checked() {
    let mut text = GameText::named(" The Game ").expect("a name");
    assert_eq!(&*text.display_name, "The Game");
    for bad in ["", " ", "a\nb", "a\u{202e}b", &"x".repeat(61)] {
        assert_eq!(GameText::named(bad), Err(Fault::DisplayName), "{bad:?}");
    }
    assert_eq!(text.describe(&"x".repeat(1_001)), Err(Fault::Description));
    let long_url = format!("http://{}", "x".repeat(300));
    let urls = [
        "javascript:alert(1)",
        "http://",
        "https:///x",
        "http://a b",
        "http://a\"b",
        &long_url,
    ];
    for url in urls {
        assert_eq!(text.link(url), Err(Fault::Url), "{url}");
    }
    text.link("https://a.example/?a=1&b=2").expect("an address");
    for bad in [
        "a.example",
        "a.example:0",
        ":23",
        "a b:23",
        "a:99999",
        "[x]:23",
    ] {
        assert_eq!(Connection::telnet(bad), Err(Fault::HostPort), "{bad}");
    }
    assert_eq!(
        Connection::secure_telnet("a.example:443"),
        Err(Fault::WebPort)
    );
    text.connect(Connection::telnet("[::1]:4000").expect("good"))
        .expect("first");
    let second = Connection::telnet("b.example:4000").expect("good");
    assert_eq!(text.connect(second), Err(Fault::ConnectionTwice));
}

#[test]
fn a_secret_hash_does_not_print() {
    let shown = format!("{:?}", game(1, "GameA"));
    assert!(shown.contains("SecretHash(..)"), "{shown}");
}

#[test]
fn a_directory_has_a_bound() {
    let mut directory = Directory::new();
    for _ in 0..BANS_MAX {
        directory.add_ban(ban("Bo", None)).expect("fits");
    }
    assert_eq!(
        directory.add_ban(ban("Bo", None)),
        Err(Fault::TooMany("bans"))
    );
}
