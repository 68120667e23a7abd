//! `[pure]` What the people of two nodes say to each other, as it goes over the wire. Variants and
//! fields are appended, never changed or removed: what a later version says besides is not
//! understood here, and left out.

use super::claim_wire::ClaimMessage;
use super::games_wire::{AnswerRecord, GamesMessage};
use super::talk_wire::TalkMessage;
use crate::node::Person;
use crate::store::{BanSubject, NewBan};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PeopleMessage {
    /// A piece of the list of all who play on the sender.
    List {
        /// The first piece: what was known of the sender before is over at the last.
        first: bool,
        /// The last piece.
        last: bool,
        /// Some of them.
        people: Vec<PersonRecord>,
    },
    /// A player came, or is marked otherwise.
    Plays(PersonRecord),
    /// The player of this entry left.
    Left {
        /// Their name.
        name: String,
        /// Which entry it was.
        entry: u64,
    },
    /// A question about a player of the receiver; it has exactly one answer.
    Ask {
        /// The sender's number for it.
        question: u64,
        /// The player's name.
        to: String,
        /// What.
        errand: Errand,
    },
    /// The answer.
    Answer {
        /// The number of the question.
        question: u64,
        /// What came of it.
        reply: Reply,
    },
    /// A thing that is on record as that player's, or that a guest carries for a room.
    Gift {
        /// To whom.
        to: String,
        /// From whom.
        from: String,
        /// The thing's number.
        item: i64,
        /// The key of its prototype.
        prototype: String,
        /// For guests: the key of the room in which it stays recorded.
        recorded: Option<String>,
    },
    /// From now on this ban holds; it is on record.
    Banned(BanRecord),
    /// From now on this one does not.
    Lifted {
        /// The kind of its subject.
        kind: String,
        /// The subject.
        value: String,
    },
    /// An account has staff rights from now on, or has none.
    Staff {
        /// The account.
        account: i64,
        /// Whether it has.
        on: bool,
    },
    /// Of claims of accounts.
    Claims(ClaimMessage),
    /// Of channels.
    Talk(TalkMessage),
    /// Of other games.
    Games(GamesMessage),
}

/// What is wanted of a player on another node.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Errand {
    /// Tell them something.
    Tell {
        /// From whom.
        from: String,
        /// The words.
        text: String,
    },
    /// Remove them from the game, for this reason.
    Kick {
        /// Why.
        reason: String,
    },
    /// Make their session crash.
    Crash,
    /// Where are they?
    Where,
    /// Not of a player, but of the node of the socket: tell somebody in another game this.
    ToGame {
        /// From whom.
        from_name: String,
        /// To whom.
        to_name: String,
        /// In which game.
        to_game: String,
        /// The words.
        message: String,
    },
    /// Somebody in another game tells them this.
    FromGame {
        /// From whom.
        name: String,
        /// In which game.
        game: String,
        /// The words.
        text: String,
    },
    /// A thing for them, which is on record as theirs, or which a guest carries for a room. It may
    /// be brought again; then it is taken once.
    Receive {
        /// The number of the gift on its node.
        gift: u64,
        /// From whom.
        from: String,
        /// The thing's number.
        item: i64,
        /// The key of its prototype.
        prototype: String,
        /// For guests: the key of the room in which it stays recorded.
        recorded: Option<String>,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// Nobody of that name plays there.
    Nobody,
    /// They cannot listen just now.
    Full {
        /// Their name.
        name: String,
    },
    /// They were told.
    Told {
        /// Their name.
        name: String,
        /// Their away message.
        away: Option<String>,
    },
    /// It is done.
    Done {
        /// Their name.
        name: String,
    },
    /// They are in this room, as far as is known.
    In {
        /// The key of the room.
        room: Option<String>,
    },
    /// What the network said to a tell.
    Game(AnswerRecord),
    /// Whether they read it.
    Read(bool),
}

