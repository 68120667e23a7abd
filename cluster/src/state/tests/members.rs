//! `[pure]` Members: who joins under which number, and whose life ends what.

use super::*;
use crate::limits::NODES_MAX;

#[test]
fn nothing_can_be_done_before_the_cluster_is_founded_and_it_is_founded_once() {
    let mut story = Story::new();
    let joins = Command::Join(candidate("n2", 2, 1));
    let commands = [joins, up(1, 1), declare(&["a"]), place("a", 0, 1)];
    for command in commands {
        story.refuses(command, Refusal::NotFounded);
    }
    let mut story = Story::founded();
    assert_eq!(story.state.view().cluster, "north");
    assert_eq!(story.state.content(), ContentHash([7; 32]));
    let again = Command::Found {
        cluster: "south".into(),
        first: candidate("n9", 9, 1),
    };
    story.refuses(again, Refusal::Founded);
}

#[test]
fn a_directory_that_joins_again_keeps_its_number() {
    let mut story = Story::of_three();
    let before = story.state.clone();
    let again = story.apply(Command::Join(candidate("n2", 2, 1)));
    assert_eq!(again, Outcome::Joined(NodeId(2)));
    assert_eq!(story.state.view().nodes, before.view().nodes);
    let elsewhere = Candidate {
        address: "new.example:1".into(),
        ..candidate("n2b", 2, 4)
    };
    let joined = story.apply(Command::Join(elsewhere));
    assert_eq!(joined, Outcome::Joined(NodeId(2)));
    let view = story.state.view();
    assert_eq!(view.named("n2b"), Some(NodeId(2)));
    assert_eq!(view.nodes[&NodeId(2)].address, "new.example:1");
    assert_eq!(view.owner(&ShardId::new("b")).unwrap().0, NodeId(2));
    // The former life's request comes late.
    let late = Command::Join(candidate("n2", 2, 3));
    story.refuses(late, Refusal::OldIncarnation);
}

#[test]
fn a_name_is_taken_while_its_node_lives_and_free_when_it_is_down() {
    let mut story = Story::of_three();
    let other = Command::Join(candidate("n2", 20, 1));
    story.refuses(other.clone(), Refusal::NameTaken);
    let renamed = Command::Join(candidate("n2", 3, 2));
    story.refuses(renamed, Refusal::NameTaken);
    assert_eq!(story.apply(expire(2, 1)), Outcome::Done);
    assert_eq!(story.apply(other), Outcome::Joined(NodeId(4)));
    assert_eq!(story.phase(2), None);
    assert_eq!(story.phase(4), Some(NodePhase::Joining));
    story.refuses(up(2, 2), Refusal::NoNode);
    // A member may take the name of one that is down.
    assert_eq!(story.apply(expire(4, 1)), Outcome::Done);
    let renamed = Command::Join(candidate("n2", 3, 2));
    assert_eq!(story.apply(renamed), Outcome::Joined(NodeId(3)));
    assert_eq!(story.state.view().named("n2"), Some(NodeId(3)));
    assert_eq!(story.phase(4), None);
}

#[test]
fn a_number_is_never_given_twice() {
    let mut story = Story::founded();
    for n in 2..200 {
        let joins = Command::Join(candidate("other", u8::try_from(n).unwrap(), 1));
        assert_eq!(story.apply(joins), Outcome::Joined(NodeId(n)));
        match n % 3 {
            0 => assert_eq!(story.apply(forget(n)), Outcome::Done),
            _ => assert_eq!(story.apply(expire(n, 1)), Outcome::Done),
        }
        let bytes = story.state.encode();
        story.state = ClusterState::decode(&bytes).unwrap();
    }
    story.state.last_node = u16::MAX;
    assert_eq!(story.apply(forget(199)), Outcome::Done);
    let one_more = Command::Join(candidate("other", 250, 1));
    story.refuses(one_more, Refusal::Full);
}

#[test]
fn other_content_is_refused_until_it_is_the_clusters() {
    let mut story = Story::founded();
    let other = Candidate {
        content: ContentHash([8; 32]),
        ..candidate("n2", 2, 1)
    };
    story.refuses(Command::Join(other.clone()), Refusal::OtherContent);
    let changes = Command::Content(ContentHash([8; 32]));
    assert_eq!(story.apply(changes), Outcome::Done);
    let joined = story.apply(Command::Join(other));
    assert_eq!(joined, Outcome::Joined(NodeId(2)));
}

