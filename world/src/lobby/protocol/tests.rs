//! `[pure]` The codecs: all that is written is read again, in both encodings alike; what is cut,
//! broken or too long is refused; and the bytes of the binary form stay what they are.

use super::*;
use crate::event::Text;
use crate::lobby::ids::{HallRoomId, InvitationId, MatchId, Seq, Slot, Tag, UnixSeconds};
use crate::lobby::limits::{CLIENT_BYTES_MAX, CLIENT_MESSAGES_MAX};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![Just(String::new()), "\\PC{0,12}", "[a-z \"\\\\\n]{0,20}"].prop_map(Text::from)
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::Here),
        any::<u32>().prop_map(Status::Idle),
        text().prop_map(Status::Away),
        any::<u64>().prop_map(|id| Status::InMatch(MatchId(id))),
        Just(Status::Gone),
    ]
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![
        Just(Access::Open),
        Just(Access::Locked),
        Just(Access::Invited)
    ]
}

prop_compose! {
    fn player()(
        (slot, name, status, score) in (any::<u16>(), text(), status(), text()),
        (wins, losses, played_s, flags) in any::<(u32, u32, u32, u8)>(),
    ) -> PlayerEntry {
        PlayerEntry { slot: Slot(slot), name, status, wins, losses, played_s, flags, score }
    }
}

prop_compose! {
    fn room()(
        (room, players, seats) in any::<(u32, u16, u16)>(), name in text(), access in access(),
    ) -> RoomEntry {
        RoomEntry { room: HallRoomId(room), name, players, seats, access }
    }
}

fn field() -> impl Strategy<Value = Field> {
    prop_oneof![
        status().prop_map(Field::Status),
        any::<u32>().prop_map(Field::Wins),
        any::<u32>().prop_map(Field::Losses),
        any::<u32>().prop_map(Field::PlayedS),
        any::<u8>().prop_map(Field::Flags),
        text().prop_map(Field::Score),
    ]
}

fn why() -> impl Strategy<Value = Why> {
    let all = [Why::Moved, Why::Left, Why::Lost, Why::Kicked, Why::Banned];
    prop::sample::select(all.to_vec())
}

prop_compose! {
    fn chat()(
        slot in prop::option::of(any::<u16>()), (name, words) in (text(), text()), at: u64,
    ) -> Chat {
        Chat { slot: slot.map(Slot), name, text: words, at: UnixSeconds(at) }
    }
}

fn some<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(one, 0..4)
}

prop_compose! {
    fn tick()(
        seq: u64,
        left in some((any::<u16>(), why())),
        joined in some(player()),
        changed in some((any::<u16>(), some(field()))),
        chat in some(chat()),
        room in prop::option::of(room()),
    ) -> TickBody {
        let left = left.into_iter().map(|(slot, why)| Left { slot: Slot(slot), why });
        let changed = changed.into_iter().map(|(slot, fields)| Change { slot: Slot(slot), fields });
        TickBody {
            seq: Seq(seq), left: left.collect(), joined, changed: changed.collect(), chat, room,
        }
    }
}

fn code() -> impl Strategy<Value = Code> {
    let all = [
        Code::Malformed,
        Code::Login,
        Code::Full,
        Code::Gone,
        Code::Busy,
        Code::Moving,
        Code::Refused,
        Code::Slow,
        Code::Text,
        Code::Banned,
        Code::Rules,
        Code::Internal,
    ];
    prop::sample::select(all.to_vec())
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Outcome::Won),
        Just(Outcome::Draw),
        text().prop_map(Outcome::Void),
    ]
}

fn role() -> impl Strategy<Value = MatchRole> {
    prop_oneof![
        any::<u8>().prop_map(MatchRole::Player),
        Just(MatchRole::Spectator)
    ]
}

fn of_rooms() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        any::<u32>().prop_map(|tag| ServerMessage::Done { tag: Tag(tag) }),
        (any::<u32>(), code(), text(), any::<u32>()).prop_map(|(tag, code, text, retry_ms)| {
            ServerMessage::Refused {
                tag: Tag(tag),
                code,
                text,
                retry_ms,
            }
        }),
        any::<u32>().prop_map(|ahead| ServerMessage::Waiting { ahead }),
        (room(), any::<u16>(), any::<u64>(), any::<bool>()).prop_map(
            |(room, you, seq, instead)| {
                ServerMessage::Room {
                    room,
                    you: Slot(you),
                    seq: Seq(seq),
                    instead,
                }
            }
        ),
        (some(player()), any::<bool>())
            .prop_map(|(players, last)| ServerMessage::Players { players, last }),
        some(chat()).prop_map(|lines| ServerMessage::History { lines }),
        tick().prop_map(ServerMessage::Tick),
        (any::<u32>(), any::<u32>(), some(room()))
            .prop_map(|(total, from, rooms)| ServerMessage::Rooms { total, from, rooms }),
        (any::<u32>(), some(room()), some(any::<u32>())).prop_map(|(total, rooms, gone)| {
            let gone = gone.into_iter().map(HallRoomId).collect();
            ServerMessage::RoomsChanged { total, rooms, gone }
        }),
    ]
}

