//! `[pure]` Every event there and back, and what is heard of odd frames.

use super::{Chat, Event, EventName, Heard, Ignored, Past, Reference, Tell, UNICODE, Welcome};

fn heard(text: &str) -> Event {
    match Heard::of(text) {
        Heard::Event(event) => *event,
        Heard::Ignored(why) => panic!("{text}: {why:?}"),
    }
}

fn reference() -> Option<Reference> {
    Some(Reference::text("r1"))
}

/// One of each, with the text that the protocol has for it.
#[expect(clippy::too_many_lines, reason = "a table")]
fn samples() -> Vec<(Event, &'static str)> {
    let chat = Chat {
        channel: "gossip".to_owned(),
        game: "GameA".to_owned(),
        name: "Ana".to_owned(),
        message: "Hello.".to_owned(),
        ..Chat::default()
    };
    let (game, name) = ("GameA".to_owned(), "Ana".to_owned());
    let tell = Tell {
        from_game: game.clone(),
        from_name: name.clone(),
        to_name: "bo".to_owned(),
        sent_at: "2026-01-02T03:04:05Z".to_owned(),
        message: "hi".to_owned(),
    };
    let numbered = Chat {
        seq: Some(7),
        sent_at: Some("2026-01-02T03:04:05Z".to_owned()),
        ..chat.clone()
    };
    vec![
        (
            Event::Welcome(Welcome {
                unicode: UNICODE.to_owned(),
                version: "2.3.0".to_owned(),
                ..Welcome::default()
            }),
            concat!(
                "{\"event\":\"authenticate\",\"status\":\"success\",",
                "\"payload\":{\"unicode\":\"\u{2714}\u{fe0f}\",\"version\":\"2.3.0\"}}",
            ),
        ),
        (
            Event::Welcome(Welcome {
                unicode: String::new(),
                version: "2.3.0".to_owned(),
                rejected_channels: vec!["x y".to_owned()],
                extensions: vec!["marks".to_owned()],
            }),
            concat!(
                r#"{"event":"authenticate","status":"success","payload":{"unicode":"","#,
                r#""version":"2.3.0","rejected_channels":["x y"],"extensions":["marks"]}}"#,
            ),
        ),
        (Event::Beat, r#"{"event":"heartbeat"}"#),
        (
            Event::Restart {
                reference: reference(),
                downtime_s: 17,
            },
            r#"{"event":"restart","ref":"r1","payload":{"downtime":17}}"#,
        ),
        (
            Event::Broadcast {
                reference: reference(),
                chat,
            },
            concat!(
                r#"{"event":"channels/broadcast","ref":"r1","payload":{"#,
                r#""channel":"gossip","game":"GameA","name":"Ana","message":"Hello."}}"#,
            ),
        ),
        (
            Event::Broadcast {
                reference: reference(),
                chat: numbered.clone(),
            },
            concat!(
                r#"{"event":"channels/broadcast","ref":"r1","payload":{"#,
                r#""channel":"gossip","game":"GameA","name":"Ana","message":"Hello.","#,
                r#""seq":7,"sent_at":"2026-01-02T03:04:05Z"}}"#,
            ),
        ),
        (
            Event::Sign {
                event: EventName::PlayersSignOut,
                reference: reference(),
                game: game.clone(),
                name,
            },
            r#"{"event":"players/sign-out","ref":"r1","payload":{"game":"GameA","name":"Ana"}}"#,
        ),
        (
            Event::Players {
                reference: reference(),
                game: game.clone(),
                players: vec!["Bo".to_owned()],
            },
            r#"{"event":"players/status","ref":"r1","payload":{"game":"GameA","players":["Bo"]}}"#,
        ),
        (
            Event::Tell {
                reference: reference(),
                tell,
            },
            concat!(
                r#"{"event":"tells/receive","ref":"r1","#,
                r#""payload":{"from_game":"GameA","from_name":"Ana","to_name":"bo","#,
                r#""sent_at":"2026-01-02T03:04:05Z","message":"hi"}}"#,
            ),
        ),
        (
            Event::Presence {
                event: EventName::GamesConnect,
                reference: reference(),
                game,
            },
            r#"{"event":"games/connect","ref":"r1","payload":{"game":"GameA"}}"#,
        ),
        (
            Event::Ack {
                event: EventName::ChannelsSend,
                reference: reference(),
            },
            r#"{"event":"channels/send","ref":"r1","status":"success"}"#,
        ),
        (
            Event::Failure {
                event: Some(EventName::TellsSend),
                reference: reference(),
                error: "game offline".to_owned(),
            },
            r#"{"event":"tells/send","ref":"r1","status":"failure","error":"game offline"}"#,
        ),
        (
            Event::Failure {
                event: None,
                reference: None,
                error: "unknown".to_owned(),
            },
            r#"{"status":"failure","error":"unknown"}"#,
        ),
        (
            Event::StatusEnd {
                event: EventName::PlayersStatusEnd,
                reference: reference(),
                games: 2,
            },
            r#"{"event":"players/status-end","ref":"r1","payload":{"games":2}}"#,
        ),
        (
            Event::History {
                reference: reference(),
                past: Past {
                    channel: "gossip".to_owned(),
                    missed: 3,
                    messages: vec![numbered],
                },
            },
            concat!(
                r#"{"event":"channels/history","ref":"r1","#,
                r#""payload":{"channel":"gossip","missed":3,"messages":[{"game":"GameA","#,
                r#""name":"Ana","message":"Hello.","seq":7,"#,
                r#""sent_at":"2026-01-02T03:04:05Z"}]}}"#,
            ),
        ),
        (
            Event::ChannelReceipt {
                reference: reference(),
                games: 4,
            },
            r#"{"event":"channels/receipt","ref":"r1","payload":{"games":4}}"#,
        ),
        (
            Event::TellReceipt {
                reference: reference(),
                status: "shown".to_owned(),
            },
            r#"{"event":"tells/receipt","ref":"r1","payload":{"status":"shown"}}"#,
        ),
    ]
}

#[test]
fn every_event_is_written_as_the_protocol_has_it_and_comes_back() {
    for (event, text) in samples() {
        assert_eq!(event.encode(), text);
        assert_eq!(heard(text), event);
    }
}

#[test]
fn an_ack_is_told_from_a_broadcast_of_the_same_name() {
    let ack = heard(r#"{"event":"players/sign-in","ref":"r1","status":"success"}"#);
    let expected = Event::Ack {
        event: EventName::PlayersSignIn,
        reference: reference(),
    };
    assert_eq!(ack, expected);
    let text = r#"{"event":"players/sign-in","payload":{"game":"G","name":"A"}}"#;
    assert!(matches!(
        heard(text),
        Event::Sign {
            reference: None,
            ..
        }
    ));
}

#[test]
fn what_is_of_no_use_is_ignored() {
    let table = [
        ("", Ignored::Garbage),
        ("[]", Ignored::Garbage),
        ("{}", Ignored::Unknown),
        (r#"{"event":"moo","payload":{}}"#, Ignored::Unknown),
        (r#"{"event":"authenticate"}"#, Ignored::Incomplete),
        (r#"{"event":"channels/broadcast"}"#, Ignored::Incomplete),
        (
            r#"{"event":"channels/broadcast","payload":{"channel":"a"}}"#,
            Ignored::Incomplete,
        ),
        (
            r#"{"event":"games/status","payload":{"game":7}}"#,
            Ignored::Incomplete,
        ),
    ];
    for (text, why) in table {
        assert_eq!(Heard::of(text), Heard::Ignored(why), "{text}");
    }
}

#[test]
fn a_cut_or_changed_frame_never_panics() {
    for (_, text) in samples() {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            assert!(matches!(
                Heard::of(&text[..end]),
                Heard::Ignored(Ignored::Garbage)
            ));
        }
    }
}

#[test]
fn a_downtime_that_is_no_time_is_none() {
    for downtime in ["-3", "\"9\"", "null", "1.5", "{}"] {
        let text = format!(r#"{{"event":"restart","payload":{{"downtime":{downtime}}}}}"#);
        assert!(
            matches!(heard(&text), Event::Restart { downtime_s: 0, .. }),
            "{text}"
        );
    }
    assert!(matches!(
        heard(r#"{"event":"restart"}"#),
        Event::Restart { .. }
    ));
}