#[test]
fn a_full_cluster_takes_only_who_replaces_a_member() {
    let mut story = Story::founded();
    for n in 2..=NODES_MAX {
        let joins = candidate(&format!("n{n}"), u8::try_from(n).unwrap(), 1);
        let id = NodeId(u16::try_from(n).unwrap());
        assert_eq!(story.apply(Command::Join(joins)), Outcome::Joined(id));
    }
    let one_more = Command::Join(candidate("more", 100, 1));
    story.refuses(one_more, Refusal::Full);
    let last = NodeId(u16::try_from(NODES_MAX).unwrap());
    assert_eq!(story.apply(expire(last.0, 1)), Outcome::Done);
    let instead = Command::Join(candidate(&format!("n{NODES_MAX}"), 101, 1));
    assert_eq!(story.apply(instead), Outcome::Joined(NodeId(last.0 + 1)));
    assert_eq!(story.state.view().nodes.len(), NODES_MAX);
}

#[test]
fn a_new_life_ends_what_the_node_owned_and_the_moves_to_it() {
    for ends in [up(2, 2), expire(2, 1)] {
        let mut story = Story::of_three();
        let moving = Outcome::Began(Epoch(11));
        assert_eq!(story.apply(begin("a", 8, 2)), moving);
        story.apply(declare(&["d"]));
        story.apply(place("d", 0, 2));
        assert_eq!(story.apply(begin("b", 9, 3)), Outcome::Began(Epoch(14)));
        assert_eq!(story.apply(ends), Outcome::Done);
        assert_eq!(story.place_of("a"), placed(1, 8));
        assert_eq!(story.place_of("b"), unplaced(9));
        assert_eq!(story.place_of("c"), placed(3, 10));
        assert_eq!(story.place_of("d"), unplaced(13));
        story.refuses(finish("a", 11), Refusal::Overtaken);
        story.refuses(finish("b", 14), Refusal::Overtaken);
        story.refuses(abort("b", 14), Refusal::Overtaken);
    }
}

#[test]
fn only_a_later_life_begins_and_only_the_present_one_expires() {
    let mut story = Story::founded();
    story.refuses(up(1, 1), Refusal::OldIncarnation);
    story.refuses(up(7, 1), Refusal::NoNode);
    story.refuses(expire(7, 1), Refusal::NoNode);
    assert_eq!(story.apply(up(1, 3)), Outcome::Done);
    story.refuses(up(1, 2), Refusal::OldIncarnation);
    story.refuses(expire(1, 1), Refusal::OldIncarnation);
    story.refuses(expire(1, 4), Refusal::NotUp);
    assert_eq!(story.apply(expire(1, 3)), Outcome::Done);
    story.refuses(expire(1, 3), Refusal::NotUp);
    // The life that was given up does not come back by a message that was late.
    story.refuses(up(1, 3), Refusal::OldIncarnation);
    assert_eq!(story.apply(up(1, 4)), Outcome::Done);
    assert_eq!(story.phase(1), Some(NodePhase::Up));
}

#[test]
fn a_node_that_joined_and_never_came_up_can_be_given_up() {
    let mut story = Story::founded();
    story.apply(Command::Join(candidate("n2", 2, 5)));
    story.refuses(up(2, 4), Refusal::OldIncarnation);
    assert_eq!(story.apply(expire(2, 5)), Outcome::Done);
    assert_eq!(story.phase(2), Some(NodePhase::Down));
}

#[test]
fn a_drained_node_keeps_what_it_owns_until_it_is_moved_and_is_free_in_its_next_life() {
    let mut story = Story::of_three();
    assert_eq!(story.apply(drain(2, true)), Outcome::Done);
    assert_eq!(story.apply(drain(2, true)), Outcome::Done);
    assert_eq!(story.phase(2), Some(NodePhase::Draining));
    assert_eq!(story.place_of("b"), placed(2, 9));
    story.refuses(begin("a", 8, 2), Refusal::Draining);
    assert_eq!(story.apply(drain(2, false)), Outcome::Done);
    assert_eq!(story.phase(2), Some(NodePhase::Up));
    story.apply(drain(2, true));
    assert_eq!(story.apply(up(2, 2)), Outcome::Done);
    assert_eq!(story.phase(2), Some(NodePhase::Up));
    story.apply(expire(2, 2));
    story.refuses(drain(2, true), Refusal::NotUp);
    story.refuses(drain(9, true), Refusal::NoNode);
}

#[test]
fn a_node_is_forgotten_only_when_it_owns_nothing() {
    let mut story = Story::of_three();
    story.refuses(forget(2), Refusal::StillOwns);
    story.refuses(forget(9), Refusal::NoNode);
    let began = story.apply(begin("b", 9, 3));
    assert_eq!(began, Outcome::Began(Epoch(13)));
    story.refuses(forget(2), Refusal::StillOwns);
    story.apply(release("c", 10));
    assert_eq!(story.apply(forget(3)), Outcome::Done);
    assert_eq!(story.place_of("b"), placed(2, 9));
    story.refuses(up(3, 2), Refusal::NoNode);
    story.apply(release("b", 9));
    assert_eq!(story.apply(forget(2)), Outcome::Done);
    assert_eq!(story.state.view().nodes.len(), 1);
}
