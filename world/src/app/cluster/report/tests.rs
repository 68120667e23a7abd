//! `[pure]` Goal: what an operator reads of a cluster is complete, fits a terminal, and reads well
//! aloud. Method: whole texts of some statuses.

use super::*;
use belay_cluster::{Counts, Epoch, NodeId, PeerStatus};

fn node(number: u16, name: &str, phase: NodePhase) -> NodeStatus {
    NodeStatus {
        number,
        name: name.to_owned(),
        address: format!("10.0.0.{number}:4090"),
        phase,
        incarnation: u32::from(number),
        voter: number < 4,
        lease_ms_ago: Some(u64::from(number) * 150),
        lag: Some(0),
        shards: 2,
    }
}

fn shard(name: &str, owner: Option<&str>, placement: Placement) -> ShardStatus {
    ShardStatus {
        shard: name.to_owned(),
        owner: owner.map(str::to_owned),
        placement,
        ticked_ms_ago: owner.map(|_| 50),
        weight: 12,
    }
}

fn example() -> Status {
    let placed = Placement::Placed {
        node: NodeId(2),
        epoch: Epoch(17),
    };
    let moving = Placement::Moving {
        from: NodeId(1),
        epoch: Epoch(16),
        to: NodeId(2),
        moving: Epoch(1_204),
    };
    let mut down = node(3, "n3", NodePhase::Down);
    down.lease_ms_ago = Some(200_000);
    down.lag = None;
    down.shards = 0;
    Status {
        cluster: "skerrow".to_owned(),
        node: "n1".to_owned(),
        leader: Some("n1".to_owned()),
        term: 4,
        log: (1_205, 1_204),
        leased: true,
        counts: Counts::default(),
        nodes: vec![
            node(1, "n1", NodePhase::Up),
            node(2, "n2", NodePhase::Draining),
            down,
        ],
        shards: vec![
            shard("accounts:0", Some("n2"), placed),
            shard("zone:harbour", Some("n1"), moving),
            shard("zone:marsh", None, Placement::Unplaced { last: Epoch(9) }),
        ],
        peers: vec![PeerStatus {
            name: "n2".to_owned(),
            control: PeerCounts::default(),
            play: PeerCounts {
                up: true,
                queued: 4,
                round_trip_us: Some(250),
                ..PeerCounts::default()
            },
        }],
    }
}

#[test]
fn columns_show_nodes_and_shards() {
    let expected = "\
Cluster skerrow: n1 leads, term 4, 3 nodes, 3 shards.
This is n1, with its lease; entry 1204 of 1205 is applied.

  node  phase     life  votes     lease    lag  shards  address
* n1    up           1  yes       0.1 s      0       2  10.0.0.1:4090
  n2    draining     2  yes       0.3 s      0       2  10.0.0.2:4090
  n3    down         3  yes          3m      -       0  10.0.0.3:4090
* leads

  shard         owner   epoch    tick  weight  state
  accounts:0    n2         17   0.0 s      12  placed
  zone:harbour  n1         16   0.0 s      12  moves to n2
  zone:marsh    -           9       -      12  not placed
";
    assert_eq!(columns(&example()), expected);
}

#[test]
fn lines_say_one_thing_each_without_columns() {
    let expected = "\
Cluster skerrow: n1 leads, term 4, 3 nodes, 3 shards.
This is n1, with its lease; entry 1204 of 1205 is applied.
Node n1: up, leads, votes, life 1, lease renewed 0.1 s ago, lacks 0 \
entries, 2 shards, at 10.0.0.1:4090.
Node n2: draining, votes, life 2, lease renewed 0.3 s ago, lacks 0 \
entries, 2 shards, at 10.0.0.2:4090.
Node n3: down, votes, life 3, lease renewed 3m ago, 0 shards, at 10.0.0.3:4090.
Shard accounts:0: on n2, placed, epoch 17, ticked 0.0 s ago, weight 12.
Shard zone:harbour: on n1, moves to n2, epoch 16, ticked 0.0 s ago, weight 12.
Shard zone:marsh: on nobody, not placed, epoch 9, weight 12.
";
    assert_eq!(lines(&example()), expected);
}

