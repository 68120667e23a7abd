//! `[pure]` What a gate looks at in a letter.

use crate::cluster::rooms::frame::{Letter, What};
use crate::cluster::rooms::limits::LETTER_BYTES;
use crate::room::{Ask, Cast};

/// How a letter depends on its writer's standing in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Enter,
    Leave,
    There,
    Gone,
    Anyhow,
}

/// How a letter depends on its writer's standing.
pub(super) fn kind(letter: &Letter) -> Kind {
    match &letter.what {
        What::Ask(_, ask) => match ask {
            Ask::Enter { .. } => Kind::Enter,
            Ask::Leave { .. } => Kind::Leave,
            Ask::Place(_) => Kind::Anyhow,
            Ask::Look
            | Ask::LookAt(_)
            | Ask::LookWay(_)
            | Ask::Exits
            | Ask::Say(_)
            | Ask::Emote(_)
            | Ask::Get(_)
            | Ask::Who(_)
            | Ask::Crash
            | Ask::CrashMob(_) => Kind::There,
        },
        What::Cast(cast) => match cast {
            Cast::Gone { .. } => Kind::Gone,
            Cast::Card(..) | Cast::Announce(_) => Kind::There,
            Cast::PutBack(_) => Kind::Anyhow,
        },
    }
}

/// What a letter counts for while it waits.
pub(super) fn bytes(letter: &Letter) -> usize {
    let text = match &letter.what {
        What::Ask(_, ask) => match ask {
            Ask::Say(text) | Ask::Emote(text) => text.len(),
            Ask::LookAt(noun) | Ask::Get(noun) | Ask::Who(noun) | Ask::CrashMob(noun) => {
                noun.words.len()
            }
            Ask::Enter { card, .. } => card.name.len() + card.description.len(),
            Ask::Leave { .. }
            | Ask::Look
            | Ask::LookWay(_)
            | Ask::Exits
            | Ask::Place(_)
            | Ask::Crash => 0,
        },
        What::Cast(Cast::Card(card, _)) => card.name.len() + card.description.len(),
        What::Cast(Cast::Gone { .. } | Cast::Announce(_) | Cast::PutBack(_)) => 0,
    };
    LETTER_BYTES + text
}
