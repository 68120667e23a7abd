//! `[pure]` Text into the bytes of a line-oriented stream.

use super::transliterate::transliterate;
use super::viewer::Charset;

/// Appends `text` in `charset`, ready for the wire.
///
/// A line feed becomes CR LF. Every other control character but TAB is dropped, so text can smuggle
/// neither an escape sequence nor a bare CR. The byte FF (`ÿ` in Latin-1) is doubled, as telnet
/// wants it; UTF-8 never contains it, so the bytes of a UTF-8 class suit a WebSocket too.
pub fn encode_text(text: &str, charset: Charset, out: &mut Vec<u8>) {
    out.reserve(text.len());
    for piece in text.split_inclusive(needs_care) {
        let mut ends = piece.chars();
        let Some(last) = ends.next_back() else {
            continue;
        };
        if needs_care(last) {
            out.extend_from_slice(ends.as_str().as_bytes());
            encode_char(last, charset, out);
        } else {
            out.extend_from_slice(piece.as_bytes());
        }
    }
}

/// Everything that is not printable ASCII.
fn needs_care(c: char) -> bool {
    !matches!(c, ' '..='~')
}

fn encode_char(c: char, charset: Charset, out: &mut Vec<u8>) {
    match c {
        '\n' => return out.extend_from_slice(b"\r\n"),
        '\t' => return out.push(b'\t'),
        _ if c.is_control() => return,
        _ => {}
    }
    match charset {
        Charset::Utf8 => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Charset::Latin1 => match u8::try_from(u32::from(c)) {
            Ok(0xff) => out.extend_from_slice(&[0xff, 0xff]),
            Ok(byte) => out.push(byte),
            Err(_) => out.extend_from_slice(transliterate(c).as_bytes()),
        },
        Charset::Ascii => out.extend_from_slice(transliterate(c).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, charset: Charset, expected: &[u8]) {
        let mut out = Vec::new();
        encode_text(text, charset, &mut out);
        assert_eq!(out, expected, "for {text:?} in {charset:?}");
    }

    #[test]
    fn line_feeds_become_pairs_and_bare_returns_vanish() {
        check("a\nb", Charset::Ascii, b"a\r\nb");
        check("a\r\nb\r", Charset::Utf8, b"a\r\nb");
        check("\n\n", Charset::Latin1, b"\r\n\r\n");
    }

    #[test]
    fn each_charset_gets_what_it_can_show() {
        check("Zoë — ÿ", Charset::Utf8, "Zoë — ÿ".as_bytes());
        check("Zoë — ÿ", Charset::Latin1, b"Zo\xeb -- \xff\xff");
        check("Zoë — ÿ", Charset::Ascii, b"Zoe -- y");
        check("日", Charset::Latin1, b"?");
    }

    #[test]
    fn controls_cannot_be_smuggled() {
        check(
            "\x1b[31m\u{9b}1m\x00\x7f\x07\t!",
            Charset::Utf8,
            b"[31m1m\t!",
        );
        check("\u{85}\u{9b}", Charset::Latin1, b"");
    }

    proptest! {
        #[test]
        fn no_lone_ff_no_bare_cr_no_escape(text in any::<String>(), which in 0..3_usize) {
            let charset = [Charset::Ascii, Charset::Latin1, Charset::Utf8][which];
            let mut out = Vec::new();
            encode_text(&text, charset, &mut out);
            prop_assert!(!out.contains(&0x1b));
            let ff = out.iter().filter(|byte| **byte == 0xff).count();
            prop_assert_eq!(ff % 2, 0);
            let cr = out.iter().filter(|byte| **byte == b'\r').count();
            let crlf = out.windows(2).filter(|pair| *pair == b"\r\n").count();
            prop_assert_eq!(cr, crlf);
            prop_assert!(charset != Charset::Ascii || out.is_ascii());
        }
    }
}
