//! Goal: whatever a hostile client sends costs a bounded amount of memory and answers, and what
//! follows it is read as if nothing had happened, or the connection is closed.
//! Method: the list of attacks that other servers fell to, each against a fresh codec.

use std::time::{Duration, Instant};

use belay_world::telnet::{CloseReason, Codec, Input, Line, NotTelnet, TerminalInfo, limits};

/// Memory that a codec may hold while somebody tries.
const HEAP_BYTES_MAX: usize = 8 * 1_024;

/// One connection under attack.
struct Victim {
    codec: Codec,
    now: Instant,
    out: Vec<u8>,
    inputs: Vec<Input>,
}

impl Victim {
    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do: nothing is measured"
    )]
    fn new() -> Self {
        let now = Instant::now();
        let mut codec = Codec::new(now);
        codec.opening(&mut Vec::new());
        Self {
            codec,
            now,
            out: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// A victim that agreed to TTYPE, NAWS, CHARSET.
    fn agreed() -> Self {
        let mut victim = Self::new();
        victim.send(b"\xff\xfb\x18\xff\xfb\x1f\xff\xfd\x2a");
        victim.out.clear();
        victim
    }

    fn send(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let inputs = &mut self.inputs;
            let taken = self
                .codec
                .feed(bytes, self.now, &mut self.out, &mut |input| {
                    inputs.push(input)
                });
            bytes = bytes.split_at(taken).1;
            assert!(
                self.codec.heap_bytes() <= HEAP_BYTES_MAX,
                "{}",
                self.codec.heap_bytes()
            );
        }
    }

    /// Sends `total` bytes, repeating `piece`.
    fn flood(&mut self, piece: &[u8], total: usize) {
        for _ in 0..total / piece.len() {
            self.send(piece);
        }
    }

    fn closed(&self) -> Option<CloseReason> {
        self.inputs.iter().find_map(|input| {
            if let Input::Close(reason) = input {
                Some(*reason)
            } else {
                None
            }
        })
    }

    fn lines(&self) -> Vec<&Line> {
        let mut lines = Vec::new();
        for input in &self.inputs {
            if let Input::Line(line) = input {
                lines.push(line);
            }
        }
        lines
    }

    fn texts(&self) -> Vec<&str> {
        self.lines()
            .into_iter()
            .map(|line| line.text.as_str())
            .collect()
    }

    /// The connection lives and reads lines.
    fn check_alive(&mut self) {
        self.inputs.clear();
        self.send(b"\r\nstill here\r\n");
        assert_eq!(self.texts().last(), Some(&"still here"));
    }
}

#[test]
fn an_endless_subnegotiation_costs_nothing_and_ends_the_connection() {
    for (piece, total) in [(1_400, 16 << 20), (1, 256 << 10)] {
        let mut victim = Victim::agreed();
        victim.send(b"\xff\xfa\x18\x00");
        victim.flood(&vec![b'a'; piece], total);
        assert!(victim.codec.heap_bytes() < 256);
        assert!(victim.inputs.is_empty() && victim.out.is_empty());
        victim.now += limits::SUBNEGOTIATION_OPEN_MAX;
        assert_eq!(victim.codec.next_check(), victim.now);
        victim.send(b"a");
        assert_eq!(
            victim.inputs,
            [Input::Close(CloseReason::OpenSubnegotiation)]
        );
        victim.send(b"\xff\xf0look\r\n\xff\xfd\x55");
        assert_eq!(victim.inputs.len(), 1, "deaf after the close");
        assert!(victim.out.is_empty());
    }
}

#[test]
fn a_silent_open_subnegotiation_is_found_by_the_timer() {
    let mut victim = Victim::new();
    victim.now += Duration::from_secs(30);
    victim.send(b"\xff\xfa\xc9");
    let due = victim.codec.next_check();
    assert_eq!(due, victim.now + limits::SUBNEGOTIATION_OPEN_MAX);
    let closed = victim.codec.keepalive(due, &mut victim.out);
    assert_eq!(closed, Some(CloseReason::OpenSubnegotiation));
    assert!(victim.out.is_empty());
    assert_eq!(
        victim.codec.keepalive(due, &mut victim.out),
        None,
        "said once"
    );
}