fn of_people() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        (text(), text(), any::<u64>()).prop_map(|(from, text, at)| {
            ServerMessage::Told {
                from,
                text,
                at: UnixSeconds(at),
            }
        }),
        (
            any::<u32>(),
            text(),
            prop::option::of(text()),
            text(),
            any::<u16>()
        )
            .prop_map(|(id, from, game, options, ends_s)| ServerMessage::Invited {
                invitation: InvitationId(id),
                from,
                game,
                options,
                ends_s,
            }),
        (any::<u32>(), text(), any::<u32>(), any::<u16>()).prop_map(
            |(id, name, idle_s, ends_s)| {
                ServerMessage::Inviting {
                    invitation: InvitationId(id),
                    name,
                    idle_s,
                    ends_s,
                }
            }
        ),
        (any::<u32>(), text()).prop_map(|(id, why)| ServerMessage::InvitationOver {
            invitation: InvitationId(id),
            why,
        }),
        (text(), any::<u32>(), any::<u32>()).prop_map(|(game, waited_s, waiting)| {
            ServerMessage::Queued {
                game,
                waited_s,
                waiting,
            }
        })
    ]
}

fn of_matches() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        (
            (any::<u64>(), text(), role()),
            (some(text()), any::<u16>(), any::<u32>(), text())
        )
            .prop_map(|((id, game, role), (players, spectators, number, state))| {
                ServerMessage::Match(Box::new(MatchState {
                    id: MatchId(id),
                    game,
                    role,
                    players,
                    spectators,
                    number,
                    state,
                }))
            }),
        (any::<u64>(), any::<u32>(), text()).prop_map(|(id, number, data)| {
            ServerMessage::MatchEvent {
                id: MatchId(id),
                number,
                data,
            }
        }),
        (any::<u64>(), text(), text()).prop_map(|(id, from, text)| ServerMessage::MatchChat {
            id: MatchId(id),
            from,
            text
        }),
        (any::<u64>(), outcome(), text()).prop_map(|(id, outcome, text)| {
            ServerMessage::MatchOver {
                id: MatchId(id),
                outcome,
                text,
            }
        }),
    ]
}

fn of_the_node() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        Just(ServerMessage::Moving),
        any::<(u32, u64)>().prop_map(|(room, seq)| ServerMessage::Resumed {
            room: HallRoomId(room),
            seq: Seq(seq),
        }),
        text().prop_map(|text| ServerMessage::Notice { text }),
        any::<(u32, u64)>().prop_map(|(tag, now)| ServerMessage::Time {
            tag: Tag(tag),
            now: UnixSeconds(now)
        }),
        text().prop_map(|token| ServerMessage::Token { token }),
        (code(), text(), any::<bool>())
            .prop_map(|(code, text, again)| ServerMessage::Closing(Closing { code, text, again })),
        (
            (text(), text(), some(text()), text()),
            any::<(bool, u16, u16, u16, u16, u64)>()
        )
            .prop_map(
                |((server, name, games, text), (guest, tick_ms, chat_max, idle, ping_s, now))| {
                    ServerMessage::Welcome(Box::new(Welcome {
                        server,
                        name,
                        guest,
                        tick_ms,
                        chat_max,
                        idle_after_s: idle,
                        ping_s,
                        games,
                        now: UnixSeconds(now),
                        text,
                    }))
                }
            ),
    ]
}

fn server() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![of_rooms(), of_people(), of_matches(), of_the_node()]
}

fn login() -> impl Strategy<Value = Login> {
    prop_oneof![
        Just(Login::Guest),
        (text(), text(), any::<bool>()).prop_map(|(name, password, create)| Login::Account {
            name,
            password,
            create
        }),
        (text(), prop::option::of(any::<(u32, u64)>())).prop_map(|(token, seen)| Login::Resume {
            token,
            seen: seen.map(|(room, seq)| (HallRoomId(room), Seq(seq))),
        }),
    ]
}

