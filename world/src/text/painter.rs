//! `[pure]` Writes styled text as the bytes of one viewer class.

use super::color::{Ansi8, Rgb, ansi8, ansi16, ansi256};
use super::encode::encode_text;
use super::style::Style;
use super::viewer::{Depth, ViewerClass};

/// Writes styled text into a buffer. No colour outlives its line, nor the painter.
///
/// Text may hold line feeds; each ends its line as [`Painter::line_end`] does. Control characters
/// in the text are dropped, so what a player typed cannot paint.
#[derive(Debug)]
pub struct Painter<'a> {
    out: &'a mut Vec<u8>,
    class: ViewerClass,
    /// The colour the terminal is in.
    worn: Option<Rgb>,
}

impl<'a> Painter<'a> {
    /// A painter that appends to `out` for viewers of `class`.
    #[must_use]
    pub fn new(out: &'a mut Vec<u8>, class: ViewerClass) -> Self {
        Self {
            out,
            class,
            worn: None,
        }
    }

    /// The class it paints for, for text that must differ, as drawings for a screen reader do.
    #[must_use]
    pub fn class(&self) -> ViewerClass {
        self.class
    }

    /// Writes text in a style.
    pub fn style(&mut self, style: Style, text: &str) -> &mut Self {
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.run(style, first);
        }
        for line in lines {
            self.line_end();
            self.run(style, line);
        }
        self
    }

    /// Writes text in the terminal's own colour.
    pub fn plain(&mut self, text: &str) -> &mut Self {
        self.style(Style::Plain, text)
    }

    /// Ends the line: back to the terminal's own colour, then CR LF.
    pub fn line_end(&mut self) -> &mut Self {
        self.wear(None);
        self.out.extend_from_slice(b"\r\n");
        self
    }

    /// A piece without line feeds.
    fn run(&mut self, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        self.wear(style.color());
        encode_text(text, self.class.charset, self.out);
    }

    /// Changes the colour with as few bytes as it takes.
    fn wear(&mut self, color: Option<Rgb>) {
        if self.worn == color || self.class.depth == Depth::None {
            return;
        }
        let from_plain = self.worn.is_none();
        self.worn = color;
        let Some(color) = color else {
            return self.out.extend_from_slice(b"\x1b[0m");
        };
        self.out.extend_from_slice(b"\x1b[");
        match self.class.depth {
            Depth::None => {}
            Depth::Ansi8 => self.wear_ansi8(ansi8(ansi16(ansi256(color))), from_plain),
            Depth::Ansi16 => {
                let index = ansi16(ansi256(color));
                self.number(if index < 8 { 30 + index } else { 82 + index });
            }
            Depth::Ansi256 => {
                self.out.extend_from_slice(b"38;5;");
                self.number(ansi256(color));
            }
            Depth::True => {
                let Rgb(red, green, blue) = color;
                self.out.extend_from_slice(b"38;2;");
                self.number(red);
                self.out.push(b';');
                self.number(green);
                self.out.push(b';');
                self.number(blue);
            }
        }
        self.out.push(b'm');
    }

    /// Bold sticks, so a colour that follows another one starts from a reset.
    fn wear_ansi8(&mut self, color: Ansi8, from_plain: bool) {
        if !from_plain {
            self.out.extend_from_slice(b"0;");
        }
        if color.bold {
            self.out.extend_from_slice(b"1;");
        }
        self.number(30 + color.base);
    }

    fn number(&mut self, number: u8) {
        for (unit, shown_from) in [(100, 100), (10, 10), (1, 0)] {
            if number >= shown_from {
                self.out.push(b'0' + number / unit % 10);
            }
        }
    }
}

impl Drop for Painter<'_> {
    fn drop(&mut self) {
        self.wear(None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::viewer::Charset;
    use super::*;

    fn paint(depth: Depth, work: impl FnOnce(&mut Painter<'_>)) -> String {
        let mut out = Vec::new();
        let class = ViewerClass {
            depth,
            charset: Charset::Ascii,
            screen_reader: false,
        };
        work(&mut Painter::new(&mut out, class));
        String::from_utf8(out).unwrap()
    }

    fn sample(painter: &mut Painter<'_>) {
        painter.style(Style::RoomName, "Inn").line_end();
        painter
            .plain("You see ")
            .style(Style::Item, "ale")
            .plain(".")
            .line_end();
    }

    #[test]
    fn each_depth_has_its_own_spelling() {
        for (depth, expected) in [
            (Depth::None, "Inn\r\nYou see ale.\r\n"),
            (
                Depth::Ansi8,
                "\x1b[33mInn\x1b[0m\r\nYou see \x1b[33male\x1b[0m.\r\n",
            ),
            (
                Depth::Ansi16,
                "\x1b[33mInn\x1b[0m\r\nYou see \x1b[33male\x1b[0m.\r\n",
            ),
            (
                Depth::Ansi256,
                "\x1b[38;5;178mInn\x1b[0m\r\nYou see \x1b[38;5;172male\x1b[0m.\r\n",
            ),
            (
                Depth::True,
                "\x1b[38;2;215;175;0mInn\x1b[0m\r\nYou see \x1b[38;2;215;135;0male\x1b[0m.\r\n",
            ),
        ] {
            assert_eq!(paint(depth, sample), expected, "for {depth:?}");
        }
    }

    #[test]
    fn sixteen_and_eight_have_bright_colours() {
        let bright = |painter: &mut Painter<'_>| {
            painter
                .style(Style::Exits, "a")
                .style(Style::Heading, "b")
                .style(Style::Item, "c");
        };
        assert_eq!(
            paint(Depth::Ansi16, bright),
            "\x1b[36ma\x1b[93mb\x1b[33mc\x1b[0m"
        );
        assert_eq!(
            paint(Depth::Ansi8, bright),
            "\x1b[36ma\x1b[0;1;33mb\x1b[0;33mc\x1b[0m"
        );
    }

    #[test]
    fn no_colour_outlives_its_line_or_the_painter() {
        let open = |painter: &mut Painter<'_>| {
            painter.style(Style::Error, "one\ntwo");
        };
        assert_eq!(
            paint(Depth::Ansi16, open),
            "\x1b[31mone\x1b[0m\r\n\x1b[31mtwo\x1b[0m"
        );
    }

    #[test]
    fn text_cannot_paint() {
        let trick = |painter: &mut Painter<'_>| {
            painter.plain("\x1b[31mred\x07");
        };
        assert_eq!(paint(Depth::True, trick), "[31mred");
    }

    #[test]
    fn every_style_shows_the_same_words() {
        for style in Style::ALL {
            let shown = paint(Depth::None, |painter| {
                painter.style(style, "words");
            });
            assert_eq!(shown, "words");
        }
    }
}