#[test]
fn a_subnegotiation_of_an_option_never_agreed_is_skipped() {
    let mut victim = Victim::new();
    victim.send(b"\xff\xfa\xc9Core.Hello {}\xff\xff\xf0 \xff\xf0look\r\n");
    victim.send(b"\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0north\r\n");
    victim.send(b"\xff\xfa\xff\xf0east\r\n\xff\xfa\xff\xff\xf0x\xff\xf0west\r\n");
    assert_eq!(victim.texts(), ["look", "north", "east", "west"]);
    assert_eq!(victim.inputs.len(), 4, "no window came out of it");
    assert!(victim.out.is_empty());
}

#[test]
fn a_subnegotiation_cut_by_another_command_yields_that_command() {
    let mut victim = Victim::new();
    victim.send(b"\xff\xfb\x1f");
    victim.send(b"\xff\xfa\x1f\x00\x50\xff\xfb\x18look\r\n");
    assert_eq!(
        victim.out, b"\xff\xfa\x18\x01\xff\xf0",
        "WILL TTYPE was heard"
    );
    assert_eq!(victim.texts(), ["look"]);
    assert_eq!(victim.inputs.len(), 1, "half a window is no window");
    victim.send(b"\xff\xfa\x1f\x00\xff\xfa\x1f\x00\x64\x00\x28\xff\xf0");
    assert!(matches!(victim.inputs.last(), Some(Input::Window(size)) if size.columns == 100));
}

#[test]
fn megabytes_without_a_line_end_cost_four_kilobytes() {
    for (piece, total) in [(1_400, 16 << 20), (1, 1 << 20)] {
        let mut victim = Victim::new();
        victim.codec.logged_in();
        victim.flood(&vec![b'a'; piece], total);
        assert!(victim.codec.heap_bytes() <= limits::LINE_BYTES_MAX);
        assert!(victim.inputs.is_empty());
        victim.send(b"\r\n");
        let lines = victim.lines();
        assert_eq!(lines.len(), 1);
        assert!(lines[0].cut && lines[0].text.len() == limits::LINE_BYTES_MAX);
        victim.check_alive();
        assert_eq!(victim.codec.heap_bytes(), 0);
    }
}

#[test]
fn flipping_an_option_for_ever_is_closed_soon() {
    for flip in [
        b"\xff\xfb\x18\xff\xfc\x18",
        b"\xff\xfd\x2a\xff\xfe\x2a",
        b"\xff\xfd\x01\xff\xfe\x01",
    ] {
        let mut victim = Victim::new();
        victim.flood(flip, 100_000 * flip.len());
        assert_eq!(victim.closed(), Some(CloseReason::Negotiations));
        assert!(
            victim.out.len() < 200 * 32,
            "{} bytes of answers",
            victim.out.len()
        );
    }
}

#[test]
fn a_slow_flood_of_unknown_requests_is_answered_once_each() {
    let mut victim = Victim::new();
    for at in 0..100_000_u32 {
        if at % u32::from(limits::NEGOTIATIONS_MAX) == 0 {
            victim.now += limits::BUDGET_WINDOW;
        }
        let option = 100 + u8::try_from(at % 100).unwrap();
        victim.send(&[0xff, 0xfd, option]);
    }
    assert_eq!(victim.closed(), None);
    assert_eq!(victim.out.len(), 100 * 3);
    victim.check_alive();
}

#[test]
fn a_fast_flood_of_unknown_requests_is_closed() {
    let mut victim = Victim::new();
    victim.flood(b"\xff\xfd\xc8", 300_000);
    assert_eq!(victim.closed(), Some(CloseReason::Negotiations));
    assert_eq!(victim.out, b"\xff\xfc\xc8");
}

