//! `[pure]` A session in play without its process.

use crate::being::{Card, Journey};
use crate::command::Rights;
use crate::content::World;
use crate::event::{Event, Refusal, RoomSeen, Text};
use crate::ids::{AccountId, CharacterId, LineId, MoveSeq, RoomId, SessionId};
use crate::limits;
use crate::ops::metrics::VerbClass;
use crate::room::{Answer, Ask, Reach};
use crate::sample::{HALL, world};
use crate::session::{
    Bucket, Effect, Effects, Held, Identity, NotDelivered, PlayState, Scene, SessionRules,
    Settings, StoreAnswer, answered, arrive, due, line, lost, refused_delivery, settle, stored,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const RULES: SessionRules = SessionRules {
    linkdead: Duration::from_secs(300),
    save_every: Duration::from_secs(4),
    commands_per_s: 20,
    commands_burst: 40,
};

/// A session, the time, and the world.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) state: PlayState,
    pub(super) now: Instant,
    pub(super) world: Arc<World>,
}

impl Play {
    /// Ann, who is nowhere yet: with an account, or as a guest.
    pub(super) fn nowhere(account: Option<(AccountId, CharacterId)>) -> Self {
        #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
        let now = Instant::now();
        let name = Text::from("Ann");
        let state = PlayState {
            card: Arc::new(Card {
                name: name.clone(),
                description: "Plain.".into(),
                character: account.map(|(_, character)| character),
                mob: None,
                away: false,
                linkdead: false,
            }),
            identity: Arc::new(Identity {
                session: SessionId(1),
                name: name.clone(),
                account,
                account_name: name,
            }),
            rights: Rights { staff: false },
            journey: Journey::new(),
            asks: smallvec::SmallVec::new(),
            line: LineId(0),
            inventory: Arc::default(),
            away: None,
            reply_to: None,
            question: None,
            bucket: Bucket::new(20, 40, now),
            talk: Bucket::new(limits::TALK_PER_S, limits::TALK_BURST, now),
            told: Bucket::new(1, 1, now),
            since: now,
            played_s: 0,
            settings: Settings::default(),
            save_due: None,
            linkdead_due: None,
            adrift_due: None,
            bound_for: None,
            ending: None,
        };
        Self {
            state,
            now,
            world: world(),
        }
    }

    /// Ann, whose character stands in the hall. The next line is number 2.
    pub(super) fn character() -> Self {
        Self::nowhere(Some((AccountId(7), CharacterId(1)))).in_the_hall()
    }

    /// Ann as a guest, who stands in the hall. The next line is number 2.
    pub(super) fn guest() -> Self {
        Self::nowhere(None).in_the_hall()
    }

    fn in_the_hall(mut self) -> Self {
        self.step(|state, scene, out| arrive(state, scene, (HALL, Reach::Open), out));
        self.answer(1, entered(HALL, 1));
        self.state.save_due = None;
        self
    }

    /// The same with this in the hands.
    pub(super) fn holding(mut self, held: &[Held]) -> Self {
        self.state.inventory = Arc::new(held.to_vec());
        self
    }

    /// One step, as the process takes it.
    pub(super) fn step(
        &mut self,
        step: impl FnOnce(&mut PlayState, Scene<'_>, &mut Effects),
    ) -> Effects {
        let scene = Scene {
            world: &self.world,
            rules: &RULES,
            now: self.now,
        };
        let mut out = Effects::new();
        let mut next = self.state.clone();
        step(&mut next, scene, &mut out);
        settle(&mut next, self.now, &mut out);
        self.state = next;
        out
    }

    pub(super) fn typed(&mut self, text: &str) -> Effects {
        assert!(
            self.state.ready(),
            "{text} is typed where it can be handled"
        );
        self.step(|state, scene, out| line(state, scene, text, out))
    }

    pub(super) fn answer(&mut self, id: u32, answer: Answer) -> Effects {
        self.step(|state, scene, out| answered(state, scene, LineId(id), answer, out))
    }

    pub(super) fn lost(&mut self, id: u32) -> Effects {
        self.step(|state, scene, out| lost(state, scene, LineId(id), out))
    }

    pub(super) fn refused(&mut self, id: u32, why: NotDelivered) -> Effects {
        self.step(|state, scene, out| refused_delivery(state, scene, LineId(id), why, out))
    }

    pub(super) fn stored(&mut self, id: u32, is: StoreAnswer) -> Effects {
        self.step(|state, scene, out| stored(state, scene, LineId(id), is, out))
    }

    /// So much time passes.
    pub(super) fn after(&mut self, time: Duration) -> Effects {
        self.now += time;
        self.step(due)
    }

    /// A command of this kind is done that began now.
    pub(super) fn done(&self, verb: VerbClass) -> Effect {
        Effect::Done {
            since: self.now,
            verb,
        }
    }

    /// The things in the hands.
    pub(super) fn hands(&self) -> Vec<i64> {
        self.state
            .inventory
            .iter()
            .map(|held| held.item.id.0)
            .collect()
    }
}

pub(super) fn seen(room: RoomId) -> Box<RoomSeen> {
    Box::new(RoomSeen {
        room,
        people: vec![],
        people_more: 0,
        mobs: vec![],
        items: vec![],
    })
}

pub(super) fn entered(room: RoomId, seq: u32) -> Answer {
    Answer::Entered {
        seq: MoveSeq(seq),
        seen: seen(room),
    }
}

pub(super) fn ask(id: u32, ask: Ask) -> Effect {
    Effect::Ask(LineId(id), HALL, ask)
}

pub(super) fn refusal(why: Refusal) -> Effect {
    Effect::Show(Event::Refused(why))
}