fn wish() -> impl Strategy<Value = RoomWish> {
    use prop::option::of;
    (of(text()), of(any::<u16>()), of(access())).prop_map(|(name, seats, access)| RoomWish {
        name,
        seats,
        access,
    })
}

fn pick() -> impl Strategy<Value = RoomPick> {
    prop_oneof![
        Just(RoomPick::Any),
        any::<u32>().prop_map(|room| RoomPick::Room(HallRoomId(room))),
        text().prop_map(RoomPick::Player),
    ]
}

fn watching() -> impl Strategy<Value = Watching> {
    prop_oneof![
        Just(Watching::None),
        Just(Watching::All),
        Just(Watching::Invited)
    ]
}

fn moderation() -> impl Strategy<Value = Moderation> {
    use Moderation::{Ban, Kick, Mute, Unban, Unmute};
    prop::sample::select(vec![Mute, Unmute, Kick, Ban, Unban])
}

fn spoken() -> impl Strategy<Value = ClientMessage> {
    use ClientMessage as M;
    let tag = || any::<u32>().prop_map(Tag);
    prop_oneof![
        (text(), login()).prop_map(|(client, login)| M::Hello { client, login }),
        (tag(), pick()).prop_map(|(tag, room)| M::Join { tag, room }),
        (tag(), wish()).prop_map(|(tag, wish)| M::Create { tag, wish }),
        (tag(), wish()).prop_map(|(tag, wish)| M::Change { tag, wish }),
        (tag(), any::<(u32, u16)>()).prop_map(|(tag, (from, count))| M::Rooms { tag, from, count }),
        (tag(), prop::option::of(any::<u64>()), text()).prop_map(|(tag, id, text)| M::Say {
            tag,
            in_match: id.map(MatchId),
            text,
        }),
        (tag(), text(), text()).prop_map(|(tag, to, text)| M::Tell { tag, to, text }),
        (tag(), prop::option::of(text())).prop_map(|(tag, text)| M::Away { tag, text }),
        (tag(), text(), any::<bool>()).prop_map(|(tag, name, on)| M::Ignore { tag, name, on }),
    ]
}

fn played() -> impl Strategy<Value = ClientMessage> {
    use ClientMessage as M;
    let tag = || any::<u32>().prop_map(Tag);
    let with = || (any::<u32>().prop_map(Tag), any::<u64>().prop_map(MatchId));
    prop_oneof![
        (tag(), text(), prop::option::of(text()), text(), watching()).prop_map(
            |(tag, name, game, options, watching)| M::Invite {
                tag,
                name,
                game,
                options,
                watching
            }
        ),
        (tag(), any::<(u32, bool)>()).prop_map(|(tag, (id, accept))| M::Answer {
            tag,
            invitation: InvitationId(id),
            accept,
        }),
        (tag(), any::<u32>()).prop_map(|(tag, id)| M::Cancel {
            tag,
            invitation: InvitationId(id)
        }),
        (tag(), text(), some(text())).prop_map(|(tag, game, party)| M::Queue { tag, game, party }),
        tag().prop_map(|tag| M::Unqueue { tag }),
        (with(), text()).prop_map(|((tag, id), data)| M::Act { tag, id, data }),
        with().prop_map(|(tag, id)| M::Watch { tag, id }),
        with().prop_map(|(tag, id)| M::Leave { tag, id }),
        (tag(), text(), moderation(), any::<u32>(), text()).prop_map(
            |(tag, name, what, for_s, reason)| M::Moderate {
                tag,
                name,
                what,
                for_s,
                reason
            }
        ),
        tag().prop_map(|tag| M::Time { tag }),
        tag().prop_map(|tag| M::Bye { tag }),
    ]
}

fn client() -> impl Strategy<Value = ClientMessage> {
    prop_oneof![spoken(), played()]
}

fn payload(messages: &[ServerMessage], encoding: Encoding) -> Vec<u8> {
    let mut payload = Vec::new();
    encode_payload(messages, encoding, &mut payload);
    payload
}

