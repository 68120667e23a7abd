//! Goal: the codec says to the byte what the protocol wants, to the clients people use.
//! Method: conversations as tables; what clients answer was recorded from real ones.

use std::time::{Duration, Instant};

use belay_world::telnet::{Codec, Input, Line, Mtts, TerminalInfo, Window, limits};
use belay_world::text::{Charset, Depth};

/// One connection under test.
struct Client {
    codec: Codec,
    now: Instant,
    inputs: Vec<Input>,
}

impl Client {
    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do: nothing is measured"
    )]
    fn connect() -> Self {
        let now = Instant::now();
        Self {
            codec: Codec::new(now),
            now,
            inputs: Vec::new(),
        }
    }

    /// As [`Client::connect`], with the opening sent.
    fn greet() -> Self {
        let mut client = Self::connect();
        client.codec.opening(&mut Vec::new());
        client
    }

    /// Sends bytes and gives the answers.
    fn send(&mut self, mut bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while !bytes.is_empty() {
            let inputs = &mut self.inputs;
            let taken = self
                .codec
                .feed(bytes, self.now, &mut out, &mut |input| inputs.push(input));
            bytes = bytes.split_at(taken).1;
        }
        out
    }

    /// Sends bytes, checks the answers and the inputs.
    fn check(&mut self, bytes: &[u8], answers: &[u8], inputs: &[Input]) {
        assert_eq!(self.send(bytes), answers, "answers to {bytes:02x?}");
        assert_eq!(
            std::mem::take(&mut self.inputs),
            inputs,
            "inputs of {bytes:02x?}"
        );
    }

    fn prompt_mark(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.codec.prompt_end(&mut out);
        out
    }
}

fn line(text: &str) -> Input {
    Input::Line(Line {
        text: text.into(),
        cut: false,
        hidden: false,
    })
}

fn window(columns: u16, rows: u16) -> Input {
    Input::Window(Window { columns, rows })
}

fn terminal(client: &str, terminal: Option<&str>, mtts: Option<u32>, settled: bool) -> Input {
    Input::Terminal(TerminalInfo {
        client: Some(client.into()),
        terminal: terminal.map(Into::into),
        mtts: mtts.map(Mtts),
        settled,
    })
}

const ASK_TERMINAL: &[u8] = b"\xff\xfa\x18\x01\xff\xf0";

#[test]
fn the_opening_offers_what_is_built_and_nothing_else() {
    let mut out = Vec::new();
    Client::connect().codec.opening(&mut out);
    assert_eq!(out, b"\xff\xfd\x18\xff\xfd\x1f\xff\xfb\x2a\xff\xfb\x19");
}

#[test]
fn an_unasked_offer_is_taken_once() {
    let mut client = Client::connect();
    client.check(
        b"\xff\xfb\x18",
        &[b"\xff\xfd\x18", ASK_TERMINAL].concat(),
        &[],
    );
    client.check(b"\xff\xfb\x18", b"", &[]);
}

#[test]
fn what_is_not_built_is_refused_once() {
    let mut client = Client::greet();
    client.check(b"\xff\xfd\xc8", b"\xff\xfc\xc8", &[]);
    client.check(b"\xff\xfd\xc8", b"", &[]);
    // GMCP, MSSP, MSDP, MCCP1-3, MXP from the server; NEW-ENVIRON, LINEMODE, ECHO of the client.
    for option in [0xc9, 0x46, 0x45, 0x55, 0x56, 0x57, 0x5b] {
        client.check(&[0xff, 0xfd, option], &[0xff, 0xfc, option], &[]);
        client.check(&[0xff, 0xfd, option, 0xff, 0xfd, option], b"", &[]);
    }
    for option in [0x27, 0x22, 0x01] {
        client.check(&[0xff, 0xfb, option], &[0xff, 0xfe, option], &[]);
        client.check(&[0xff, 0xfb, option], b"", &[]);
    }
}

