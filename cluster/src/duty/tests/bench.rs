//! `[pure]` One machine on the bench: what it is told, step by step, and what it does. Each bound
//! and each way in which a message can come too late is tried here.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one effect among all"
)]

use super::{n, shard};
use crate::command::Command;
use crate::duty::io::{Effect, HostCall, Input, ProposalId, Role, Unproposed};
use crate::duty::machine::{Duty, DutyConfig};
use crate::duty::message::{DutyMessage, Granted, HandOverMessage, MoveStep, Part, Renew};
use crate::ids::{Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::limits::{
    CHUNK_BYTES, CHUNKS_AHEAD, PROPOSAL_DEADLINE, PROPOSALS_MAX, RECEIVED_MAX, REPORTS_MAX,
    STATE_BYTES_MAX,
};
use crate::report::ShardReport;
use crate::view::{NodePhase, NodeView, Placement, View};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Node 1, to which node 2 is the leader.
struct Bench {
    duty: Duty,
    now: Instant,
    view: View,
}

#[expect(
    clippy::disallowed_methods,
    reason = "any instant will do to count from"
)]
fn start() -> Instant {
    Instant::now()
}

fn placed(node: u16, epoch: u64) -> Placement {
    Placement::Placed {
        node: n(node),
        epoch: Epoch(epoch),
    }
}

fn moving(from: u16, epoch: u64, to: u16, moving: u64) -> Placement {
    Placement::Moving {
        from: n(from),
        epoch: Epoch(epoch),
        to: n(to),
        moving: Epoch(moving),
    }
}

fn run(shard: &ShardId, epoch: u64) -> HostCall {
    HostCall::Run {
        shard: shard.clone(),
        epoch: Epoch(epoch),
    }
}

fn stop(shard: &ShardId, epoch: u64) -> HostCall {
    HostCall::Stop {
        shard: shard.clone(),
        epoch: Epoch(epoch),
    }
}

fn thaw(shard: &ShardId, epoch: u64) -> HostCall {
    HostCall::Thaw {
        shard: shard.clone(),
        epoch: Epoch(epoch),
    }
}

fn freeze(shard: &ShardId, epoch: u64, moving: u64) -> HostCall {
    HostCall::Freeze {
        shard: shard.clone(),
        epoch: Epoch(epoch),
        moving: Epoch(moving),
    }
}

fn part(shard: &ShardId, moving: u64, part: Part) -> HandOverMessage {
    HandOverMessage {
        shard: shard.clone(),
        moving: Epoch(moving),
        part,
    }
}

fn chunk(shard: &ShardId, moving: u64, sequence: u32, bytes: &[u8]) -> HandOverMessage {
    let bytes = Bytes::copy_from_slice(bytes);
    part(shard, moving, Part::Chunk { sequence, bytes })
}

fn end(shard: &ShardId, moving: u64, chunks: u32, of: &[u8]) -> HandOverMessage {
    let hash = Sha256::digest(of).into();
    part(shard, moving, Part::End { chunks, hash })
}

impl Bench {
    /// It lives, with nodes 2 and 3, and has no lease.
    fn new() -> Self {
        let now = start();
        let config = DutyConfig {
            me: n(1),
            incarnation: Incarnation(4),
            address: "here:1".into(),
        };
        let mut bench = Self {
            duty: Duty::new(config, now),
            now,
            view: View {
                applied: 10,
                ..View::default()
            },
        };
        for number in 1..=3 {
            bench.node(number, NodePhase::Up, 4);
        }
        bench.tell(Input::Role(Role {
            term: 1,
            leader: Some(n(2)),
            me_leads: false,
        }));
        bench.show(10, &[]);
        bench
    }

    /// It holds a lease, too.
    fn leased() -> Self {
        let mut bench = Self::new();
        bench.renew();
        bench
    }

    /// It leads, with the lease of a majority.
    fn leading() -> Self {
        let mut bench = Self::new();
        bench.tell(Input::Role(Role {
            term: 2,
            leader: Some(n(1)),
            me_leads: true,
        }));
        bench.tell(Input::Quorum(bench.now));
        bench.wait(500);
        bench
    }

    fn node(&mut self, number: u16, phase: NodePhase, life: u32) {
        let node = NodeView {
            name: NodeName::new(&format!("n{number}")).expect("a name"),
            address: format!("n{number}:1"),
            incarnation: Incarnation(life),
            phase,
        };
        self.view.nodes.insert(n(number), node);
    }

