//! `[process]` Goal: what the network says reaches whom it should, and what has no place is
//! counted. Method: a bridge with a network that does what the test says, players who are only
//! mailboxes, and a clock that stands still unless the test moves it.

use super::{
    Answer, Bridge, BridgeRules, FileState, Network, NotTold, Outgoing, Remote, Shown, Sign, limits,
};
use crate::event::Event;
use crate::ids::ChannelId;
use crate::node::{Player, Players};
use crate::ring::SessionMessage;
use crate::sample::world;
use crate::store::{NetworkRule, RuleKind, RuleSubject, UnixMillis};
use crate::talk::Channels;
use belay_gossip::Credentials;
use belay_gossip::client::{
    ClientFigures, ClientStatus, News, Port, Receipt, Roster, SayError, Tell, TellAnswer,
    TellOutcome,
};
use belay_runtime::{
    Capacity, ChildSpec, Context, DynamicOptions, DynamicSupervisor, Incoming, Mailbox, Node,
    ProcessRef, Supervisor,
};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::time::advance;

const GOSSIP: ChannelId = ChannelId(1);

const ONLINE: ClientStatus = ClientStatus::Online { for_ms: 0 };

/// A network that answers as it is told and notes what it is asked for.
#[derive(Debug)]
struct Scripted {
    status: Mutex<ClientStatus>,
    answer: Mutex<TellAnswer>,
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }
}

impl Network for Scripted {
    fn spec(&self) -> ChildSpec {
        ChildSpec::task("network", |ctx: Context<Infallible>| async move {
            ctx.stopping().await;
            Ok(())
        })
    }
    fn configure(&self, _: Option<Credentials>) {}
    fn on(&self) {}
    fn off(&self) {}
    fn retry(&self) -> bool {
        false
    }
    fn subscribe(&self, channel: &str) {
        self.note(format!("subscribe {channel}"));
    }
    fn say(&self, _: &str, _: &str, message: &str) -> Result<(), SayError> {
        self.note(format!("say {message}"));
        Ok(())
    }
    fn sign_in(&self, name: &str) {
        self.note(format!("in {name}"));
    }
    fn sign_out(&self, name: &str) {
        self.note(format!("out {name}"));
    }
    fn tell(&self, tell: Tell, answer: Answer) {
        self.note(format!("tell {}@{}", tell.to_name, tell.to_game));
        answer(self.answer.lock().unwrap().clone());
    }
    fn receipt(&self, _: Receipt, outcome: TellOutcome) {
        self.note(outcome.as_str());
    }
    fn roster(&self) -> Arc<Roster> {
        Arc::default()
    }
    fn status(&self) -> ClientStatus {
        self.status.lock().unwrap().clone()
    }
    fn figures(&self) -> ClientFigures {
        ClientFigures::default()
    }
}

/// A player who is only a mailbox; what comes is kept.
struct Listener {
    player: Arc<Player>,
    heard: Arc<Mutex<Vec<SessionMessage>>>,
}

struct Stage {
    bridge: Bridge,
    network: Arc<Scripted>,
    port: Arc<dyn Port>,
    players: Players,
    group: DynamicSupervisor,
    node: Node,
}

impl Stage {
    async fn new() -> Self {
        let network = Arc::new(Scripted {
            status: Mutex::new(ONLINE),
            answer: Mutex::new(TellAnswer::Sent),
            asked: Mutex::default(),
        });
        let port = OnceLock::new();
        let (players, channels) = (Players::new(), Channels::new(world()));
        let rules = BridgeRules {
            notices: true,
            guests_speak: true,
        };
        let around = (players.clone(), channels.clone());
        let bridge = Bridge::new(world(), around, rules, |given| {
            port.get_or_init(|| given);
            network.clone()
        });
        let group = DynamicSupervisor::new("group", DynamicOptions::default());
        let tree = Supervisor::builder("node")
            .child(group.spec())
            .child(bridge.spec(Vec::new));
        Self {
            node: Node::start(tree).await.unwrap(),
            port: port.into_inner().unwrap(),
            bridge,
            network,
            players,
            group,
        }
    }

    fn enters(&self, name: &str) -> Listener {
        let mailbox = Mailbox::new(Capacity::new(8));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = heard.clone();
        let spec = ChildSpec::body(name, &mailbox, move |mut ctx| {
            let kept = kept.clone();
            async move {
                loop {
                    match ctx.next().await {
                        Incoming::Message(message) => kept.lock().unwrap().push(message),
                        Incoming::Shutdown => return Ok(()),
                        Incoming::Timer(_) | Incoming::Signal(_) => {}
                    }
                }
            }
        });
        let owner: ProcessRef = self.group.spawn_child(spec).unwrap();
        let player = Arc::new(Player::new(name.into(), mailbox.address()));
        let entry = self.players.enter(&player, &owner).unwrap();
        entry.keep();
        Listener { player, heard }
    }

    fn status(&self, status: ClientStatus) {
        *self.network.status.lock().unwrap() = status.clone();
        self.port.deliver(News::Status(status));
    }