#[test]
fn tintin_settles_in_four_answers() {
    let mut client = Client::greet();
    client.check(b"\xff\xfb\x18", ASK_TERMINAL, &[]);
    let name = "TINTIN++";
    let xterm = Some("xterm-256color");
    client.check(
        b"\xff\xfa\x18\x00TINTIN++\xff\xf0",
        ASK_TERMINAL,
        &[terminal(name, None, None, false)],
    );
    client.check(
        b"\xff\xfa\x18\x00xterm-256color\xff\xf0",
        ASK_TERMINAL,
        &[terminal(name, xterm, None, false)],
    );
    client.check(
        b"\xff\xfa\x18\x00MTTS 271\xff\xf0",
        ASK_TERMINAL,
        &[terminal(name, xterm, Some(271), false)],
    );
    let settled = terminal(name, xterm, Some(271), true);
    client.check(b"\xff\xfa\x18\x00MTTS 271\xff\xf0", b"", &[settled]);
    client.check(
        b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0",
        b"",
        &[window(80, 24)],
    );
    let request = b"\xff\xfa\x2a\x01;UTF-8;US-ASCII\xff\xf0";
    client.check(b"\xff\xfd\x2a", request, &[]);
    client.check(b"\xff\xfa\x2a\x02UTF-8\xff\xf0", b"", &[]);
    client.check(b"\xff\xfd\x19", b"", &[]);
    client.check("sage é\r\n".as_bytes(), b"", &[line("sage é")]);
    assert_eq!(client.codec.charset(), Charset::Utf8);
    assert_eq!(client.codec.heap_bytes(), 0, "an idle codec holds no heap");
}

#[test]
fn the_ordinary_telnet_client_repeats_itself_and_says_no() {
    let mut client = Client::greet();
    let answer = b"\xff\xfa\x18\x00XTERM-256COLOR\xff\xf0";
    client.check(b"\xff\xfb\x18", ASK_TERMINAL, &[]);
    let name = "XTERM-256COLOR";
    client.check(answer, ASK_TERMINAL, &[terminal(name, None, None, false)]);
    client.check(answer, b"", &[terminal(name, None, None, true)]);
    client.check(b"\xff\xfe\x2a\xff\xfe\x19", b"", &[]);
    assert_eq!(client.prompt_mark(), b"\xff\xf9");
    client.check(b"abc\r\n", b"", &[line("abc")]);
    assert_eq!(client.codec.heap_bytes(), 0);
}

#[test]
fn a_client_that_hides_its_terminal_is_settled_at_once() {
    let mut client = Client::greet();
    let nothing = TerminalInfo {
        settled: true,
        ..TerminalInfo::default()
    };
    assert_eq!(nothing.depth(), None);
    client.check(b"\xff\xfc\x18", b"", &[Input::Terminal(nothing)]);
    client.check(b"\xff\xfc\x18", b"", &[]);
}

#[test]
fn the_terminal_decides_depth_and_charset() {
    let mut client = Client::greet();
    client.send(b"\xff\xfd\x2a\xff\xfb\x18\xff\xfa\x2a\x02US-ASCII\xff\xf0");
    assert_eq!(client.codec.charset(), Charset::Ascii);
    assert_eq!(client.inputs, [Input::Charset(Charset::Ascii)]);
    client.send(b"\xff\xfa\x18\x00Mudlet\xff\xf0\xff\xfa\x18\x00ANSI-TRUECOLOR\xff\xf0");
    client.send(b"\xff\xfa\x18\x00MTTS 365\xff\xf0");
    let Some(Input::Terminal(info)) = client.inputs.last() else {
        panic!("no terminal")
    };
    assert_eq!(info.depth(), Some(Depth::True));
    assert!(info.screen_reader());
    assert_eq!(
        client.codec.charset(),
        Charset::Ascii,
        "what was agreed is stronger"
    );
}

#[test]
fn a_line_that_is_no_utf8_turns_the_connection_to_latin1() {
    let mut client = Client::greet();
    client.check(
        b"Zo\xeb\r\n",
        b"",
        &[Input::Charset(Charset::Latin1), line("Zoë")],
    );
    client.check(b"\x93na\xefve\x94 \xff\xff\r\n", b"", &[line("“naïve” ÿ")]);
    assert_eq!(client.codec.charset(), Charset::Latin1);
}

#[test]
fn window_sizes_are_read_doubled_ff_and_all() {
    let mut client = Client::greet();
    client.check(b"\xff\xfb\x1f", b"", &[]);
    client.check(
        b"\xff\xfa\x1f\x00\xff\xff\x00\x18\xff\xf0",
        b"",
        &[window(255, 24)],
    );
    client.check(b"\xff\xfa\x1f\x00\xff\xff\x00\x18\xff\xf0", b"", &[]);
    client.check(
        b"\xff\xfa\x1f\x00\x00\x00\x00\xff\xf0",
        b"",
        &[window(80, 24)],
    );
    client.check(
        b"\xff\xfa\x1f\x00\x01\x00\x01\xff\xf0",
        b"",
        &[window(20, 5)],
    );
    let huge = b"\xff\xfa\x1f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf0";
    client.check(huge, b"", &[window(500, 300)]);
}

