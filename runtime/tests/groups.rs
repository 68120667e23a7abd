//! Goal: groups have the members that joined and did not leave or end, a broadcast reaches them,
//! and a watcher sees each change once and in order. Method: processes that note what they hear;
//! random steps from proptest against a plain list.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::Arc;
use std::time::Duration;

use belay_runtime::*;
use common::{LONG, short, stop};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

type News = Arc<str>;

enum Ask {
    News(News),
    Event(GroupEvent<u8>),
    Heard(Reply<Vec<String>>),
    Incarnation(Reply<u32>),
    Crash,
}

impl From<News> for Ask {
    fn from(news: News) -> Self {
        Self::News(news)
    }
}

impl From<GroupEvent<u8>> for Ask {
    fn from(event: GroupEvent<u8>) -> Self {
        Self::Event(event)
    }
}

/// Notes what it hears.
#[derive(Default)]
struct Listener(Vec<String>);

impl Process for Listener {
    type Message = Ask;

    async fn handle(&mut self, ctx: &mut Context<Ask>, ask: Ask) -> Result<Flow, Exit> {
        match ask {
            Ask::News(news) => self.0.push(news.to_string()),
            Ask::Event(event) => self.0.push(told(&event)),
            Ask::Heard(reply) => drop(reply.send(std::mem::take(&mut self.0))),
            Ask::Incarnation(reply) => drop(reply.send(ctx.incarnation())),
            Ask::Crash => panic!("told to"),
        }
        Ok(Flow::Continue)
    }
}

fn told(event: &GroupEvent<u8>) -> String {
    let group = event.group;
    match &event.change {
        Change::Joined(who) => format!("{} joined {group}", who.name()),
        Change::Left(who, Leave::Asked) => format!("{} left {group}", who.name()),
        Change::Left(who, Leave::Ended(exit)) => {
            format!("{} left {group}: {}", who.name(), short(exit))
        }
        Change::Lapsed => format!("lapsed in {group}"),
    }
}

struct Stage {
    node: Node,
    children: DynamicSupervisor,
    groups: Groups<u8, News>,
}

impl Stage {
    async fn new() -> Self {
        let options = DynamicOptions {
            intensity: Intensity::UNLIMITED,
            ..Default::default()
        };
        let children = DynamicSupervisor::new("members", options);
        let builder = Supervisor::builder("node").child(children.spec());
        Self {
            node: Node::start(builder).await.unwrap(),
            children,
            groups: Groups::new(),
        }
    }

    async fn start(&self, name: &str, messages: u32) -> (ProcessRef, Address<Ask>) {
        let mailbox = Mailbox::new(Capacity::new(messages));
        let spec = ChildSpec::process(name, &mailbox, Listener::default);
        let process = self.children.start_child(spec).await.unwrap();
        (process, mailbox.address())
    }

    /// A process that hears nothing before it is asked to stop.
    async fn start_deaf(&self, name: &str, messages: u32) -> (ProcessRef, Address<Ask>) {
        let mailbox = Mailbox::new(Capacity::new(messages));
        let spec = ChildSpec::body(name, &mailbox, |ctx: Context<Ask>| async move {
            ctx.stopping().await;
            Ok(())
        });
        let process = self.children.start_child(spec).await.unwrap();
        (process, mailbox.address())
    }
}

async fn heard(by: &Address<Ask>) -> Vec<String> {
    by.call(LONG, Ask::Heard).await.unwrap()
}

fn delivery(delivered: usize, full: usize, closed: usize) -> Delivery {
    Delivery {
        delivered,
        full,
        closed,
    }
}

