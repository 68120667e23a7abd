//! `[pure]` Words for characters that a client's charset lacks.
//!
//! Latin letters lose their marks, dashes, quotes and box drawing become what a typewriter had, and
//! everything else becomes a question mark.

/// What stands for a character: at most three ASCII characters, possibly none.
pub type Replacement = &'static str;

/// U+00C0..=U+00FF; `?` where [`several`] has the answer.
const LATIN_1: &[u8; 64] = b"AAAAAA?CEEEEIIIIDNOOOOOxOUUUUY??aaaaaa?ceeeeiiiidnooooo/ouuuuy?y";

/// U+0100..=U+017F.
const LATIN_EXTENDED_A: &[u8; 128] =
    b"AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKkkLlLlLlL\
      lLlNnNnNnnNnOoOoOo??RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

/// U+0180..=U+024F, as far as a base letter is plain.
const LATIN_EXTENDED_B: &[u8; 208] =
    b"????????????????????????????????Oo?????????????Uu???????????????\
      ?????????????AaIiOoUuUuUuUuUu?AaAa????GgKkOoOo??j???Gg??NnAa??Oo\
      AaAaEeEeIiIiOoOoRrRrUuUuSsTt??Hh??????AaEeOoOoOoOoYy????????????\
      ????????????????";

/// U+1E00..=U+1EFF, with the letters of Vietnamese.
const LATIN_EXTENDED_ADDITIONAL: &[u8; 256] =
    b"AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm\
      MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv\
      WwWwWwWwWwXxXxYyZzZzZzhtwyasss?dAaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe\
      EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy??????";

/// Every ASCII character as a string of its own, so that a table of letters can hand out `&str`.
const ASCII: &str = "\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\
    \x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO\
    PQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f";

/// What to write in ASCII for a character outside ASCII; `?` when there is no good answer.
#[must_use]
pub fn transliterate(c: char) -> Replacement {
    if let Some(replacement) = several(c).or_else(|| sign(c)) {
        return replacement;
    }
    let code = u32::from(c);
    let letter = match code {
        0xc0..=0xff => entry(LATIN_1, code - 0xc0),
        0x100..=0x17f => entry(LATIN_EXTENDED_A, code - 0x100),
        0x180..=0x24f => entry(LATIN_EXTENDED_B, code - 0x180),
        0x1e00..=0x1eff => entry(LATIN_EXTENDED_ADDITIONAL, code - 0x1e00),
        0..=0x7f => u8::try_from(code).ok(),
        _ => None,
    };
    letter
        .map(usize::from)
        .and_then(|at| ASCII.get(at..=at))
        .unwrap_or("?")
}

fn entry(table: &[u8], at: u32) -> Option<u8> {
    table.get(usize::try_from(at).ok()?).copied()
}

/// Letters that need more than one.
fn several(c: char) -> Option<Replacement> {
    Some(match c {
        'Æ' | 'Ǽ' | 'Ǣ' => "AE",
        'æ' | 'ǽ' | 'ǣ' => "ae",
        'Œ' => "OE",
        'œ' => "oe",
        'ß' => "ss",
        'ẞ' => "SS",
        'Þ' => "Th",
        'þ' => "th",
        'Ĳ' => "IJ",
        'ĳ' => "ij",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        _ => return None,
    })
}

/// Punctuation, money, arrows, box drawing and marks without a letter.
fn sign(c: char) -> Option<Replacement> {
    Some(match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => " ",
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' => "",
        '\u{300}'..='\u{36f}' => "",
        '¡' => "!",
        '¿' => "?",
        '¢' => "c",
        '£' => "GBP",
        '¥' => "JPY",
        '€' => "EUR",
        '¤' => "$",
        '¦' | '│' | '┃' | '║' | '╎'..='╏' | '┆' | '┇' | '┊' | '┋' => "|",
        '§' => "S",
        '©' => "(c)",
        '®' => "(r)",
        '™' => "tm",
        'ª' => "a",
        'º' | '°' => "o",
        '¹' => "1",
        '²' => "2",
        '³' => "3",
        '¼' => "1/4",
        '½' => "1/2",
        '¾' => "3/4",
        'µ' | 'μ' => "u",
        '¶' => "P",
        '·' | '•' | '‣' | '●' | '▪' | '■' => "*",
        '±' => "+-",
        '¬' => "-",
        '´' | '‘' | '’' | '‛' | '′' | 'ʼ' => "'",
        '‚' | '¸' => ",",
        '“' | '”' | '„' | '‟' | '″' | '¨' => "\"",
        '«' => "<<",
        '»' => ">>",
        '‹' => "<",
        '›' => ">",
        '\u{2010}'..='\u{2013}' | '\u{2015}' | '−' | '¯' => "-",
        '—' => "--",
        '…' => "...",
        '─' | '━' | '═' | '╌' | '╍' | '┄' | '┅' | '┈' | '┉' => "-",
        '┌'..='╋' | '╒'..='╬' | '╭'..='╰' => "+",
        '╱' => "/",
        '╲' => "\\",
        '╳' => "X",
        '█' | '▓' | '▒' | '░' => "#",
        '←' => "<-",
        '→' => "->",
        '↑' => "^",
        '↓' => "v",
        '×' => "x",
        '÷' => "/",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let ascii: String = text.chars().map(transliterate).collect();
        assert_eq!(ascii, expected, "for {text:?}");
    }

    #[test]
    fn letters_lose_their_marks() {
        check("Zoë Ångström Łódź Dvořák", "Zoe Angstrom Lodz Dvorak");
        check("Straße Æsir œuvre Þór", "Strasse AEsir oeuvre Thor");
        check("Việt Nam Ștefan ǎ", "Viet Nam Stefan a");
        check("e\u{301}", "e");
        check("ÿÀ", "yA");
    }

    #[test]
    fn signs_become_what_a_typewriter_had() {
        check("“no”—‘yes’… 1–2", "\"no\"--'yes'... 1-2");
        check("┌─┬┐│╔═╗║", "+-++|+-+|");
        check("½ € ±", "1/2 EUR +-");
    }

    #[test]
    fn the_rest_becomes_a_question_mark() {
        check("日本🦀", "???");
    }

    #[test]
    fn every_answer_is_short_printable_ascii() {
        for c in ('\u{a0}'..=char::MAX).take(70_000) {
            let ascii = transliterate(c);
            assert!(
                ascii.len() <= 3 && ascii.bytes().all(|b| matches!(b, b' '..=b'~')),
                "{c:?}"
            );
        }
        assert_eq!(ASCII.len(), 128);
        check("plain ~", "plain ~");
    }
}
