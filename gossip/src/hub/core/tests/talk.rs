//! `[pure]` Channels, as games see them.

use serde_json::json;

use super::{play, play_with};
use crate::hub::core::{Replies, Rules};
use crate::hub::order::StoreOrder;
use crate::limits::{CHANNELS_PER_SOCKET_MAX, MESSAGE_BYTES_MAX};

#[test]
fn two_games_chat() {
    let stage = play(
        r#"
        A login players gossip
        B login - gossip
        A > channels/send r {"channel":"gossip","name":"Ana","message":"a < b > c"}
        A < channels/send r ok
        B hears gossip GameA Ana a  c
        B says gossip Bo <b>Hello.</b> i <3 you
        A hears gossip GameB Bo Hello. i <3 you
        B says gossip <x>Bo ✔ äß 日本
        A hears gossip GameB Bo ✔ äß 日本
        ~ 120
        "#,
    );
    let figures = stage.hub.figures();
    assert_eq!((figures.messages, figures.games_online), (3, 2));
}

#[test]
fn references_come_back_as_they_are() {
    for reference in [
        r#""a\u0041""#,
        "7",
        "1.50",
        "[1]",
        r#"{"a":null}"#,
        "true",
        "null",
    ] {
        let event = "channels/subscribe";
        let payload = r#"{"channel":"gossip"}"#;
        let script = format!(
            r#"
            A login
            A > {{"event":"{event}","ref":{reference},"payload":{payload}}}
            A < {{"event":"{event}","ref":{reference},"status":"success"}}
            "#
        );
        play(&script);
    }
}

#[test]
fn the_subscribe_table() {
    let stage = play(
        r#"
        A login
        A > channels/subscribe r {"channel":"moo"}
        A < channels/subscribe r ok
        A > channels/subscribe r {"channel":"moo"}
        A < channels/subscribe r ok
        A > channels/subscribe r {"channel":"x y"}
        A < channels/subscribe r no Could not subscribe to "x y"
        A > channels/subscribe r {"channel":"ab"}
        A < channels/subscribe r no Could not subscribe to "ab"
        A > channels/subscribe r {"channel":"abcdefghijklmnop"}
        A < channels/subscribe r no Could not subscribe to "abcdefghijklmnop"
        A > channels/subscribe r {"channel":"aLL"}
        A < channels/subscribe r no Could not subscribe to "aLL"
        A > channels/subscribe r {"channel":"chat1"}
        A < channels/subscribe r no Could not subscribe to "chat1"
        A > channels/subscribe r {"channel":null}
        A < channels/subscribe r no Could not subscribe to ""
        A > channels/subscribe r {"channel":7}
        A < channels/subscribe r no Could not subscribe to ""
        A > channels/subscribe r {}
        A < channels/subscribe r ok
        A > channels/subscribe r
        A < channels/subscribe r no an error occurred, try again
        A > channels/subscribe null {"channel":"x y"}
        A < channels/subscribe null no Could not subscribe to "x y"
        A > channels/subscribe - {"channel":"x y"}
        A > channels/subscribe - {"channel":null}
        A > channels/subscribe
        A > channels/subscribe - {"channel":"Moo"}
        B login - moo
        B says moo Bo one
        A hears moo GameB Bo one
        B says Moo Bo another case is another channel
        "#,
    );
    let mut used = Vec::new();
    for order in &stage.stored {
        if let StoreOrder::ChannelUsed(name) = order {
            used.push(name.as_str());
        }
    }
    assert_eq!(used, ["moo", "Moo"]);
}

#[test]
fn the_unsubscribe_table() {
    play(
        r#"
        A login - gossip
        B login - gossip
        A > channels/unsubscribe r {"channel":"gossip"}
        A < channels/unsubscribe r ok
        A > channels/unsubscribe r {"channel":"gossip"}
        A < channels/unsubscribe r ok
        A > channels/unsubscribe r {"channel":"x y"}
        A < channels/unsubscribe r ok
        A > channels/unsubscribe r {"channel":null}
        A < channels/unsubscribe r ok
        A > channels/unsubscribe r {}
        A < channels/unsubscribe r ok
        A > channels/unsubscribe r
        A < channels/unsubscribe r no an error occurred, try again
        A > channels/unsubscribe
        B says gossip Bo nobody hears
        "#,
    );
}

#[test]
fn a_message_that_goes_nowhere_is_acknowledged_and_counted() {
    let stage = play(
        r#"
        A login - gossip
        B login - gossip
        A > channels/send r {"channel":"testing","name":"Ana","message":"x"}
        A < channels/send r ok
        A > channels/send r {"name":"Ana","message":"x"}
        A < channels/send r ok
        A > channels/send r {"channel":"x y","name":"Ana","message":"x"}
        A < channels/send r ok
        A > channels/send r {"channel":7,"name":"Ana","message":"x"}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","name":"Ana"}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","name":"Ana","message":null}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","name":"Ana","message":["x"]}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","message":"x"}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","name":"<b>","message":"x"}
        A < channels/send r ok
        A > channels/send r {"channel":"gossip","name":"Ana","message":"<b>"}
        A < channels/send r ok
        A > channels/send r
        A < channels/send r no an error occurred, try again
        A > channels/send - {"channel":"testing"}
        A > channels/send
        "#,
    );
    let figures = stage.hub.figures();
    assert_eq!(figures.dropped.not_subscribed, 5);
    assert_eq!((figures.dropped.empty, figures.messages), (6, 0));
}

