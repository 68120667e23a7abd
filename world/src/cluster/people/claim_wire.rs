//! `[pure]` What nodes say to each other of claims, as it goes over the wire. Variants are
//! appended, never changed or removed.

use super::register::Holding;
use crate::ids::AccountId;
use serde::{Deserialize, Serialize};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ClaimMessage {
    /// To the owner of the account's partition: this session wants it.
    Claim {
        /// The account.
        account: i64,
        /// The session, by its number on the sender.
        session: u64,
    },
    /// To the owner: this session is over, or wants it no more.
    Released {
        /// The account.
        account: i64,
        /// The session.
        session: u64,
    },
    /// From an owner: what of this partition do sessions of the receiver hold?
    Recall {
        /// The partition.
        partition: u8,
        /// The term of the owner.
        epoch: u64,
        /// The owner's number for the question.
        number: u64,
    },
    /// To that owner: these, and no others.
    Holds {
        /// The partition.
        partition: u8,
        /// The term that asked.
        epoch: u64,
        /// With which number.
        number: u64,
        /// The sessions.
        holdings: Vec<HoldingRecord>,
    },
    /// From the owner: the session has the account.
    Granted {
        /// The term of the owner.
        epoch: u64,
        /// Which session, which account, which number.
        holding: HoldingRecord,
    },
    /// From the owner: the session is to save and end.
    MakeWay {
        /// The term of the owner.
        epoch: u64,
        /// The account.
        account: i64,
        /// The session.
        session: u64,
    },
    /// From the owner: a later login came before this one was granted.
    GivenUp {
        /// The term of the owner.
        epoch: u64,
        /// The account.
        account: i64,
        /// The session.
        session: u64,
    },
}

/// An account that a session holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HoldingRecord {
    /// The account.
    pub(super) account: i64,
    /// The session.
    pub(super) session: u64,
    /// The number of its claim.
    pub(super) number: u64,
}

impl From<Holding> for HoldingRecord {
    fn from(holding: Holding) -> Self {
        Self {
            account: holding.account.0,
            session: holding.session,
            number: holding.number,
        }
    }
}

impl From<HoldingRecord> for Holding {
    fn from(record: HoldingRecord) -> Self {
        Self {
            account: AccountId(record.account),
            session: record.session,
            number: record.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::PeopleMessage;
    use super::*;

    fn check(message: ClaimMessage, expected: &[u8]) {
        let message = PeopleMessage::Claims(message);
        assert_eq!(message.encode(), expected, "{message:?}");
        assert_eq!(PeopleMessage::decode(expected), Ok(message));
    }

    #[test]
    fn the_bytes_of_claims_stay_as_they_are() {
        let (account, session, epoch, partition) = (3, 300, 5, 9);
        let holding = HoldingRecord {
            account,
            session,
            number: 7,
        };
        let claim = ClaimMessage::Claim { account, session };
        check(claim, b"\x09\x00\x06\xac\x02");
        let released = ClaimMessage::Released { account, session };
        check(released, b"\x09\x01\x06\xac\x02");
        let recall = ClaimMessage::Recall {
            partition,
            epoch,
            number: 2,
        };
        check(recall, b"\x09\x02\x09\x05\x02");
        let holds = ClaimMessage::Holds {
            partition,
            epoch,
            number: 2,
            holdings: vec![holding],
        };
        check(holds, b"\x09\x03\x09\x05\x02\x01\x06\xac\x02\x07");
        let granted = ClaimMessage::Granted { epoch, holding };
        check(granted, b"\x09\x04\x05\x06\xac\x02\x07");
        let make_way = ClaimMessage::MakeWay {
            epoch,
            account,
            session,
        };
        check(make_way, b"\x09\x05\x05\x06\xac\x02");
        let given_up = ClaimMessage::GivenUp {
            epoch,
            account,
            session,
        };
        check(given_up, b"\x09\x06\x05\x06\xac\x02");
    }
}
