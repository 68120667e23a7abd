//! `[pure]` Clusters that are founded on the storage of earlier ones.

use super::*;
use crate::limits::{EPOCHS_PER_GENERATION, GENERATIONS_MAX};

fn founds(generation: u32) -> Command {
    Command::FoundIn {
        cluster: "north".into(),
        first: Box::new(candidate("n1", 1, 1)),
        generation,
    }
}

/// Where the epochs of a generation begin.
fn base(generation: u32) -> u64 {
    u64::from(generation) * EPOCHS_PER_GENERATION
}

/// Node 1 of a later cluster is up, and the shard a is on it in the epoch of entry 4.
pub(super) fn placed_in(generation: u32) -> Story {
    let mut story = Story::founded_by(founds(generation));
    assert_eq!(story.apply(declare(&["a"])), Outcome::Done);
    let began = Outcome::Began(Epoch(base(generation) + story.index + 1));
    assert_eq!(story.apply(place("a", 0, 1)), began);
    story
}

#[test]
fn every_epoch_of_a_later_cluster_is_above_all_of_an_earlier_one() {
    for generation in [1, 2, GENERATIONS_MAX - 1] {
        let mut story = placed_in(generation);
        let base = base(generation);
        let began = |story: &Story| base + story.index;
        for again in 0..3 {
            let epoch = began(&story);
            assert_eq!(story.place_of("a"), placed(1, epoch), "{again}");
            let next = Outcome::Began(Epoch(epoch + 1));
            assert_eq!(story.apply(restart("a", epoch)), next);
        }
        let join = Command::Join(candidate("n2", 2, 1));
        assert_eq!(story.apply(join), Outcome::Joined(NodeId(2)));
        assert_eq!(story.apply(up(2, 1)), Outcome::Done);
        let owned = story.place_of("a").owner().unwrap().1.0;
        let moving = began(&story) + 1;
        let begun = story.apply(begin("a", owned, 2));
        assert_eq!(begun, Outcome::Began(Epoch(moving)));
        let arrived = story.apply(finish("a", moving));
        assert_eq!(arrived, Outcome::Began(Epoch(moving + 1)));
        assert_eq!(story.place_of("a"), placed(2, moving + 1));
    }
}

#[test]
fn the_epochs_of_a_cluster_end_where_those_of_the_next_one_begin() {
    let mut story = placed_in(1);
    story.index = EPOCHS_PER_GENERATION - 2;
    let epoch = story.place_of("a").owner().unwrap().1.0;
    let last = base(2) - 1;
    assert_eq!(
        story.apply(restart("a", epoch)),
        Outcome::Began(Epoch(last))
    );
    story.refuses(restart("a", last), Refusal::Spent);
    // What needs no epoch is still done.
    assert_eq!(story.apply(release("a", last)), Outcome::Done);
    story.refuses(place("a", last, 1), Refusal::Spent);
}

#[test]
fn a_generation_beyond_the_last_one_is_refused() {
    let mut story = Story::new();
    story.refuses(founds(GENERATIONS_MAX), Refusal::Generation);
    let last = story.apply(founds(GENERATIONS_MAX - 1));
    assert_eq!(last, Outcome::Joined(NodeId(1)));
    story.refuses(founds(1), Refusal::Founded);
}
