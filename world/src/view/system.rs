//! `[pure]` What the node says of itself.

use super::page::Page;
use crate::event::SystemEvent;
use crate::text::Style;

/// The line for an announcement.
pub(super) fn system(page: &mut Page<'_>, said: &SystemEvent) {
    let line = match said {
        SystemEvent::Kicked(reason) => {
            return page.reasoned(Style::Error, "You are removed from the game", reason);
        }
        SystemEvent::Goodbye(reason) => return page.reasoned(Style::Notice, "Goodbye", reason),
        SystemEvent::Alive if page.is_read_aloud() => "Alive.",
        SystemEvent::Alive => "[alive]",
        SystemEvent::LostTrack if page.is_read_aloud() => "You lose track for a moment.",
        SystemEvent::LostTrack => "...you lose track for a moment.",
        SystemEvent::SessionRestarted => "Something broke on your last line. You are back.",
        SystemEvent::RoomClosed => "The place around you closes. You find yourself elsewhere.",
        SystemEvent::Adrift => "No place is open to stand in just now. Please wait.",
        SystemEvent::PlaceAwaited => {
            page.line(
                Style::Notice,
                "The ground trembles; your place in the world is out of reach just now.",
            );
            "You will stand there as soon as it is back. You can talk on channels, or quit."
        }
        SystemEvent::PlaceGivenUp => {
            "Your place in the world is still out of reach. You find yourself elsewhere."
        }
        SystemEvent::DeedWaits => "The ground trembles; what you do waits for it to be still.",
        SystemEvent::TakenOver => "You logged in from elsewhere, so this connection ends.",
        SystemEvent::ShuttingDown => "The game stops now. Come back soon.",
        SystemEvent::NodeStops => {
            "This part of the game stops now. Connect again, and go on where you are."
        }
        SystemEvent::StoreSlow => "Saving is slow just now. What must be saved waits for it.",
    };
    page.line(Style::Notice, line);
}
