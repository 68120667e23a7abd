//! `[pure]` The card: what a room needs to know of a being. The sheet (inventory, settings,
//! account) stays with its session; only this small shared value crosses mailboxes.

use crate::event::{PersonSeen, Text};
use crate::ids::{CharacterId, MobId};
use serde::{Deserialize, Serialize};

/// What a being shows to the room it stands in. Shared by pointer, replaced as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it is called in a sentence: "Ann", "a harbour cat".
    pub name: Text,
    /// What a closer look shows.
    pub description: Text,
    /// The character, for players who are saved.
    pub character: Option<CharacterId>,
    /// The mob of the content, for mobs.
    pub mob: Option<MobId>,
    /// Away from the keyboard.
    pub away: bool,
    /// Without a connection just now.
    pub linkdead: bool,
}

impl Card {
    /// The entry in a list of people.
    pub fn seen(&self) -> PersonSeen {
        PersonSeen {
            name: self.name.clone(),
            away: self.away,
            linkdead: self.linkdead,
        }
    }
}