#[test]
fn a_follower_says_who_knows_what_it_is_not_told() {
    let mut status = example();
    status.node = "n2".to_owned();
    for it in &mut status.shards {
        it.ticked_ms_ago = None;
        it.weight = 0;
    }
    let text = lines(&status);
    for part in [
        "Leases, lags, ticks and weights are known to n1 alone.\n",
        "Shard accounts:0: on n2, placed, epoch 17.\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = columns(&status);
    let row = "  accounts:0    n2         17       -       -  placed\n";
    assert!(text.contains(row), "{text}");
}

#[test]
fn epochs_of_a_cluster_that_was_founded_again_keep_their_column() {
    let mut status = example();
    if let Some(it) = status.shards.first_mut() {
        it.placement = Placement::Placed {
            node: NodeId(2),
            epoch: Epoch((1 << 30) + 17),
        };
    }
    let text = columns(&status);
    let end = |word: &str| {
        text.lines()
            .find_map(|line| Some(line.find(word)? + word.len()))
    };
    assert!(end("1073741841").is_some(), "{text}");
    assert_eq!(end("1073741841"), end("epoch"), "{text}");
}

#[test]
fn a_node_that_is_out_of_reach_says_so() {
    let mut status = example();
    status.leader = None;
    status.leased = false;
    status.nodes.truncate(1);
    status.shards.clear();
    let text = columns(&status);
    for part in [
        "no leader is known, term 4, 1 node, 0 shards.",
        "without a lease: out of reach of the leader;",
        "no shards yet",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("* leads"), "{text}");
}

#[test]
fn no_column_is_wider_than_a_terminal_whatever_the_names() {
    let mut status = example();
    let long = "n".repeat(32);
    for node in &mut status.nodes {
        node.name.clone_from(&long);
        node.address = format!("{}:4090", "a".repeat(250));
        node.incarnation = u32::MAX;
    }
    for it in &mut status.shards {
        it.shard = format!("zone:{}", "z".repeat(91));
        it.owner = Some(long.clone());
        it.weight = u32::MAX;
    }
    let text = columns(&status);
    let widest = text.lines().skip(2).map(|line| line.chars().count()).max();
    assert_eq!(widest, Some(WIDTH), "{text}");
    assert!(text.contains("zzz.."), "{text}");
    assert!(lines(&status).contains(&long), "nothing is cut there");
}

#[test]
fn figures_follow_the_status() {
    let mut status = example();
    status.counts.expired = 3;
    status.counts.play.sent = 7;
    let figures = figures(&status);
    let value = |figure| figures.iter().find(|(it, _)| *it == figure).map(|it| it.1);
    for (figure, expected) in [
        (ClusterFigure::Member, 1),
        (ClusterFigure::Leased, 1),
        (ClusterFigure::IsLeader, 1),
        (ClusterFigure::Term, 4),
        (ClusterFigure::LogIndex, 1_205),
        (ClusterFigure::AppliedIndex, 1_204),
        (ClusterFigure::Nodes, 3),
        (ClusterFigure::NodesUp, 2),
        (ClusterFigure::LeaseAge, 300),
        (ClusterFigure::Shards, 3),
        (ClusterFigure::ShardsHere, 1),
        (ClusterFigure::ShardsUnplaced, 1),
        (ClusterFigure::ShardsMoving, 1),
        (ClusterFigure::Expired, 3),
        (ClusterFigure::PlaySent, 7),
    ] {
        assert_eq!(value(figure), Some(expected), "{figure:?}");
    }
    // The others are counted where rooms are.
    let of_rooms = |name: &str| name.starts_with("belay_cluster_room_");
    let of_status = ClusterFigure::all().filter(|(_, about)| !of_rooms(about.name));
    assert_eq!(figures.len(), of_status.count(), "none is left out");
}

#[test]
fn figures_of_peers_follow_the_status() {
    let play = PeerLane {
        up: true,
        queued: 4,
        round_trip_s: Some(0.000_25),
        ..PeerLane::default()
    };
    let expected = Peer {
        name: "n2".to_owned(),
        lag: Some(0),
        lanes: vec![("control", PeerLane::default()), ("play", play)],
    };
    assert_eq!(peers(&example()), [expected]);
}