proptest! {
    #[test]
    fn what_the_node_says_is_read_alike_in_both_encodings(
        messages in prop::collection::vec(server(), 1..5),
    ) {
        for encoding in Encoding::ALL {
            let read = decode_server(&payload(&messages, encoding), encoding);
            prop_assert_eq!(read.as_ref(), Ok(&messages), "{:?}", encoding);
        }
    }

    #[test]
    fn what_a_client_says_is_read_alike_in_both_encodings(
        messages in prop::collection::vec(client(), 1..5),
    ) {
        for encoding in Encoding::ALL {
            let read = decode_client(&encode_client(&messages, encoding), encoding);
            prop_assert_eq!(read.as_ref(), Ok(&messages), "{:?}", encoding);
        }
    }

    #[test]
    fn a_frame_is_its_header_and_payload_and_its_parts_are_what_it_says(
        messages in prop::collection::vec(server(), 1..5),
    ) {
        for encoding in Encoding::ALL {
            let frame = encode_frame(&messages, encoding);
            let payload = payload(&messages, encoding);
            prop_assert!(frame.bytes.ends_with(&payload));
            let header = frame.bytes.len() - payload.len();
            prop_assert!((2..=10).contains(&header));
            let of_json = if encoding == Encoding::Json { messages.len() + 1 } else { 0 };
            let sum: usize = frame.parts.iter().map(|part| part.bytes as usize).sum();
            prop_assert_eq!(sum + of_json, payload.len());
            let kinds = messages.iter().map(ServerMessage::kind);
            prop_assert!(frame.parts.iter().map(|part| part.kind).eq(kinds));
        }
    }

    #[test]
    fn the_kinds_have_the_names_that_stand_in_json(one in server(), other in client()) {
        let word = |json: &[u8]| {
            let value: serde_json::Value = serde_json::from_slice(json).unwrap();
            let first = value[0].clone();
            first.as_str().map(str::to_owned)
                .or_else(|| first.as_object().and_then(|map| map.keys().next().cloned()))
        };
        let json = payload(std::slice::from_ref(&one), Encoding::Json);
        let name = ServerMessage::KINDS[usize::from(one.kind().0)];
        prop_assert_eq!(word(&json), Some(name.to_owned()));
        let json = encode_client(std::slice::from_ref(&other), Encoding::Json);
        let name = ClientMessage::KINDS[usize::from(other.kind().0)];
        prop_assert_eq!(word(&json), Some(name.to_owned()));
        if !matches!(other, ClientMessage::Hello { .. }) {
            let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(value[0][name]["tag"].as_u64(), Some(u64::from(other.tag().0)));
        }
    }

    #[test]
    fn a_frame_that_is_cut_is_refused_or_holds_only_whole_messages(
        messages in prop::collection::vec(client(), 1..4), cut: prop::sample::Index,
    ) {
        let json = encode_client(&messages, Encoding::Json);
        let cut_at = cut.index(json.len());
        prop_assert!(decode_client(&json[..cut_at], Encoding::Json).is_err());
        let binary = encode_client(&messages, Encoding::Binary);
        let cut_at = cut.index(binary.len());
        match decode_client(&binary[..cut_at], Encoding::Binary) {
            Ok(read) => prop_assert!(messages.starts_with(&read) && read.len() < messages.len()),
            Err(error) => prop_assert!(error != DecodeError::TooLong),
        }
    }

    #[test]
    fn garbage_is_answered_and_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for encoding in Encoding::ALL {
            drop(decode_client(&bytes, encoding));
            drop(decode_server(&bytes, encoding));
        }
    }

    #[test]
    fn a_byte_that_changes_on_the_way_never_panics(
        messages in prop::collection::vec(client(), 1..4),
        at: prop::sample::Index, with: u8,
    ) {
        for encoding in Encoding::ALL {
            let mut bytes = encode_client(&messages, encoding);
            let at = at.index(bytes.len());
            bytes[at] = with;
            drop(decode_client(&bytes, encoding));
        }
    }
}

#[test]
fn what_is_too_long_too_much_or_empty_is_refused_in_both_encodings() {
    let bye = ClientMessage::Bye { tag: Tag(1) };
    let long = ClientMessage::Say {
        tag: Tag(1),
        in_match: None,
        text: "x".repeat(CLIENT_BYTES_MAX).into(),
    };
    for encoding in Encoding::ALL {
        let of = |messages: &[ClientMessage]| {
            decode_client(&encode_client(messages, encoding), encoding)
        };
        assert_eq!(of(std::slice::from_ref(&long)), Err(DecodeError::TooLong));
        assert_eq!(of(&[]), Err(DecodeError::Empty));
        assert!(of(&vec![bye.clone(); CLIENT_MESSAGES_MAX]).is_ok());
        let many = vec![bye.clone(); CLIENT_MESSAGES_MAX + 1];
        assert_eq!(of(&many), Err(DecodeError::TooMany));
    }
}