    fn tell(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        self.duty.step(self.now, input, &mut out);
        assert!(self.duty.next_due() > self.now, "it does what it has to do");
        out
    }

    /// The log is so far, and the shards are there.
    fn show(&mut self, applied: u64, shards: &[(&ShardId, Placement)]) -> Vec<HostCall> {
        self.view.applied = applied;
        for (shard, placement) in shards {
            self.view.shards.insert((*shard).clone(), *placement);
        }
        let view = Arc::new(self.view.clone());
        calls(self.tell(Input::View(view)))
    }

    fn wait(&mut self, ms: u64) -> Vec<Effect> {
        self.now += Duration::from_millis(ms);
        self.tell(Input::Tick)
    }

    /// Asks for the lease, and gets it at once.
    fn renew(&mut self) -> Vec<HostCall> {
        let asked = self.wait(500);
        let stamp = asked.iter().find_map(|effect| match effect {
            Effect::Send(to, DutyMessage::Renew(renew)) if *to == n(2) => Some(renew.stamp),
            _ => None,
        });
        let granted = Granted {
            incarnation: self.duty.incarnation(),
            stamp: stamp.expect("it asks the leader"),
            quorum_ms_ago: 0,
        };
        calls(self.say(2, DutyMessage::Granted(granted)))
    }

    fn say(&mut self, from: u16, message: DutyMessage) -> Vec<Effect> {
        self.tell(Input::Control {
            from: n(from),
            incarnation: Incarnation(4),
            message,
        })
    }

    fn hand(&mut self, from: u16, message: HandOverMessage) -> Vec<Effect> {
        self.tell(Input::HandOver {
            from: n(from),
            incarnation: Incarnation(4),
            message,
        })
    }

    fn frozen(&mut self, shard: &ShardId, moving: u64, state: Vec<u8>) -> Vec<Effect> {
        self.tell(Input::Frozen {
            shard: shard.clone(),
            moving: Epoch(moving),
            state: Ok(state.into()),
        })
    }

    fn built(&mut self, shard: &ShardId, moving: u64) -> Vec<Effect> {
        self.tell(Input::Built {
            shard: shard.clone(),
            moving: Epoch(moving),
            result: Ok(()),
        })
    }
}

fn calls(effects: Vec<Effect>) -> Vec<HostCall> {
    let calls = effects.into_iter().filter_map(|effect| match effect {
        Effect::Host(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

fn handed(effects: &[Effect]) -> Vec<(NodeId, Part)> {
    let parts = effects.iter().filter_map(|effect| match effect {
        Effect::HandOver(to, message) => Some((*to, message.part.clone())),
        _ => None,
    });
    parts.collect()
}

fn got(effects: &[Effect]) -> Option<u32> {
    handed(effects).iter().find_map(|(_, part)| match part {
        Part::Got { parts } => Some(*parts),
        Part::Chunk { .. } | Part::End { .. } => None,
    })
}

fn steps(effects: &[Effect]) -> Vec<MoveStep> {
    let steps = effects.iter().filter_map(|effect| match effect {
        Effect::Send(to, DutyMessage::Moved { step, .. }) if *to == n(2) => Some(step.clone()),
        _ => None,
    });
    steps.collect()
}

fn proposed(effects: &[Effect]) -> Vec<(ProposalId, Command)> {
    let proposed = effects.iter().filter_map(|effect| match effect {
        Effect::Propose(id, command) => Some((*id, command.clone())),
        _ => None,
    });
    proposed.collect()
}

#[test]
fn a_shard_runs_when_the_log_and_the_lease_both_say_so() {
    let zone = shard(1);
    let mut bench = Bench::new();
    assert_eq!(bench.show(11, &[(&zone, placed(1, 11))]), []);
    assert_eq!(bench.renew(), [run(&zone, 11)]);
    let other = shard(2);
    assert_eq!(
        bench.show(12, &[(&other, placed(1, 12))]),
        [run(&other, 12)]
    );
    assert_eq!(
        bench.show(13, &[(&other, placed(1, 13))]),
        [stop(&other, 12), run(&other, 13)]
    );
    assert_eq!(
        bench.show(14, &[(&other, placed(3, 14))]),
        [stop(&other, 13)]
    );
}

#[test]
fn what_the_log_gave_a_life_before_is_not_run() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.node(1, NodePhase::Up, 3);
    let config = DutyConfig {
        me: n(1),
        incarnation: Incarnation(4),
        address: "here:1".into(),
    };
    bench.duty = Duty::new(config, bench.now);
    assert_eq!(bench.show(12, &[(&zone, placed(1, 12))]), []);
    assert_eq!(bench.duty.incarnation(), Incarnation(4));
}

#[test]
fn what_was_stopped_is_told_and_not_run_again_in_its_epoch() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(1, 11))]);
    let lapsed = bench.wait(3_100);
    assert!(lapsed.contains(&Effect::Lapse));
    assert_eq!(calls(lapsed), [stop(&zone, 11)]);
    assert_eq!(bench.renew(), []);
    let told = bench.tell(Input::Reports(Vec::new()));
    let ended = DutyMessage::Ended(vec![(zone.clone(), Epoch(11))]);
    assert_eq!(told, [Effect::Send(n(2), ended)]);
    assert_eq!(bench.show(15, &[(&zone, placed(1, 15))]), [run(&zone, 15)]);
}

