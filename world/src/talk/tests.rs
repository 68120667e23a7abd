//! `[process]` Goal: what survives the crash of a channel, who is told, and what goes elsewhere.
//! Method: the channels of the sample under a supervisor, with players who only listen; the clock
//! is paused, and goes on when all wait.

use super::*;
use crate::event::{Event, Text};
use crate::ids::{ChannelId, LineId};
use crate::limits;
use crate::ring::{BeingPort, Receipt, SessionMessage, SessionPort};
use crate::room::Answer;
use crate::sample::world;
use belay_runtime::{
    Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Incoming, Mailbox, Node, ProcessRef,
    Supervisor,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longer than anything takes unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const CHAT: ChannelId = ChannelId(0);
const GOSSIP: ChannelId = ChannelId(1);

/// The channels, and who is on them.
struct Talks {
    node: Node,
    channels: Channels,
    players: DynamicSupervisor,
}

/// A player who only listens.
struct Player {
    name: Text,
    process: ProcessRef,
    port: SessionPort,
    heard: mpsc::Receiver<SessionMessage>,
}

impl Talks {
    async fn start() -> Self {
        let channels = Channels::new(world());
        let players = DynamicSupervisor::new("players", DynamicOptions::default());
        let tree = Supervisor::builder("node")
            .child(channels.spec())
            .child(players.spec());
        Self {
            node: Node::start(tree).await.unwrap(),
            channels,
            players,
        }
    }

    fn player(&self, name: &str) -> Player {
        let mailbox = Mailbox::new(Capacity {
            messages: 256,
            reserved: 80,
        });
        let (to, heard) = mpsc::channel(4_096);
        let spec = ChildSpec::body(name.to_owned(), &mailbox, move |mut ctx| {
            let to = to.clone();
            async move {
                loop {
                    match ctx.next().await {
                        Incoming::Message(message) => drop(to.send(message).await),
                        Incoming::Shutdown => return Ok(()),
                        Incoming::Timer(_) | Incoming::Signal(_) => {}
                    }
                }
            }
        });
        Player {
            name: name.into(),
            process: self.players.spawn_child(spec).unwrap(),
            port: mailbox.address(),
            heard,
        }
    }

    fn on(&self, channel: ChannelId, name: &str) -> Player {
        let player = self.player(name);
        self.channels.join(channel, &player.port).unwrap();
        player
    }

    fn say(&self, channel: ChannelId, player: &Player, text: &str) {
        let receipt = Receipt::new(BeingPort::Session(player.port.clone()), LineId(1));
        let who = (player.name.clone(), player.process.pid());
        let sent = self.channels.say(channel, who, text.into(), receipt);
        assert_eq!(sent, Ok(()));
    }

    async fn recalls(&self, player: &mut Player) -> Vec<String> {
        let receipt = Receipt::new(BeingPort::Session(player.port.clone()), LineId(2));
        self.channels.history(CHAT, receipt).unwrap();
        loop {
            if let SessionMessage::Answer(LineId(2), answer) = player.next().await {
                return lines(answer);
            }
        }
    }

    async fn stop(self) {
        let report = self.node.stop(PATIENCE).await;
        assert_eq!(report.not_stopped, Vec::<String>::new());
    }
}

impl Player {
    async fn next(&mut self) -> SessionMessage {
        timeout(PATIENCE, self.heard.recv()).await.unwrap().unwrap()
    }

    /// The next line that it is told, as text.
    async fn hears(&mut self) -> String {
        loop {
            if let SessionMessage::Notice(notice) = self.next().await {
                return text(notice.event());
            }
        }
    }

    async fn answer(&mut self) -> String {
        loop {
            let message = self.next().await;
            if let SessionMessage::Answer(_, Answer::Show(event)) = message {
                return text(&event);
            } else if matches!(message, SessionMessage::Lost(_)) {
                return "lost".into();
            }
        }
    }
}

fn text(event: &Event) -> String {
    if let Event::Talk(Talk::Line(line)) = event {
        format!("{}: {}", line.speaker, line.text)
    } else if let Event::Talk(Talk::Said { line, remark }) = event {
        let remark = remark.as_deref().unwrap_or_default();
        format!("said {}{remark}", line.text)
    } else {
        format!("{event:?}")
    }
}

fn lines(answer: Answer) -> Vec<String> {
    let Answer::Show(event) = answer else {
        panic!("{answer:?}");
    };
    let Event::Talk(Talk::History { lines, .. }) = *event else {
        panic!("{event:?}");
    };
    let text = |line: &ChannelLine| format!("{}: {}", line.speaker, line.text);
    lines.iter().map(|(line, _)| text(line)).collect()
}

fn bo(text: &str) -> Foreign {
    Foreign {
        speaker: Speaker::Foreign {
            name: "Bo".into(),
            game: "Other".into(),
        },
        text: text.into(),
        missed: false,
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_said_is_answered_to_one_and_told_to_the_others() {
    let talks = Talks::start().await;
    let (mut ann, mut bob) = (talks.on(CHAT, "Ann"), talks.on(CHAT, "Bob"));
    let mut cleo = talks.player("Cleo");
    talks.say(CHAT, &ann, "hello");
    assert_eq!(ann.answer().await, "said hello");
    assert_eq!(bob.hears().await, "Ann: hello");
    talks.channels.foreign(CHAT, bo("hi")).unwrap();
    for player in [&mut ann, &mut bob] {
        assert_eq!(player.hears().await, "Bo@Other: hi");
    }
    talks.channels.leave(CHAT, &bob.port);
    talks.say(CHAT, &ann, "gone?");
    assert_eq!(ann.answer().await, "said gone?");
    let all = ["Ann: hello", "Bo@Other: hi", "Ann: gone?"];
    assert_eq!(talks.recalls(&mut cleo).await, all);
    assert!(bob.heard.try_recv().is_err(), "Bob left");
    assert!(cleo.heard.try_recv().is_err(), "Cleo was never on it");
    talks.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_is_off_its_channels() {
    let talks = Talks::start().await;
    let ann = talks.on(CHAT, "Ann");
    let bob = talks.on(CHAT, "Bob");
    assert_eq!(talks.channels.count(CHAT), 2);
    talks.players.stop_child(ann.process.pid()).await.unwrap();
    assert_eq!(talks.channels.count(CHAT), 1);
    talks.channels.leave_all(&bob.port);
    assert_eq!(talks.channels.count(CHAT), 0);
    talks.stop().await;
}

/// Takes what is said, and crashes on one word.
#[derive(Debug, Default)]
struct Recorder {
    lines: Mutex<Vec<String>>,
}

impl Outlet for Recorder {
    fn said(&self, line: &ChannelLine) -> Option<Text> {
        assert_ne!(&*line.text, "poison");
        let mut lines = self.lines.lock().unwrap();
        lines.push(line.text.to_string());
        (&*line.text == "alone?").then(|| " (alone)".into())
    }
}

#[tokio::test(start_paused = true)]
async fn only_lines_of_our_players_on_remote_channels_go_elsewhere() {
    let talks = Talks::start().await;
    let mut ann = talks.on(GOSSIP, "Ann");
    talks.say(GOSSIP, &ann, "before");
    assert_eq!(ann.answer().await, "said before");
    let recorder = Arc::new(Recorder::default());
    assert!(talks.channels.plug(recorder.clone()));
    assert!(!talks.channels.plug(Arc::new(Recorder::default())));
    talks.channels.foreign(GOSSIP, bo("hi")).unwrap();
    talks.say(CHAT, &ann, "here");
    assert_eq!(ann.answer().await, "said here");
    for (said, answer) in [("there", "said there"), ("alone?", "said alone? (alone)")] {
        talks.say(GOSSIP, &ann, said);
        assert_eq!(ann.answer().await, answer);
    }
    assert_eq!(*recorder.lines.lock().unwrap(), ["there", "alone?"]);
    talks.stop().await;
}

#[tokio::test(start_paused = true)]
async fn whose_words_meet_a_crash_is_told_and_nothing_else_is_lost() {
    let talks = Talks::start().await;
    assert!(talks.channels.plug(Arc::new(Recorder::default())));
    let (mut ann, mut bob) = (talks.on(GOSSIP, "Ann"), talks.on(GOSSIP, "Bob"));
    for round in 0..6 {
        talks.say(GOSSIP, &ann, "poison");
        talks.say(GOSSIP, &bob, &format!("after {round}"));
        assert_eq!(ann.answer().await, "lost");
        assert_eq!(bob.answer().await, format!("said after {round}"));
        assert_eq!(ann.hears().await, format!("Bob: after {round}"));
    }
    assert!(bob.heard.try_recv().is_err(), "the poison was not told");
    assert_eq!(talks.channels.count(GOSSIP), 2);
    talks.stop().await;
}

#[tokio::test(start_paused = true)]
async fn many_are_told_in_slices_and_a_crash_in_between_skips_nobody() {
    let talks = Talks::start().await;
    let mut ann = talks.on(CHAT, "Ann");
    let mut many: Vec<Player> = (0..3 * limits::CROWD_SLICE)
        .map(|number| talks.on(CHAT, &format!("Guest{number}")))
        .collect();
    talks.say(CHAT, &ann, "one");
    assert_eq!(ann.answer().await, "said one");
    let told = many.iter().filter(|one| !one.heard.is_empty()).count();
    assert!(told < many.len(), "not all at once: {told}");
    talks.say(CHAT, &ann, "two");
    talks.channels.crash(CHAT).unwrap();
    talks.say(CHAT, &ann, "three");
    for expected in ["said two", "said three"] {
        assert_eq!(ann.answer().await, expected);
    }
    for player in &mut many {
        for expected in ["Ann: one", "Ann: two", "Ann: three"] {
            assert_eq!(player.hears().await, expected);
        }
    }
    let all = ["Ann: one", "Ann: two", "Ann: three"];
    assert_eq!(talks.recalls(&mut ann).await, all);
    talks.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_does_not_run_or_does_not_exist_takes_nothing() {
    let channels = Channels::new(world());
    assert_eq!(
        channels.forget(ChannelId(9), "Other".into()),
        Err(NotTaken::Closed)
    );
    let talks = Talks::start().await;
    let ann = talks.on(CHAT, "Ann");
    let channels = talks.channels.clone();
    talks.stop().await;
    let receipt = Receipt::new(BeingPort::Session(ann.port.clone()), LineId(1));
    let who = (ann.name.clone(), ann.process.pid());
    let sent = channels.say(CHAT, who, "hello".into(), receipt);
    assert_eq!(sent, Err(NotTaken::Closed));
    assert_eq!(channels.foreign(CHAT, bo("hi")), Err(NotTaken::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_full_channel_says_so_and_keeps_its_reserve_for_the_game() {
    let channels = Channels::new(world());
    // It takes messages before it runs, and handles them then.
    for _ in 0..limits::CHANNEL_MAILBOX {
        assert_eq!(channels.foreign(CHAT, bo("flood")), Ok(()));
    }
    assert_eq!(channels.foreign(CHAT, bo("flood")), Err(NotTaken::Busy));
    assert_eq!(channels.forget(CHAT, "Other".into()), Ok(()));
}
