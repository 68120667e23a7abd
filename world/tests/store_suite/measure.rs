//! How fast transfers are with 64 writers at once; prints its figures under `--nocapture`.

use std::time::{Duration, Instant};

use belay_world::store::{Owner, Transfer};

use super::support::{Place, Running, room};

const WRITERS: usize = 64;
const TRANSFERS: usize = 200;

#[expect(clippy::disallowed_methods, reason = "this measures real time")]
fn now() -> Instant {
    Instant::now()
}

pub(crate) async fn sixty_four_writers_transfer_items_at_once(place: &Place) {
    let running = Running::on(place).await;
    let account = running.account("ann").await;
    let hero = Owner::Character(running.character(account, "hero").await);
    let mut items = Vec::new();
    for _ in 0..WRITERS {
        items.push(running.item(room("town/square")).await);
    }
    let before = running.port.status();
    let start = now();
    let writers = items.into_iter().map(|item| {
        let (running, hero) = (&running, hero.clone());
        async move {
            let mut times = Vec::with_capacity(TRANSFERS);
            let (mut from, mut to) = (room("town/square"), hero);
            for _ in 0..TRANSFERS {
                let asked = now();
                let answer = running.transfer(item, from.clone(), to.clone()).await;
                assert_eq!(answer, Transfer::Done);
                times.push(asked.elapsed());
                std::mem::swap(&mut from, &mut to);
            }
            times
        }
    });
    let mut times: Vec<Duration> = futures_util::future::join_all(writers)
        .await
        .into_iter()
        .flatten()
        .collect();
    let took = start.elapsed();
    times.sort_unstable();
    let status = running.port.status();
    let transfers = u64::try_from(times.len()).unwrap();
    let groups = status.groups - before.groups;
    use std::io::Write as _;
    writeln!(
        std::io::stdout(),
        "{}: {transfers} transfers in {took:?}: {} a second, {groups} groups; \
         p50 {:?}, p99 {:?}, max {:?}",
        place.to_text(),
        u128::from(transfers) * 1_000_000 / took.as_micros().max(1),
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1],
    )
    .unwrap();
    assert_eq!(status.writes - before.writes, transfers);
    assert!(
        groups < transfers / 4,
        "writers share commits: {groups} groups"
    );
    running.stop().await;
}
