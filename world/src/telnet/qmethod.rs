//! `[pure]` The Q method of RFC 1143: one option on one side, free of loops.
//!
//! ```text
//!         enable                 peer says yes
//!   NO ──────────► WANTYES ─────────────────────► YES
//!    ▲                │ disable: remember the opposite
//!    │ peer says no   ▼
//!    └──────────── WANTNO ◄────────────────────── YES
//!                              disable
//! ```

/// What we know of one option on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cell {
    /// Off.
    #[default]
    No,
    /// On.
    Yes,
    /// We asked to turn it off and wait for the answer.
    WantNo,
    /// As [`Cell::WantNo`], and it is to be turned on again after the answer.
    WantNoOpposite,
    /// We asked to turn it on and wait for the answer.
    WantYes,
    /// As [`Cell::WantYes`], and it is to be turned off again after the answer.
    WantYesOpposite,
}

/// What to send: WILL and WONT for our side, DO and DONT for the peer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing, which is what ends loops.
    Nothing,
    /// WILL or DO.
    Enable,
    /// WONT or DONT.
    Disable,
}

/// What the peer's wish meets in [`Cell::No`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// We agree when asked.
    Welcome,
    /// We refuse when asked.
    Refuse,
}

/// The outcome of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The new state.
    pub(super) cell: Cell,
    /// What to send.
    pub(super) answer: Answer,
    /// The peer broke the protocol: it answered "stop" with "yes".
    pub(super) fault: bool,
}

impl Turn {
    fn new(cell: Cell, answer: Answer) -> Self {
        Self {
            cell,
            answer,
            fault: false,
        }
    }
}

impl Cell {
    /// The peer says WILL (its side) or DO (ours).
    pub(super) fn peer_enables(self, stance: Stance) -> Turn {
        match (self, stance) {
            (Self::No, Stance::Welcome) => Turn::new(Self::Yes, Answer::Enable),
            (Self::No, Stance::Refuse) => Turn::new(Self::No, Answer::Disable),
            (Self::Yes | Self::WantYes, _) => Turn::new(Self::Yes, Answer::Nothing),
            (Self::WantNo, _) => Turn {
                cell: Self::No,
                answer: Answer::Nothing,
                fault: true,
            },
            (Self::WantNoOpposite, _) => Turn {
                cell: Self::Yes,
                answer: Answer::Nothing,
                fault: true,
            },
            (Self::WantYesOpposite, _) => Turn::new(Self::WantNo, Answer::Disable),
        }
    }

    /// The peer says WONT (its side) or DONT (ours).
    pub(super) fn peer_disables(self) -> Turn {
        match self {
            Self::No | Self::WantNo | Self::WantYes | Self::WantYesOpposite => {
                Turn::new(Self::No, Answer::Nothing)
            }
            Self::Yes => Turn::new(Self::No, Answer::Disable),
            Self::WantNoOpposite => Turn::new(Self::WantYes, Answer::Enable),
        }
    }

    /// We wish it on.
    pub(super) fn enable(self) -> Turn {
        match self {
            Self::No => Turn::new(Self::WantYes, Answer::Enable),
            Self::WantNo => Turn::new(Self::WantNoOpposite, Answer::Nothing),
            Self::WantYesOpposite => Turn::new(Self::WantYes, Answer::Nothing),
            Self::Yes | Self::WantNoOpposite | Self::WantYes => Turn::new(self, Answer::Nothing),
        }
    }