#[test]
fn a_machine_that_was_paused_finds_out_before_it_does_what_it_hears() {
    let (zone, other) = (shard(1), shard(2));
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(1, 11))]);
    bench.now += Duration::from_secs(4);
    let heard = bench.show(
        12,
        &[(&zone, moving(1, 11, 3, 12)), (&other, placed(1, 12))],
    );
    assert_eq!(heard, [stop(&zone, 11)]);
}

#[test]
fn who_is_given_up_takes_a_new_life_and_owns_nothing() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(1, 11))]);
    bench.node(1, NodePhase::Down, 4);
    let view = View {
        applied: 12,
        ..bench.view.clone()
    };
    let out = bench.tell(Input::View(Arc::new(view)));
    let at = |effect: &Effect| out.iter().position(|known| known == effect);
    let (lapse, stopped) = (at(&Effect::Lapse), at(&Effect::Host(stop(&zone, 11))));
    let lives = at(&Effect::NewLife(Incarnation(5)));
    assert!(
        lapse < stopped && stopped < lives && lapse.is_some(),
        "{out:?}"
    );
    let asks = |effect: &Effect| match effect {
        Effect::Send(_, DutyMessage::Renew(renew)) => renew.incarnation == Incarnation(5),
        _ => false,
    };
    assert!(out.iter().any(asks), "at once");
    bench.node(1, NodePhase::Up, 5);
    bench.show(13, &[(&zone, placed(1, 13))]);
    assert_eq!(bench.renew(), [run(&zone, 13)]);
}

#[test]
fn who_is_outlived_or_forgotten_stops_for_good() {
    let zone = shard(1);
    for (life, says) in [
        (Some(5), Effect::Outlived(Incarnation(5))),
        (None, Effect::Forgotten),
    ] {
        let mut bench = Bench::leased();
        bench.show(11, &[(&zone, placed(1, 11))]);
        match life {
            Some(life) => bench.node(1, NodePhase::Up, life),
            None => drop(bench.view.nodes.remove(&n(1))),
        }
        bench.view.applied = 12;
        let out = bench.tell(Input::View(Arc::new(bench.view.clone())));
        assert!(out.contains(&says) && out.contains(&Effect::Host(stop(&zone, 11))));
        let later = bench.wait(5_000);
        assert_eq!(later, [], "it asks for nothing");
        bench.node(1, NodePhase::Up, 4);
        assert_eq!(bench.show(13, &[(&zone, placed(1, 11))]), []);
    }
}

#[test]
fn a_node_that_knows_of_no_leader_asks_around_and_follows() {
    let mut bench = Bench::new();
    bench.tell(Input::Role(Role::default()));
    let mut asked = BTreeSet::new();
    let whom = |out: &[Effect]| {
        out.iter().find_map(|effect| match effect {
            Effect::Send(to, DutyMessage::Renew(_)) => Some(*to),
            _ => None,
        })
    };
    for _ in 0..2 {
        asked.extend(whom(&bench.wait(500)));
    }
    assert_eq!(asked, BTreeSet::from([n(2), n(3)]));
    let out = bench.say(2, DutyMessage::NotLeader(Some(n(3))));
    assert_eq!(whom(&out), Some(n(3)), "at once");
    let out = bench.say(3, DutyMessage::NotLeader(None));
    assert_eq!(whom(&out), None, "and not round and round");
    let renew = Renew {
        incarnation: Incarnation(4),
        stamp: 1,
        applied: 10,
        address: String::new(),
    };
    let out = bench.say(3, DutyMessage::Renew(renew));
    assert!(out.contains(&Effect::Send(n(3), DutyMessage::NotLeader(None))));
}

