//! `[pure]` Recognises peers that speak something else, by the first bytes they send.

/// What a peer speaks instead of telnet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTelnet {
    /// A TLS hello.
    Tls,
    /// An HTTP request.
    Http,
    /// A PROXY header; believed on a listener that expects one, never here.
    Proxy,
}

impl NotTelnet {
    /// What to send before closing; empty where silence is the answer.
    #[must_use]
    pub fn answer(self) -> &'static [u8] {
        match self {
            Self::Http => {
                b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 36\r\n\
                  Connection: close\r\n\r\nThis port speaks telnet, not HTTP.\r\n"
            }
            Self::Tls | Self::Proxy => b"",
        }
    }
}

/// Beginnings that no telnet client sends.
const SIGNATURES: [(&[u8], NotTelnet); 10] = [
    (b"\x16\x03", NotTelnet::Tls),
    (b"GET ", NotTelnet::Http),
    (b"HEAD ", NotTelnet::Http),
    (b"POST ", NotTelnet::Http),
    (b"PUT ", NotTelnet::Http),
    (b"OPTIONS ", NotTelnet::Http),
    (b"CONNECT ", NotTelnet::Http),
    (b"PRI * HTTP", NotTelnet::Http),
    (b"PROXY ", NotTelnet::Proxy),
    (b"\r\n\r\n\x00\r\nQUIT\n", NotTelnet::Proxy),
];

/// Compares the first bytes of a connection with the signatures, one byte at a time.
#[derive(Debug)]
pub(super) struct FirstBytes {
    seen: u8,
    /// A bit for every signature that still fits.
    fitting: u16,
}

impl Default for FirstBytes {
    fn default() -> Self {
        Self {
            seen: 0,
            fitting: u16::MAX >> (16 - SIGNATURES.len()),
        }
    }
}

impl FirstBytes {
    /// Looks at the next byte; the answer comes with the last byte of a signature.
    pub(super) fn look(&mut self, byte: u8) -> Option<NotTelnet> {
        if self.fitting == 0 {
            return None;
        }
        let at = usize::from(self.seen);
        for (bit, (signature, kind)) in SIGNATURES.iter().enumerate() {
            if self.fitting & (1 << bit) == 0 {
                continue;
            }
            if signature.get(at) != Some(&byte) {
                self.fitting &= !(1 << bit);
            } else if at + 1 == signature.len() {
                self.fitting = 0;
                return Some(*kind);
            }
        }
        self.seen += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Option<NotTelnet>) {
        let mut first = FirstBytes::default();
        let found = bytes.iter().find_map(|byte| first.look(*byte));
        assert_eq!(found, expected, "for {bytes:?}");
    }

    #[test]
    fn recognises_strangers_by_their_first_bytes() {
        check(b"\x16\x03\x01\x02\x00", Some(NotTelnet::Tls));
        check(b"GET / HTTP/1.1\r\n", Some(NotTelnet::Http));
        check(b"POST /x HTTP/1.0\r\n", Some(NotTelnet::Http));
        check(b"PUT /x", Some(NotTelnet::Http));
        check(b"PRI * HTTP/2.0", Some(NotTelnet::Http));
        check(b"PROXY TCP4 1.2.3.4", Some(NotTelnet::Proxy));
        check(b"\r\n\r\n\x00\r\nQUIT\n\x21", Some(NotTelnet::Proxy));
    }

    #[test]
    fn leaves_players_alone() {
        check(b"\xff\xfb\x18GET x", None);
        check(b"get sword\r\n", None);
        check(b"Getrude\r\nGET \r\n", None);
        check(b"\r\n\r\nGET ", None);
        check(&[b'x'; 1_000], None);
        check(b"", None);
    }

    #[test]
    fn the_http_answer_counts_its_bytes() {
        let answer = std::str::from_utf8(NotTelnet::Http.answer()).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(answer.contains(&format!("Content-Length: {}\r\n", body.len())));
    }
}
