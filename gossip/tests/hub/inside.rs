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

use crate::stand::{Credentials, Directory, Ended, Game, add_game, say, until};

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

/// A hub whose processes can be killed, with two games.
struct Stage {
    node: Node,
    desk: Desk,
    address: String,
    first: Credentials,
    second: Credentials,
    _directory: Directory,
}

impl Stage {
    async fn new() -> Self {
        let directory = Directory::new();
        let data = directory.path();
        let first = add_game(data, "GameA", &[]).await;
        let second = add_game(data, "GameB", &[]).await;
        let mut database = Database::open(data).await.unwrap();
        let games = database.directory().await.unwrap();
        database.close().await.unwrap();
        let store = Store::new(data);
        let make = Arc::new(|games| Hub::new(Rules::default(), games, 1));
        let desk = Desk::new(make, games, unix_ms);
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
            .intensity(Intensity::new(1_000, Duration::from_secs(60)))
            .child(store.spec(Arc::new(|_| true)))
            .child(desk.spec(Arc::new(move |order| orders.send(order))))
            .child(sockets.spec())
            .child(acceptor(listener, door));
        Self {
            node: Node::start(tree).await.unwrap(),
            desk,
            address,
            first,
            second,
            _directory: directory,
        }
    }

    async fn join(&self, credentials: &Credentials) -> Game {
        let mut game = Game::connect(&self.address).await;
        game.authenticate(credentials, &["gossip"]).await;
        game
    }

    /// Kills a process and waits until it runs again.
    async fn kill(&self, name: &str) {
        let (pid, before) = processes(&self.node, name)[0];
        ProcessRef::find(pid).expect("it lives").kill();
        let restarts = || async { processes(&self.node, name)[0].1 };
        until(restarts, |restarts| *restarts == before + 1).await;
    }

    async fn stop(self) {
        let report = self.node.stop(Duration::from_secs(10)).await;
        assert!(report.not_stopped.is_empty(), "{report:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_the_core_keeps_all_and_one_of_a_socket_ends_that_one() {
    let stage = Stage::new().await;
    let mut speaker = stage.join(&stage.first).await;
    let mut listener = stage.join(&stage.second).await;
    listener.settle().await;
    for round in 1..=3 {
        stage.kill("hub:core").await;
        let words = format!("round {round}");
        speaker.send(say("gossip", &words)).await;
        let heard = listener.event("channels/broadcast").await;
        assert_eq!(heard["payload"]["message"], words);
    }
    // Also after that the ends of sockets are seen.
    let all = processes(&stage.node, "hub:socket:");
    assert_eq!(all.len(), 2);
    ProcessRef::find(all[1].0).expect("it lives").kill();
    assert_eq!(listener.ended().await, Ended::Dropped);
    let notices = stage.desk.notices();
    until(
        || async { notices.figures().sockets },
        |sockets| *sockets == 1,
    )
    .await;
    speaker.settle().await;
    stage.kill("hub:acceptor").await;
    speaker.settle().await;
    stage.join(&stage.second).await;
    stage.stop().await;
    assert_eq!(speaker.ended().await, Ended::Closed(1001, String::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_on_which_nothing_is_handled_is_given_up_and_games_come_back_to_a_new_one() {
    let stage = Stage::new().await;
    let mut game = stage.join(&stage.first).await;
    game.settle().await;
    {
        // An input that comes in between begins the count anew.
        let mut ended = Box::pin(game.ended());
        loop {
            tokio::select! {
                ended = &mut ended => break assert_eq!(ended, Ended::Dropped),
                () = stage.kill("hub:core") => {}
            }
        }
    }
    let mut game = stage.join(&stage.first).await;
    game.settle().await;
    stage.stop().await;
}
