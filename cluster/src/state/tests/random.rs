//! `[pure]` Random commands, good and bad, late and twice, against a model that keeps only who
//! lives and who owns what.

#![expect(clippy::wildcard_enum_match_arm, reason = "a model says what it knows")]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SHARDS: [&str; 4] = ["a", "b", "c", "d"];

/// Five numbers out of which a command is made, with an eye on the state or without.
type Draw = (u8, u8, u8, u8, bool);

/// Members by directory: number, name, life, and whether it lives (`None`: never did).
#[derive(Default)]
struct Model {
    given: u16,
    members: BTreeMap<u8, Member>,
    owners: BTreeMap<&'static str, (Option<u16>, u64)>,
    moves: BTreeMap<&'static str, (u16, u64)>,
    content: u8,
    retired: u64,
}

struct Member {
    number: u16,
    name: String,
    joined: u32,
    life: u32,
    state: Phase,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    New,
    Lives { drained: bool },
    Dead,
}

impl Model {
    fn by_number(&mut self, number: u16) -> Option<&mut Member> {
        let mut members = self.members.values_mut();
        members.find(|member| member.number == number)
    }

    fn receives(&mut self, number: u16) -> bool {
        let member = self.by_number(number);
        member.is_some_and(|member| member.state == Phase::Lives { drained: false })
    }

    fn disown(&mut self, number: u16) {
        for (owner, _) in self.owners.values_mut() {
            if *owner == Some(number) {
                *owner = None;
            }
        }
        let owners = &self.owners;
        self.moves
            .retain(|shard, (to, _)| *to != number && owners[shard].0.is_some());
    }

    /// Whether the command is accepted. Does it then.
    fn accepts(&mut self, index: u64, command: &Command) -> bool {
        if self.given == 0 && !matches!(command, Command::Found { .. } | Command::FoundIn { .. }) {
            return false;
        }
        match command {
            Command::FoundIn { .. } => false,
            Command::Found { first, .. } => {
                self.given == 0 && {
                    self.content = first.content.0[0];
                    self.admit(first);
                    true
                }
            }
            Command::Join(candidate) => self.join(candidate),
            Command::Up { node, .. }
            | Command::Expire { node, .. }
            | Command::Drain { node, .. }
            | Command::Forget { node } => self.lives_on(node.0, command),
            Command::Declare(specs) => {
                for name in SHARDS {
                    if specs.iter().any(|spec| spec.shard.as_str() == name) {
                        self.owners.entry(name).or_insert((None, self.retired));
                    }
                }
                true
            }
            Command::Content(hash) => {
                self.content = hash.0[0];
                true
            }
            Command::Place { shard, .. }
            | Command::Restart { shard, .. }
            | Command::Release { shard, .. }
            | Command::BeginMove { shard, .. }
            | Command::FinishMove { shard, .. }
            | Command::AbortMove { shard, .. }
            | Command::Retire { shard, .. } => {
                let shard = SHARDS.into_iter().find(|name| *name == shard.as_str());
                shard.is_some_and(|shard| self.changes(index, shard, command))
            }
        }
    }

    fn lives_on(&mut self, number: u16, command: &Command) -> bool {
        let owns = self
            .owners
            .values()
            .any(|(owner, _)| *owner == Some(number));
        let Some(member) = self.by_number(number) else {
            return false;
        };
        let (state, life) = (member.state, member.life);
        let accepted = match command {
            Command::Up { incarnation, .. } => {
                incarnation.0 > life || state == Phase::New && incarnation.0 == life
            }
            Command::Expire { incarnation, .. } => incarnation.0 == life && state != Phase::Dead,
            Command::Forget { .. } => !owns,
            _drain => matches!(state, Phase::Lives { .. }),
        };
        if !accepted {
            return false;
        }
        if let Command::Up { incarnation, .. } = command {
            member.life = incarnation.0;
        }
        match command {
            Command::Drain { on, .. } => member.state = Phase::Lives { drained: *on },
            Command::Up { .. } => member.state = Phase::Lives { drained: false },
            _ends => member.state = Phase::Dead,
        }
        if matches!(command, Command::Forget { .. }) {
            self.members.retain(|_, member| member.number != number);
        }
        if !matches!(command, Command::Drain { .. }) {
            self.disown(number);
        }
        true
    }

