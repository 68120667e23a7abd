//! `[edge]` The keeper on a real file, with a writer and a driver that are slow or fail.

use super::*;
use crate::ids::{NodeId, NodeName};
use belay_runtime::{Node, Supervisor};
use std::path::PathBuf;
use tokio::sync::mpsc;

/// A data directory that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("belay-keep-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The identity of a founder, on disk.
    fn identity(&self) -> (IdentityFile, Identity) {
        let file = IdentityFile::new(&self.0);
        let identity = file.founder(NodeName::new("n1").unwrap(), "c").unwrap();
        file.make_folder().unwrap();
        file.write(&identity).unwrap();
        (file, identity)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn peer(number: u16) -> Member {
    Member {
        node: NodeId(number),
        name: NodeName::new(&format!("n{number}")).unwrap(),
        address: format!("10.0.0.{number}:1"),
        incarnation: Incarnation(1),
    }
}

/// The driver: says which lives it was told of.
fn driver(mailbox: &Mailbox<Event>) -> (ChildSpec, mpsc::Receiver<Incarnation>) {
    let (say, told) = mpsc::channel(16);
    let spec = ChildSpec::body("driver", mailbox, move |mut ctx| {
        let say = say.clone();
        async move {
            loop {
                match ctx.next().await {
                    Incoming::Message(Event::NewLife(life)) => drop(say.try_send(life)),
                    Incoming::Shutdown => return Ok(()),
                    Incoming::Message(_) | Incoming::Timer(_) | Incoming::Signal(_) => {}
                }
            }
        }
    });
    (spec, told)
}

async fn check_told(mut told: mpsc::Receiver<Incarnation>, folder: &Folder) {
    let told = tokio::time::timeout(Duration::from_secs(10), told.recv());
    assert_eq!(
        told.await.expect("it is told in time"),
        Some(Incarnation(9))
    );
    let identity = IdentityFile::new(&folder.0).read().unwrap().unwrap();
    assert_eq!(identity.lives, 9);
}

fn keep(desk: &Desk, change: impl FnOnce(&mut Owed)) {
    desk.put(change);
}

#[tokio::test]
async fn regression_a_life_that_finds_the_writer_busy_is_written_all_the_same() {
    let folder = Folder::new("busy");
    let (file, identity) = folder.identity();
    let mailbox = Mailbox::new(Capacity::new(8));
    let (driver, told) = driver(&mailbox);
    // The writer does not run yet: as good as one that waits for its disk.
    let (writer, desk) = writer(file, identity, mailbox.address());
    for number in 2..200 {
        keep(&desk, |owed| owed.members = Some(known(&[peer(number)])));
    }
    keep(&desk, |owed| owed.life = Some(Incarnation(9)));
    let tree = Supervisor::builder("node").child(writer).child(driver);
    let node = Node::start(tree).await.unwrap();
    check_told(told, &folder).await;
    let identity = IdentityFile::new(&folder.0).read().unwrap().unwrap();
    assert_eq!(identity.peers, known(&[peer(199)]), "the newest members");
    node.stop(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_driver_with_too_much_to_do_is_told_when_it_has_room() {
    let folder = Folder::new("full");
    let (file, identity) = folder.identity();
    let mailbox = Mailbox::new(Capacity::new(1));
    mailbox.address().try_send(Event::Tick).unwrap();
    let (driver, told) = driver(&mailbox);
    let (writer, desk) = writer(file, identity, mailbox.address());
    keep(&desk, |owed| owed.life = Some(Incarnation(9)));
    let tree = Supervisor::builder("writer").child(writer);
    let first = Node::start(tree).await.unwrap();
    let tree = Supervisor::builder("driver").child(driver);
    let second = Node::start(tree).await.unwrap();
    check_told(told, &folder).await;
    first.stop(Duration::from_secs(5)).await;
    second.stop(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_writer_that_only_fails_ends_the_node_and_tells_of_no_life() {
    let folder = Folder::new("refused");
    let (file, identity) = folder.identity();
    let mailbox = Mailbox::new(Capacity::new(8));
    let (driver, mut told) = driver(&mailbox);
    let (writer, desk) = writer(file.clone(), identity, mailbox.address());
    let tree = Supervisor::builder("node").child(driver).child(writer);
    let node = Node::start(tree).await.unwrap();
    // Where its folder was, is a file.
    std::fs::remove_dir_all(file.folder()).unwrap();
    std::fs::write(file.folder(), b"").unwrap();
    keep(&desk, |owed| owed.life = Some(Incarnation(9)));
    let ended = tokio::time::timeout(Duration::from_secs(10), node.finished());
    let why = ended.await.expect("it ends in time");
    assert!(why.is_abnormal(), "{why:?}");
    assert!(
        told.try_recv().is_err(),
        "a life that is not on disk is not lived"
    );
    assert!(desk.look().is_some(), "nor taken for written");
}