#[test]
fn json_says_what_is_wrong() {
    for (json, expected) in [
        ("{}", "invalid type: map"),
        ("[{\"shout\":{\"tag\":1}}]", "unknown variant `shout`"),
        ("[{\"time\":{}}]", "missing field `tag`"),
        ("[{\"time\":{\"tag\":-1}}]", "invalid value"),
        (
            "[{\"time\":{\"tag\":1,\"zone\":2}}]",
            "unknown field `zone`",
        ),
        ("[{\"time\":{\"tag\":1}}] x", "trailing characters"),
        ("\u{fffd}", "expected value"),
    ] {
        let error = decode_client(json.as_bytes(), Encoding::Json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
    assert!(decode_client(b"[\"\xff\"]", Encoding::Json).is_err());
    let deep = "[".repeat(4_000);
    assert!(decode_client(deep.as_bytes(), Encoding::Json).is_err());
}

#[test]
fn a_claimed_length_takes_no_memory() {
    // A queue message whose party claims four thousand million names.
    let bytes = [
        12, 1, 4, b'd', b'u', b'e', b'l', 0xff, 0xff, 0xff, 0xff, 0x0f,
    ];
    assert!(decode_client(&bytes, Encoding::Binary).is_err());
}

#[test]
fn a_client_may_leave_out_what_may_be_null() {
    let json = br#"[{"say":{"tag":1,"text":"hi"}},{"create":{"tag":2,"wish":{"seats":10}}}]"#;
    let read = decode_client(json, Encoding::Json).unwrap();
    let wish = RoomWish {
        seats: Some(10),
        ..RoomWish::default()
    };
    let expected = [
        ClientMessage::Say {
            tag: Tag(1),
            in_match: None,
            text: "hi".into(),
        },
        ClientMessage::Create { tag: Tag(2), wish },
    ];
    assert_eq!(read, expected);
}

#[test]
fn regression_the_bytes_of_the_binary_form_stay_what_they_are() {
    let entry = PlayerEntry {
        slot: Slot(300),
        name: "Ann".into(),
        status: Status::Idle(301),
        wins: 1,
        losses: 2,
        played_s: 3,
        flags: PlayerEntry::GUEST,
        score: "1:0".into(),
    };
    let tick = TickBody {
        seq: Seq(128),
        left: vec![Left {
            slot: Slot(1),
            why: Why::Lost,
        }],
        joined: vec![entry],
        changed: vec![Change {
            slot: Slot(2),
            fields: vec![Field::Wins(9)],
        }],
        chat: vec![Chat {
            slot: Some(Slot(2)),
            name: "".into(),
            text: "hi".into(),
            at: UnixSeconds(5),
        }],
        room: None,
    };
    let bytes = payload(
        &[ServerMessage::Tick(tick), ServerMessage::Moving],
        Encoding::Binary,
    );
    let expected: [&[u8]; 9] = [
        &[7, 0x80, 1],
        &[1, 1, 2],
        &[1, 0xac, 2, 3, b'A', b'n', b'n', 1, 0xad, 2, 1, 2, 3, 2],
        &[3, b'1', b':', b'0'],
        &[1, 2, 1, 1, 9],
        &[1, 1, 2, 0, 2, b'h', b'i', 5],
        &[0],
        &[19],
        &[],
    ];
    assert_eq!(bytes, expected.concat());
    let hello = ClientMessage::Hello {
        client: "t".into(),
        login: Login::Resume {
            token: "ab".into(),
            seen: Some((HallRoomId(1), Seq(300))),
        },
    };
    let bye = ClientMessage::Bye { tag: Tag(7) };
    let bytes = encode_client(&[hello, bye], Encoding::Binary);
    assert_eq!(bytes, [0, 1, b't', 2, 2, b'a', b'b', 1, 1, 0xac, 2, 19, 7]);
}

#[test]
fn a_player_takes_few_bytes_in_the_first_list() {
    let players = (0..500_u16).map(|slot| PlayerEntry {
        slot: Slot(slot),
        name: format!("Guest{slot:04}").into(),
        status: Status::Here,
        wins: 0,
        losses: 0,
        played_s: 0,
        flags: PlayerEntry::GUEST,
        score: "".into(),
    });
    let page = ServerMessage::Players {
        players: players.collect(),
        last: true,
    };
    let bytes = payload(&[page], Encoding::Binary).len();
    assert!(bytes <= 500 * (20 + "Guest0000".len()), "{bytes}");
    assert!(bytes <= 500 * 19, "{bytes}");
}
