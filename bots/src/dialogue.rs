//! `[pure]` Every text of the node that the bots wait for or type, in one place.
//!
//! When the node's words change, only this file follows. Texts are matched as plain ASCII after
//! telnet and colours are taken out.

/// What a guest types at the name prompt.
pub const GUEST: &str = "guest";

/// Answer to the question whether to make a new account.
pub const YES: &str = "yes";

/// Answer to the question which character: the first of the list.
pub const FIRST_CHARACTER: &str = "1";

/// Asks for a resume token in the world; before a token, at the name prompt, uses it.
pub const RESUME: &str = "resume";

/// Letters and digits of a resume token.
const TOKEN_LETTERS: usize = 26;

/// Starts the line that greets who enters the world for the first time: `Welcome, Ann.`
pub const WELCOME: &str = "Welcome, ";

/// Starts the line that greets who comes back: `Welcome back, Ann.`
pub const WELCOME_BACK: &str = "Welcome back, ";

/// Starts the line of a node that takes nobody just now; it closes after it.
pub const BUSY: &str = "Busy";

/// Starts the line that refuses a password.
pub const WRONG_PASSWORD: &str = "That name or password is wrong";

/// Starts the line that tells the place in the login queue: `You are number 12 in line.`
pub const IN_LINE: &str = "You are number ";

/// Starts the line of exits, which only the actor's own answer has.
pub const EXITS: &str = "Exits: ";

/// Starts the actor's own answer to `say`.
pub const YOU_SAY: &str = "You say";

/// Starts of lines that refuse a command, each with the cause it is counted under.
pub const REFUSALS: &[(&str, &str)] = &[
    ("Too crowded to act just now", "crowded"),
    ("The ground trembles", "crashed room"),
    ("You cannot go that way", "no exit"),
    ("You can't go that way", "no exit"),
    ("There is no exit", "no exit"),
    ("The way is closed", "closed"),
    ("The door is closed", "closed"),
    ("That took too long", "too slow"),
    ("You cannot ", "cannot"),
    ("You can't ", "cannot"),
    ("There is no ", "cannot"),
    ("Nothing came of that", "too slow"),
    ("I do not know", "not understood"),
    ("I don't know", "not understood"),
];

/// Names of the directions as the exits line spells them; a bot types them as they are.
pub const DIRECTIONS: [&str; 12] = [
    "north",
    "east",
    "south",
    "west",
    "northeast",
    "southeast",
    "southwest",
    "northwest",
    "up",
    "down",
    "in",
    "out",
];

/// A prompt, by what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// `Name (or "guest"): `
    Name,
    /// `There is no account named Ann. Create it? (yes/no): `
    Create,
    /// `New password: `
    NewPassword,
    /// `Repeat the password: `
    RepeatPassword,
    /// `Password: `
    Password,
    /// `Character name: `
    CharacterName,
    /// `Which (number or name, or "new"): `
    WhichCharacter,
    /// `> `: in the world.
    Play,
    /// Anything else.
    Other,
}

/// Texts by which prompts are told apart, tried in this order.
const PROMPTS: &[(&str, Prompt)] = &[
    ("Create it?", Prompt::Create),
    ("New password", Prompt::NewPassword),
    ("Repeat the password", Prompt::RepeatPassword),
    ("Character name", Prompt::CharacterName),
    ("Which (", Prompt::WhichCharacter),
    ("Password", Prompt::Password),
    ("Name", Prompt::Name),
];

/// Tells which prompt this text is.
#[must_use]
pub fn prompt(text: &str) -> Prompt {
    let text = text.trim();
    if text.ends_with('>') {
        return Prompt::Play;
    }
    let known = PROMPTS.iter().find(|(part, _)| text.contains(part));
    match known {
        Some((_, prompt)) if text.ends_with(':') => *prompt,
        Some(_) | None => Prompt::Other,
    }
}

/// The cause when this line refuses a command.
#[must_use]
pub fn refusal(line: &[u8]) -> Option<&'static str> {
    let known = REFUSALS
        .iter()
        .find(|(start, _)| line.starts_with(start.as_bytes()));
    known.map(|(_, cause)| *cause)
}

