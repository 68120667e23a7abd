//! `[edge]` What a crash takes along. The tree is put together here, so that its processes can be
//! killed.

use std::sync::Arc;
use std::time::Duration;

use belay_gossip::hub::clock::unix_ms;
use belay_gossip::hub::core::{Hub, Rules};
use belay_gossip::hub::desk::Desk;
use belay_gossip::hub::net::{Door, DoorOptions, SeatLimits, acceptor, listen};
use belay_gossip::hub::store::{Database, Store};
use belay_runtime::{
    DynamicOptions, DynamicSupervisor, Intensity, Node, Pid, ProcessRef, Supervisor, TreeNode,
};
use tokio::net::TcpListener;

use crate::stand::{Directory, Ended, Game, add_game, say, until};

/// The processes whose names begin so.
fn processes(node: &Node, name: &str) -> Vec<(Pid, u32)> {
    let mut found = Vec::new();
    node.tree().visit(&mut |process: &TreeNode| {
        if process.name.starts_with(name) {
            found.push((process.pid, process.restarts));
        }
    });
    found
}

fn kill(pid: Pid) {
    ProcessRef::find(pid).expect("it lives").kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_the_core_keeps_all_and_one_of_a_socket_ends_that_one() {
    let directory = Directory::new();
    let data = directory.path();
    let first = add_game(data, "GameA", &[]).await;
    let second = add_game(data, "GameB", &[]).await;
    let mut database = Database::open(data).await.unwrap();
    let games = database.directory().await.unwrap();
    database.close().await.unwrap();
    let store = Store::new(data);
    let desk = Desk::new(Hub::new(Rules::default(), games.clone(), 1), games, unix_ms);
    let sockets = DynamicSupervisor::new("sockets", DynamicOptions::default());
    let options = DoorOptions {
        seats: SeatLimits {
            total: 10,
            per_address: 10,
            per_loopback: None,
        },
        tls: None,
        idle: Duration::from_secs(60),
    };
    let door = Door::new((desk.address(), desk.notices()), sockets.clone(), options);
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let orders = store.orders();
    let tree = Supervisor::builder("hub")
        .intensity(Intensity::new(20, Duration::from_secs(60)))
        .child(store.spec(Arc::new(|_| {})))
        .child(desk.spec(Arc::new(move |order| orders.send(order))))
        .child(sockets.spec())
        .child(acceptor(listener, door));
    let node = Node::start(tree).await.unwrap();

    let mut speaker = Game::connect(&address).await;
    speaker.authenticate(&first, &["gossip"]).await;
    let mut listener = Game::connect(&address).await;
    listener.authenticate(&second, &["gossip"]).await;
    listener.settle().await;
    for round in 1..=3 {
        kill(processes(&node, "hub:core")[0].0);
        let restarts = || async { processes(&node, "hub:core")[0].1 };
        until(restarts, |restarts| *restarts == round).await;
        let words = format!("round {round}");
        speaker.send(say("gossip", &words)).await;
        assert_eq!(
            listener.event("channels/broadcast").await["payload"]["message"],
            words
        );
    }
    // The incarnations since also see the end of a socket.
    let all = processes(&node, "hub:socket:");
    assert_eq!(all.len(), 2);
    kill(all[1].0);
    assert_eq!(listener.ended().await, Ended::Dropped);
    let notices = desk.notices();
    let active = || async { notices.figures().sockets };
    until(active, |sockets| *sockets == 1).await;
    speaker.settle().await;
    // The listener's socket was the acceptor's child in name only.
    kill(processes(&node, "hub:acceptor")[0].0);
    let restarts = || async { processes(&node, "hub:acceptor")[0].1 };
    until(restarts, |restarts| *restarts == 1).await;
    let mut again = Game::connect(&address).await;
    again.authenticate(&second, &["gossip"]).await;
    let report = node.stop(Duration::from_secs(10)).await;
    assert!(report.not_stopped.is_empty(), "{report:?}");
    assert_eq!(speaker.ended().await, Ended::Closed(1001, String::new()));
}
