//! `[process]` The kinds of the messages of the ring: how crash reports, traces and the watchdog
//! name what was being handled, without a word of what players say.

use super::connection_message::ConnectionMessage;
use super::rooms::RoomMessage;
use super::session_message::{Input, MobMessage, SessionMessage, Wake};
use crate::room::{Ask, Cast};
use belay_runtime::Kind;

impl Kind for RoomMessage {
    const KINDS: &'static [&'static str] = &[
        "enter",
        "leave",
        "look",
        "look at",
        "look way",
        "exits",
        "say",
        "emote",
        "get",
        "place",
        "who",
        "crash",
        "crash mob",
        "gone",
        "card",
        "announce",
        "put back",
        "tick",
        "slice",
        "reset",
        "appear",
        "stall",
        "still",
        "go on",
        "forget",
        "beat",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Ask(_, ask, _) => match ask {
                Ask::Enter { .. } => 0,
                Ask::Leave { .. } => 1,
                Ask::Look => 2,
                Ask::LookAt(_) => 3,
                Ask::LookWay(_) => 4,
                Ask::Exits => 5,
                Ask::Say(_) => 6,
                Ask::Emote(_) => 7,
                Ask::Get(_) => 8,
                Ask::Place(_) => 9,
                Ask::Who(_) => 10,
                Ask::Crash => 11,
                Ask::CrashMob(_) => 12,
            },
            Self::Cast(_, cast) => match cast {
                Cast::Gone { .. } => 13,
                Cast::Card(..) => 14,
                Cast::Announce(_) => 15,
                Cast::PutBack(_) => 16,
            },
            Self::Tick => 17,
            Self::Slice => 18,
            Self::Reset => 19,
            Self::Crash => 11,
            Self::Appear(_) => 20,
            Self::Stall(_) => 21,
            Self::Still(_) => 22,
            Self::GoOn => 23,
            Self::Forget(..) => 24,
            Self::Beat => 25,
        }
    }
}

impl Kind for SessionMessage {
    const KINDS: &'static [&'static str] = &[
        "line",
        "interrupt",
        "terminal",
        "echoes",
        "closed",
        "answer",
        "lost",
        "notice",
        "tick",
        "room closed",
        "tell",
        "receive",
        "login answer",
        "store answer",
        "take over",
        "took over",
        "banned",
        "make way",
        "kick",
        "staff",
        "crash",
        "due",
        "place in line",
        "give up",
        "claim",
        "check link",
        "tell from elsewhere",
        "follow",
        "claimed",
        "undelivered",
        "forgotten",
        "waits",
        "node stops",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Input(_, input) => match input {
                Input::Line { .. } => 0,
                Input::Interrupt => 1,
                Input::Terminal(_) => 2,
                Input::Echoes => 3,
                Input::Closed => 4,
            },
            Self::Answer(..) => 5,
            Self::Lost(_) => 6,
            Self::Undelivered(..) => 29,
            Self::Forgotten(_) => 30,
            Self::Waits => 31,
            Self::NodeStops => 32,
            Self::Notice(_) => 7,
            Self::Tick(_) => 8,
            Self::RoomClosed(_) => 9,
            Self::Tell { .. } => 10,
            Self::Elsewhere(_) => 26,
            Self::Follow(..) => 27,
            Self::Claimed(..) => 28,
            Self::Receive { .. } => 11,
            Self::Login(..) => 12,
            Self::Stored(..) => 13,
            Self::TakeOver(_) => 14,
            Self::TookOver(_) => 15,
            Self::Banned(..) => 16,
            Self::MakeWay => 17,
            Self::Kick(_) => 18,
            Self::Staff(_) => 19,
            Self::Crash => 20,
            Self::Wake(wake) => match wake {
                Wake::Due => 21,
                Wake::Queue => 22,
                Wake::GiveUp => 23,
                Wake::Claim(_) => 24,
                Wake::Link => 25,
                Wake::Owner(_) => 24,
            },
        }
    }
}

impl Kind for MobMessage {
    const KINDS: &'static [&'static str] = &[
        "answer",
        "lost",
        "room closed",
        "wake",
        "crash",
        "still",
        "go on",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Answer(..) => 0,
            Self::Lost(_) => 1,
            Self::RoomClosed(_) => 2,
            Self::Wake => 3,
            Self::Crash => 4,
            Self::Still(_) => 5,
            Self::GoOn => 6,
        }
    }
}

impl Kind for ConnectionMessage {
    const KINDS: &'static [&'static str] = &[
        "show",
        "notice",
        "tick",
        "adopt",
        "hide",
        "logged in",
        "login clock",
        "color",
        "screen reader",
        "close",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Show(_) => 0,
            Self::Notice(_) => 1,
            Self::Tick(..) => 2,
            Self::Adopt(_) => 3,
            Self::Hide(_) => 4,
            Self::LoggedIn => 5,
            Self::LoginClock { .. } => 6,
            Self::Color(_) => 7,
            Self::ScreenReader(_) => 8,
            Self::Close(_) => 9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::being::Parting;
    use crate::event::SystemEvent;
    use crate::ids::{Being, ConnectionId, LineId, MobId, MoveSeq, RoomId};
    use crate::ring::{BeingPort, Receipt};
    use belay_runtime::{Capacity, Mailbox};
    use std::collections::BTreeSet;

    fn check<M: Kind>(message: &M, expected: &str) {
        assert_eq!(M::KINDS[usize::from(message.kind())], expected);
    }

    #[test]
    fn a_message_is_called_what_it_is() {
        let mob = Mailbox::<MobMessage>::new(Capacity::new(1));
        let asks = [
            (Ask::Look, "look"),
            (Ask::Exits, "exits"),
            (Ask::Say("secret".into()), "say"),
            (Ask::Crash, "crash"),
        ];
        let being = Being::Mob(MobId(1));
        for (ask, expected) in asks {
            let receipt = Receipt::new(BeingPort::Mob(mob.address()), LineId(1));
            check(&RoomMessage::Ask(being, ask, receipt), expected);
        }
        let (seq, how) = (MoveSeq(1), Parting::Vanish);
        check(&RoomMessage::Cast(being, Cast::Gone { seq, how }), "gone");
        check(&RoomMessage::Tick, "tick");
        check(&RoomMessage::Reset, "reset");
        check(&RoomMessage::Crash, "crash");
        let line = |text: &str| Input::Line {
            text: text.to_owned(),
            cut: None,
        };
        let from = ConnectionId(1);
        check(&SessionMessage::Input(from, line("password")), "line");
        check(&SessionMessage::Input(from, Input::Closed), "closed");
        check(&SessionMessage::MakeWay, "make way");
        check(&SessionMessage::Crash, "crash");
        check(&SessionMessage::Wake(Wake::Link), "check link");
        check(&MobMessage::RoomClosed(RoomId(1)), "room closed");
        check(&MobMessage::Crash, "crash");
        check(&ConnectionMessage::Hide(true), "hide");
        let last = crate::event::Event::System(SystemEvent::ShuttingDown);
        check(&ConnectionMessage::Close(Box::new(last)), "close");
    }

    #[test]
    fn no_kind_stands_twice() {
        for kinds in [
            RoomMessage::KINDS,
            SessionMessage::KINDS,
            MobMessage::KINDS,
            ConnectionMessage::KINDS,
        ] {
            assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), kinds.len());
        }
    }
}