#[tokio::test]
async fn a_broadcast_reaches_the_members_and_says_who_missed_it() {
    let stage = Stage::new().await;
    let (_, ann) = stage.start("ann", 8).await;
    let (_, bob) = stage.start_deaf("bob", 1).await;
    let (cleo_process, cleo) = stage.start("cleo", 8).await;
    for member in [&ann, &bob, &cleo] {
        stage.groups.join(1, member).unwrap();
        stage.groups.join(1, member).unwrap();
    }
    let all = stage.groups.members(&1);
    assert_eq!(stage.groups.count(&1), 3);
    assert_eq!(stage.groups.broadcast(&1, "one".into()), delivery(3, 0, 0));
    let second = stage.groups.broadcast(&1, "two".into());
    assert_eq!((second, second.missed()), (delivery(2, 1, 0), 1));
    assert_eq!(heard(&ann).await, ["one", "two"]);
    stage.children.stop_child(cleo_process.pid()).await.unwrap();
    assert!(matches!(
        all[2].try_send("late".into()),
        Err(TrySendError::Closed(_))
    ));
    let from_ann = stage
        .groups
        .broadcast_from(&1, all[0].pid(), "three".into());
    assert_eq!(from_ann, delivery(0, 1, 0));
    assert_eq!(stage.groups.broadcast(&2, "none".into()), delivery(0, 0, 0));
    assert_eq!(heard(&ann).await, [""; 0]);
    stop(stage.node).await;
}

#[tokio::test]
async fn a_member_stays_one_over_a_restart_and_leaves_with_its_end() {
    let stage = Stage::new().await;
    let (process, ann) = stage.start("ann", 8).await;
    stage.groups.join(1, &ann).unwrap();
    ann.try_send(Ask::Crash).unwrap();
    assert_eq!(
        stage.groups.broadcast(&1, "meanwhile".into()),
        delivery(1, 0, 0)
    );
    assert_eq!(ann.call(LONG, Ask::Incarnation).await.unwrap(), 1);
    assert_eq!(heard(&ann).await, ["meanwhile"]);
    assert_eq!(stage.groups.groups(), [1]);
    stage.children.stop_child(process.pid()).await.unwrap();
    assert_eq!((stage.groups.count(&1), stage.groups.groups()), (0, vec![]));
    assert!(!stage.groups.leave(&1, &ann));
    assert_eq!(stage.groups.join(1, &ann), Err(JoinError::NotRunning));
    stop(stage.node).await;
}

#[tokio::test]
async fn one_is_sent_to_each_in_turn_and_to_who_has_room() {
    let stage = Stage::new().await;
    let (_, ann) = stage.start_deaf("ann", 2).await;
    let (_, bob) = stage.start_deaf("bob", 4).await;
    let send = |news: &str| stage.groups.send_any(&1, news.into());
    assert!(matches!(send("nobody"), Err(TrySendError::Closed(news)) if &*news == "nobody"));
    stage.groups.join(1, &ann).unwrap();
    stage.groups.join(1, &bob).unwrap();
    for number in 1..=4_usize {
        send("some").unwrap();
        assert_eq!((ann.len(), bob.len()), (number.div_ceil(2), number / 2));
    }
    send("some").unwrap();
    send("some").unwrap();
    assert_eq!((ann.len(), bob.len()), (2, 4));
    assert!(matches!(send("more"), Err(TrySendError::Full(news)) if &*news == "more"));
    stop(stage.node).await;
}

#[tokio::test]
async fn a_watcher_learns_who_comes_and_goes_and_how() {
    let stage = Stage::new().await;
    let (_, watcher) = stage.start("watcher", 64).await;
    let (_, ann) = stage.start("ann", 8).await;
    let (bob_process, bob) = stage.start("bob", 8).await;
    let (_, cleo) = stage.start("cleo", 8).await;
    stage.groups.join(1, &ann).unwrap();
    let (first, members) = stage.groups.monitor(1, &watcher).unwrap();
    assert_eq!(
        members.iter().map(ProcessRef::name).collect::<Vec<_>>(),
        ["ann"]
    );
    stage.groups.join(1, &bob).unwrap();
    stage.groups.join(2, &cleo).unwrap();
    assert!(stage.groups.leave(&1, &ann));
    stage.children.stop_child(bob_process.pid()).await.unwrap();
    let expected = ["bob joined 1", "ann left 1", "bob left 1: shutdown"];
    assert_eq!(heard(&watcher).await, expected);
    let (second, members) = stage.groups.monitor(1, &watcher).unwrap();
    assert!(second > first && members.is_empty());
    stage.groups.join(1, &cleo).unwrap();
    assert_eq!(heard(&watcher).await, ["cleo joined 1"]);
    assert!(stage.groups.demonitor(&1, &watcher));
    assert!(!stage.groups.demonitor(&1, &watcher));
    assert!(stage.groups.leave(&1, &cleo));
    assert_eq!(heard(&watcher).await, [""; 0]);
    stop(stage.node).await;
}

