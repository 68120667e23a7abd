//! `[pure]` Shards: one owner, and epochs that only rise.

use super::*;
use crate::limits::SHARDS_MAX;

#[test]
fn a_shard_is_declared_once_and_gets_the_weight_of_its_last_declaration() {
    let mut story = Story::of_three();
    let weigh = |weight| ShardSpec {
        shard: ShardId::new("a"),
        weight,
    };
    let weight = |story: &Story| story.state.view().weights[&ShardId::new("a")];
    assert_eq!(story.apply(Command::Declare(vec![weigh(5)])), Outcome::Done);
    assert_eq!((story.place_of("a"), weight(&story)), (placed(1, 8), 5));
    let twice = Command::Declare(vec![weigh(9), weigh(0)]);
    assert_eq!(story.apply(twice), Outcome::Done);
    assert_eq!(weight(&story), 1);
}

#[test]
fn more_shards_than_can_be_are_declared_all_or_none() {
    let mut story = Story::founded();
    let names: Vec<String> = (0..SHARDS_MAX).map(|n| format!("zone:{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(story.apply(declare(&names)), Outcome::Done);
    story.refuses(declare(&["zone:1", "zone:more"]), Refusal::Full);
    assert_eq!(story.apply(declare(&["zone:1", "zone:2"])), Outcome::Done);
    assert_eq!(story.state.view().shards.len(), SHARDS_MAX);
}

#[test]
fn a_shard_is_placed_only_where_a_node_is_up_and_only_from_where_its_author_believed_it() {
    let mut story = Story::of_three();
    story.refuses(place("z", 0, 1), Refusal::NoShard);
    story.refuses(place("a", 8, 2), Refusal::Overtaken);
    story.apply(release("a", 8));
    story.refuses(place("a", 0, 2), Refusal::Overtaken);
    story.refuses(place("a", 8, 9), Refusal::NoNode);
    story.apply(Command::Join(candidate("n4", 4, 1)));
    story.refuses(place("a", 8, 4), Refusal::NotUp);
    story.apply(expire(3, 1));
    story.refuses(place("a", 8, 3), Refusal::NotUp);
    story.apply(drain(2, true));
    story.refuses(place("a", 8, 2), Refusal::Draining);
    let epoch = story.index + 1;
    assert_eq!(story.apply(place("a", 8, 1)), Outcome::Began(Epoch(epoch)));
    assert_eq!(story.place_of("a"), placed(1, epoch));
    story.refuses(place("a", 8, 1), Refusal::Overtaken);
}

#[test]
fn a_restart_begins_a_new_epoch_on_the_same_node_once() {
    let mut story = Story::of_three();
    assert_eq!(story.apply(restart("a", 8)), Outcome::Began(Epoch(11)));
    assert_eq!(story.place_of("a"), placed(1, 11));
    story.refuses(restart("a", 8), Refusal::Overtaken);
    story.refuses(release("a", 8), Refusal::Overtaken);
    story.refuses(restart("z", 8), Refusal::NoShard);
    assert_eq!(story.apply(release("a", 11)), Outcome::Done);
    assert_eq!(story.place_of("a"), unplaced(11));
    story.refuses(release("a", 11), Refusal::Overtaken);
    story.refuses(restart("a", 11), Refusal::Overtaken);
}

#[test]
fn a_move_changes_the_owner_only_when_it_is_finished() {
    let mut story = Story::of_three();
    story.refuses(begin("a", 8, 1), Refusal::ThereAlready);
    story.refuses(begin("a", 7, 2), Refusal::Overtaken);
    story.refuses(begin("a", 8, 9), Refusal::NoNode);
    story.refuses(begin("z", 8, 2), Refusal::NoShard);
    let moving = story.index + 1;
    let began = Outcome::Began(Epoch(moving));
    assert_eq!(story.apply(begin("a", 8, 2)), began);
    assert_eq!(story.place_of("a").owner(), Some((NodeId(1), Epoch(8))));
    for late in [begin("a", 8, 3), restart("a", 8), release("a", 8)] {
        story.refuses(late, Refusal::Overtaken);
    }
    story.refuses(finish("a", 8), Refusal::Overtaken);
    let epoch = story.index + 1;
    let finished = story.apply(finish("a", moving));
    assert_eq!(finished, Outcome::Began(Epoch(epoch)));
    assert_eq!(story.place_of("a"), placed(2, epoch));
    story.refuses(finish("a", moving), Refusal::Overtaken);
    story.refuses(abort("a", moving), Refusal::Overtaken);
}

#[test]
fn a_move_that_is_off_leaves_the_owner_and_its_epoch() {
    let mut story = Story::of_three();
    story.apply(begin("a", 8, 2));
    story.refuses(abort("a", 10), Refusal::Overtaken);
    assert_eq!(story.apply(abort("a", 11)), Outcome::Done);
    assert_eq!(story.place_of("a"), placed(1, 8));
    story.refuses(finish("a", 11), Refusal::Overtaken);
    story.refuses(abort("z", 11), Refusal::NoShard);
    // The target is being emptied meanwhile: what is under way may still arrive.
    story.apply(begin("a", 8, 2));
    let moving = story.index;
    story.apply(drain(2, true));
    let outcome = story.apply(finish("a", moving));
    assert_eq!(outcome, Outcome::Began(Epoch(story.index)));
    assert_eq!(story.place_of("a"), placed(2, story.index));
}

#[test]
fn a_view_is_shared_until_the_state_changes() {
    let mut story = Story::of_three();
    let before = story.state.view();
    assert!(std::sync::Arc::ptr_eq(&before, &story.state.view()));
    story.state.skip(before.applied);
    assert!(std::sync::Arc::ptr_eq(&before, &story.state.view()));
    story.state.skip(50);
    assert_eq!((before.applied, story.state.view().applied), (10, 50));
    story.index = 50;
    story.apply(restart("a", 8));
    assert_eq!(
        before.owner(&ShardId::new("a")),
        Some((NodeId(1), Epoch(8)))
    );
    assert_eq!(story.place_of("a"), placed(1, 51));
}

#[test]
fn a_view_says_by_which_move_a_shard_came_as_long_as_that_epoch_lasts() {
    let arrived = |story: &Story| {
        let view = story.state.view();
        view.arrived.get(&ShardId::new("a")).map(|moving| moving.0)
    };
    let ends = [restart("a", 12), release("a", 12), expire(2, 1), up(2, 2)];
    for end in ends {
        let mut story = Story::of_three();
        story.apply(begin("a", 8, 2));
        assert_eq!(arrived(&story), None);
        story.apply(finish("a", 11));
        assert_eq!(arrived(&story), Some(11));
        story.apply(begin("a", 12, 3));
        assert_eq!(arrived(&story), Some(11));
        story.apply(abort("a", 13));
        assert_eq!(arrived(&story), Some(11));
        story.apply(end);
        assert_eq!(arrived(&story), None);
    }
    let mut story = Story::of_three();
    for step in [
        begin("a", 8, 2),
        finish("a", 11),
        begin("a", 12, 3),
        finish("a", 13),
    ] {
        story.apply(step);
    }
    assert_eq!(arrived(&story), Some(13));
}

#[test]
fn a_shard_that_is_retired_is_gone_and_comes_back_as_another_one() {
    let mut story = Story::of_three();
    story.refuses(retire("d", 0), Refusal::NoShard);
    story.refuses(retire("a", 7), Refusal::Overtaken);
    story.apply(begin("a", 8, 2));
    story.refuses(retire("a", 8), Refusal::Overtaken);
    assert_eq!(story.apply(abort("a", story.index - 1)), Outcome::Done);
    let before = story.index + 1;
    assert_eq!(story.apply(retire("a", 8)), Outcome::Done);
    assert_eq!(story.state.view().owner(&ShardId::new("a")), None);
    story.refuses(retire("a", 8), Refusal::NoShard);
    story.refuses(place("a", 8, 1), Refusal::NoShard);
    // Its last owner may not know yet: nobody takes it for one that never had an owner.
    assert_eq!(story.apply(declare(&["a", "b", "new"])), Outcome::Done);
    for shard in ["a", "new"] {
        assert_eq!(story.place_of(shard), unplaced(before));
    }
    assert_eq!(story.place_of("b"), placed(2, 9));
    story.refuses(retire("a", 8), Refusal::Overtaken);
    story.refuses(place("a", 0, 1), Refusal::Overtaken);
    let began = Outcome::Began(Epoch(story.index + 1));
    assert_eq!(story.apply(place("a", before, 3)), began);
}
