//! `[process]` Goal: what survives the crashes of rooms and mobs, and who is told. Method: a zone
//! under a supervisor, with players who only listen; the clock is paused, and goes on when all
//! wait.

use super::*;
use crate::being::{Card, Entry};
use crate::command::Noun;
use crate::event::{Did, Event, Seen};
use crate::ids::{LineId, MoveSeq, SessionId};
use crate::ring::{BeingPort, Receipt, SessionMessage, SessionPort};
use crate::room::{Answer, Ask, CrowdRules};
use crate::sample::{HALL, YARD, lamp, world};
use belay_cluster::{Epoch, Fence, LeaseClock, ShardId};
use belay_runtime::{DynamicOptions, DynamicSupervisor, Incoming, Node};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longer than anything takes unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A zone, and who listens in it.
struct Town {
    node: Node,
    rooms: Rooms,
    floors: BTreeMap<RoomId, Heir<LiveRoom>>,
    players: DynamicSupervisor,
}

/// A player who only listens.
struct Player {
    being: Being,
    port: SessionPort,
    mailbox: Mailbox<SessionMessage>,
    heard: mpsc::Receiver<SessionMessage>,
}

impl Town {
    /// The town of the sample. With more players than `crowd` a room gathers.
    async fn start(crowd: usize, mobs: bool) -> Self {
        Self::with_right(crowd, mobs, None).await
    }

    /// The same, which acts only by this right.
    async fn with_right(crowd: usize, mobs: bool, right: Option<Arc<Right>>) -> Self {
        let rooms = Rooms::new(world().rooms().len());
        let shared = RoomContext {
            world: world(),
            crowd: CrowdRules {
                size: crowd,
                gap: Duration::from_millis(50),
                size_large: crowd,
                gap_large: Duration::from_millis(100),
            },
            restock: Arc::new(|_, _, _| {}),
            right,
        };
        let mut plan = ZonePlan::new(ZoneId(0), rooms.clone(), Arc::new(shared));
        plan.mobs = mobs;
        let floors: BTreeMap<_, _> = plan.floors().collect();
        for heir in floors.values() {
            heir.with(|room| room.stock(lamp(i64::from(room.id().0) + 1)));
        }
        let players = DynamicSupervisor::new("players", DynamicOptions::default());
        let tree = Supervisor::builder("node")
            .child(players.spec())
            .child(plan.spec());
        Self {
            node: Node::start(tree).await.unwrap(),
            rooms,
            floors,
            players,
        }
    }

