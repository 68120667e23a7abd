//! `[pure]` Random games with random frames, good and bad, against the body of the fuzz targets.

use std::time::Instant;

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use super::check;
use crate::protocol::EventName;

fn start() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "any moment will do")]
    Instant::now()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_games_do_the_hub_keeps_its_word(
        data in prop::collection::vec(any::<u8>(), 0..3_000),
    ) {
        check::hub(&data, start());
    }

    #[test]
    fn what_can_be_read_can_be_written_and_read_again(
        event in "[a-z/-]{0,20}",
        payload in "[\\[\\]{}\",:a-z0-9\\\\u]{0,60}",
    ) {
        check::frames(&format!(r#"{{"event":"{event}","payload":{payload}}}"#));
        check::frames(&format!(r#"{{"event":"channels/broadcast","payload":{payload}}}"#));
    }
}

#[test]
fn the_random_games_get_to_every_event_and_limit() {
    let mut random = StdRng::seed_from_u64(1);
    let mut sent = [0; EventName::ALL.len()];
    let (mut limited, mut abused, mut silent, mut failed, mut delayed) = (0, 0, 0, 0, 0);
    let mut data = vec![0; 6_000];
    for _ in 0..60 {
        random.fill(&mut data[..]);
        let figures = check::hub(&data, start());
        for (sent, (_, more)) in sent.iter_mut().zip(figures.sent.iter()) {
            *sent += more;
        }
        limited += figures.rate_limited;
        abused += figures.abused;
        silent += figures.silent;
        failed += figures.auth_failed;
        delayed += figures.auth_delayed;
    }
    for (event, sent) in EventName::ALL.into_iter().zip(sent) {
        // A receipt names a reference that the hub made up, which chance does not find.
        let expected = event != EventName::TellsReceipt;
        assert!(sent > 0 || !expected, "{event:?} was never sent");
    }
    let all = [limited, abused, silent, failed, delayed];
    assert!(!all.contains(&0), "{all:?}");
}