#[tokio::test]
async fn a_watcher_without_room_is_told_that_it_missed_something() {
    let stage = Stage::new().await;
    let (_, watcher) = stage.start_deaf("watcher", 1).await;
    let (_, ann) = stage.start("ann", 8).await;
    stage.groups.monitor(1, &watcher).unwrap();
    stage.groups.join(1, &ann).unwrap();
    assert_eq!(watcher.len(), 1);
    stage.groups.leave(&1, &ann);
    assert_eq!(watcher.len(), 2, "one over its bound");
    stage.groups.join(1, &ann).unwrap();
    assert_eq!(watcher.len(), 2, "its watching is over");
    assert!(!stage.groups.demonitor(&1, &watcher));
    stop(stage.node).await;
}

/// Cannot be made from what a watcher is told.
struct Unmade;

impl From<GroupEvent<u8>> for Unmade {
    fn from(_event: GroupEvent<u8>) -> Self {
        panic!("no message for it")
    }
}

#[tokio::test(start_paused = true)]
async fn regression_a_watcher_whose_message_cannot_be_made_takes_nobody_along() {
    let stage = Stage::new().await;
    let (_, first) = stage.start("first", 8).await;
    let (_, last) = stage.start("last", 8).await;
    let (_, ann) = stage.start("ann", 8).await;
    let mailbox = Mailbox::<Unmade>::new(Capacity::new(8));
    let spec = ChildSpec::body("unmade", &mailbox, |ctx: Context<Unmade>| async move {
        ctx.stopping().await;
        Ok(())
    });
    stage.children.start_child(spec).await.unwrap();
    stage.groups.monitor(1, &first).unwrap();
    stage.groups.monitor(1, &mailbox.address()).unwrap();
    stage.groups.monitor(1, &last).unwrap();
    stage.groups.join(1, &ann).unwrap();
    for watcher in [&first, &last] {
        assert_eq!(heard(watcher).await, ["ann joined 1"]);
    }
    assert!(!stage.groups.demonitor(&1, &mailbox.address()));
    stop(stage.node).await;
}

#[tokio::test]
async fn a_watcher_that_has_ended_is_forgotten() {
    let stage = Stage::new().await;
    let (process, watcher) = stage.start("watcher", 8).await;
    stage.groups.monitor(1, &watcher).unwrap();
    stage.children.stop_child(process.pid()).await.unwrap();
    assert!(!stage.groups.demonitor(&1, &watcher));
    assert_eq!(
        stage.groups.monitor(1, &watcher).unwrap_err(),
        JoinError::NotRunning
    );
    let unstarted = Mailbox::new(Capacity::new(1)).address();
    assert_eq!(
        stage.groups.join::<Ask>(1, &unstarted),
        Err(JoinError::NotRunning)
    );
    stop(stage.node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[expect(
    clippy::disallowed_methods,
    reason = "waits beside a thread of the test"
)]
async fn whatever_races_nobody_stays_who_has_ended() {
    let stage = Stage::new().await;
    for round in 0..100 {
        let (process, ann) = stage.start("ann", 8).await;
        let stopping = stage.children.stop_child(process.pid());
        let joining = std::thread::scope(|scope| {
            let join = scope.spawn(|| stage.groups.join(1, &ann));
            let stopped = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(stopping)
            });
            assert!(stopped.is_ok());
            join.join().expect("it does not panic")
        });
        assert!(matches!(joining, Ok(()) | Err(JoinError::NotRunning)));
        assert_eq!(stage.groups.count(&1), 0, "in round {round}: {joining:?}");
    }
    stop(stage.node).await;
}

const PEOPLE: usize = 4;
const GROUPS: u8 = 2;

