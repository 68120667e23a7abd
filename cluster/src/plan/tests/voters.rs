//! `[pure]` Who votes.

use crate::ids::{Incarnation, NodeId, NodeName};
use crate::plan::voters::voters;
use crate::view::{NodePhase, NodeView, View};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Node 1's phase, node 2's and so on: `u`p, `d`raining, `j`oining, `x` down, `-` no member.
fn view(phases: &str) -> View {
    let mut view = View::default();
    for (number, phase) in (1..).zip(phases.chars()) {
        let phase = match phase {
            'u' => NodePhase::Up,
            'd' => NodePhase::Draining,
            'j' => NodePhase::Joining,
            'x' => NodePhase::Down,
            _ => continue,
        };
        let node = NodeView {
            name: NodeName::new(&format!("n{number}")).unwrap(),
            address: String::new(),
            incarnation: Incarnation(1),
            phase,
        };
        view.nodes.insert(NodeId(number), node);
    }
    view
}

#[track_caller]
fn check(phases: &str, current: &[u16], expected: &[u16]) {
    let set = |numbers: &[u16]| numbers.iter().copied().map(NodeId).collect();
    let view = view(phases);
    let next: BTreeSet<NodeId> = voters(&view, &set(current));
    assert_eq!(next, set(expected), "{phases} {current:?}");
    assert_eq!(voters(&view, &next), next, "{phases}: not settled");
}

#[test]
fn one_votes_until_three_live_then_three_and_five_of_five() {
    check("j", &[1], &[1]);
    check("u", &[1], &[1]);
    check("uu", &[1], &[1]);
    check("uuj", &[1], &[1]);
    check("uux", &[1], &[1]);
    check("uuu", &[1], &[1, 2, 3]);
    check("uuuu", &[1, 2, 3], &[1, 2, 3]);
    check("uuuuu", &[1, 2, 3], &[1, 2, 3, 4, 5]);
    check("uuuuuu", &[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5]);
    check("uuuuu", &[1], &[1, 2, 3, 4, 5]);
    check("uuuxuu", &[1, 2, 3], &[1, 2, 3, 5, 6]);
    check("udu", &[1], &[1, 2, 3]);
    check("uduu", &[1], &[1, 3, 4]);
}

#[test]
fn a_voter_that_is_down_is_exchanged_only_for_one_that_lives() {
    check("uux", &[1, 2, 3], &[1, 2, 3]);
    check("uuxj", &[1, 2, 3], &[1, 2, 3]);
    check("uuxx", &[1, 2, 3], &[1, 2, 3]);
    check("uuxu", &[1, 2, 3], &[1, 2, 4]);
    check("uuxd", &[1, 2, 3], &[1, 2, 4]);
    check("xuuuu", &[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5]);
    check("xuuuuu", &[1, 2, 3, 4, 5], &[2, 3, 4, 5, 6]);
    check("duuu", &[1, 2, 3], &[1, 2, 3]);
}

#[test]
fn regression_who_founds_a_cluster_votes_although_another_node_comes_up_first() {
    check("ju", &[1], &[1]);
    check("jd", &[1], &[1]);
    check("juu", &[1], &[1]);
    check("xu", &[1], &[2]);
}

#[test]
fn one_is_exchanged_at_a_time() {
    let five = |numbers: [u16; 5]| numbers.map(NodeId).into_iter().collect::<BTreeSet<_>>();
    let view = view("xxuuuuu");
    let next = voters(&view, &five([1, 2, 3, 4, 5]));
    assert_eq!(next, five([2, 3, 4, 5, 6]));
    assert_eq!(voters(&view, &next), five([3, 4, 5, 6, 7]));
}

#[test]
fn who_is_no_member_does_not_vote_and_an_even_number_is_not_kept() {
    check("uu-", &[1, 2, 3], &[1, 2]);
    check("uu-u", &[1, 2, 3], &[1, 2, 4]);
    check("uuuu-", &[1, 2, 3, 4, 5], &[1, 2, 3]);
    check("uxuu-", &[1, 2, 3, 4, 5], &[1, 3, 4]);
    check("duuu-", &[1, 2, 3, 4, 5], &[2, 3, 4]);
    check("u--", &[1, 2, 3], &[1]);
    check("--u", &[1, 2], &[1, 2]);
    check("", &[], &[]);
}

proptest! {
    #[test]
    fn voters_settle_and_a_majority_of_them_lives_where_one_did(
        phases in "[udjx-]{1,9}",
        current in prop::collection::btree_set(1_u16..10, 1..6),
    ) {
        let view = view(&phases);
        let living: BTreeSet<NodeId> = view.living().collect();
        let count = |set: &BTreeSet<NodeId>| set.intersection(&living).count();
        let works = |set: &BTreeSet<NodeId>| count(set) * 2 > set.len();
        let mut now: BTreeSet<NodeId> = current.into_iter().map(NodeId).collect();
        let began = works(&now);
        for _ in 0..8 {
            let next = voters(&view, &now);
            if began {
                prop_assert!(works(&next), "{:?} to {:?}", now, next);
            }
            let majority = living.len() / 2 + 1;
            let kept = now.iter().filter(|id| view.nodes.contains_key(id)).count();
            prop_assert!(next.len() >= kept.min(majority));
            let settled = next == now;
            now = next;
            if settled {
                break;
            }
        }
        prop_assert_eq!(&voters(&view, &now), &now);
        if began {
            let spare = living.iter().any(|id| !now.contains(id));
            let phase = |id| view.nodes.get(id).map(|node| node.phase);
            let dead = now.iter().any(|id| phase(id) == Some(NodePhase::Down));
            prop_assert!(!(spare && dead), "{:?} of {:?}", now, living);
        }
    }
}