/// A player in the list of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PersonRecord {
    /// The name.
    pub name: String,
    /// Which entry of the node.
    pub entry: u64,
    /// The number of the session's claim.
    pub claim: u64,
    /// Away 1, linkdead 2, guest 4, staff 8.
    pub marks: u8,
    /// A bit for each channel.
    pub channels: u32,
}

/// A ban.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BanRecord {
    /// The kind of its subject.
    pub kind: String,
    /// The subject.
    pub value: String,
    /// Why.
    pub reason: String,
    /// Who banned.
    pub by: String,
    /// For so many seconds; for ever without.
    pub lasts_s: Option<u64>,
}

/// What came over the wire is no message that this version understands; **refused**.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not understood")]
pub(super) struct NotUnderstood;

impl PeopleMessage {
    /// As it goes over the wire.
    pub(super) fn encode(&self) -> Vec<u8> {
        // Nothing in it can fail to be written to memory.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// What came over the wire.
    ///
    /// # Errors
    /// This version does not understand it.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, NotUnderstood> {
        postcard::from_bytes(bytes).map_err(|_why| NotUnderstood)
    }
}

/// Private words are not logged.
impl std::fmt::Debug for Errand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Tell { .. } => "Tell",
            Self::Kick { .. } => "Kick",
            Self::Crash => "Crash",
            Self::Where => "Where",
            Self::ToGame { .. } => "ToGame",
            Self::FromGame { .. } => "FromGame",
            Self::Receive { .. } => "Receive",
        })
    }
}

impl From<&Person> for PersonRecord {
    fn from(person: &Person) -> Self {
        let marks = [person.away, person.linkdead, person.guest, person.staff];
        let bits = marks.into_iter().enumerate();
        Self {
            name: person.name.to_string(),
            entry: person.entry,
            claim: person.claim,
            marks: bits.fold(0, |marks, (at, on)| marks | (u8::from(on) << at)),
            channels: person.channels,
        }
    }
}

impl From<PersonRecord> for Person {
    fn from(record: PersonRecord) -> Self {
        let has = |at: u8| record.marks & (1 << at) != 0;
        Self {
            entry: record.entry,
            claim: record.claim,
            away: has(0),
            linkdead: has(1),
            guest: has(2),
            staff: has(3),
            channels: record.channels,
            name: record.name.into(),
        }
    }
}

impl From<&NewBan> for BanRecord {
    fn from(ban: &NewBan) -> Self {
        Self {
            kind: ban.subject.kind().to_owned(),
            value: ban.subject.value(),
            reason: ban.reason.clone(),
            by: ban.by.clone(),
            lasts_s: ban.lasts.map(|lasts| lasts.as_secs()),
        }
    }
}

