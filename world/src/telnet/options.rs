//! `[pure]` All options of one connection: the cells of the known ones and who was refused already.

use super::code::{
    BINARY, CHARSET, DO, DONT, ECHO, EOR, IAC, NAWS, SGA, TIMING_MARK, TTYPE, WILL, WONT,
};
use super::qmethod::{Answer, Cell, Stance, Turn};

/// Options that we may perform.
const OURS: [u8; 5] = [BINARY, ECHO, SGA, EOR, CHARSET];

/// Options that the client may perform.
const THEIRS: [u8; 5] = [BINARY, SGA, TTYPE, NAWS, CHARSET];

/// Who performs an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The server: the client says DO and DONT, we say WILL and WONT.
    Us,
    /// The client: it says WILL and WONT, we say DO and DONT.
    Him,
}

/// What an option request changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing that anybody need know.
    Nothing,
    /// The option is on since now.
    On,
    /// The option is off since now, or the client refused it.
    Off,
}

/// The outcome of an option request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// Who performs the option that changed.
    pub(super) side: Side,
    /// What changed.
    pub(super) change: Change,
    /// The client broke the protocol.
    pub(super) fault: bool,
}

/// The cells of the known options; a set bit for every option that was refused.
#[derive(Debug, Default)]
pub(super) struct Options {
    us: [Cell; OURS.len()],
    him: [Cell; THEIRS.len()],
    refused_us: OptionSet,
    refused_him: OptionSet,
    /// How many WONT ECHO the client has not confirmed. Ours ends with the WONT, not with the DONT
    /// that should follow: tintin++ never sends one, and would see its next password in clear if
    /// the next WILL waited for it.
    echo_ends: u8,
}

impl Options {
    /// Handles WILL, WONT, DO or DONT and appends the answer, if one is due.
    pub(super) fn receive(&mut self, verb: u8, option: u8, out: &mut Vec<u8>) -> Received {
        let side = if matches!(verb, WILL | WONT) {
            Side::Him
        } else {
            Side::Us
        };
        let enables = matches!(verb, WILL | DO);
        let mut received = Received {
            side,
            change: Change::Nothing,
            fault: false,
        };
        if option == TIMING_MARK && side == Side::Us {
            if enables {
                // A mark, not a state: a client that interrupted drops output until it comes.
                out.extend_from_slice(&[IAC, WILL, TIMING_MARK]);
            }
            return received;
        }
        if (side, option) == (Side::Us, ECHO) {
            if enables {
                // Answers come in order: those to what we said before will not come any more.
                self.echo_ends = 0;
            } else if self.echo_ends > 0 {
                self.echo_ends -= 1;
                return received;
            }
        }
        let Some(cell) = self.cell_mut(side, option) else {
            if enables {
                self.refuse(side, option, out);
            }
            return received;
        };
        let before = *cell;
        let turn = if enables {
            before.peer_enables(stance(side, option))
        } else {
            before.peer_disables()
        };
        *cell = turn.cell;
        received.fault = turn.fault;
        received.change = match (before, turn.cell) {
            (Cell::Yes, Cell::Yes) => Change::Nothing,
            (_, Cell::Yes) => Change::On,
            (Cell::Yes | Cell::WantYes, Cell::No) => Change::Off,
            _ => Change::Nothing,
        };
        if turn.answer == Answer::Disable && before == Cell::No {
            self.refuse(side, option, out);
        } else {
            send(side, option, turn, out);
        }
        self.end_echo();
        received
    }

    /// Asks for an option.
    pub(super) fn enable(&mut self, side: Side, option: u8, out: &mut Vec<u8>) {
        if let Some(cell) = self.cell_mut(side, option) {
            let turn = cell.enable();
            *cell = turn.cell;
            send(side, option, turn, out);
        }
    }

    /// Asks to end an option.
    pub(super) fn disable(&mut self, side: Side, option: u8, out: &mut Vec<u8>) {
        if let Some(cell) = self.cell_mut(side, option) {
            let turn = cell.disable();
            *cell = turn.cell;
            send(side, option, turn, out);
        }
        self.end_echo();
    }

    /// Whether an option is agreed.
    pub(super) fn is_on(&self, side: Side, option: u8) -> bool {
        let (known, cells) = match side {
            Side::Us => (&OURS, &self.us),
            Side::Him => (&THEIRS, &self.him),
        };
        known
            .iter()
            .zip(cells)
            .any(|(known, cell)| *known == option && *cell == Cell::Yes)
    }

    /// Does not wait for the answer to WONT ECHO.
    fn end_echo(&mut self) {
        if let Some(cell) = self
            .cell_mut(Side::Us, ECHO)
            .filter(|cell| **cell == Cell::WantNo)
        {
            *cell = Cell::No;
            self.echo_ends = self.echo_ends.saturating_add(1);
        }
    }

    fn cell_mut(&mut self, side: Side, option: u8) -> Option<&mut Cell> {
        let (known, cells) = match side {
            Side::Us => (&OURS, &mut self.us),
            Side::Him => (&THEIRS, &mut self.him),
        };
        let mut pairs = known.iter().zip(cells);
        pairs.find_map(|(known, cell)| (*known == option).then_some(cell))
    }

    /// Says no once; a client that asks again was told already.
    fn refuse(&mut self, side: Side, option: u8, out: &mut Vec<u8>) {
        let (refused, verb) = match side {
            Side::Us => (&mut self.refused_us, WONT),
            Side::Him => (&mut self.refused_him, DONT),
        };
        if refused.insert(option) {
            out.extend_from_slice(&[IAC, verb, option]);
        }
    }
}

