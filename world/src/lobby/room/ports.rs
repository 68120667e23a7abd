//! `[process]` How those in a room are reached, and what a room's messages are to its state.

use super::effect::{Coming, Input, Moderated};
use crate::lobby::ring::{Entry, GuestId, GuestPort, RoomMessage, SocketPort};

/// How somebody in a room is reached.
#[derive(Clone, Debug)]
pub struct Ports {
    pub(super) guest: GuestId,
    pub(super) socket: Option<SocketPort>,
    pub(super) port: GuestPort,
}

/// What a message is to the state; nothing for a crash on demand.
pub(super) fn input(message: RoomMessage) -> Option<Input<Ports>> {
    Some(match message {
        RoomMessage::Enter(entry) => Input::Enter(coming(*entry)),
        RoomMessage::Resume {
            guest,
            socket,
            port,
            seen,
            tag,
        } => {
            let socket = Some(socket);
            let port = Ports {
                guest,
                socket,
                port,
            };
            Input::Resume {
                guest,
                port,
                seen,
                tag,
            }
        }
        RoomMessage::Leave(guest, why) => Input::Leave(guest, why),
        RoomMessage::Lost(guest) => Input::Lost(guest),
        RoomMessage::Snapshot(guest) => Input::Snapshot(guest),
        RoomMessage::Say(guest, tag, text) => Input::Say(guest, tag, text),
        RoomMessage::Status(guest, status) => Input::Status(guest, status),
        RoomMessage::Score(guest, score) => Input::Score(guest, score),
        RoomMessage::Changed(card) => Input::Changed(card),
        RoomMessage::Moderate {
            by,
            tag,
            name,
            what,
            for_s,
            reason,
        } => {
            let moderated = Moderated {
                name,
                what,
                for_s,
                reason,
            };
            Input::Moderate(by, tag, moderated)
        }
        RoomMessage::Change(by, tag, wish) => Input::Change(by, tag, wish),
        RoomMessage::Admit(name) => Input::Admit(name),
        RoomMessage::Tick => Input::Tick,
        RoomMessage::CloseIfEmpty => Input::CloseIfEmpty,
        RoomMessage::Crash => return None,
    })
}

fn coming(entry: Entry) -> Coming<Ports> {
    let Entry {
        card,
        socket,
        port,
        tag,
        instead,
        any,
    } = entry;
    let guest = card.guest;
    Coming {
        card,
        port: Ports {
            guest,
            socket,
            port,
        },
        tag,
        instead,
        any,
    }
}

/// The same as it came from the hall.
pub(super) fn entry(coming: Coming<Ports>) -> Entry {
    let Coming {
        card,
        port,
        tag,
        instead,
        any,
    } = coming;
    Entry {
        card,
        socket: port.socket,
        port: port.port,
        tag,
        instead,
        any,
    }
}
