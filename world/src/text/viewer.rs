//! `[pure]` What one connection can show, and the part of it that decides the bytes.

/// How text is turned into bytes for a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Charset {
    /// Seven bits; everything else is transliterated.
    Ascii,
    /// ISO-8859-1; everything above U+00FF is transliterated.
    Latin1,
    /// UTF-8, the answer for a client that said nothing.
    #[default]
    Utf8,
}

/// How many colours a client can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Depth {
    /// No escape sequence is ever sent.
    None,
    /// Eight colours, bold for the bright ones.
    Ansi8,
    /// Sixteen colours, the answer for a client that said nothing.
    #[default]
    Ansi16,
    /// The 256-colour palette of xterm.
    Ansi256,
    /// 24 bits.
    True,
}

/// What one connection can show. Owned by the connection; a session never sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Colours it can show.
    pub depth: Depth,
    /// Bytes it understands.
    pub charset: Charset,
    /// Facts in sentences, one message a line, no drawings.
    pub screen_reader: bool,
    /// Width of the window in characters.
    pub columns: u16,
    /// Height of the window in lines.
    pub rows: u16,
}

impl Default for Viewer {
    fn default() -> Self {
        Self {
            depth: Depth::default(),
            charset: Charset::default(),
            screen_reader: false,
            columns: 80,
            rows: 24,
        }
    }
}

impl Viewer {
    /// The part that decides the rendered bytes; the window's size is not in it, because long lines
    /// are the client's to wrap.
    #[must_use]
    pub fn class(&self) -> ViewerClass {
        ViewerClass {
            depth: self.depth,
            charset: self.charset,
            screen_reader: self.screen_reader,
        }
    }
}

/// Viewers of equal class get equal bytes, so one rendering serves them all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewerClass {
    /// Colours it can show.
    pub depth: Depth,
    /// Bytes it understands.
    pub charset: Charset,
    /// Facts in sentences, one message a line, no drawings.
    pub screen_reader: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_does_not_split_a_class() {
        let wide = Viewer {
            columns: 200,
            rows: 60,
            ..Viewer::default()
        };
        assert_eq!(wide.class(), Viewer::default().class());
        assert_eq!(wide.class(), ViewerClass::default());
        let reader = Viewer {
            screen_reader: true,
            ..wide
        };
        assert_ne!(reader.class(), wide.class());
    }

    #[test]
    fn a_class_is_three_bytes() {
        assert_eq!(size_of::<ViewerClass>(), 3);
    }
}