    /// We wish it off.
    pub(super) fn disable(self) -> Turn {
        match self {
            Self::Yes => Turn::new(Self::WantNo, Answer::Disable),
            Self::WantYes => Turn::new(Self::WantYesOpposite, Answer::Nothing),
            Self::WantNoOpposite => Turn::new(Self::WantNo, Answer::Nothing),
            Self::No | Self::WantNo | Self::WantYesOpposite => Turn::new(self, Answer::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::Answer::{Disable, Enable, Nothing};
    use super::Cell::{No, WantNo, WantNoOpposite, WantYes, WantYesOpposite, Yes};
    use super::*;

    const CELLS: [Cell; 6] = [No, Yes, WantNo, WantNoOpposite, WantYes, WantYesOpposite];

    /// Checks one event in each of the six states, in the order of [`CELLS`].
    fn check(event: impl Fn(Cell) -> Turn, expected: [(Cell, Answer, bool); 6]) {
        for (from, (cell, answer, fault)) in CELLS.into_iter().zip(expected) {
            assert_eq!(
                event(from),
                Turn {
                    cell,
                    answer,
                    fault
                },
                "from {from:?}"
            );
        }
    }

    #[test]
    fn the_peer_enables_what_we_welcome() {
        check(
            |cell| cell.peer_enables(Stance::Welcome),
            [
                (Yes, Enable, false),
                (Yes, Nothing, false),
                (No, Nothing, true),
                (Yes, Nothing, true),
                (Yes, Nothing, false),
                (WantNo, Disable, false),
            ],
        );
    }

    #[test]
    fn the_peer_enables_what_we_refuse() {
        check(
            |cell| cell.peer_enables(Stance::Refuse),
            [
                (No, Disable, false),
                (Yes, Nothing, false),
                (No, Nothing, true),
                (Yes, Nothing, true),
                (Yes, Nothing, false),
                (WantNo, Disable, false),
            ],
        );
    }

    #[test]
    fn the_peer_disables() {
        check(
            Cell::peer_disables,
            [
                (No, Nothing, false),
                (No, Disable, false),
                (No, Nothing, false),
                (WantYes, Enable, false),
                (No, Nothing, false),
                (No, Nothing, false),
            ],
        );
    }

    #[test]
    fn we_enable() {
        check(
            Cell::enable,
            [
                (WantYes, Enable, false),
                (Yes, Nothing, false),
                (WantNoOpposite, Nothing, false),
                (WantNoOpposite, Nothing, false),
                (WantYes, Nothing, false),
                (WantYes, Nothing, false),
            ],
        );
    }

    #[test]
    fn we_disable() {
        check(
            Cell::disable,
            [
                (No, Nothing, false),
                (WantNo, Disable, false),
                (WantNo, Nothing, false),
                (WantNo, Nothing, false),
                (WantYesOpposite, Nothing, false),
                (WantYesOpposite, Nothing, false),
            ],
        );
    }

    /// Two correct peers that change their minds at random, on a wire that delays, always come to
    /// rest with the same opinion, after a bounded number of messages.
    #[test]
    fn two_peers_come_to_rest_in_agreement() {
        for seed in 0_u64..2_000 {
            let mut random = seed;
            let mut cells = [No; 2];
            let mut inboxes = [VecDeque::new(), VecDeque::new()];
            let mut wishes = 8;
            let mut sent = 0;
            while wishes > 0 || inboxes.iter().any(|inbox| !inbox.is_empty()) {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let who = usize::from(random >> 63 == 1);
                let turn = match random >> 60 & 7 {
                    choice @ 0..2 if wishes > 0 => {
                        wishes -= 1;
                        if choice == 0 {
                            cells[who].enable()
                        } else {
                            cells[who].disable()
                        }
                    }
                    _ => match inboxes[who].pop_front() {
                        Some(Enable) => cells[who].peer_enables(Stance::Welcome),
                        Some(_) => cells[who].peer_disables(),
                        None => continue,
                    },
                };
                assert!(!turn.fault, "seed {seed}");
                cells[who] = turn.cell;
                if turn.answer != Nothing {
                    inboxes[1 - who].push_back(turn.answer);
                    sent += 1;
                }
            }
            assert_eq!(cells[0], cells[1], "seed {seed}");
            assert!(matches!(cells[0], No | Yes), "seed {seed}");
            assert!(sent <= 40, "seed {seed} took {sent} messages");
        }
    }
}