    fn out(&self) {
        self.status(ClientStatus::Waiting {
            reason: "gone".to_owned(),
            next_try_ms: 1,
        });
    }

    /// Lets time pass, and all that is due in it happen.
    async fn after(&self, time: Duration) {
        for _ in 0..time.as_millis().div_ceil(100) {
            advance(Duration::from_millis(100)).await;
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
    }

    fn blocks(&self, game: &str) {
        let rule = NetworkRule {
            subject: RuleSubject {
                kind: RuleKind::Block,
                name: game.to_owned(),
            },
            reason: String::new(),
            by: "Boss".to_owned(),
            at: UnixMillis(0),
        };
        self.bridge.shared.change(|rules| rules.add(rule));
    }

    /// The credentials say what this game is called.
    fn is_called(&self, game: &str) {
        let read = FileState::Read {
            path: String::new(),
            url: String::new(),
            game: Some(game.to_owned()),
        };
        self.bridge.configure(read, None);
    }

    /// A line of another game on a channel.
    fn line(&self, channel: &str, game: &str) {
        self.port.deliver(News::Channel {
            channel: channel.to_owned(),
            game: game.to_owned(),
            name: "Bo".to_owned(),
            message: "hi".to_owned(),
            missed: false,
        });
    }

    fn tell(&self, game: &str, to: &str) {
        self.port.deliver(News::Tell {
            from_game: game.to_owned(),
            from_name: "Bo".to_owned(),
            to_name: to.to_owned(),
            message: "hi".to_owned(),
            sent_at: String::new(),
            receipt: None,
        });
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.network.asked.lock().unwrap())
    }
}