#[test]
fn reports_go_in_messages_of_a_bounded_length() {
    let mut bench = Bench::leased();
    let report = ShardReport {
        shard: ShardId::new(&"x".repeat(ShardId::BYTES_MAX)),
        epoch: Epoch(u64::MAX),
        ticked_ms_ago: u32::MAX,
        weight: u32::MAX,
        busy: true,
    };
    let out = bench.tell(Input::Reports(vec![report; REPORTS_MAX + 1]));
    let lengths: Vec<_> = out
        .iter()
        .map(|effect| match effect {
            Effect::Send(_, DutyMessage::Reports(reports)) => {
                // It asserts that it fits into a frame.
                DutyMessage::Reports(reports.clone()).encode();
                reports.len()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lengths, [REPORTS_MAX, 1]);
}

#[test]
fn a_state_goes_in_chunks_few_of_them_ahead_and_again_when_they_are_lost() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(1, 11))]);
    let moved = bench.show(12, &[(&zone, moving(1, 11, 3, 12))]);
    assert_eq!(moved, [freeze(&zone, 11, 12)]);
    let state: Vec<u8> = (0..CHUNK_BYTES * 6 + 5)
        .map(|at| at.to_le_bytes()[at % 3])
        .collect();
    let first = bench.frozen(&zone, 12, state.clone());
    assert_eq!(steps(&first), [MoveStep::Frozen]);
    let mut arrived = Vec::new();
    assert_eq!(handed(&first).len(), CHUNKS_AHEAD as usize);
    let again = bench.wait(500);
    assert_eq!(handed(&again), handed(&first), "nobody said that it came");
    let mut out = again;
    let mut parts = 0;
    while steps(&out) != [MoveStep::Handed] {
        for (to, sent) in handed(&out) {
            assert_eq!(to, n(3));
            match sent {
                Part::Chunk { sequence, bytes } => {
                    assert_eq!(sequence, parts);
                    arrived.extend_from_slice(&bytes);
                }
                Part::End { chunks, hash } => {
                    assert_eq!((chunks, parts), (7, 7));
                    assert_eq!(hash, <[u8; 32]>::from(Sha256::digest(&state)));
                }
                Part::Got { .. } => panic!("that is the target's to say"),
            }
            parts += 1;
        }
        out = bench.hand(3, part(&zone, 12, Part::Got { parts }));
    }
    assert!(arrived == state);
    // What comes late changes nothing.
    assert_eq!(bench.hand(3, part(&zone, 12, Part::Got { parts: 2 })), []);
    assert_eq!(bench.hand(2, part(&zone, 12, Part::Got { parts: 9 })), []);
}

#[test]
fn what_was_frozen_for_a_move_that_is_off_does_not_go_with_the_next() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(1, 11))]);
    bench.show(12, &[(&zone, moving(1, 11, 3, 12))]);
    let off = bench.show(13, &[(&zone, placed(1, 11))]);
    assert_eq!(off, [thaw(&zone, 11)]);
    bench.show(14, &[(&zone, moving(1, 11, 3, 14))]);
    assert_eq!(bench.frozen(&zone, 12, vec![1]), []);
    assert_eq!(handed(&bench.frozen(&zone, 14, vec![2])).len(), 2);
    // Off and on again in one view.
    let next = bench.show(20, &[(&zone, moving(1, 11, 2, 20))]);
    assert_eq!(next, [thaw(&zone, 11), freeze(&zone, 11, 20)]);
}

#[test]
fn a_shard_that_cannot_be_frozen_or_is_too_large_stays() {
    let zone = shard(1);
    let too_large = "its state of 67108865 bytes is too large to move";
    for (state, why) in [
        (Err("no".to_owned()), "no"),
        (Ok(Bytes::from(vec![0; STATE_BYTES_MAX + 1])), too_large),
    ] {
        let mut bench = Bench::leased();
        bench.show(11, &[(&zone, placed(1, 11))]);
        bench.show(12, &[(&zone, moving(1, 11, 3, 12))]);
        let out = bench.tell(Input::Frozen {
            shard: zone.clone(),
            moving: Epoch(12),
            state,
        });
        let failed = [MoveStep::Failed(why.to_owned())];
        assert_eq!((steps(&out), handed(&out)), (failed.to_vec(), Vec::new()));
        assert_eq!(steps(&bench.wait(500)), failed, "until the log knows");
    }
}

