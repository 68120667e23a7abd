//! kill -9 in the middle of transfers: what was answered is there, and no item is lost or doubled.
//!
//! The test starts its own executable as a child that runs only
//! `the_child_moves_items_until_it_is_killed`. Each item walks from room to room; the child prints
//! each answered step, and is killed after some of them.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use belay_world::ids::ItemId;
use belay_world::store::{Owner, Transfer};

use super::support::{Place, Running, ask, new_item, room};

const ITEMS: usize = 50;
const DATABASE: &str = "BELAY_TEST_KILL_DATABASE";

fn step(owner: &Owner) -> u64 {
    let Owner::Room(key) = owner else {
        panic!("{owner:?}")
    };
    key.strip_prefix("step/").unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_child_moves_items_until_it_is_killed() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the parent tells its child where to write"
    )]
    let Ok(database) = std::env::var(DATABASE) else {
        return; // Only a child of the test below has work to do.
    };
    let running = Running::start(Place::from_text(&database), Default::default()).await;
    let items = ask(|reply| running.port.all_room_items(reply))
        .await
        .unwrap();
    let walks = items.into_iter().map(|item| {
        let running = &running;
        async move {
            for number in step(&item.owner).. {
                let (from, to) = (format!("step/{number}"), format!("step/{}", number + 1));
                let answer = running.transfer(item.id, room(&from), room(&to)).await;
                assert_eq!(answer, Transfer::Done);
                let mut out = std::io::stdout().lock();
                writeln!(out, "moved {} {}", item.id.0, number + 1).unwrap();
                out.flush().unwrap();
            }
        }
    });
    futures_util::future::join_all(walks).await;
}

/// Runs the child until it has printed that many steps, and kills it; answers the last step of each
/// item that it printed.
fn run_and_kill(place: &Place, steps: usize) -> BTreeMap<ItemId, u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "kill::the_child_moves_items_until_it_is_killed",
            "--nocapture",
        ])
        .env(DATABASE, place.to_text())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answered = BTreeMap::new();
    let mut note = |line: &str| -> bool {
        let words: Vec<_> = line.split(' ').collect();
        let Some(("moved", [item, step])) = words.split_first().map(|(w, r)| (*w, r)) else {
            return false;
        };
        answered.insert(ItemId(item.parse().unwrap()), step.parse().unwrap());
        true
    };
    let mut seen = 0;
    while seen < steps {
        let line = lines
            .next()
            .expect("the child goes on until it is killed")
            .unwrap();
        seen += usize::from(note(&line));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it printed before it died was answered too; a last line may be torn.
    let rest: Vec<_> = lines.map_while(Result::ok).collect();
    for line in rest.iter().take(rest.len().saturating_sub(1)) {
        note(line);
    }
    answered
}

pub(crate) async fn a_kill_in_the_middle_of_transfers_loses_and_doubles_nothing(place: &Place) {
    let running = Running::on(place).await;
    let new = vec![new_item(room("step/0")); ITEMS];
    let ids = ask(|reply| running.port.create_items(new, reply))
        .await
        .unwrap();
    running.stop().await;

    for steps in [60, 333, 1_000, 47, 2_500] {
        let answered = run_and_kill(place, steps);
        assert!(!answered.is_empty());
        let running = Running::on(place).await;
        let items = ask(|reply| running.port.all_room_items(reply))
            .await
            .unwrap();
        assert_eq!(items.iter().map(|item| item.id).collect::<Vec<_>>(), ids);
        for item in &items {
            let Some(last) = answered.get(&item.id) else {
                continue;
            };
            let stored = step(&item.owner);
            // One more step may be committed whose answer nobody read.
            let unread = steps_in_flight(stored, *last);
            assert!(
                unread.is_some(),
                "{:?}: answered {last}, stored {stored}",
                item.id
            );
        }
        running.stop().await;
    }
}

/// Steps that are stored beyond the last one that the parent read; nothing when there are fewer
/// stored than answered. The pipe may swallow one torn line besides the step that was on its way.
fn steps_in_flight(stored: u64, answered: u64) -> Option<u64> {
    stored.checked_sub(answered).filter(|more| *more <= 2)
}