    fn changes(&mut self, index: u64, shard: &'static str, command: &Command) -> bool {
        let Some((owner, epoch)) = self.owners.get(shard).copied() else {
            return false;
        };
        let moves = self.moves.get(shard).copied();
        let stays = |is: Epoch| owner.is_some() && moves.is_none() && is.0 == epoch;
        match command {
            Command::Place { last, to, .. } => {
                let free = owner.is_none() && last.0 == epoch && self.receives(to.0);
                free && self.owners.insert(shard, (Some(to.0), index)).is_some()
            }
            Command::Restart { epoch: is, .. } => {
                stays(*is) && self.owners.insert(shard, (owner, index)).is_some()
            }
            Command::Release { epoch: is, .. } => {
                stays(*is) && self.owners.insert(shard, (None, epoch)).is_some()
            }
            Command::BeginMove { epoch: is, to, .. } => {
                let may = stays(*is) && owner != Some(to.0) && self.receives(to.0);
                may && self.moves.insert(shard, (to.0, index)).is_none()
            }
            Command::FinishMove { moving, .. } => match moves {
                Some((to, began)) if began == moving.0 => {
                    self.moves.remove(shard);
                    self.owners.insert(shard, (Some(to), index)).is_some()
                }
                _ => false,
            },
            Command::AbortMove { moving, .. } => {
                moves.is_some_and(|(_, began)| began == moving.0)
                    && self.moves.remove(shard).is_some()
            }
            Command::Retire { last, .. } => {
                let may = moves.is_none() && last.0 == epoch;
                if may {
                    self.retired = index;
                }
                may && self.owners.remove(shard).is_some()
            }
            _other => unreachable!(),
        }
    }

    fn admit(&mut self, candidate: &Candidate) {
        self.given += 1;
        let member = Member {
            number: self.given,
            name: candidate.name.to_string(),
            joined: candidate.incarnation.0,
            life: candidate.incarnation.0,
            state: Phase::New,
        };
        self.members.insert(candidate.mark.0[0], member);
    }

    fn join(&mut self, candidate: &Candidate) -> bool {
        let mark = candidate.mark.0[0];
        let name = candidate.name.as_str();
        let life = candidate.incarnation.0;
        if candidate.content.0[0] != self.content {
            return false;
        }
        let known = self.members.get(&mark);
        if known.is_some_and(|member| life < member.life.max(member.joined)) {
            return false;
        }
        let holder = self.members.iter().find(|(_, member)| member.name == name);
        let holder = holder.filter(|(held, _)| **held != mark);
        if let Some((held, member)) = holder {
            if member.state != Phase::Dead {
                return false;
            }
            let held = *held;
            self.members.remove(&held);
        }
        match self.members.get_mut(&mark) {
            Some(member) if life > member.life.max(member.joined) => {
                member.name = name.to_owned();
                member.joined = life;
            }
            Some(_) => {}
            None => self.admit(candidate),
        }
        true
    }

    #[track_caller]
    fn agrees(&self, state: &ClusterState) {
        let view = state.view();
        let numbers: Vec<u16> = view.nodes.keys().map(|id| id.0).collect();
        let mut expected: Vec<u16> = self.members.values().map(|one| one.number).collect();
        expected.sort_unstable();
        assert_eq!(numbers, expected);
        for member in self.members.values() {
            let node = &view.nodes[&NodeId(member.number)];
            let phase = match member.state {
                Phase::New => NodePhase::Joining,
                Phase::Lives { drained: true } => NodePhase::Draining,
                Phase::Lives { drained: false } => NodePhase::Up,
                Phase::Dead => NodePhase::Down,
            };
            assert_eq!((node.name.as_str(), node.phase), (&*member.name, phase));
            assert_eq!(node.incarnation.0, member.life);
        }
        assert_eq!(view.shards.len(), self.owners.len());
        for (shard, (owner, epoch)) in &self.owners {
            let expected = match (owner, self.moves.get(shard)) {
                (None, _) => unplaced(*epoch),
                (Some(node), None) => placed(*node, *epoch),
                (Some(node), Some((to, moving))) => Placement::Moving {
                    from: NodeId(*node),
                    epoch: Epoch(*epoch),
                    to: NodeId(*to),
                    moving: Epoch(*moving),
                },
            };
            assert_eq!(view.shards[&ShardId::new(shard)], expected, "{shard}");
        }
    }
}