#[test]
fn a_flood_of_charset_requests_is_closed() {
    let mut victim = Victim::agreed();
    victim.send(b"\xff\xfa\x2a\x02UTF-8\xff\xf0");
    victim.flood(b"\xff\xfa\x2a\x01;UTF-8\xff\xf0", 100_000);
    assert_eq!(victim.closed(), Some(CloseReason::Negotiations));
    assert!(victim.out.len() < 200 * 16);
}

#[test]
fn a_flood_of_doubled_ff_is_one_long_line() {
    let mut victim = Victim::new();
    victim.flood(b"\xff\xff", 1 << 20);
    victim.check_alive();
    let lines = victim.lines();
    assert_eq!(
        lines[0].text,
        "ÿ".repeat(limits::LINE_BYTES_MAX_BEFORE_LOGIN)
    );
    assert!(lines[0].cut);
    assert!(victim.out.is_empty());
}

#[test]
fn a_flood_of_are_you_there_is_answered_once_a_second() {
    let mut victim = Victim::new();
    victim.flood(b"\xff\xf6", 200_000);
    assert_eq!(victim.inputs, [Input::AreYouThere]);
    victim.now += limits::ARE_YOU_THERE_GAP - Duration::from_millis(100);
    victim.send(b"\xff\xf6");
    assert_eq!(victim.inputs.len(), 1);
    victim.now += Duration::from_millis(100);
    victim.flood(b"\xff\xf6", 200_000);
    assert_eq!(victim.inputs.len(), 2);
}

#[test]
fn windows_of_wrong_length_are_ignored() {
    for length in [0, 1, 2, 3, 5, 300] {
        let mut victim = Victim::agreed();
        let body = vec![1; length];
        victim.send(&[b"\xff\xfa\x1f", &body[..], b"\xff\xf0"].concat());
        assert!(victim.inputs.is_empty(), "{length} bytes");
        victim.check_alive();
    }
}

#[test]
fn a_terminal_name_over_the_limit_is_skipped() {
    for over in [1, 10_240] {
        let mut victim = Victim::agreed();
        let name = vec![b'a'; limits::TERMINAL_NAME_BYTES_MAX + over];
        victim.send(&[b"\xff\xfa\x18\x00", &name[..], b"\xff\xf0"].concat());
        assert!(victim.inputs.is_empty() && victim.out.is_empty());
        let longest = [b'b'; limits::TERMINAL_NAME_BYTES_MAX];
        victim.send(&[b"\xff\xfa\x18\x00", &longest[..], b"\xff\xf0"].concat());
        assert_eq!(victim.inputs.len(), 1);
        victim.check_alive();
    }
}

#[test]
fn absurd_terminal_bits_tell_nothing() {
    for bits in ["99999999999999999999", "-1", "", "1e3"] {
        let mut victim = Victim::agreed();
        victim.send(&[b"\xff\xfa\x18\x00MTTS ", bits.as_bytes(), b"\xff\xf0"].concat());
        let Some(Input::Terminal(TerminalInfo { mtts, .. })) = victim.inputs.last() else {
            panic!("no terminal");
        };
        assert_eq!(*mtts, None, "for {bits:?}");
        victim.check_alive();
    }
}

#[test]
fn a_charset_request_without_a_separator_is_rejected() {
    for body in [&b"\x01"[..], b"\x01;", b"\x01UTF-8"] {
        let mut victim = Victim::agreed();
        victim.send(b"\xff\xfa\x2a\x03\xff\xf0");
        victim.send(&[b"\xff\xfa\x2a", body, b"\xff\xf0"].concat());
        assert_eq!(victim.out, b"\xff\xfa\x2a\x03\xff\xf0", "for {body:?}");
        victim.check_alive();
    }
}

#[test]
fn invalid_utf8_cut_over_packets_reads_as_in_one() {
    let mut victim = Victim::new();
    for piece in [&b"a\xc3"[..], b"\xa9b\r\nc\xe6", b"\x97", b"\r\n"] {
        victim.send(piece);
    }
    assert_eq!(victim.texts(), ["aéb", "cæ—"]);
}

