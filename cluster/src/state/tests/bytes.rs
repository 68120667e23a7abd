//! `[pure]` The state as bytes.

use super::super::record::DecodeError;
use super::*;

fn story() -> Story {
    let mut story = Story::of_three();
    story.apply(begin("c", 10, 2));
    story.apply(finish("c", 11));
    story.apply(begin("c", 12, 1));
    story.apply(begin("a", 8, 2));
    story.apply(release("b", 9));
    story.apply(drain(2, true));
    story.apply(Command::Join(candidate("n4", 4, 2)));
    story.apply(expire(3, 1));
    story
}

#[test]
fn a_state_comes_back_from_its_bytes() {
    let later = generations::placed_in(300);
    let mut fewer = story();
    fewer.apply(retire("b", 9));
    for story in [
        Story::new(),
        Story::founded(),
        Story::of_three(),
        story(),
        later,
        fewer,
    ] {
        let back = ClusterState::decode(&story.state.encode()).unwrap();
        assert_eq!(back, story.state);
        assert_eq!(back.encode(), story.state.encode());
    }
}

#[test]
fn the_bytes_of_version_one_stay_as_they_are() {
    let mut story = Story::founded();
    story.apply(declare(&["zone:a"]));
    story.apply(place("zone:a", 0, 1));
    story.apply(declare(&["zone:b"]));
    let hex: String = story
        .state
        .encode()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let content = "07".repeat(32);
    let mark = "01".repeat(16);
    let expected = [
        "01",           // version
        "05",           // last entry
        "056e6f727468", // north
        &content,
        "01",                               // last number given
        "01",                               // nodes:
        "01026e31",                         // number 1, n1
        "0f6e312e6578616d706c653a34313030", // n1.example:4100
        "0101",                             // life 1, up
        &mark,
        "01",                       // joined in life 1
        "02",                       // shards:
        "067a6f6e653a610101010400", // zone:a, weight 1, placed on 1 in epoch 4, not by a move
        "067a6f6e653a6201000000",   // zone:b, weight 1, never placed
    ];
    assert_eq!(hex, expected.concat());
}

#[test]
fn a_later_generation_stands_behind_the_rest_in_version_two() {
    let later = generations::placed_in(300).state.encode();
    let (first, last) = (&later[1..later.len() - 3], &later[later.len() - 3..]);
    assert_eq!((later[0], last), (2, &[0xac, 2, 0][..]));
    // Without its generation its epochs belong to another cluster.
    let early = ClusterState::decode(&[&[1], first].concat());
    assert_eq!(early, Err(DecodeError::Unsound("an epoch to come")));
    let beyond = ClusterState::decode(&[&[2], first, &[0x80, 4, 0]].concat());
    assert_eq!(
        beyond,
        Err(DecodeError::Unsound("a generation that cannot be"))
    );
    assert!(ClusterState::decode(&[&[2], first, last].concat()).is_ok());
}

#[test]
fn bytes_that_are_cut_or_garbage_are_refused() {
    let bytes = story().state.encode();
    for end in 0..bytes.len() {
        let cut = ClusterState::decode(&bytes[..end]);
        assert!(
            matches!(cut, Err(DecodeError::Garbage(_))),
            "{end}: {cut:?}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    let refused = Err(DecodeError::Unsound("bytes after its end"));
    assert_eq!(ClusterState::decode(&longer), refused);
    let later = [&[3], &bytes[1..]].concat();
    assert_eq!(ClusterState::decode(&later), Err(DecodeError::Version(3)));
}

#[test]
fn a_flipped_bit_gives_a_sound_state_or_an_error_and_never_a_panic() {
    let bytes = story().state.encode();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(mut state) = ClusterState::decode(&flipped) {
            let applied = state.view().applied;
            state.apply(applied + 1, &drain(1, true));
            state.apply(applied + 2, &restart("c", 10));
        }
    }
}

#[test]
fn bytes_that_say_what_cannot_be_are_refused() {
    #[track_caller]
    fn check(damage: impl FnOnce(&mut ClusterState), expected: &'static str) {
        let mut state = story().state;
        damage(&mut state);
        let refused = Err(DecodeError::Unsound(expected));
        assert_eq!(ClusterState::decode(&state.encode()), refused);
    }
    let view = std::sync::Arc::make_mut;
    let node = |n| NodeId(n);
    check(|s| s.last_node = 2, "a number that was not given");
    check(
        |s| s.standing.get_mut(&node(1)).unwrap().mark = DirectoryMark([2; 16]),
        "a directory twice",
    );
    check(
        |s| view(&mut s.view).nodes.get_mut(&node(1)).unwrap().name = NodeName::new("n2").unwrap(),
        "a name twice",
    );
    check(|s| view(&mut s.view).applied = 5, "an epoch to come");
    let put = |s: &mut ClusterState, placement| {
        view(&mut s.view)
            .shards
            .insert(ShardId::new("b"), placement);
    };
    check(|s| put(s, placed(3, 10)), "an owner that does not live");
    check(|s| put(s, placed(1, 0)), "an owner without epoch");
    let moving = |from, to, epoch, moving| Placement::Moving {
        from: NodeId(from),
        epoch: Epoch(epoch),
        to: NodeId(to),
        moving: Epoch(moving),
    };
    check(
        |s| put(s, moving(1, 3, 3, 4)),
        "a move between nodes that do not live",
    );
    check(
        |s| put(s, moving(1, 2, 4, 4)),
        "a move older than its owner's epoch",
    );
    let arrives = |s: &mut ClusterState, shard, moving| {
        let arrived = &mut view(&mut s.view).arrived;
        arrived.insert(ShardId::new(shard), Epoch(moving));
    };
    let nobody = "a move that brought nobody an epoch";
    check(|s| arrives(s, "b", 9), nobody);
    check(|s| arrives(s, "c", 12), nobody);
    check(
        |s| {
            s.last_node = 0;
            view(&mut s.view).nodes.clear();
            s.standing.clear();
        },
        "shards before the cluster",
    );
}