#[test]
fn the_prompt_mark_follows_what_was_agreed() {
    let mut client = Client::greet();
    assert_eq!(
        client.prompt_mark(),
        b"\xff\xf9",
        "GA until something is agreed"
    );
    client.check(b"\xff\xfd\x03", b"\xff\xfb\x03", &[]);
    assert_eq!(client.prompt_mark(), b"", "nothing with SGA");
    client.check(b"\xff\xfd\x19", b"", &[]);
    assert_eq!(client.prompt_mark(), b"\xff\xef", "EOR wherever it is on");
    client.check(b"\xff\xfe\x19", b"\xff\xfc\x19", &[]);
    client.check(b"\xff\xfe\x03", b"\xff\xfc\x03", &[]);
    assert_eq!(client.prompt_mark(), b"\xff\xf9");
}

#[test]
fn a_password_is_hidden_and_marked() {
    let mut client = Client::greet();
    let mut out = Vec::new();
    client.codec.hide_input(&mut out);
    assert_eq!(out, b"\xff\xfb\x01");
    client.check(b"\xff\xfd\x01", b"", &[]);
    let secret = Line {
        text: "hunter2".into(),
        cut: false,
        hidden: true,
    };
    client.check(b"hunter2\r\n", b"", &[Input::Line(secret)]);
    out.clear();
    client.codec.show_input(&mut out);
    assert_eq!(out, b"\xff\xfc\x01\r\n");
    client.check(b"\xff\xfe\x01look\r\n", b"", &[line("look")]);
    out.clear();
    client.codec.show_input(&mut out);
    assert_eq!(out, b"", "it was over already");
}

#[test]
fn a_client_that_shows_the_password_is_reported() {
    let mut client = Client::greet();
    let mut out = Vec::new();
    client.codec.hide_input(&mut out);
    client.check(b"\xff\xfe\x01", b"", &[Input::EchoRefused]);
    out.clear();
    client.codec.show_input(&mut out);
    assert_eq!(
        out, b"",
        "nothing to end, and the client showed the player's Enter itself"
    );
}

#[test]
fn a_password_asked_twice_in_a_hurry_ends_hidden() {
    let mut client = Client::greet();
    let mut out = Vec::new();
    client.codec.hide_input(&mut out);
    client.codec.show_input(&mut out);
    client.codec.hide_input(&mut out);
    assert_eq!(out, b"\xff\xfb\x01", "one question is under way");
    client.check(b"\xff\xfd\x01", b"", &[]);
    let secret = Line {
        text: "x".into(),
        cut: false,
        hidden: true,
    };
    client.check(b"x\r", b"", &[Input::Line(secret)]);
}

#[test]
fn line_ends_of_all_clients_read_alike() {
    let mut client = Client::greet();
    let three = [line("abc"), line("def"), line("ghi")];
    client.check(b"abc\r\0def\rghi\n", b"", &three);
    client.check(b"abc\r\ndef\r\nghi\r\n", b"", &three);
    client.check(b"abc\rdef\rghi\r", b"", &three);
    client.check(b"piped\r\0\r\n", b"", &[line("piped"), line("")]);
    client.check(b"x\r\xff\xf1\ny\r", b"", &[line("x"), line("y")]);
}

#[test]
fn binary_changes_nothing_about_lines() {
    let mut client = Client::greet();
    client.check(
        b"\xff\xfb\x00\xff\xfd\x00",
        b"\xff\xfd\x00\xff\xfb\x00",
        &[],
    );
    client.check(b"a\r\nb\rc\n", b"", &[line("a"), line("b"), line("c")]);
}

#[test]
fn a_line_that_shares_a_packet_with_answers_is_kept() {
    let mut client = Client::greet();
    let packet = b"\xff\xfb\x1f\xff\xfa\x1f\x00\x64\x00\x28\xff\xf0ann\r\n\xff\xfd\x19bob\r\n";
    client.check(packet, b"", &[window(100, 40), line("ann"), line("bob")]);
}