/// A command that fits the state (three of four), or one whose author knows nothing.
fn command(state: &ClusterState, (kind, a, b, c, fits): Draw) -> Command {
    let view = state.view();
    let kind = kind % 40;
    let suits = |placement: &Placement| match placement {
        Placement::Unplaced { .. } => (11..19).contains(&kind),
        Placement::Placed { .. } => (19..32).contains(&kind),
        Placement::Moving { .. } => kind >= 32,
    };
    let suiting = view.shards.iter().filter(|(_, placement)| suits(placement));
    let suiting: Vec<&str> = suiting.map(|(shard, _)| shard.as_str()).collect();
    let shard = match suiting.len() {
        0 => SHARDS[usize::from(b % 4)],
        some => suiting[usize::from(b) % some],
    };
    let any = Epoch(u64::from(c) % (view.applied + 2));
    let (epoch, moving) = match view.shards.get(&ShardId::new(shard)).copied() {
        Some(Placement::Unplaced { last }) if fits => (last, any),
        Some(Placement::Placed { epoch, .. }) if fits => (epoch, any),
        Some(Placement::Moving { epoch, moving, .. }) if fits => (epoch, moving),
        _ => (any, any),
    };
    let members: Vec<u16> = view.nodes.keys().map(|id| id.0).collect();
    let node = match members.len() {
        0 => u16::from(a % 6),
        _ if !fits => u16::from(a % 6),
        some => members[usize::from(a) % some],
    };
    let life = view.nodes.get(&NodeId(node)).map(|node| node.incarnation.0);
    let life = life.filter(|_| fits).unwrap_or(u32::from(c % 5));
    let mut who = candidate(&format!("n{}", b % 5), 1 + a % 6, u32::from(c % 5));
    who.content = ContentHash([if fits { 7 } else { c % 9 }; 32]);
    match kind {
        _ if kind == 31 && a % 4 == 0 => retire(shard, epoch.0),
        0 => Command::Found {
            cluster: "north".into(),
            first: who,
        },
        1..3 => Command::Join(who),
        3..6 => up(node, life + u32::from(b % 2)),
        6 => expire(node, life),
        7 => drain(node, b % 3 == 0),
        8 => forget(node),
        9 => declare(&SHARDS[..usize::from(b % 5)]),
        10 => Command::Content(ContentHash([7 + u8::from(c % 8 == 0); 32])),
        11..19 => place(shard, epoch.0, node),
        19..21 => restart(shard, epoch.0),
        21..23 => release(shard, epoch.0),
        23..32 => begin(shard, epoch.0, node),
        32..37 => finish(shard, moving.0),
        37..39 => abort(shard, moving.0),
        _ => retire(shard, epoch.0),
    }
}

fn draws() -> impl Strategy<Value = Vec<Draw>> {
    let fits = prop::bool::weighted(0.75);
    let draw = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), fits);
    prop::collection::vec(draw, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_commands_do_what_the_model_does_and_epochs_only_rise(draws in draws()) {
        let (mut story, mut model) = (Story::new(), Model::default());
        let begin = [1, 2, 3].map(|n| candidate(&format!("n{n}"), n, 1));
        for (n, first) in begin.into_iter().enumerate().filter(|_| draws.len() % 4 != 0) {
            let cluster = "north".into();
            let joins = match n {
                0 => Command::Found { cluster, first },
                _ => Command::Join(first),
            };
            for command in [joins, up(u16::try_from(n).unwrap() + 1, 1), declare(&SHARDS)] {
                story.apply(command.clone());
                assert!(model.accepts(story.index, &command));
            }
        }
        let mut owners = BTreeMap::new();
        let mut commands: Vec<Command> = Vec::new();
        for (n, draw) in draws.iter().enumerate() {
            // Every fifth is one that was sent before and comes again.
            let command = match n % 5 {
                4 => commands[usize::from(draw.1) % n].clone(),
                _ => command(&story.state, *draw),
            };
            commands.push(command.clone());
            let before = story.state.clone();
            let outcome = story.apply(command.clone());
            let accepted = model.accepts(story.index, &command);
            let refused = matches!(outcome, Outcome::Refused(_));
            prop_assert_eq!(accepted, !refused, "{:?} gave {:?}", command, outcome);
            model.agrees(&story.state);
            if refused {
                let mut same = before.clone();
                same.skip(story.index);
                prop_assert_eq!(&same, &story.state);
            }
            for (shard, placement) in &story.state.view().shards {
                let Some((node, epoch)) = placement.owner() else { continue };
                let first = *owners.entry((shard.clone(), epoch)).or_insert(node);
                prop_assert_eq!(first, node, "two owners of {} in epoch {}", shard, epoch);
                if let Some((_, older)) = before.view().owner(shard) {
                    prop_assert!(older <= epoch, "{} went back to epoch {}", shard, epoch);
                }
            }
        }
    }

    #[test]
    fn a_command_that_comes_twice_changes_nothing_the_second_time(draws in draws()) {
        let mut story = Story::new();
        for draw in draws {
            let command = command(&story.state, draw);
            story.apply(command.clone());
            let mut once = story.state.clone();
            story.apply(command);
            once.skip(story.index);
            prop_assert_eq!(&once, &story.state);
        }
    }

    #[test]
    fn a_state_read_from_bytes_has_the_same_future(draws in draws(), at in 0_usize..200) {
        let mut story = Story::new();
        let mut copy = Story::new();
        for (n, draw) in draws.into_iter().enumerate() {
            if n == at {
                copy.state = ClusterState::decode(&story.state.encode()).unwrap();
                prop_assert_eq!(copy.state.view(), story.state.view());
            }
            let command = command(&story.state, draw);
            prop_assert_eq!(copy.apply(command.clone()), story.apply(command));
            prop_assert_eq!(&copy.state, &story.state);
        }
    }

    #[test]
    fn garbage_is_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let first = [&[1], &bytes[..]].concat();
        for bytes in [&bytes, &first] {
            if let Ok(state) = ClusterState::decode(bytes) {
                prop_assert_eq!(&state, &ClusterState::decode(&state.encode()).unwrap());
            }
        }
    }
}