/// What the client may turn on unasked. Not ECHO: we would have to echo.
fn stance(side: Side, option: u8) -> Stance {
    match (side, option) {
        (Side::Us, ECHO) => Stance::Refuse,
        _ => Stance::Welcome,
    }
}

fn send(side: Side, option: u8, turn: Turn, out: &mut Vec<u8>) {
    let verb = match (turn.answer, side) {
        (Answer::Nothing, _) => return,
        (Answer::Enable, Side::Us) => WILL,
        (Answer::Enable, Side::Him) => DO,
        (Answer::Disable, Side::Us) => WONT,
        (Answer::Disable, Side::Him) => DONT,
    };
    out.extend_from_slice(&[IAC, verb, option]);
}

/// A set of option numbers, in bytes so that it needs no padding.
#[derive(Debug, Default)]
struct OptionSet([u8; 32]);

impl OptionSet {
    /// Adds an option; false if it was in already.
    fn insert(&mut self, option: u8) -> bool {
        let bit = 1 << (option % 8);
        let Some(byte) = self.0.get_mut(usize::from(option / 8)) else {
            return false;
        };
        let fresh = *byte & bit == 0;
        *byte |= bit;
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &mut Options, verb: u8, option: u8, expected: &[u8]) -> Received {
        let mut out = Vec::new();
        let received = options.receive(verb, option, &mut out);
        assert_eq!(out, expected, "for {verb:02x} {option:02x}");
        received
    }

    #[test]
    fn every_unknown_option_is_refused_once_on_each_side() {
        let mut options = Options::default();
        for option in 0..=255_u8 {
            if !OURS.contains(&option) && option != TIMING_MARK {
                check(&mut options, DO, option, &[IAC, WONT, option]);
                check(&mut options, DO, option, &[]);
                check(&mut options, DONT, option, &[]);
            }
            if !THEIRS.contains(&option) {
                check(&mut options, WILL, option, &[IAC, DONT, option]);
                check(&mut options, WILL, option, &[]);
                check(&mut options, WONT, option, &[]);
            }
        }
    }

    #[test]
    fn unasked_echo_is_refused_once() {
        let mut options = Options::default();
        check(&mut options, DO, ECHO, &[IAC, WONT, ECHO]);
        check(&mut options, DO, ECHO, &[]);
        let mut out = Vec::new();
        options.enable(Side::Us, ECHO, &mut out);
        assert_eq!(out, [IAC, WILL, ECHO]);
        assert_eq!(check(&mut options, DO, ECHO, &[]).change, Change::On);
        assert!(options.is_on(Side::Us, ECHO));
    }

    fn hide(options: &mut Options, hidden: bool, expected: &[u8]) {
        let mut out = Vec::new();
        match hidden {
            true => options.enable(Side::Us, ECHO, &mut out),
            false => options.disable(Side::Us, ECHO, &mut out),
        }
        assert_eq!(out, expected);
    }

    #[test]
    fn regression_echo_is_taken_again_from_a_client_that_never_confirms_its_end() {
        let mut options = Options::default();
        for _ in 0..3 {
            hide(&mut options, true, &[IAC, WILL, ECHO]);
            assert_eq!(check(&mut options, DO, ECHO, &[]).change, Change::On);
            hide(&mut options, false, &[IAC, WONT, ECHO]);
            assert!(!options.is_on(Side::Us, ECHO));
        }
    }

    #[test]
    fn a_late_confirmation_of_the_end_of_echo_is_no_refusal_of_the_next() {
        let mut options = Options::default();
        hide(&mut options, true, &[IAC, WILL, ECHO]);
        check(&mut options, DO, ECHO, &[]);
        hide(&mut options, false, &[IAC, WONT, ECHO]);
        hide(&mut options, true, &[IAC, WILL, ECHO]);
        assert_eq!(check(&mut options, DONT, ECHO, &[]).change, Change::Nothing);
        assert_eq!(check(&mut options, DO, ECHO, &[]).change, Change::On);
        hide(&mut options, false, &[IAC, WONT, ECHO]);
        check(&mut options, DONT, ECHO, &[]);
        hide(&mut options, true, &[IAC, WILL, ECHO]);
        assert_eq!(check(&mut options, DONT, ECHO, &[]).change, Change::Off);
    }

    #[test]
    fn binary_and_sga_are_welcome_both_ways() {
        let mut options = Options::default();
        for option in [BINARY, SGA] {
            check(&mut options, DO, option, &[IAC, WILL, option]);
            check(&mut options, WILL, option, &[IAC, DO, option]);
            assert!(options.is_on(Side::Us, option) && options.is_on(Side::Him, option));
            check(&mut options, DONT, option, &[IAC, WONT, option]);
            assert!(!options.is_on(Side::Us, option) && options.is_on(Side::Him, option));
        }
    }

    #[test]
    fn a_timing_mark_is_answered_each_time() {
        let mut options = Options::default();
        check(&mut options, DO, TIMING_MARK, &[IAC, WILL, TIMING_MARK]);
        check(&mut options, DO, TIMING_MARK, &[IAC, WILL, TIMING_MARK]);
        check(&mut options, DONT, TIMING_MARK, &[]);
        check(&mut options, WILL, TIMING_MARK, &[IAC, DONT, TIMING_MARK]);
    }
}
