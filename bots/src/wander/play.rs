//! `[pure]` One bot in the world: what it types next, and which line is its own answer.
//!
//! A move or a look is answered by the exits line, a say by `You say` with the say's token, and any
//! of them by a line that refuses. Nothing here knows about time or sockets.

use super::mix::{Deed, Mix};
use crate::dialogue::{self, DIRECTIONS, YOU_SAY};
use crate::dice::Dice;

/// Marks the says of one run, so that the words of other processes are not taken for ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag([u8; 6]);

/// Which say of which bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The bot's number, offset included.
    pub(crate) bot: u32,
    /// The bot's how manieth command.
    pub(crate) sequence: u32,
}

impl Tag {
    /// A tag of letters from random bits: `qabcd-`.
    pub(crate) fn new(mut bits: u64) -> Self {
        let mut tag = *b"qaaaa-";
        for letter in tag.iter_mut().skip(1).take(4) {
            *letter += u8::try_from(bits % 26).unwrap_or(0);
            bits /= 26;
        }
        Self(tag)
    }

    /// Every token of this run in the line, in order.
    pub(crate) fn tokens(self, line: &[u8], mut on: impl FnMut(Token)) {
        let mut rest = line;
        while let Some(start) = rest.windows(self.0.len()).position(|part| part == self.0) {
            rest = rest.get(start + self.0.len()..).unwrap_or_default();
            if let Some((bot, after)) = number(rest)
                && let Some(after) = after.strip_prefix(b"-")
                && let Some((sequence, _)) = number(after)
            {
                on(Token { bot, sequence });
            }
        }
    }
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done.
    Done,
    /// Refused, with the cause to count.
    Refused(&'static str),
}

/// One bot in the world.
#[derive(Debug)]
pub(crate) struct Player {
    token: Token,
    exits: u16,
    lost: bool,
    doing: Option<Deed>,
    /// What was typed last.
    last: Deed,
}

impl Player {
    /// A bot that has just come in and saw these exits.
    pub(crate) fn new(bot: u32, exits: u16) -> Self {
        Self {
            token: Token { bot, sequence: 0 },
            exits,
            lost: false,
            doing: None,
            last: Deed::Look,
        }
    }

    /// Whether a command is without its answer.
    pub(crate) fn is_waiting(&self) -> bool {
        self.doing.is_some()
    }

    /// Chooses and writes the next command line; gives the token when it is a say.
    pub(crate) fn command(
        &mut self,
        mix: Mix,
        tag: Tag,
        dice: &mut Dice,
        line: &mut Vec<u8>,
    ) -> Option<Token> {
        let mut deed = mix.choose(dice);
        let exit = self.choose_exit(dice);
        if deed == Deed::Move && (self.lost || exit.is_none()) {
            deed = Deed::Look;
        }
        self.token.sequence = self.token.sequence.wrapping_add(1);
        self.write((deed, exit), tag, line);
        (deed == Deed::Say).then_some(self.token)
    }

    /// Writes the last command again, since nobody knows what became of it: a say as it was,
    /// instead of a move a look, for it may have been done.
    pub(crate) fn again(&mut self, tag: Tag, line: &mut Vec<u8>) {
        let deed = match self.last {
            Deed::Say => Deed::Say,
            Deed::Move | Deed::Look => Deed::Look,
        };
        self.write((deed, None), tag, line);
    }

    fn write(&mut self, (deed, exit): (Deed, Option<&'static str>), tag: Tag, line: &mut Vec<u8>) {
        self.doing = Some(deed);
        self.last = deed;
        match (deed, exit) {
            (Deed::Move, Some(direction)) => line.extend_from_slice(direction.as_bytes()),
            (Deed::Say, _) => {
                line.extend_from_slice(b"say hello ");
                line.extend_from_slice(&tag.0);
                write_number(self.token.bot, line);
                line.push(b'-');
                write_number(self.token.sequence, line);
            }
            (Deed::Look | Deed::Move, _) => line.extend_from_slice(b"look"),
        }
        line.extend_from_slice(b"\r\n");
    }

    /// Takes a line; the answer when this line is the one that is waited for.
    pub(crate) fn hear(&mut self, line: &[u8], tag: Tag) -> Option<Answer> {
        let doing = self.doing?;
        let answer = match doing {
            Deed::Move | Deed::Look => match dialogue::exits(line) {
                Some(exits) => {
                    self.exits = exits;
                    self.lost = false;
                    Answer::Done
                }
                None => Answer::Refused(dialogue::refusal(line)?),
            },
            Deed::Say if self.is_own_say(line, tag) => Answer::Done,
            Deed::Say => Answer::Refused(dialogue::refusal(line)?),
        };
        // After a refused move the bot may be elsewhere (a closed room sends to recall): it looks.
        self.lost |= doing != Deed::Say && answer != Answer::Done;
        self.doing = None;
        Some(answer)
    }

    /// Gives the command up; where the bot is, it must look.
    pub(crate) fn give_up(&mut self) {
        self.doing = None;
        self.lost = true;
    }

    fn is_own_say(&self, line: &[u8], tag: Tag) -> bool {
        if !line.starts_with(YOU_SAY.as_bytes()) {
            return false;
        }
        let mut own = false;
        tag.tokens(line, |token| own |= token == self.token);
        own
    }

    fn choose_exit(&self, dice: &mut Dice) -> Option<&'static str> {
        let mut left = dice.below(self.exits.count_ones());
        let open = |index: usize| self.exits & (1 << index) != 0;
        for (_, direction) in DIRECTIONS
            .iter()
            .enumerate()
            .filter(|(index, _)| open(*index))
        {
            if left == 0 {
                return Some(direction);
            }
            left -= 1;
        }
        None
    }
}

/// The number at the start, and what follows it.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(bytes.len());
    let (digits, rest) = bytes.split_at_checked(end)?;
    let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((value, rest))
}

