//! `[edge]` What is done to a cluster.

use std::cell::RefCell;
use std::time::Duration;

use belay_bots::history::{Cut, Deed, Moment, NodeDeed};

use super::network::Network;
use super::player::{Board, now, pause};
use super::rig::Rig;

/// The nodes.
pub(super) const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// How long a fault lasts at least: longer than a leader waits for a lease.
const LASTS_MS: u64 = 5_000;

/// How long a link stays down, and up, when it flaps, and how often.
const FLAP: (u64, usize) = (1_000, 3);

/// A kind of fault. A node that does not lead is a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nemesis {
    /// A follower's process is killed.
    KillFollower,
    /// The leader's is.
    KillLeader,
    /// All are, and are started again.
    KillAll,
    /// A node that owns zones stands still for longer than a lease, and goes on.
    Pause,
    /// No other node reaches a follower.
    CutFollower,
    /// No other node reaches the leader.
    CutLeader,
    /// What a follower sends to the leader vanishes.
    DumbFollower,
    /// What the leader sends to a follower vanishes.
    DumbLeader,
    /// The leader and a follower reach each other only through the third.
    Bridge,
    /// A node's link goes down and up again and again.
    Flap,
}

/// Each kind.
pub(super) const ALL: [Nemesis; 10] = [
    Nemesis::KillFollower,
    Nemesis::KillLeader,
    Nemesis::KillAll,
    Nemesis::Pause,
    Nemesis::CutFollower,
    Nemesis::CutLeader,
    Nemesis::DumbFollower,
    Nemesis::DumbLeader,
    Nemesis::Bridge,
    Nemesis::Flap,
];

/// What was done, for the history.
pub(super) struct Done {
    /// In words.
    pub(super) told: String,
    /// When the fault began, if the zones must play on elsewhere while it lasts.
    pub(super) struck: Option<Moment>,
    /// When the last fault was over.
    pub(super) healed: Moment,
    /// Who was cut off from all others.
    pub(super) cuts: Vec<Cut>,
    /// Whose processes ended.
    pub(super) overs: Vec<NodeDeed>,
}

/// A cluster that is hurt.
pub(super) struct Patient<'a> {
    pub(super) rig: &'a mut Rig,
    pub(super) network: &'a Network,
    pub(super) board: &'a RefCell<Board>,
    /// How long the zones may take to play again.
    pub(super) budget: Duration,
}

impl Patient<'_> {
    /// Does it, and undoes it. `pick` chooses among what is alike.
    pub(super) async fn suffer(&mut self, nemesis: Nemesis, pick: usize) -> Done {
        let status = self.rig.until("n1", "a leader", |it| it.leader().is_some());
        let leader = status.await.leader().unwrap().to_owned();
        let leader = NODES.into_iter().find(|name| *name == leader).unwrap();
        let mut followers: Vec<&str> = NODES.into_iter().filter(|it| *it != leader).collect();
        followers.rotate_left(pick % 2);
        let (follower, other) = (followers[0], followers[1]);
        let anyone = NODES[pick % 3];
        match nemesis {
            Nemesis::KillFollower => self.kill(&[follower], "follower").await,
            Nemesis::KillLeader => self.kill(&[leader], "leader").await,
            Nemesis::KillAll => self.kill(&NODES, "all").await,
            Nemesis::Pause => self.stand_still(anyone).await,
            Nemesis::CutFollower => self.cut(follower, "follower").await,
            Nemesis::CutLeader => self.cut(leader, "leader").await,
            Nemesis::DumbFollower => self.swallow(&[(follower, leader)]).await,
            Nemesis::DumbLeader => self.swallow(&[(leader, other)]).await,
            Nemesis::Bridge => {
                self.swallow(&[(leader, follower), (follower, leader)])
                    .await
            }
            Nemesis::Flap => self.flap(anyone).await,
        }
    }

    async fn kill(&mut self, nodes: &[&str], what: &str) -> Done {
        let mut overs = Vec::new();
        for node in nodes {
            self.rig.kill(node);
            self.board.borrow_mut().doors[place(node)] = None;
            overs.push(NodeDeed {
                node: (*node).to_owned(),
                at: now(),
                deed: Deed::Over,
            });
        }
        let struck = now();
        let all = nodes.len() == NODES.len();
        if !all {
            self.outlast(Some(struck)).await;
        }
        for node in nodes {
            self.rig.start_node(node);
            self.board.borrow_mut().doors[place(node)] = Some(self.rig.telnet(node));
        }
        Done {
            told: format!("kill -9 of {what} ({})", nodes.join(", ")),
            struck: (!all).then_some(struck),
            healed: now(),
            cuts: Vec::new(),
            overs,
        }
    }

    async fn stand_still(&mut self, node: &str) -> Done {
        self.rig.signal(node, "-STOP");
        let struck = now();
        self.outlast(Some(struck)).await;
        self.rig.signal(node, "-CONT");
        done(format!("{node} stood still"), Some(struck))
    }

    async fn cut(&mut self, node: &str, what: &str) -> Done {
        self.network.cut(node);
        let from = now();
        self.outlast(Some(from)).await;
        let to = now();
        self.network.join(node);
        let mut done = done(format!("{what} {node} cut off"), Some(from));
        let node = node.to_owned();
        done.cuts.push(Cut { node, from, to });
        done
    }

    async fn swallow(&mut self, ways: &[(&str, &str)]) -> Done {
        for (from, to) in ways {
            self.network.swallow("add", from, to);
        }
        self.outlast(None).await;
        for (from, to) in ways {
            self.network.swallow("del", from, to);
        }
        let told = ways.iter().map(|(from, to)| format!("{from} to {to}"));
        let told = told.collect::<Vec<_>>().join(", ");
        done(format!("nothing gets through from {told}"), None)
    }

    async fn flap(&mut self, node: &str) -> Done {
        for _ in 0..FLAP.1 {
            self.network.link(node, "down");
            pause(FLAP.0).await;
            self.network.link(node, "up");
            pause(FLAP.0).await;
        }
        done(
            format!("the link of {node} went down and up each second"),
            None,
        )
    }

    /// Lets a fault last, at least until all zones answer again where they must.
    async fn outlast(&self, struck: Option<Moment>) {
        let begun = now();
        let least = begun.after(Duration::from_millis(LASTS_MS));
        while now() < least
            || struck.is_some_and(|struck| {
                now().since(begun) < self.budget && !self.board.borrow().plays_since(struck)
            })
        {
            pause(20).await;
        }
    }
}

fn done(told: String, struck: Option<Moment>) -> Done {
    Done {
        told,
        struck,
        healed: now(),
        cuts: Vec::new(),
        overs: Vec::new(),
    }
}

/// Which node this is, counted from 0.
pub(super) fn place(node: &str) -> usize {
    NODES.iter().position(|name| *name == node).unwrap()
}