/// The exits in an exits line as a set: bit `i` stands for `DIRECTIONS[i]`.
///
/// `None` when the line is not one. A closed door counts as an exit; unknown words are skipped.
#[must_use]
pub fn exits(line: &[u8]) -> Option<u16> {
    let rest = line.strip_prefix(EXITS.as_bytes())?;
    let words = rest.split(|byte| !byte.is_ascii_alphabetic());
    let known = words.filter_map(|word| {
        DIRECTIONS
            .iter()
            .position(|name| name.as_bytes().eq_ignore_ascii_case(word))
    });
    Some(known.fold(0, |set, index| set | 1 << index))
}

/// The token in the line that tells it: `resume abcdefghijklmnopqrstuvwxyz`.
#[must_use]
pub fn resume_token(line: &str) -> Option<&str> {
    let token = line.strip_prefix(RESUME)?.strip_prefix(' ')?.trim_end();
    let fits = |letter: u8| matches!(letter, b'a'..=b'z' | b'2'..=b'7');
    (token.len() == TOKEN_LETTERS && token.bytes().all(fits)).then_some(token)
}

/// The name in a line that welcomes into the world, and whether it is a return.
#[must_use]
pub fn welcome(line: &str) -> Option<(&str, bool)> {
    let (rest, back) = match line.strip_prefix(WELCOME_BACK) {
        Some(rest) => (rest, true),
        None => (line.strip_prefix(WELCOME)?, false),
    };
    let end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    rest.get(..end).map(|name| (name, back))
}

/// The place told by a line of the login queue.
#[must_use]
pub fn place_in_line(line: &str) -> Option<u32> {
    let rest = line.strip_prefix(IN_LINE)?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_prompts_apart() {
        for (text, expected) in [
            ("Name (or \"guest\"): ", Prompt::Name),
            (
                "There is no account named Ann. Create it? (yes/no): ",
                Prompt::Create,
            ),
            ("New password: ", Prompt::NewPassword),
            ("Repeat the password: ", Prompt::RepeatPassword),
            ("Password: ", Prompt::Password),
            ("Character name: ", Prompt::CharacterName),
            (
                "Which (number or name, or \"new\"): ",
                Prompt::WhichCharacter,
            ),
            ("> ", Prompt::Play),
            ("[100 hp] > ", Prompt::Play),
            ("Press return", Prompt::Other),
            ("", Prompt::Other),
        ] {
            assert_eq!(prompt(text), expected, "{text:?}");
        }
    }

    #[test]
    fn finds_the_token_in_its_line_only() {
        let token = "abcdefghijklmnopqrstuvwx27";
        assert_eq!(resume_token(&format!("resume {token}")), Some(token));
        for other in [
            "resume",
            "resume soon",
            "resume abcdefghijklmnopqrstuvwx01",
            "x",
        ] {
            assert_eq!(resume_token(other), None, "{other}");
        }
    }

    #[test]
    fn reads_exits_in_words() {
        let set = |names: &[&str]| {
            let place = |name: &&str| DIRECTIONS.iter().position(|known| known == name).unwrap();
            names
                .iter()
                .map(place)
                .fold(0_u16, |set, index| set | 1 << index)
        };
        for (line, expected) in [
            (
                "Exits: north, east, south and west.",
                Some(set(&["north", "east", "south", "west"])),
            ),
            ("Exits: up.", Some(set(&["up"]))),
            ("Exits: northeast and in.", Some(set(&["northeast", "in"]))),
            (
                "Exits: north (closed) and out.",
                Some(set(&["north", "out"])),
            ),
            ("Exits: none.", Some(0)),
            ("Ann says, \"Exits: north\"", None),
        ] {
            assert_eq!(exits(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn reads_welcomes_places_and_refusals() {
        assert_eq!(welcome("Welcome, Guest1234."), Some(("Guest1234", false)));
        assert_eq!(welcome("Welcome back, Ann."), Some(("Ann", true)));
        assert_eq!(welcome("Welcome to Belay."), None);
        assert_eq!(place_in_line("You are number 12 in line."), Some(12));
        assert_eq!(place_in_line("You are number one."), None);
        assert_eq!(refusal(b"You cannot go that way."), Some("no exit"));
        assert_eq!(refusal(b"You cannot eat that."), Some("cannot"));
        assert_eq!(refusal(b"Ann leaves north."), None);
    }
}
