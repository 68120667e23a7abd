//! `[pure]` What a bot does how often.

use crate::dice::Dice;

/// One thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Take an exit.
    Move,
    /// Say something.
    Say,
    /// Look around.
    Look,
}

/// Weights of the deeds; at least one is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mix {
    moves: u16,
    says: u16,
    looks: u16,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            moves: 60,
            says: 25,
            looks: 15,
        }
    }
}

impl Mix {
    /// Weights for moving, saying and looking; `None` when all are 0.
    #[must_use]
    pub fn new(moves: u16, says: u16, looks: u16) -> Option<Self> {
        (moves > 0 || says > 0 || looks > 0).then_some(Self { moves, says, looks })
    }

    /// The same without moves; `None` when nothing is left.
    #[must_use]
    pub fn staying(self) -> Option<Self> {
        Self::new(0, self.says, self.looks)
    }

    /// Reads `move=60,say=25,look=15`; what is not named is 0.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mut moves, mut says, mut looks) = (None, None, None);
        for part in text.split(',') {
            let (name, weight) = part.split_once('=')?;
            let place = match name.trim() {
                "move" => &mut moves,
                "say" => &mut says,
                "look" => &mut looks,
                _ => return None,
            };
            if place.replace(weight.trim().parse().ok()?).is_some() {
                return None;
            }
        }
        Self::new(moves.unwrap_or(0), says.unwrap_or(0), looks.unwrap_or(0))
    }

    /// Throws the dice for the next deed.
    pub(crate) fn choose(self, dice: &mut Dice) -> Deed {
        let (moves, says) = (u32::from(self.moves), u32::from(self.says));
        let throw = dice.below(moves + says + u32::from(self.looks));
        if throw < moves {
            Deed::Move
        } else if throw < moves + says {
            Deed::Say
        } else {
            Deed::Look
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_weights_and_refuses_nonsense() {
        for (text, expected) in [
            ("move=60,say=25,look=15", Mix::new(60, 25, 15)),
            ("say=100", Mix::new(0, 100, 0)),
            ("look=1, move=2", Mix::new(2, 0, 1)),
            ("say=0", None),
            ("dance=3", None),
            ("say", None),
            ("say=-1", None),
            ("say=1,say=2", None),
            ("", None),
        ] {
            assert_eq!(Mix::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn chooses_by_weight() {
        let (mix, mut dice) = (Mix::default(), Dice::new(1, 1));
        let deeds: Vec<_> = (0..10_000).map(|_| mix.choose(&mut dice)).collect();
        let share = |deed| deeds.iter().filter(|other| **other == deed).count() / 100;
        assert!(
            (57..=63).contains(&share(Deed::Move)),
            "{}",
            share(Deed::Move)
        );
        assert!(
            (22..=28).contains(&share(Deed::Say)),
            "{}",
            share(Deed::Say)
        );
        assert_eq!(mix.staying(), Mix::new(0, 25, 15));
        assert_eq!(Mix::new(1, 0, 0).and_then(Mix::staying), None);
    }
}