#[test]
fn messages_and_names_are_cleaned_and_cut() {
    let mut stage = play("A login - gossip\nB login - gossip");
    let long = "\u{e9}".repeat(MESSAGE_BYTES_MAX);
    let table = [
        (
            "A\u{1b}na\n",
            "a\u{7}\u{1b}[1mb\r\nc\u{7f}",
            "Ana",
            "a[1mbc",
        ),
        (&long[..400], "x", &long[..200], "x"),
        ("Ana", &long, "Ana", &long[..MESSAGE_BYTES_MAX]),
    ];
    for (name, message, name_heard, message_heard) in table {
        let payload = json!({"channel": "gossip", "name": name, "message": message});
        stage.send(
            "A",
            &json!({"event": "channels/send", "payload": payload}).to_string(),
        );
        let frames = stage.frames("B");
        assert_eq!(frames[0]["payload"]["name"], name_heard);
        assert_eq!(frames[0]["payload"]["message"], message_heard);
    }
    let quotes = "\"".repeat(MESSAGE_BYTES_MAX);
    let payload = json!({"channel": "gossip", "name": "Ana", "message": quotes});
    stage.send(
        "A",
        &json!({"event": "channels/send", "payload": payload}).to_string(),
    );
    assert_eq!(stage.frames("B").len(), 1, "and its frame is not too long");
}

#[test]
fn no_game_hears_itself_and_each_socket_of_others_hears_once() {
    play(
        r#"
        A login - gossip
        A2 login - gossip,testing
        B login - gossip,gossip
        B2 login - testing
        B3 login - gossip
        A > channels/subscribe - {"channel":"gossip"}
        A says gossip Ana one
        B hears gossip GameA Ana one
        B3 hears gossip GameA Ana one
        B says gossip Bo two
        A hears gossip GameB Bo two
        A2 hears gossip GameB Bo two
        B3 drops
        A says gossip Ana three
        B hears gossip GameA Ana three
        "#,
    );
}

#[test]
fn a_socket_hears_a_bounded_number_of_channels() {
    let mut stage = play("A open");
    let names: Vec<String> = (0..CHANNELS_PER_SOCKET_MAX + 5).map(channel_name).collect();
    stage.authenticate("A", &json!({"channels": names}));
    let frames = stage.frames("A");
    let rejected = &frames[0]["payload"]["rejected_channels"];
    assert_eq!(rejected, &json!(&names[CHANNELS_PER_SOCKET_MAX..]));
    stage.play(&format!(
        r#"
        A > channels/subscribe r {{"channel":"gossip"}}
        A < channels/subscribe r no Could not subscribe to "gossip"
        A > channels/unsubscribe - {{"channel":"{}"}}
        A > channels/subscribe r {{"channel":"gossip"}}
        A < channels/subscribe r ok
        "#,
        names[0]
    ));
    assert_eq!(stage.hub.figures().channels, CHANNELS_PER_SOCKET_MAX);
}

#[test]
fn all_channels_are_bounded_and_one_nobody_hears_goes_first() {
    let games = 10;
    let mut stage = play("");
    for number in 0..games {
        let who = char::from(b'A' + number);
        stage.play(&format!("{who} open"));
        let first = usize::from(number) * CHANNELS_PER_SOCKET_MAX;
        let names: Vec<String> = (first..first + CHANNELS_PER_SOCKET_MAX)
            .map(channel_name)
            .collect();
        stage.authenticate(&who.to_string(), &json!({"channels": names}));
        assert_eq!(stage.frames(&who.to_string()).len(), 2);
    }
    let kept = channel_name(0);
    stage.play(&format!(
        r#"
        X login
        X > channels/subscribe r {{"channel":"gossip"}}
        X < channels/subscribe r no Could not subscribe to "gossip"
        A says {kept} Ana kept
        A > channels/unsubscribe - {{"channel":"{kept}"}}
        X > channels/subscribe r {{"channel":"gossip"}}
        X < channels/subscribe r ok
        "#
    ));
    assert_eq!(
        stage.hub.figures().channels,
        crate::limits::CHANNELS_LIVE_MAX
    );
}

fn channel_name(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
    [
        "chan-".to_owned(),
        String::from_iter([number / 676, number / 26, number].map(letter)),
    ]
    .concat()
}

#[test]
fn the_reference_is_silent_about_a_name_that_is_not_here() {
    let rules = Rules {
        replies: Replies::Reference,
        ..Rules::default()
    };
    play_with(
        rules,
        r#"
        A login players
        A > players/sign-out r {"name":"Ana"}
        A > players/sign-in r {"name":"Ana"}
        A < players/sign-in r ok
        A > players/sign-out r {"name":"Ana"}
        A < players/sign-out r ok
        "#,
    );
}
