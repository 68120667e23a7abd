//! `[pure]` What must hold for any input of the telnet codec. Shared by the fuzz target and by
//! `world/tests/telnet_random.rs`; whoever includes it supplies the names it imports.

use std::time::{Duration, Instant};

use super::{Codec, Input, clean, limits};

/// Answers that a connection may cause at one point in time, in bytes: every option request that
/// the budget lets through, with the longest answer there is.
const ANSWERS_BYTES_MAX: usize = (limits::NEGOTIATIONS_MAX as usize + 1) * 32;

/// Heap of a codec in bytes: the line, a subnegotiation and a terminal dialogue.
const HEAP_BYTES_MAX: usize =
    limits::LINE_BYTES_MAX + limits::CHARSET_BYTES_MAX + 4 * limits::TERMINAL_NAME_BYTES_MAX + 256;

/// What came out of a whole conversation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    answers: Vec<u8>,
    inputs: Vec<Input>,
}

/// Checks that the pieces in which input arrives make no difference, and every bound.
///
/// The first two bytes choose how the rest is cut up and where the session acts in between (asks
/// for a password, logs in). Any `now` will do: it is where the connection's time begins.
pub fn check(data: &[u8], now: Instant) {
    let (&[seed, acts], stream) = data.split_first_chunk::<2>().unwrap_or((&[0, 0], data));
    let whole = converse(stream, acts, now, &mut |rest| rest);
    let single = converse(stream, acts, now, &mut |_| 1);
    let mut random = u32::from(seed);
    let mixed = converse(stream, acts, now, &mut |rest| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) as usize % 9 % (rest + 1)
    });
    assert_eq!(whole, single, "one byte at a time differs from all at once");
    assert_eq!(whole, mixed, "pieces differ from all at once");
    assert!(
        whole.answers.len() <= ANSWERS_BYTES_MAX,
        "answers without end"
    );
    check_inputs(&whole.inputs);
}

/// Feeds the stream in three parts with an act of the session between them.
fn converse(
    stream: &[u8],
    acts: u8,
    now: Instant,
    piece: &mut dyn FnMut(usize) -> usize,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut codec = Codec::new(now);
    codec.opening(&mut outcome.answers);
    let part = stream.len() * usize::from(acts % 16) / 16;
    let (first, rest) = stream.split_at(part);
    let (second, third) = rest.split_at(rest.len() / 2);
    feed(&mut codec, first, now, piece, &mut outcome);
    if acts & 0x10 != 0 {
        codec.hide_input(&mut outcome.answers);
    }
    feed(&mut codec, second, now, piece, &mut outcome);
    if acts & 0x20 != 0 {
        codec.logged_in();
    }
    codec.show_input(&mut outcome.answers);
    feed(&mut codec, third, now, piece, &mut outcome);
    codec.prompt_end(&mut outcome.answers);
    assert!(codec.next_check() > now, "a deadline that is due at once");
    let much_later = now + Duration::from_secs(3_600);
    let _nothing_hangs = codec.keepalive(much_later, &mut Vec::new());
    outcome
}

fn feed(
    codec: &mut Codec,
    mut bytes: &[u8],
    now: Instant,
    piece: &mut dyn FnMut(usize) -> usize,
    outcome: &mut Outcome,
) {
    while !bytes.is_empty() {
        let (now_fed, _) = bytes.split_at(piece(bytes.len()));
        let mut lines = 0;
        let inputs = &mut outcome.inputs;
        let taken = codec.feed(now_fed, now, &mut outcome.answers, &mut |input| {
            lines += usize::from(matches!(input, Input::Line(_)));
            inputs.push(input);
        });
        assert!(taken == now_fed.len() || lines == limits::LINES_PER_FEED_MAX);
        assert!(lines <= limits::LINES_PER_FEED_MAX);
        assert!(
            codec.heap_bytes() <= HEAP_BYTES_MAX,
            "{} bytes of heap",
            codec.heap_bytes()
        );
        bytes = bytes.split_at(taken).1;
    }
}

fn check_inputs(inputs: &[Input]) {
    for (at, input) in inputs.iter().enumerate() {
        match input {
            Input::Line(line) => {
                assert!(line.text.chars().count() <= limits::LINE_BYTES_MAX);
                assert!(line.text.chars().all(|c| c == '\t' || !c.is_control()));
                let shown = clean(&line.text);
                assert_eq!(clean(&shown), shown);
            }
            Input::Window(window) => {
                assert!(limits::COLUMNS.contains(&window.columns));
                assert!(limits::ROWS.contains(&window.rows));
            }
            Input::Terminal(info) => {
                for name in [&info.client, &info.terminal].into_iter().flatten() {
                    assert!(name.len() <= limits::TERMINAL_NAME_BYTES_MAX);
                    assert!(name.bytes().all(|byte| matches!(byte, b' '..=b'~')));
                }
            }
            Input::NotTelnet(_) | Input::Close(_) => {
                assert_eq!(at + 1, inputs.len(), "something came after the end");
            }
            Input::Charset(_) | Input::Interrupt | Input::AreYouThere | Input::EchoRefused => {}
        }
    }
}