impl Listener {
    fn shown(&self) -> Vec<Shown> {
        let heard = std::mem::take(&mut *self.heard.lock().unwrap());
        let shown = heard.into_iter().filter_map(|message| {
            let SessionMessage::Notice(notice) = message else {
                return None;
            };
            let Event::Bridge(shown) = notice.event() else {
                return None;
            };
            Some(shown.clone())
        });
        shown.collect()
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_told_to_members_of_remote_channels_alone_and_once() {
    let stage = Stage::new().await;
    let (ann, bob, cid) = (
        stage.enters("Ann"),
        stage.enters("Bob"),
        stage.enters("Cid"),
    );
    ann.player.joined(GOSSIP);
    bob.player.joined(ChannelId(0));
    cid.player.joined(GOSSIP);
    stage.after(Duration::from_secs(70)).await;
    stage.out();
    stage.after(Duration::from_secs(2)).await;
    assert_eq!(ann.shown(), []);
    // Who joins before it is told, or after, is told with the others or then, and not twice.
    let told = |who: &Listener| stage.bridge.joined(&who.player.name, GOSSIP);
    assert_eq!(told(&cid), None);
    stage.after(Duration::from_secs(3)).await;
    let line = || Shown::Out(super::Out::OfReach);
    assert_eq!(ann.shown(), [line()]);
    assert_eq!(cid.shown(), [line()]);
    assert_eq!(told(&cid), None);
    assert_eq!(told(&bob), Some(line()));
    stage.after(Duration::from_secs(100)).await;
    stage.status(ONLINE);
    stage.after(Duration::from_secs(10)).await;
    stage.out();
    stage.after(Duration::from_secs(10)).await;
    assert_eq!([ann.shown(), bob.shown(), cid.shown()], [[], [], []]);
    stage.node.stop(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn who_comes_elsewhere_is_told_to_who_wants_to_know() {
    let stage = Stage::new().await;
    let (ann, bob) = (stage.enters("Ann"), stage.enters("Bob"));
    ann.player.set_notices(true);
    let dead = stage.enters("Dead");
    dead.player.set_notices(true);
    dead.player.set_marks(None, true);
    let comes = |game: &str| {
        stage.port.deliver(News::SignIn {
            game: game.to_owned(),
            name: "Bo".to_owned(),
        });
    };
    comes("Early");
    stage.after(Duration::from_secs(10)).await;
    assert_eq!(ann.shown(), []);
    stage.blocks("Blocked");
    comes("Blocked");
    comes("Other");
    stage.after(Duration::from_secs(1)).await;
    let shown = ann.shown();
    let [Shown::Signed(signed)] = shown.as_slice() else {
        panic!("{shown:?}");
    };
    assert_eq!(signed.sign, Sign::In);
    assert_eq!(signed.names, [Remote::parse("Bo@Other").unwrap()]);
    assert_eq!([bob.shown(), dead.shown()], [[], []]);
    stage.node.stop(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn what_has_no_place_here_is_counted() {
    let stage = Stage::new().await;
    assert_eq!(stage.asked(), ["subscribe gossip"]);
    let counts = &stage.bridge.shared.counts;
    stage.line("moo", "Other");
    assert_eq!(counts.unknown_channel.get(), 1);
    stage.blocks("Blocked");
    stage.line("gossip", "BLOCKED");
    stage.tell("Blocked", "Ann");
    assert_eq!((counts.blocked.get(), counts.tells_lost.get()), (2, 1));
    stage.tell("Other", "Nobody");
    assert_eq!(counts.tells_lost.get(), 2);
    stage.is_called("Ours");
    stage.line("gossip", "OURS");
    // The channel takes as many as it has room for; it does not run here.
    let more = 10;
    for _ in 0..crate::limits::CHANNEL_MAILBOX + more {
        stage.line("gossip", "Other");
    }
    assert_eq!(
        counts.lines_in.get(),
        u64::from(crate::limits::CHANNEL_MAILBOX)
    );
    assert_eq!(counts.dropped.get(), u64::from(more));
    // A session takes as many tells as it has room for, and the bridge as many news.
    let ann = stage.enters("Ann");
    for _ in 0..10 {
        stage.tell("Other", "ann");
    }
    assert_eq!(counts.dropped.get(), u64::from(more) + 2);
    assert_eq!(counts.tells_lost.get(), 4);
    drop(ann);
    for _ in 0..limits::MAILBOX + 3 {
        stage.port.deliver(News::GameUp("Other".to_owned()));
    }
    assert_eq!(counts.dropped.get(), u64::from(more) + 2 + 3);
    stage.node.stop(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_tell_whose_message_goes_unread_is_lost_and_one_that_is_read_is_not() {
    let stage = Stage::new().await;
    let ann = stage.enters("Ann");
    for _ in 0..3 {
        stage.tell("Other", "Ann");
    }
    stage.after(Duration::from_millis(100)).await;
    let mut heard = std::mem::take(&mut *ann.heard.lock().unwrap());
    let counts = &stage.bridge.shared.counts;
    let counted = || (counts.tells_in.get(), counts.tells_lost.get());
    assert_eq!((heard.len(), counted()), (3, (0, 0)));
    let Some(SessionMessage::Elsewhere(tell)) = heard.pop() else {
        panic!("a tell");
    };
    tell.receipt.shown();
    let Some(SessionMessage::Elsewhere(tell)) = heard.pop() else {
        panic!("a tell");
    };
    tell.receipt.lost();
    assert_eq!(counted(), (1, 1));
    // As when the session ends before it comes to that.
    drop(heard);
    assert_eq!(counted(), (1, 2));
    stage.node.stop(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn rules_that_were_read_before_a_change_do_not_undo_it() {
    let stage = Stage::new().await;
    let shared = &stage.bridge.shared;
    stage.blocks("Other");
    let before = shared.changes();
    let read = shared.staff().as_ref().clone();
    let other = RuleSubject {
        kind: RuleKind::Block,
        name: "OTHER".to_owned(),
    };
    shared.change(|rules| rules.lift(&other));
    assert!(!shared.replace(before, read.clone()));
    assert!(!shared.staff().blocks("Other"));
    assert!(shared.replace(shared.changes(), read));
    assert!(shared.staff().blocks("Other"));
    stage.node.stop(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_tell_is_answered_in_our_words() {
    let stage = Stage::new().await;
    let ann = stage.enters("Ann");
    let told = |to: &str, ignores: bool| {
        let tell = Outgoing {
            from: "Ann".into(),
            to: to.into(),
            whole: false,
            text: "hi".into(),
        };
        let answer = Arc::new(Mutex::new(None));
        let kept = answer.clone();
        stage.bridge.tell(
            &ann.player,
            tell,
            |_| ignores,
            move |shown| {
                *kept.lock().unwrap() = Some(shown);
            },
        );
        let shown = answer.lock().unwrap().take().unwrap();
        if let Shown::Told { to, .. } = shown {
            return Ok(to.to_string());
        }
        let Shown::NotTold { why, .. } = shown else {
            panic!("{shown:?}");
        };
        Err(why)
    };
    assert_eq!(told("bo@other", false), Ok("bo@other".to_owned()));
    assert_eq!(told("bo@other", true), Err(NotTold::Ignored));
    let table = [
        (TellAnswer::UnknownGame, NotTold::NoGame),
        (TellAnswer::GameOffline, NotTold::NoGame),
        (TellAnswer::NotSupported, NotTold::NotSupported),
        (TellAnswer::PlayerOffline, NotTold::NotThere),
        (TellAnswer::SenderOffline, NotTold::SenderUnknown),
        (TellAnswer::Offline, NotTold::Out(super::Out::OfReach)),
        (TellAnswer::TimedOut, NotTold::TimedOut),
        (
            TellAnswer::Refused("why".to_owned()),
            NotTold::Refused("why".into()),
        ),
    ];
    for (answer, why) in table {
        *stage.network.answer.lock().unwrap() = answer;
        assert_eq!(told("bo@other", false), Err(why));
    }
    stage.blocks("Other");
    assert_eq!(told("bo@OTHER", false), Err(NotTold::Blocked));
    stage.is_called("Ours");
    assert_eq!(told("bo@ours", false), Err(NotTold::Here));
    stage.out();
    let out = NotTold::Out(super::Out::OfReach);
    assert_eq!(told("bo@third", false), Err(out));
    stage.status(ClientStatus::Unconfigured);
    let nowhere = NotTold::Out(super::Out::Nowhere);
    assert_eq!(told("bo@third", false), Err(nowhere));
    stage.node.stop(Duration::from_secs(1)).await;
}