#[derive(Clone, Copy, Debug)]
enum Step {
    Join(usize, u8),
    Leave(usize, u8),
    /// Ends, and another comes in its place.
    End(usize),
    Crash(usize),
    Broadcast(u8),
}

fn step() -> impl proptest::strategy::Strategy<Value = Step> {
    let (person, group) = (0..PEOPLE, 0..GROUPS);
    prop_oneof![
        4 => (person.clone(), group.clone()).prop_map(|(who, group)| Step::Join(who, group)),
        2 => (person.clone(), group.clone()).prop_map(|(who, group)| Step::Leave(who, group)),
        1 => person.clone().prop_map(Step::End),
        1 => person.prop_map(Step::Crash),
        2 => group.prop_map(Step::Broadcast),
    ]
}

/// What was done, by the model: the members of each group in order, and the notices about it.
#[derive(Default)]
struct Model {
    members: [Vec<usize>; GROUPS as usize],
    notices: [Vec<String>; GROUPS as usize],
}

impl Model {
    fn leave(&mut self, who: usize, group: usize, how: &str) -> bool {
        let Some(at) = self.members[group].iter().position(|member| *member == who) else {
            return false;
        };
        self.members[group].remove(at);
        self.notices[group].push(format!("{who} left {group}{how}"));
        true
    }

    fn join(&mut self, who: usize, group: usize) {
        if !self.members[group].contains(&who) {
            self.members[group].push(who);
            self.notices[group].push(format!("{who} joined {group}"));
        }
    }
}

async fn agrees_with_a_list(steps: &[Step]) {
    let stage = Stage::new().await;
    let mut model = Model::default();
    let mut people = Vec::new();
    for who in 0..PEOPLE {
        people.push(stage.start(&who.to_string(), 1_000).await);
    }
    let mut watchers = Vec::new();
    for group in 0..GROUPS {
        let (_, watcher) = stage.start("watcher", 1_000).await;
        stage.groups.monitor(group, &watcher).unwrap();
        watchers.push(watcher);
    }
    for step in steps {
        match *step {
            Step::Join(who, group) => {
                stage.groups.join(group, &people[who].1).unwrap();
                model.join(who, group as usize);
            }
            Step::Leave(who, group) => {
                let left = stage.groups.leave(&group, &people[who].1);
                assert_eq!(left, model.leave(who, group as usize, ""));
            }
            Step::End(who) => {
                stage
                    .children
                    .stop_child(people[who].0.pid())
                    .await
                    .unwrap();
                for group in 0..GROUPS as usize {
                    model.leave(who, group, ": shutdown");
                }
                people[who] = stage.start(&who.to_string(), 1_000).await;
            }
            Step::Crash(who) => {
                people[who].1.try_send(Ask::Crash).unwrap();
                people[who].1.call(LONG, Ask::Incarnation).await.unwrap();
            }
            Step::Broadcast(group) => {
                let members = &model.members[group as usize];
                let sent = stage.groups.broadcast(&group, "news".into());
                assert_eq!(sent, delivery(members.len(), 0, 0));
                for (who, (_, address)) in people.iter().enumerate() {
                    let count = usize::from(members.contains(&who));
                    assert_eq!(heard(address).await, vec!["news"; count]);
                }
            }
        }
        for group in 0..GROUPS {
            let members = stage.groups.members(&group);
            let names: Vec<_> = members.iter().map(Member::process).collect();
            let names: Vec<_> = names.iter().map(ProcessRef::name).collect();
            let expected: Vec<_> = model.members[group as usize]
                .iter()
                .map(usize::to_string)
                .collect();
            assert_eq!(names, expected);
        }
    }
    for (watcher, expected) in watchers.iter().zip(&model.notices) {
        assert_eq!(&heard(watcher).await, expected);
    }
    tokio::time::timeout(Duration::from_secs(60), stop(stage.node))
        .await
        .unwrap();
    assert_eq!(stage.groups.groups(), [0; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_agree_with_a_list(steps in prop::collection::vec(step(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(agrees_with_a_list(&steps));
    }
}