#[test]
fn a_target_builds_what_is_whole_and_runs_it_when_the_log_says_that_it_came_so() {
    let zone = shard(1);
    let mut bench = Bench::leased();
    bench.show(11, &[(&zone, placed(2, 11))]);
    // The source is ahead of this node.
    assert_eq!(got(&bench.hand(2, chunk(&zone, 12, 0, b"abc"))), Some(1));
    assert_eq!(got(&bench.hand(2, chunk(&zone, 12, 0, b"abc"))), Some(1));
    assert_eq!(got(&bench.hand(2, chunk(&zone, 12, 2, b"xyz"))), Some(1));
    assert_eq!(got(&bench.hand(2, end(&zone, 12, 2, b"abc"))), Some(1));
    assert_eq!(got(&bench.hand(2, chunk(&zone, 12, 1, b"def"))), Some(2));
    let whole = bench.hand(2, end(&zone, 12, 2, b"abcdef"));
    assert_eq!((got(&whole), calls(whole)), (Some(3), Vec::new()));
    let build = HostCall::Build {
        shard: zone.clone(),
        moving: Epoch(12),
        state: Bytes::from_static(b"abcdef"),
    };
    assert_eq!(bench.show(12, &[(&zone, moving(2, 11, 1, 12))]), [build]);
    let ready = [MoveStep::Ready(Sha256::digest(b"abcdef").into())];
    assert_eq!(steps(&bench.built(&zone, 12)), ready);
    assert_eq!(steps(&bench.wait(500)), ready, "until the log has it");
    bench.view.arrived.insert(zone.clone(), Epoch(12));
    assert_eq!(bench.show(13, &[(&zone, placed(1, 13))]), [run(&zone, 13)]);
}

/// A target at which a move has been built.
fn ready(zone: &ShardId) -> Bench {
    let mut bench = Bench::leased();
    bench.show(11, &[(zone, placed(2, 11))]);
    bench.show(12, &[(zone, moving(2, 11, 1, 12))]);
    bench.hand(2, chunk(zone, 12, 0, b"abc"));
    assert_eq!(calls(bench.hand(2, end(zone, 12, 1, b"abc"))).len(), 1);
    bench.built(zone, 12);
    bench
}

#[test]
fn what_was_built_for_a_move_that_is_off_is_forgotten() {
    let zone = shard(1);
    let mut bench = ready(&zone);
    assert_eq!(bench.show(13, &[(&zone, placed(2, 11))]), [stop(&zone, 12)]);
    assert_eq!(bench.built(&zone, 12), [], "however late");
    assert_eq!(bench.hand(2, chunk(&zone, 12, 0, b"abc")), []);
}

#[test]
fn a_shard_that_comes_here_otherwise_does_not_go_on_with_what_was_built() {
    let zone = shard(1);
    // The move was off, its source died, and this node learns of all of it at once.
    let mut bench = ready(&zone);
    assert_eq!(
        bench.show(19, &[(&zone, placed(1, 19))]),
        [stop(&zone, 12), run(&zone, 19)]
    );
    // The same, and it came with another move, which this node has slept through.
    let mut bench = ready(&zone);
    bench.view.arrived.insert(zone.clone(), Epoch(15));
    assert_eq!(
        bench.show(19, &[(&zone, placed(1, 19))]),
        [stop(&zone, 12), run(&zone, 19)]
    );
}

#[test]
fn what_came_while_the_lease_was_lost_runs_when_it_is_back_or_is_forgotten() {
    let zone = shard(1);
    for stays in [true, false] {
        let mut bench = ready(&zone);
        bench.wait(3_500);
        bench.view.arrived.insert(zone.clone(), Epoch(12));
        assert_eq!(bench.show(13, &[(&zone, placed(1, 13))]), []);
        if stays {
            assert_eq!(bench.renew(), [run(&zone, 13)]);
        } else {
            bench.view.arrived.clear();
            let placement = Placement::Unplaced { last: Epoch(13) };
            assert_eq!(bench.show(14, &[(&zone, placement)]), [stop(&zone, 12)]);
        }
    }
}

