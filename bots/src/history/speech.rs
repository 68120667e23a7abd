//! `[pure]` Lines of a session are handled in order, and none twice.

/// What a player said, by number, and who heard what of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// Who said it.
    pub speaker: String,
    /// Who heard it; the speaker hears what was done.
    pub listener: String,
    /// The numbers that were typed, in order. They rise.
    pub said: Vec<u64>,
    /// Those that were answered.
    pub answered: Vec<u64>,
    /// Those that were heard, in order.
    pub heard: Vec<u64>,
}

/// What is heard was said, rises, and has all that was answered when the speaker listens.
pub(super) fn check(speech: &[Speech], faults: &mut Vec<String>) {
    for it in speech {
        let Speech {
            speaker, listener, ..
        } = it;
        let mut fault = |what: String| {
            faults.push(format!("{listener} hears {what} of {speaker}"));
        };
        for pair in it.heard.windows(2) {
            if let [first, second] = pair
                && second <= first
            {
                fault(format!("line {second} after line {first}"));
            }
        }
        for line in it.heard.iter().filter(|line| !it.said.contains(line)) {
            fault(format!("line {line}, which is none,"));
        }
        let missing = it.answered.iter().filter(|line| !it.heard.contains(line));
        for line in missing.filter(|_| speaker == listener) {
            fault(format!("nothing of line {line}, which was answered,"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(listener: &str, answered: &[u64], heard: &[u64]) -> Vec<String> {
        let mut faults = Vec::new();
        let speech = Speech {
            speaker: "Ann".into(),
            listener: listener.into(),
            said: (1..=5).collect(),
            answered: answered.to_vec(),
            heard: heard.to_vec(),
        };
        check(&[speech], &mut faults);
        faults
    }

    #[test]
    fn lines_may_be_missed_when_nobody_said_that_they_got_through() {
        assert_eq!(faults("Ann", &[1, 4], &[1, 3, 4]), [""; 0]);
        assert_eq!(faults("Bob", &[1, 4], &[3]), [""; 0]);
    }

    #[test]
    fn lines_that_are_doubled_or_out_of_order_or_feigned_or_lost_are_found() {
        for (listener, answered, heard, told) in [
            ("Bob", &[][..], &[1, 2, 2][..], "line 2 after line 2"),
            ("Bob", &[], &[1, 3, 2], "line 2 after line 3"),
            ("Bob", &[], &[7], "line 7, which is none"),
            ("Ann", &[2], &[1, 3], "nothing of line 2"),
        ] {
            let faults = faults(listener, answered, heard);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].contains(told), "{faults:?}");
        }
    }
}
