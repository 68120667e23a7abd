//! `[pure]` Which charset a client uses: RFC 2066, MTTS, or a guess from its first odd line.

use super::code::{self, subnegotiation};
use super::decode::Reading;
use crate::text::Charset;

const REQUEST: u8 = 1;
const ACCEPTED: u8 = 2;
const REJECTED: u8 = 3;
const TABLE_IS: u8 = 4;
const TABLE_REJECTED: u8 = 5;

/// Our request: the separator, then the names in our order.
const OUR_REQUEST: &[u8] = b"\x01;UTF-8;US-ASCII";

/// Names we can speak, best first.
const NAMES: [(&[u8], Charset); 2] = [(b"UTF-8", Charset::Utf8), (b"US-ASCII", Charset::Ascii)];

/// What is known of the client's charset.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CharsetTalk {
    chosen: Charset,
    /// The client said so.
    agreed: bool,
    /// Our request waits for its answer.
    asked: bool,
}

/// What a charset subnegotiation was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Something legal.
    Fine,
    /// Something broken or unasked.
    Fault,
}

impl CharsetTalk {
    /// The charset for output.
    pub(super) fn chosen(&self) -> Charset {
        self.chosen
    }

    /// How a line is to be read.
    pub(super) fn reading(&self) -> Reading {
        if self.agreed && self.chosen == Charset::Utf8 {
            Reading::Utf8
        } else {
            Reading::Guess
        }
    }

    /// The client agreed to talk: asks for UTF-8.
    pub(super) fn ask(&mut self, out: &mut Vec<u8>) {
        self.asked = true;
        subnegotiation(code::CHARSET, OUR_REQUEST, out);
    }

    /// The client will not answer any more.
    pub(super) fn stop(&mut self) {
        self.asked = false;
    }

    /// MTTS says UTF-8; an agreement by RFC 2066 is stronger.
    pub(super) fn note_utf8(&mut self) {
        if !self.agreed {
            self.agree(Charset::Utf8);
        }
    }

    /// A line was no UTF-8.
    pub(super) fn note_latin1(&mut self) {
        if !self.agreed {
            self.chosen = Charset::Latin1;
        }
    }

    /// Handles a subnegotiation and answers it.
    pub(super) fn hear(&mut self, body: &[u8], out: &mut Vec<u8>) -> Heard {
        match body.split_first() {
            Some((&REQUEST, offer)) => self.hear_request(offer, out),
            Some((&ACCEPTED, name)) if self.asked => {
                self.asked = false;
                let known = NAMES
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(name));
                let Some((_, charset)) = known else {
                    return Heard::Fault;
                };
                self.agree(*charset);
                Heard::Fine
            }
            Some((&REJECTED, _)) if self.asked => {
                self.asked = false;
                Heard::Fine
            }
            Some((&TABLE_IS, _)) => {
                subnegotiation(code::CHARSET, &[TABLE_REJECTED], out);
                Heard::Fault
            }
            _ => Heard::Fault,
        }
    }

    /// The client proposes; while our own request waits, the client's loses. An offer of a
    /// translation table begins with `[`, which separates no name we know: rejected like those.
    fn hear_request(&mut self, offer: &[u8], out: &mut Vec<u8>) -> Heard {
        let names = offer.split_first().filter(|(_, names)| !names.is_empty());
        let Some((separator, names)) = names else {
            subnegotiation(code::CHARSET, &[REJECTED], out);
            return Heard::Fault;
        };
        let offered = |wanted: &[u8]| {
            names
                .split(|byte| byte == separator)
                .any(|name| name.eq_ignore_ascii_case(wanted))
        };
        let best = NAMES.iter().find(|(name, _)| offered(name));
        match best {
            Some((name, charset)) if !self.asked => {
                subnegotiation(code::CHARSET, &[&[ACCEPTED], *name].concat(), out);
                self.agree(*charset);
            }
            _ => subnegotiation(code::CHARSET, &[REJECTED], out),
        }
        Heard::Fine
    }

    fn agree(&mut self, charset: Charset) {
        self.chosen = charset;
        self.agreed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(talk: &mut CharsetTalk, body: &[u8], answer: &[u8], heard: Heard) {
        let mut out = Vec::new();
        assert_eq!(talk.hear(body, &mut out), heard, "for {body:?}");
        let mut expected = Vec::new();
        if !answer.is_empty() {
            subnegotiation(code::CHARSET, answer, &mut expected);
        }
        assert_eq!(out, expected, "for {body:?}");
    }

    #[test]
    fn the_client_accepts_or_rejects_ours() {
        let mut talk = CharsetTalk::default();
        check(&mut talk, b"\x02UTF-8", b"", Heard::Fault);
        let mut out = Vec::new();
        talk.ask(&mut out);
        assert_eq!(out, b"\xff\xfa\x2a\x01;UTF-8;US-ASCII\xff\xf0");
        check(&mut talk, b"\x02utf-8", b"", Heard::Fine);
        assert_eq!(
            (talk.chosen(), talk.reading()),
            (Charset::Utf8, Reading::Utf8)
        );
        talk.ask(&mut out);
        check(&mut talk, b"\x02US-ASCII", b"", Heard::Fine);
        assert_eq!(
            (talk.chosen(), talk.reading()),
            (Charset::Ascii, Reading::Guess)
        );
        talk.ask(&mut out);
        check(&mut talk, b"\x03", b"", Heard::Fine);
        assert_eq!(talk.chosen(), Charset::Ascii);
        talk.ask(&mut out);
        check(&mut talk, b"\x02KLINGON", b"", Heard::Fault);
    }

    #[test]
    fn of_the_clients_names_we_take_the_best() {
        let mut talk = CharsetTalk::default();
        check(&mut talk, b"\x01;US-ASCII;UTF-8", b"\x02UTF-8", Heard::Fine);
        check(
            &mut talk,
            b"\x01 iso-8859-1 us-ascii",
            b"\x02US-ASCII",
            Heard::Fine,
        );
        assert_eq!(talk.chosen(), Charset::Ascii);
        check(&mut talk, b"\x01;KOI8-R", b"\x03", Heard::Fine);
        check(&mut talk, b"\x01[TTABLE]\x01;UTF-8", b"\x03", Heard::Fine);
    }

    #[test]
    fn our_request_stands_when_both_ask_at_once() {
        let mut talk = CharsetTalk::default();
        talk.ask(&mut Vec::new());
        check(&mut talk, b"\x01;UTF-8", b"\x03", Heard::Fine);
        check(&mut talk, b"\x02UTF-8", b"", Heard::Fine);
        assert_eq!(talk.reading(), Reading::Utf8);
    }

    #[test]
    fn broken_ones_are_faults() {
        let mut talk = CharsetTalk::default();
        check(&mut talk, b"", b"", Heard::Fault);
        check(&mut talk, b"\x01", b"\x03", Heard::Fault);
        check(&mut talk, b"\x01;", b"\x03", Heard::Fault);
        check(&mut talk, b"\x01UTF-8", b"\x03", Heard::Fine);
        check(&mut talk, b"\x04table", b"\x05", Heard::Fault);
        check(&mut talk, b"\x07", b"", Heard::Fault);
        check(&mut talk, b"\x03", b"", Heard::Fault);
        check(&mut talk, b"\x63", b"", Heard::Fault);
    }

    #[test]
    fn a_guess_yields_to_what_the_client_says() {
        let mut talk = CharsetTalk::default();
        talk.note_latin1();
        assert_eq!(talk.chosen(), Charset::Latin1);
        talk.note_utf8();
        talk.note_latin1();
        assert_eq!(talk.chosen(), Charset::Utf8);
    }
}