#[test]
fn what_arrives_broken_too_large_or_in_another_life_is_not_built() {
    let zone = shard(1);
    let target = || {
        let mut bench = Bench::leased();
        bench.show(12, &[(&zone, moving(2, 11, 1, 12))]);
        bench
    };
    let mut bench = target();
    bench.hand(2, chunk(&zone, 12, 0, b"abc"));
    let out = bench.hand(2, end(&zone, 12, 1, b"abd"));
    let why = "what arrived of its state is not what was sent".to_owned();
    assert_eq!(steps(&out), [MoveStep::Failed(why)]);
    let mut bench = target();
    let out = bench.hand(2, chunk(&zone, 12, 0, &vec![0; CHUNK_BYTES + 1]));
    let why = "its state is too large to move".to_owned();
    assert_eq!(steps(&out), [MoveStep::Failed(why)]);
    let mut bench = target();
    let late = bench.tell(Input::HandOver {
        from: n(2),
        incarnation: Incarnation(3),
        message: chunk(&zone, 12, 0, b"abc"),
    });
    assert_eq!(late, []);
    assert_eq!(
        bench.hand(3, chunk(&zone, 12, 0, b"abc")),
        [],
        "not its to hand"
    );
}

#[test]
fn one_state_too_many_at_once_is_not_taken_and_those_that_never_moved_are_dropped() {
    let mut bench = Bench::leased();
    for number in 0..RECEIVED_MAX {
        assert_eq!(
            got(&bench.hand(2, chunk(&shard(number), 20, 0, b"a"))),
            Some(1)
        );
    }
    let next = shard(RECEIVED_MAX);
    assert_eq!(bench.hand(2, chunk(&next, 20, 0, b"a")), []);
    assert_eq!(bench.show(20, &[]), [], "no entry said that they move");
    bench.show(21, &[(&next, moving(2, 11, 1, 21))]);
    assert_eq!(got(&bench.hand(2, chunk(&next, 21, 0, b"a"))), Some(1));
}

#[test]
fn a_leader_has_only_so_much_under_way_and_goes_on_when_it_is_known() {
    let mut bench = Bench::leading();
    let unplaced = Placement::Unplaced { last: Epoch(0) };
    let zones: Vec<_> = (0..PROPOSALS_MAX * 2).map(shard).collect();
    for zone in &zones {
        bench.view.shards.insert(zone.clone(), unplaced);
    }
    bench.view.applied = 11;
    let out = bench.tell(Input::View(Arc::new(bench.view.clone())));
    let mut first = proposed(&out);
    first.extend(proposed(&bench.wait(200)));
    let places = |all: &[(ProposalId, Command)]| {
        let place =
            |(_, command): &&(ProposalId, Command)| matches!(command, Command::Place { .. });
        all.iter().filter(place).count()
    };
    assert_eq!(places(&first), PROPOSALS_MAX);
    let (id, _) = first[0].clone();
    let next = bench.tell(Input::Proposed(id, Err(Unproposed::Unknown)));
    assert_eq!(places(&proposed(&next)), 1);
    let again = bench.tell(Input::Proposed(id, Err(Unproposed::Unknown)));
    assert_eq!(proposed(&again), [], "what is known twice is no news");
    // Answers that never come are not waited for.
    let mut later = 0;
    let rounds = PROPOSAL_DEADLINE.as_millis() / 500 + 1;
    for _ in 0..rounds {
        bench.now += Duration::from_millis(500);
        later += places(&proposed(&bench.tell(Input::Quorum(bench.now))));
    }
    assert!(later > PROPOSALS_MAX / 2, "{later}");
}

#[test]
fn who_joined_learns_and_then_votes_one_change_at_a_time() {
    let mut bench = Bench::leading();
    let ids = |numbers: &[u16]| {
        numbers
            .iter()
            .map(|number| n(*number))
            .collect::<BTreeSet<_>>()
    };
    let is = |bench: &mut Bench, voters: &[u16], learners: &[u16]| {
        bench.tell(Input::Membership {
            voters: ids(voters),
            learners: ids(learners),
        })
    };
    assert!(is(&mut bench, &[1], &[]).contains(&Effect::AddLearner(n(2))));
    assert_eq!(bench.wait(10), [], "one at a time");
    bench.tell(Input::MembershipChanged(Err("not now".into())));
    assert_eq!(bench.wait(10), []);
    bench.tell(Input::Quorum(bench.now));
    assert!(bench.wait(500).contains(&Effect::AddLearner(n(2))), "again");
    is(&mut bench, &[1], &[2]);
    let next = bench.tell(Input::MembershipChanged(Ok(())));
    assert!(next.contains(&Effect::AddLearner(n(3))));
    is(&mut bench, &[1], &[2, 3]);
    let next = bench.tell(Input::MembershipChanged(Ok(())));
    assert!(next.contains(&Effect::SetVoters(ids(&[1, 2, 3]))));
    is(&mut bench, &[1, 2, 3], &[9]);
    let next = bench.tell(Input::MembershipChanged(Ok(())));
    assert!(next.contains(&Effect::RemoveLearner(n(9))));
}