    /// A player who comes into a room.
    async fn player(&self, id: u64, room: RoomId) -> Player {
        let capacity = Capacity {
            messages: 256,
            reserved: 80,
        };
        let mailbox = Mailbox::new(capacity);
        let (to, heard) = mpsc::channel(4_096);
        let spec = ChildSpec::body(format!("player:{id}"), &mailbox, move |mut ctx| {
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
        self.players.spawn_child(spec).unwrap();
        let mut player = Player {
            being: Being::Session(SessionId(id)),
            port: mailbox.address(),
            mailbox,
            heard,
        };
        let card = Arc::new(Card {
            name: format!("Guest{id}").into(),
            description: "Plain.".into(),
            character: None,
            mob: None,
            away: false,
            linkdead: false,
        });
        let (seq, how) = (MoveSeq(1), Entry::Wake);
        self.ask(&player, room, Ask::Enter { seq, card, how });
        let answer = player.answer().await;
        assert!(matches!(answer, Answer::Entered { .. }), "{answer:?}");
        player
    }

    fn ask(&self, player: &Player, room: RoomId, ask: Ask) {
        let receipt = Receipt::new(BeingPort::Session(player.port.clone()), LineId(1));
        self.rooms.ask(room, player.being, ask, receipt).unwrap();
    }

    fn floor(&self, room: RoomId) -> Vec<i64> {
        let ids = |room: &mut LiveRoom| room.items().iter().map(|item| item.id.0).collect();
        self.floors[&room].with(ids)
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

    async fn answer(&mut self) -> Answer {
        loop {
            if let SessionMessage::Answer(_, answer) = self.next().await {
                return answer;
            }
        }
    }

    /// The answer to what it asked, or that it is lost.
    async fn outcome(&mut self) -> Option<Answer> {
        loop {
            let heard = self.next().await;
            if let SessionMessage::Answer(_, answer) = heard {
                return Some(answer);
            }
            if let SessionMessage::Lost(_) = heard {
                return None;
            }
        }
    }

    /// Waits until it hears this.
    async fn hears(&mut self, seen: Seen) {
        let event = Event::Seen(seen);
        loop {
            if let SessionMessage::Notice(notice) = self.next().await
                && *notice.event() == event
            {
                return;
            }
        }
    }
}

fn get() -> Ask {
    Ask::Get(Noun::first("lamp"))
}

fn show(event: Event) -> Answer {
    Answer::Show(Box::new(event))
}

#[tokio::test(start_paused = true)]
async fn a_room_goes_on_after_a_crash_and_only_the_poison_is_lost() {
    let town = Town::start(0, false).await;
    let mut ann = town.player(1, HALL).await;
    let mut bob = town.player(2, HALL).await;
    town.ask(&ann, HALL, Ask::Say("one".into()));
    let said = show(Event::Did(Did::Say("one".into())));
    assert_eq!(ann.answer().await, said);
    town.ask(&ann, HALL, Ask::Crash);
    town.ask(&ann, HALL, get());
    loop {
        let heard = ann.next().await;
        if let SessionMessage::Lost(id) = heard {
            assert_eq!(id, LineId(1));
            break;
        }
        assert!(!matches!(heard, SessionMessage::Answer(..)), "{heard:?}");
    }
    assert_eq!(ann.answer().await, Answer::Handed(HALL, lamp(1)));
    // What was gathered before the crash is told all the same: its tick is set again.
    while !matches!(bob.next().await, SessionMessage::Tick(_)) {}
    assert!(town.floor(HALL).is_empty());
    town.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rooms_that_may_not_act_answer_nothing_and_say_nothing() {
    let now = || tokio::time::Instant::now().into_std();
    let lease = LeaseClock::unlimited(now());
    let fence = Fence::new(ShardId::new("zone:town"), Epoch(7), lease.clone());
    let right = Arc::new(Right::new(fence, now()));
    let town = Town::with_right(100, false, Some(right.clone())).await;
    let mut ann = town.player(1, HALL).await;
    let mut bob = town.player(2, HALL).await;
    for lapse in [
        (&|| right.suspend(true)) as &dyn Fn(),
        &|| right.suspend(false),
        &|| lease.lapse(),
    ] {
        lapse();
        let acts = right.may_act(now());
        town.ask(&ann, HALL, Ask::Say("hm".into()));
        assert_eq!(ann.outcome().await.is_some(), acts);
        town.ask(&ann, HALL, get());
        let handed = ann.outcome().await;
        assert_eq!(handed, acts.then_some(Answer::Handed(HALL, lamp(1))));
        if acts {
            let back = RoomMessage::Cast(ann.being, room::Cast::PutBack(lamp(1)));
            town.rooms.tell(HALL, back).unwrap();
            town.ask(&ann, HALL, Ask::Look);
            assert!(ann.outcome().await.is_some());
        }
    }
    bob.hears(Seen::Says {
        who: "Guest1".into(),
        text: "hm".into(),
    })
    .await;
    assert!(bob.heard.try_recv().is_err(), "one of three was said");
    assert_eq!(town.floor(HALL), [1]);
    town.stop().await;
}

#[tokio::test(start_paused = true)]
async fn regression_a_thing_stays_when_who_asked_for_it_is_gone() {
    let town = Town::start(100, false).await;
    let ann = town.player(1, HALL).await;
    let mut bob = town.player(2, HALL).await;
    ann.mailbox.close();
    town.ask(&ann, HALL, get());
    town.ask(&bob, HALL, get());
    assert_eq!(bob.answer().await, Answer::Handed(HALL, lamp(1)));
    town.stop().await;
}

#[tokio::test(start_paused = true)]
async fn regression_a_mob_that_is_given_up_is_taken_out_of_its_room() {
    let town = Town::start(100, true).await;
    let mut ann = town.player(1, HALL).await;
    for _ in 0..6 {
        town.ask(&ann, HALL, Ask::CrashMob(Noun::first("mog")));
    }
    ann.hears(Seen::Vanishes("Mog the cat".into())).await;
    town.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_room_that_keeps_crashing_is_closed_alone_and_throws_its_players_out() {
    let town = Town::start(100, false).await;
    let mut ann = town.player(1, YARD).await;
    let mut bob = town.player(2, HALL).await;
    for _ in 0..4 {
        let sent = town.rooms.tell(YARD, RoomMessage::Crash);
        assert_eq!(sent, Ok(()), "it is open until it is given up");
    }
    while !matches!(ann.next().await, SessionMessage::RoomClosed(YARD)) {}
    assert!(!town.rooms.is_open(YARD));
    assert_eq!(town.floor(YARD), [2], "what lies there is kept");
    town.ask(&bob, HALL, get());
    assert_eq!(bob.answer().await, Answer::Handed(HALL, lamp(1)));
    town.stop().await;
}