/// Decimal digits without an allocation of their own.
fn write_number(mut value: u32, line: &mut Vec<u8>) {
    let start = line.len();
    loop {
        line.push(b'0' + u8::try_from(value % 10).unwrap_or(0));
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.get_mut(start..).unwrap_or_default().reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: Tag = Tag(*b"qtest-");

    fn typed(player: &mut Player, mix: &str) -> String {
        let (mut line, mix) = (Vec::new(), Mix::parse(mix).unwrap());
        player.command(mix, TAG, &mut Dice::new(1, 1), &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn a_say_is_answered_by_its_own_token_only() {
        let mut player = Player::new(120, 0);
        assert_eq!(typed(&mut player, "say=1"), "say hello qtest-120-1\r\n");
        for other in [
            "Ann says, \"hello qtest-120-1\"",
            "You say, \"hello qtest-120-2\"",
            "You say, \"hello qtest-12-1\"",
            "You say, \"hello\"",
            "Exits: north.",
        ] {
            assert_eq!(player.hear(other.as_bytes(), TAG), None, "{other}");
        }
        assert!(player.is_waiting());
        let own = b"You say, \"hello qtest-120-1\"";
        assert_eq!(player.hear(own, TAG), Some(Answer::Done));
        assert_eq!(player.hear(own, TAG), None);
    }

    #[test]
    fn a_move_takes_an_exit_and_learns_the_next_ones() {
        let mut player = Player::new(0, 1 << 2);
        assert_eq!(typed(&mut player, "move=1"), "south\r\n");
        assert_eq!(player.hear(b"Ann leaves south.", TAG), None);
        assert_eq!(player.hear(b"Exits: up.", TAG), Some(Answer::Done));
        assert_eq!(typed(&mut player, "move=1"), "up\r\n");
    }

    #[test]
    fn after_a_refused_move_it_looks() {
        let mut player = Player::new(0, 1);
        assert_eq!(typed(&mut player, "move=1"), "north\r\n");
        let refused = player.hear(b"You cannot go that way.", TAG);
        assert_eq!(refused, Some(Answer::Refused("no exit")));
        assert_eq!(typed(&mut player, "move=1"), "look\r\n");
        player.hear(b"Exits: west.", TAG);
        assert_eq!(typed(&mut player, "move=1"), "west\r\n");
        player.give_up();
        assert!(!player.is_waiting());
        assert_eq!(typed(&mut player, "move=1"), "look\r\n");
    }

    #[test]
    fn typed_again_a_say_is_the_same_and_a_move_is_a_look() {
        let mut player = Player::new(7, 1);
        let said = typed(&mut player, "say=1");
        let mut line = Vec::new();
        player.give_up();
        player.again(TAG, &mut line);
        assert_eq!(line, said.as_bytes());
        let own = b"You say, \"hello qtest-7-1\"";
        assert_eq!(player.hear(own, TAG), Some(Answer::Done));
        player.hear(b"Exits: north.", TAG);
        typed(&mut player, "look=1");
        player.hear(b"Exits: north.", TAG);
        assert_eq!(typed(&mut player, "move=1"), "north\r\n");
        line.clear();
        player.again(TAG, &mut line);
        assert_eq!(line, b"look\r\n");
    }

    #[test]
    fn finds_every_token_of_the_run_in_a_line() {
        let line = b"You hear: \"x qtest-1-2\", \"qother-3-4\", qtest-, qtest-5, qtest-60-7.";
        let mut found = Vec::new();
        TAG.tokens(line, |token| found.push((token.bot, token.sequence)));
        assert_eq!(found, [(1, 2), (60, 7)]);
    }

    #[test]
    fn all_exits_are_taken_at_some_time() {
        let (player, mut dice) = (Player::new(0, 0b1111), Dice::new(3, 1));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            seen.insert(player.choose_exit(&mut dice));
        }
        assert_eq!(seen.len(), 4);
    }
}
