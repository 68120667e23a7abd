//! `[pure]` Goal: the same entries give the same state, and a command that comes late, twice or
//! from a mistaken author changes nothing. Method: stories of a few commands; bytes that must not
//! change; random commands against a simple model.

mod bytes;
mod generations;
mod members;
mod random;
mod shards;

use super::machine::ClusterState;
use crate::command::{Candidate, Command, Outcome, Refusal, ShardSpec};
use crate::ids::{ContentHash, DirectoryMark, Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::view::{NodePhase, Placement};

/// A state and the index of its last entry.
struct Story {
    state: ClusterState,
    index: u64,
}

impl Story {
    fn new() -> Self {
        let state = ClusterState::new();
        Self { state, index: 0 }
    }

    /// Node 1 is up.
    fn founded() -> Self {
        Self::founded_by(Command::Found {
            cluster: "north".into(),
            first: candidate("n1", 1, 1),
        })
    }

    fn founded_by(command: Command) -> Self {
        let mut story = Self::new();
        assert_eq!(story.apply(command), Outcome::Joined(NodeId(1)));
        assert_eq!(story.apply(up(1, 1)), Outcome::Done);
        story
    }

    /// Nodes 1 to 3 are up, and the shards a, b and c are on them in epochs 8, 9 and 10.
    fn of_three() -> Self {
        let mut story = Self::founded();
        for n in [2, 3] {
            let name = format!("n{n}");
            let joins = Command::Join(candidate(&name, u8::try_from(n).unwrap(), 1));
            assert_eq!(story.apply(joins), Outcome::Joined(NodeId(n)));
            assert_eq!(story.apply(up(n, 1)), Outcome::Done);
        }
        assert_eq!(story.apply(declare(&["a", "b", "c"])), Outcome::Done);
        for (shard, n) in [("a", 1), ("b", 2), ("c", 3)] {
            let began = Outcome::Began(Epoch(7 + u64::from(n)));
            assert_eq!(story.apply(place(shard, 0, n)), began);
        }
        story
    }

    fn apply(&mut self, command: Command) -> Outcome {
        self.index += 1;
        self.state.apply(self.index, &command)
    }

    /// The command is refused so, and changes nothing.
    #[track_caller]
    fn refuses(&mut self, command: Command, refusal: Refusal) {
        let mut before = self.state.clone();
        let outcome = self.apply(command);
        assert_eq!(outcome, Outcome::Refused(refusal));
        before.skip(self.index);
        assert_eq!(before, self.state);
    }

    fn phase(&self, node: u16) -> Option<NodePhase> {
        let view = self.state.view();
        view.nodes.get(&NodeId(node)).map(|node| node.phase)
    }

    #[track_caller]
    fn place_of(&self, shard: &str) -> Placement {
        self.state.view().shards[&ShardId::new(shard)]
    }
}

fn candidate(name: &str, mark: u8, incarnation: u32) -> Candidate {
    Candidate {
        name: NodeName::new(name).unwrap(),
        mark: DirectoryMark([mark; 16]),
        incarnation: Incarnation(incarnation),
        address: format!("{name}.example:4100"),
        content: ContentHash([7; 32]),
    }
}

fn up(node: u16, incarnation: u32) -> Command {
    Command::Up {
        node: NodeId(node),
        incarnation: Incarnation(incarnation),
        address: format!("n{node}.example:4100"),
    }
}

fn expire(node: u16, incarnation: u32) -> Command {
    Command::Expire {
        node: NodeId(node),
        incarnation: Incarnation(incarnation),
    }
}

fn drain(node: u16, on: bool) -> Command {
    let node = NodeId(node);
    Command::Drain { node, on }
}

fn forget(node: u16) -> Command {
    Command::Forget { node: NodeId(node) }
}

fn declare(shards: &[&str]) -> Command {
    let spec = |shard: &&str| ShardSpec {
        shard: ShardId::new(shard),
        weight: 1,
    };
    Command::Declare(shards.iter().map(spec).collect())
}

fn place(shard: &str, last: u64, to: u16) -> Command {
    Command::Place {
        shard: ShardId::new(shard),
        last: Epoch(last),
        to: NodeId(to),
    }
}

fn restart(shard: &str, epoch: u64) -> Command {
    let (shard, epoch) = (ShardId::new(shard), Epoch(epoch));
    Command::Restart { shard, epoch }
}

fn release(shard: &str, epoch: u64) -> Command {
    let (shard, epoch) = (ShardId::new(shard), Epoch(epoch));
    Command::Release { shard, epoch }
}

fn begin(shard: &str, epoch: u64, to: u16) -> Command {
    Command::BeginMove {
        shard: ShardId::new(shard),
        epoch: Epoch(epoch),
        to: NodeId(to),
    }
}

fn finish(shard: &str, moving: u64) -> Command {
    let (shard, moving) = (ShardId::new(shard), Epoch(moving));
    Command::FinishMove { shard, moving }
}

fn abort(shard: &str, moving: u64) -> Command {
    let (shard, moving) = (ShardId::new(shard), Epoch(moving));
    Command::AbortMove { shard, moving }
}

fn retire(shard: &str, last: u64) -> Command {
    let (shard, last) = (ShardId::new(shard), Epoch(last));
    Command::Retire { shard, last }
}

fn placed(node: u16, epoch: u64) -> Placement {
    let (node, epoch) = (NodeId(node), Epoch(epoch));
    Placement::Placed { node, epoch }
}

fn unplaced(last: u64) -> Placement {
    let last = Epoch(last);
    Placement::Unplaced { last }
}
