//! `[pure]` The mark in each message: whose it is, its number and when it was sent. It is found by
//! a search for a byte, without reading JSON, and passes every game's cleaning of text unchanged.

/// Opens and closes a mark; rare in frames.
const EDGE: u8 = b'~';

/// Marks the messages of one run, so that those of other runs are not taken for ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag([u8; 6]);

/// Which message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The sender's number in the run.
    pub(crate) sender: u32,
    /// The sender's how manieth message, from 0.
    pub(crate) number: u32,
    /// When it was sent: microseconds of the run.
    pub(crate) sent_us: u64,
}

impl Tag {
    /// Six letters from random bits.
    pub(crate) fn new(mut bits: u64) -> Self {
        let mut tag = [b'a'; 6];
        for letter in &mut tag {
            *letter += u8::try_from(bits % 26).unwrap_or(0);
            bits /= 26;
        }
        Self(tag)
    }

    /// The mark of a message: `~abcdef.SENDER.NUMBER.MICROSECONDS~`.
    pub(crate) fn mark(self, token: Token) -> String {
        let tag = String::from_utf8_lossy(&self.0);
        let Token {
            sender,
            number,
            sent_us,
        } = token;
        format!("~{tag}.{sender}.{number}.{sent_us}~")
    }

    /// The last mark in the text, if it is of this run. The message stands at the end of most
    /// frames, so that is where the search begins.
    pub(crate) fn find(self, text: &[u8]) -> Option<Token> {
        let (before, _) = split_at_last(text, EDGE)?;
        let (_, mark) = split_at_last(before, EDGE)?;
        let rest = mark.strip_prefix(&self.0)?.strip_prefix(b".")?;
        let (sender, rest) = number(rest)?;
        let (number_, rest) = number(rest.strip_prefix(b".")?)?;
        let (sent_us, rest) = number(rest.strip_prefix(b".")?)?;
        let token = Token {
            sender: u32::try_from(sender).ok()?,
            number: u32::try_from(number_).ok()?,
            sent_us,
        };
        rest.is_empty().then_some(token)
    }
}

/// Whether there is a mark of any run, roughly: two of its edges.
pub(crate) fn is_marked(text: &[u8]) -> bool {
    split_at_last(text, EDGE).is_some_and(|(before, _)| before.contains(&EDGE))
}

fn split_at_last(text: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().rposition(|byte| *byte == wanted)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The number at the start, and what is behind it.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    let mut value = 0_u64;
    for digit in digits {
        value = value
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
    }
    (!digits.is_empty()).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_it_stands() {
        let tag = Tag::new(7);
        let token = Token {
            sender: 12,
            number: 0,
            sent_us: u64::MAX,
        };
        let mark = tag.mark(token);
        for text in [
            mark.clone(),
            format!("{{\"payload\":{{\"message\":\"load {mark}\"}}}}"),
            format!("[gossip] Ann~a@B: load {mark}\r\n"),
            format!("{{\"message\":\"{mark}\",\"seq\":7,\"sent_at\":\"x\"}}"),
        ] {
            assert_eq!(tag.find(text.as_bytes()), Some(token), "{text}");
            assert!(is_marked(text.as_bytes()));
        }
        assert_eq!(Tag::new(8).find(mark.as_bytes()), None);
    }

    #[test]
    fn what_is_no_mark_is_none() {
        let tag = Tag::new(0);
        for text in [
            "",
            "~",
            "~~",
            "~aaaaaa~",
            "~aaaaaa.1.2.3",
            "aaaaaa.1.2.3~",
            "~aaaaaa.1.2~",
            "~aaaaaa.1.2.~",
            "~aaaaaa.1.2.3.4~",
            "~aaaaaa.1.4294967296.3~",
            "~aaaaaa.1.2.18446744073709551616~",
        ] {
            assert_eq!(tag.find(text.as_bytes()), None, "{text}");
        }
        assert!(!is_marked(b"~") && is_marked(b"~x~"));
    }
}
