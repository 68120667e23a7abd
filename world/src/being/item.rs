//! `[pure]` Things as instances. Each has one number and one owner in the database; what it looks
//! like stands in its prototype in the content.

use crate::event::Text;
use crate::ids::{ItemId, PrototypeId};
use serde::{Deserialize, Serialize};

/// One thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its number in the database.
    pub id: ItemId,
    /// What it is.
    pub prototype: PrototypeId,
}

/// Equal things gathered for a list.
pub type Pile = (Text, u32);

/// Gathers equal texts of a list, in the order in which each first stands there.
pub fn piles(texts: impl Iterator<Item = Text>) -> Vec<Pile> {
    let mut gathered: Vec<Pile> = Vec::new();
    for text in texts {
        match gathered.iter_mut().find(|(seen, _)| *seen == text) {
            Some((_, count)) => *count += 1,
            None => gathered.push((text, 1)),
        }
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_are_counted_in_the_order_of_their_first() {
        let texts = ["a rope", "a lamp", "a rope"].into_iter().map(Text::from);
        assert_eq!(
            piles(texts),
            vec![("a rope".into(), 2), ("a lamp".into(), 1)]
        );
        assert_eq!(piles(std::iter::empty()), vec![]);
    }
}
