//! `[pure]` What nodes say to each other of channels, as it goes over the wire. Variants are
//! appended, never changed or removed. Channels go by their names in lower case.

use crate::ids::ChannelId;
use crate::talk::{ChannelLine, Foreign, Mark, Past, Speaker};
use serde::{Deserialize, Serialize};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TalkMessage {
    /// To the owner: a player here says this.
    Say {
        /// On which channel.
        channel: String,
        /// The sender's number for it.
        saying: u64,
        /// The player.
        name: String,
        /// The words.
        text: String,
    },
    /// From the owner: that was not taken, since too much is said there.
    Refused {
        /// The number.
        saying: u64,
    },
    /// From the owner: this line stands.
    Line {
        /// On which channel.
        channel: String,
        /// The line at its place.
        line: LineRecord,
        /// What the receiver's player said, and what that player alone should know.
        own: Option<(u64, Option<String>)>,
    },
    /// From the owner: what is remembered of this channel?
    Recall {
        /// The channel.
        channel: String,
    },
    /// These lines are remembered.
    Past {
        /// The channel.
        channel: String,
        /// The lines, each with its age in seconds.
        lines: Vec<(LineRecord, u64)>,
    },
    /// To the owner: a player of another game says this.
    Foreign {
        /// On which channel.
        channel: String,
        /// The line; its place means nothing.
        line: LineRecord,
    },
    /// To a speaker's node: the order of that channel is not made here, so that was not said.
    NotHere {
        /// The number.
        saying: u64,
    },
}

/// A line at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LineRecord {
    /// The term of the owner.
    pub(super) term: u64,
    /// The number in that term.
    pub(super) number: u64,
    /// The player.
    pub(super) name: String,
    /// The game, if it is another one.
    pub(super) game: Option<String>,
    /// The words.
    pub(super) text: String,
    /// It was said while this game could not hear it.
    pub(super) missed: bool,
}

impl LineRecord {
    pub(super) fn new(mark: Mark, line: &ChannelLine) -> Self {
        let (name, game) = match &line.speaker {
            Speaker::Local(name) => (name, None),
            Speaker::Foreign { name, game } => (name, Some(game.to_string())),
        };
        Self {
            term: mark.term,
            number: mark.number,
            name: name.to_string(),
            game,
            text: line.text.to_string(),
            missed: line.missed,
        }
    }

    pub(super) fn heard(self) -> Foreign {
        let name = self.name.into();
        Foreign {
            speaker: match self.game {
                None => Speaker::Local(name),
                Some(game) => Speaker::Foreign {
                    name,
                    game: game.into(),
                },
            },
            text: self.text.into(),
            missed: self.missed,
        }
    }

    pub(super) fn line(self, channel: ChannelId) -> (Mark, ChannelLine) {
        let mark = Mark {
            term: self.term,
            number: self.number,
        };
        let Foreign {
            speaker,
            text,
            missed,
        } = self.heard();
        let line = ChannelLine {
            channel,
            speaker,
            text,
            missed,
        };
        (mark, line)
    }
}

/// Lines that are remembered, for the wire.
pub(super) fn past(lines: Vec<Past>) -> Vec<(LineRecord, u64)> {
    let record = |past: Past| (LineRecord::new(past.mark, &past.line), past.age_s);
    lines.into_iter().map(record).collect()
}

/// Lines that are remembered, from the wire.
pub(super) fn from_past(channel: ChannelId, lines: Vec<(LineRecord, u64)>) -> Vec<Past> {
    let restore = |(record, age_s): (LineRecord, u64)| {
        let (mark, line) = record.line(channel);
        Past { mark, line, age_s }
    };
    lines.into_iter().map(restore).collect()
}

#[cfg(test)]
mod tests {
    use super::super::wire::PeopleMessage;
    use super::*;

    fn check(message: TalkMessage, expected: &[u8]) {
        let message = PeopleMessage::Talk(message);
        assert_eq!(message.encode(), expected, "{message:?}");
        assert_eq!(PeopleMessage::decode(expected), Ok(message));
    }

    fn line(game: Option<&str>) -> ChannelLine {
        let name = "Ann".into();
        ChannelLine {
            channel: ChannelId(3),
            speaker: match game {
                None => Speaker::Local(name),
                Some(game) => Speaker::Foreign {
                    name,
                    game: game.into(),
                },
            },
            text: "hi".into(),
            missed: false,
        }
    }

    const MARK: Mark = Mark { term: 5, number: 7 };

    #[test]
    fn the_bytes_of_what_is_said_stay_as_they_are() {
        let channel = || "chat".to_owned();
        let record = LineRecord::new(MARK, &line(None));
        let say = TalkMessage::Say {
            channel: channel(),
            saying: 9,
            name: "Ann".to_owned(),
            text: "hi".to_owned(),
        };
        check(say, b"\x0a\x00\x04chat\x09\x03Ann\x02hi");
        check(TalkMessage::Refused { saying: 9 }, b"\x0a\x01\x09");
        check(TalkMessage::NotHere { saying: 9 }, b"\x0a\x06\x09");
        let said = TalkMessage::Line {
            channel: channel(),
            line: record.clone(),
            own: Some((9, None)),
        };
        check(
            said,
            b"\x0a\x02\x04chat\x05\x07\x03Ann\x00\x02hi\x00\x01\x09\x00",
        );
        let recall = TalkMessage::Recall { channel: channel() };
        check(recall, b"\x0a\x03\x04chat");
        let past = TalkMessage::Past {
            channel: channel(),
            lines: vec![(record, 2)],
        };
        check(
            past,
            b"\x0a\x04\x04chat\x01\x05\x07\x03Ann\x00\x02hi\x00\x02",
        );
        let foreign = TalkMessage::Foreign {
            channel: channel(),
            line: LineRecord::new(MARK, &line(Some("Other"))),
        };
        check(
            foreign,
            b"\x0a\x05\x04chat\x05\x07\x03Ann\x01\x05Other\x02hi\x00",
        );
    }

    #[test]
    fn a_line_comes_back_from_its_record() {
        for line in [line(None), line(Some("Other"))] {
            let record = LineRecord::new(MARK, &line);
            assert_eq!(record.line(ChannelId(3)), (MARK, line));
        }
    }
}