#[test]
fn a_cut_line_never_ends_in_half_a_character() {
    for lead in 0..3 {
        let mut victim = Victim::new();
        let typed = format!("{}{}\r\n", "x".repeat(lead), "日".repeat(2_000));
        victim.send(typed.as_bytes());
        let lines = victim.lines();
        let kept = (limits::LINE_BYTES_MAX_BEFORE_LOGIN - lead) / 3;
        assert_eq!(
            lines[0].text,
            format!("{}{}", "x".repeat(lead), "日".repeat(kept))
        );
    }
}

#[test]
fn too_many_faults_in_a_short_time_close() {
    let mut victim = Victim::new();
    for _ in 0..limits::FAULTS_MAX {
        victim.send(b"\xff\x01");
    }
    assert!(victim.inputs.is_empty());
    victim.send(b"\xff\x01");
    assert_eq!(victim.inputs, [Input::Close(CloseReason::Faults)]);
    assert!(victim.out.is_empty(), "never an answer for a fault");
}

#[test]
fn faults_are_forgiven_with_time() {
    let mut victim = Victim::new();
    for _ in 0..10 {
        for _ in 0..limits::FAULTS_MAX {
            victim.send(b"\xff\x01");
        }
        victim.now += limits::BUDGET_WINDOW;
    }
    victim.check_alive();
}

#[test]
fn a_line_that_never_ends_is_closed_before_login_only() {
    for logged_in in [false, true] {
        let mut victim = Victim::new();
        if logged_in {
            victim.codec.logged_in();
        }
        let mut seconds = 0;
        while victim.closed().is_none() && seconds < 300 {
            victim.send(b"a");
            victim.now += Duration::from_secs(1);
            seconds += 1;
        }
        let expected = if logged_in {
            None
        } else {
            Some(CloseReason::PendingLine)
        };
        assert_eq!(victim.closed(), expected);
        if !logged_in {
            assert_eq!(seconds, 121, "with the first byte after the deadline");
        }
    }
}

#[test]
fn an_unfinished_line_before_login_is_found_by_the_timer() {
    let mut victim = Victim::new();
    victim.send(b"sca");
    victim
        .codec
        .note_output(victim.now + Duration::from_secs(90));
    let due = victim.codec.next_check();
    assert_eq!(due, victim.now + limits::PENDING_LINE_MAX_BEFORE_LOGIN);
    let closed = victim.codec.keepalive(due, &mut victim.out);
    assert_eq!(closed, Some(CloseReason::PendingLine));
}

#[test]
fn strangers_are_told_apart_by_their_first_bytes() {
    for (bytes, kind, answers) in [
        (
            &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..],
            NotTelnet::Tls,
            false,
        ),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", NotTelnet::Http, true),
        (
            b"PROXY TCP4 203.0.113.7 198.51.100.1 51234 4000\r\n",
            NotTelnet::Proxy,
            false,
        ),
    ] {
        let mut victim = Victim::new();
        victim.flood(&bytes[..1], 1);
        victim.send(&bytes[1..]);
        assert_eq!(victim.inputs, [Input::NotTelnet(kind)]);
        assert!(victim.out.is_empty());
        assert_eq!(kind.answer().starts_with(b"HTTP/1.1 400 "), answers);
        assert_eq!(victim.codec.heap_bytes(), 0);
    }
    let mut victim = Victim::new();
    victim.send(b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a\x21\x11\x00\x0c");
    assert_eq!(
        victim.inputs.last(),
        Some(&Input::NotTelnet(NotTelnet::Proxy))
    );
    let mut victim = Victim::new();
    victim.send(b"get sword\r\n");
    assert_eq!(victim.texts(), ["get sword"]);
}

#[test]
fn escape_sequences_and_controls_never_reach_the_game() {
    let mut victim = Victim::new();
    victim.send("\x1b[1zlo\x1b[31mok\x07\x00\u{9b}31m\r\n".as_bytes());
    assert_eq!(victim.texts(), ["look31m"]);
}