#[test]
fn commands_edit_interrupt_and_ask() {
    let mut client = Client::greet();
    client.check(b"lookx\xff\xf7\r\n", b"", &[line("look")]);
    client.check("é\u{65e5}\u{7f}!\r\n".as_bytes(), b"", &[line("é!")]);
    client.check(b"junk\xff\xf8look\r\n", b"", &[line("look")]);
    client.check(
        b"junk\xff\xf4look\r\n",
        b"",
        &[Input::Interrupt, line("look")],
    );
    client.check(b"\xff\xf6", b"", &[Input::AreYouThere]);
    client.check(
        b"a\xff\xf1\xff\xf2\xff\xf3\xff\xf5\xff\xf9\xff\xefb\r\n",
        b"",
        &[line("ab")],
    );
    client.check(
        b"\xff\xfd\x06\xff\xfd\x06",
        b"\xff\xfb\x06\xff\xfb\x06",
        &[],
    );
}

#[test]
fn lines_are_longer_after_login() {
    let typed = [&[b'x'; limits::LINE_BYTES_MAX + 1], &b"\r\nnext\r\n"[..]].concat();
    for (logged_in, kept) in [
        (false, limits::LINE_BYTES_MAX_BEFORE_LOGIN),
        (true, limits::LINE_BYTES_MAX),
    ] {
        let mut client = Client::greet();
        if logged_in {
            client.codec.logged_in();
        }
        let cut = Line {
            text: "x".repeat(kept),
            cut: true,
            hidden: false,
        };
        client.check(&typed, b"", &[Input::Line(cut), line("next")]);
    }
}

#[test]
fn a_feed_stops_after_its_share_of_lines() {
    let mut client = Client::greet();
    let mut lines = 0;
    let bytes = [b'\n'; 1_000];
    let taken = client
        .codec
        .feed(&bytes, client.now, &mut Vec::new(), &mut |_| lines += 1);
    assert_eq!(
        (taken, lines),
        (limits::LINES_PER_FEED_MAX, limits::LINES_PER_FEED_MAX)
    );
    client.send(&bytes[taken..]);
    assert_eq!(client.inputs.len(), 1_000 - taken);
}

#[test]
fn silence_is_broken_by_a_nop() {
    let mut client = Client::greet();
    let start = client.now;
    let mut out = Vec::new();
    assert_eq!(client.codec.next_check(), start + limits::KEEPALIVE_AFTER);
    let early = start + limits::KEEPALIVE_AFTER - Duration::from_secs(1);
    assert_eq!(client.codec.keepalive(early, &mut out), None);
    assert_eq!(out, b"");
    client.codec.note_output(early);
    assert_eq!(client.codec.next_check(), early + limits::KEEPALIVE_AFTER);
    assert_eq!(
        client
            .codec
            .keepalive(start + limits::KEEPALIVE_AFTER, &mut out),
        None
    );
    assert_eq!(out, b"");
    let due = client.codec.next_check();
    assert_eq!(client.codec.keepalive(due, &mut out), None);
    assert_eq!(out, b"\xff\xf1");
    assert_eq!(client.codec.next_check(), due + limits::KEEPALIVE_AFTER);
}

#[test]
fn an_answer_puts_the_keepalive_off() {
    let mut client = Client::greet();
    client.now += Duration::from_secs(50);
    client.check(b"look\r\n", b"", &[line("look")]);
    assert_eq!(
        client.codec.next_check(),
        client.now + Duration::from_secs(10)
    );
    client.check(b"\xff\xfd\xc9", b"\xff\xfc\xc9", &[]);
    assert_eq!(
        client.codec.next_check(),
        client.now + limits::KEEPALIVE_AFTER
    );
}

#[test]
fn a_client_that_ends_the_charset_talk_may_begin_its_own() {
    let mut client = Client::greet();
    client.send(b"\xff\xfd\x2a\xff\xfe\x2a");
    client.check(b"\xff\xfb\x2a", b"\xff\xfd\x2a", &[]);
    client.check(
        b"\xff\xfa\x2a\x01 US-ASCII\xff\xf0",
        b"\xff\xfa\x2a\x02US-ASCII\xff\xf0",
        &[Input::Charset(Charset::Ascii)],
    );
}

#[test]
fn a_line_cut_before_login_stays_cut() {
    let mut client = Client::greet();
    client.send(&[b'x'; limits::LINE_BYTES_MAX_BEFORE_LOGIN + 1]);
    client.codec.logged_in();
    let text = "x".repeat(limits::LINE_BYTES_MAX_BEFORE_LOGIN);
    let cut = Line {
        text,
        cut: true,
        hidden: false,
    };
    client.check(b"yz\r\n", b"", &[Input::Line(cut)]);
}