impl BanRecord {
    /// The ban, if its subject is understood.
    pub(super) fn restore(self) -> Option<NewBan> {
        Some(NewBan {
            subject: BanSubject::from_stored(&self.kind, &self.value)?,
            reason: self.reason,
            lasts: self.lasts_s.map(Duration::from_secs),
            by: self.by,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person() -> PersonRecord {
        PersonRecord {
            name: "Ann".to_owned(),
            entry: 300,
            claim: 7,
            marks: 5,
            channels: 3,
        }
    }

    fn check(message: PeopleMessage, expected: &[u8]) {
        let bytes = message.encode();
        assert_eq!(bytes, expected, "{message:?}");
        for end in 0..bytes.len() {
            assert_eq!(PeopleMessage::decode(&bytes[..end]), Err(NotUnderstood));
        }
        assert_eq!(PeopleMessage::decode(&bytes), Ok(message));
    }

    #[test]
    fn the_bytes_of_the_messages_stay_as_they_are() {
        check(
            PeopleMessage::List {
                first: true,
                last: false,
                people: vec![person()],
            },
            b"\x00\x01\x00\x01\x03Ann\xac\x02\x07\x05\x03",
        );
        check(
            PeopleMessage::Plays(person()),
            b"\x01\x03Ann\xac\x02\x07\x05\x03",
        );
        let left = PeopleMessage::Left {
            name: "Ann".to_owned(),
            entry: 300,
        };
        check(left, b"\x02\x03Ann\xac\x02");
        let ask = |errand| PeopleMessage::Ask {
            question: 1,
            to: "Bo".to_owned(),
            errand,
        };
        let tell = Errand::Tell {
            from: "Ann".to_owned(),
            text: "hi".to_owned(),
        };
        check(ask(tell), b"\x03\x01\x02Bo\x00\x03Ann\x02hi");
        let kick = Errand::Kick {
            reason: "spam".to_owned(),
        };
        check(ask(kick), b"\x03\x01\x02Bo\x01\x04spam");
        check(ask(Errand::Crash), b"\x03\x01\x02Bo\x02");
        check(ask(Errand::Where), b"\x03\x01\x02Bo\x03");
        let answer = |reply| PeopleMessage::Answer { question: 1, reply };
        let name = || "Bo".to_owned();
        check(answer(Reply::Nobody), b"\x04\x01\x00");
        check(answer(Reply::Full { name: name() }), b"\x04\x01\x01\x02Bo");
        let told = Reply::Told {
            name: name(),
            away: Some("x".to_owned()),
        };
        check(answer(told), b"\x04\x01\x02\x02Bo\x01\x01x");
        check(answer(Reply::Done { name: name() }), b"\x04\x01\x03\x02Bo");
        check(answer(Reply::Game(AnswerRecord::Sent)), b"\x04\x01\x05\x00");
        check(answer(Reply::Read(true)), b"\x04\x01\x06\x01");
        let text = |text: &str| text.to_owned();
        let to_game = Errand::ToGame {
            from_name: text("Ann"),
            to_name: text("Cy"),
            to_game: text("G"),
            message: text("hi"),
        };
        check(ask(to_game), b"\x03\x01\x02Bo\x04\x03Ann\x02Cy\x01G\x02hi");
        let from_game = Errand::FromGame {
            name: text("Cy"),
            game: text("G"),
            text: text("hi"),
        };
        check(ask(from_game), b"\x03\x01\x02Bo\x05\x02Cy\x01G\x02hi");
        let room = Some("a/b".to_owned());
        check(answer(Reply::In { room }), b"\x04\x01\x04\x01\x03a/b");
    }

    #[test]
    fn the_bytes_of_gifts_bans_and_rights_stay_as_they_are() {
        let gift = PeopleMessage::Gift {
            to: "Bo".to_owned(),
            from: "Ann".to_owned(),
            item: 3,
            prototype: "a/b".to_owned(),
            recorded: None,
        };
        check(gift, b"\x05\x02Bo\x03Ann\x06\x03a/b\x00");
        let ban = BanRecord {
            kind: "account".to_owned(),
            value: "bob".to_owned(),
            reason: "spam".to_owned(),
            by: "Ann".to_owned(),
            lasts_s: Some(60),
        };
        let banned = PeopleMessage::Banned(ban.clone());
        check(banned, b"\x06\x07account\x03bob\x04spam\x03Ann\x01\x3c");
        let lifted = PeopleMessage::Lifted {
            kind: "account".to_owned(),
            value: "bob".to_owned(),
        };
        check(lifted, b"\x07\x07account\x03bob");
        let staff = PeopleMessage::Staff {
            account: -1,
            on: true,
        };
        check(staff, b"\x08\x01\x01");
        let held = ban.clone().restore().unwrap();
        assert_eq!(BanRecord::from(&held), ban);
        let odd = BanRecord {
            kind: "odd".to_owned(),
            ..ban
        };
        assert_eq!(odd.restore().map(|ban| ban.reason), None);
    }

    #[test]
    fn a_person_comes_back_from_its_record() {
        for marks in 0..16 {
            let record = PersonRecord { marks, ..person() };
            assert_eq!(PersonRecord::from(&Person::from(record.clone())), record);
        }
    }

    #[test]
    fn what_a_later_version_says_is_not_understood() {
        assert_eq!(PeopleMessage::decode(&[250, 1, 2]), Err(NotUnderstood));
        assert_eq!(PeopleMessage::decode(&[]), Err(NotUnderstood));
    }
}
