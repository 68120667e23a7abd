//! Goal: no input, however cut up, breaks a bound of the telnet codec or reads differently.
//! Method: the body of the fuzz target (`world/fuzz`), run on streams made of telnet's words.

use std::time::Instant;

use belay_world::telnet::{Codec, Input, limits};
use belay_world::text::clean;
use proptest::collection::vec;
use proptest::prelude::*;

#[expect(unreachable_pub, reason = "public in the fuzz crate, whose file it is")]
#[path = "../fuzz/src/check.rs"]
mod check;

#[expect(
    clippy::disallowed_methods,
    reason = "any instant will do: nothing is measured"
)]
fn check_from_any_instant(data: &[u8]) {
    check::check(data, Instant::now());
}

/// One word of a stream: a piece of protocol, text, or noise.
fn word() -> impl Strategy<Value = Vec<u8>> {
    let option = prop_oneof![
        Just(0_u8),
        Just(1),
        Just(3),
        Just(6),
        Just(24),
        Just(25),
        Just(31),
        Just(42),
        any::<u8>()
    ];
    let negotiation =
        (0xfb..=0xfe_u8, option.clone()).prop_map(|(verb, option)| vec![0xff, verb, option]);
    let body = prop_oneof![
        Just(b"\x00MTTS 4".to_vec()),
        Just(b"\x01;UTF-8".to_vec()),
        Just(b"\x02US-ASCII".to_vec()),
        Just(b"\x00\x50\x00\x18".to_vec()),
        vec(any::<u8>(), 0..6),
        vec(b'a'..=b'z', 60..300),
    ];
    let subnegotiation =
        (option, body, prop::bool::weighted(0.9)).prop_map(|(option, body, whole)| {
            let mut bytes = vec![0xff, 0xfa, option];
            bytes.extend(body);
            bytes.extend_from_slice(if whole { b"\xff\xf0" } else { b"\xff" });
            bytes
        });
    prop_oneof![
        3 => negotiation,
        2 => subnegotiation,
        2 => prop_oneof![Just("look\r\n"), Just("\r\0"), Just("\n"), Just("Zo\u{eb}\r"),
            Just("GET / HTTP/1.0\r\n"), Just("\u{8}"), Just("\x1b[A"), Just("日本")]
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => (0xec..=0xff_u8).prop_map(|command| vec![0xff, command]),
        1 => vec(any::<u8>(), 0..8),
        1 => Just(vec![b'x'; 1_500]),
        1 => Just(vec![b'\n'; 100]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn streams_of_telnet_words_hold_every_bound(
        head in any::<[u8; 2]>(),
        words in vec(word(), 0..40),
    ) {
        check_from_any_instant(&[&head[..], &words.concat()].concat());
    }

    #[test]
    fn noise_holds_every_bound(data in vec(any::<u8>(), 0..400)) {
        check_from_any_instant(&data);
    }
}
