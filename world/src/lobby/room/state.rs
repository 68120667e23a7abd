//! `[pure]` What a room knows.

use super::due::{Due, Dues};
use super::effect::Now;
use super::kept::KeptTicks;
use super::member::Fields;
use super::members::Members;
use super::verdict::Verdicts;
use super::waiting::{Admitted, Line};
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::ids::{HallRoomId, Seq, Slot, Tag, UnixSeconds};
use crate::lobby::limits::{SEAT_KEPT, TICK};
use crate::lobby::protocol::{Access, Chat, Left, PlayerEntry, RoomEntry};
use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

/// Ticks that a room leaps over when it goes on after a crash: no client has seen one of them.
const SEQ_LEAP: u64 = 1_000;

/// What a room is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Which.
    pub id: HallRoomId,
    /// Its name.
    pub name: Text,
    /// How many it takes.
    pub seats: u16,
    /// Who may come in.
    pub access: Access,
    /// The name of whoever made it; Headquarters belong to nobody.
    pub owner: Option<Text>,
}

/// The state of a room, whose members are reached by ports of this kind.
#[derive(Debug)]
pub struct RoomState<P> {
    pub(super) about: About,
    pub(super) members: Members<P>,
    /// Who has a seat and is not in yet, in the order in which they came.
    pub(super) waiting: Line<P>,
    pub(super) wants: Vec<Want>,
    pub(super) untold: Untold,
    /// The last tick that was told.
    pub(super) seq: Seq,
    pub(super) kept: KeptTicks,
    pub(super) history: VecDeque<Chat>,
    pub(super) muted: Verdicts,
    pub(super) banned: Verdicts,
    pub(super) admitted: Admitted,
    pub(super) due: Dues,
    /// Whose sockets took no more, and did not ask for the list.
    pub(super) stale: BTreeSet<SessionId>,
    /// When those are tried again.
    pub(super) retry_at: Option<Instant>,
    pub(super) ticked: Option<Instant>,
    pub(super) waiting_told: Option<Instant>,
    pub(super) is_closed: bool,
}

/// A member who wants the whole with the next tick.
#[derive(Debug)]
pub(super) struct Want {
    pub(super) guest: SessionId,
    pub(super) why: WantWhy,
}

/// Why.
#[derive(Debug)]
pub(super) enum WantWhy {
    /// Came into the room where they sit already.
    Again { tag: Tag, instead: bool },
    /// Is back.
    Resumed { tag: Tag, seen: Option<Seq> },
    /// The socket had too much waiting, and has drained.
    Drained,
    /// The socket's mailbox was full.
    Refused,
}

impl WantWhy {
    /// The tag of whoever waits for an answer.
    pub(super) fn tag(&self) -> Option<Tag> {
        match self {
            Self::Again { tag, .. } | Self::Resumed { tag, .. } => Some(*tag),
            Self::Drained | Self::Refused => None,
        }
    }
}

/// What happened since the last tick.
#[derive(Debug, Default)]
pub(super) struct Untold {
    pub(super) left: Vec<Left>,
    /// Places of which something changed; each once.
    pub(super) changed: Vec<Slot>,
    pub(super) said: Vec<Said>,
    /// The room itself changed.
    pub(super) room: bool,
    /// The hall is to hear how the room is.
    pub(super) report: bool,
    /// Who came and who left, for the hall.
    pub(super) came: Vec<Text>,
    pub(super) gone: Vec<Text>,
}

/// A line that was said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) guest: SessionId,
    pub(super) name: Text,
    pub(super) text: Text,
    pub(super) at: UnixSeconds,
}

impl<P: Clone> RoomState<P> {
    /// A room with nobody in it.
    pub fn new(about: About) -> Self {
        Self {
            about,
            members: Members::new(),
            waiting: Line::new(),
            wants: Vec::new(),
            untold: Untold::default(),
            seq: Seq(0),
            kept: KeptTicks::default(),
            history: VecDeque::new(),
            muted: Verdicts::default(),
            banned: Verdicts::default(),
            admitted: Admitted::default(),
            due: Dues::default(),
            stale: BTreeSet::new(),
            retry_at: None,
            ticked: None,
            waiting_told: None,
            is_closed: false,
        }
    }

    /// What the room is.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The last tick that was told.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Seats that are taken: by members, by those whose connection is lost, and by those who wait
    /// to come in.
    pub fn taken(&self) -> usize {
        self.members.len() + self.waiting.len()
    }

    /// The room as it stands in lists.
    pub fn entry(&self) -> RoomEntry {
        RoomEntry {
            room: self.about.id,
            name: self.about.name.clone(),
            players: u16::try_from(self.taken()).unwrap_or(u16::MAX),
            seats: self.about.seats,
            access: self.about.access,
        }
    }

    /// All members as others see them, by place.
    pub fn list(&self, now: Now) -> impl Iterator<Item = PlayerEntry> + '_ {
        self.members.all().map(move |member| member.entry(now))
    }

    /// Who is to be told the tick that was just made: not whoever came or resumed with it, whose
    /// list has it already, and not whose connection is lost or stale.
    pub fn audience(&self) -> impl Iterator<Item = (SessionId, &P)> {
        let seq = self.seq;
        self.members
            .all()
            .filter(move |member| member.since < seq && member.listens())
            .map(|member| (member.card.guest, &member.port))
    }

    /// The port of a member, or of one who waits to come in.
    pub fn port(&self, guest: SessionId) -> Option<&P> {
        let member = self.members.get(guest).map(|member| &member.port);
        member.or_else(|| {
            let waiting = self.waiting.get(guest)?;
            Some(&waiting.coming.port)
        })
    }

    /// The ports of all who have a seat.
    pub fn ports(&self) -> impl Iterator<Item = &P> {
        let waiting = self.waiting.iter().map(|waiting| &waiting.coming.port);
        let members = self.members.all().map(|member| &member.port);
        members.chain(waiting)
    }

    /// When the next [`Input::Tick`](super::Input::Tick) has something to do; `None`: never, as
    /// things are.
    pub fn next_wake(&self, now: Now) -> Option<Instant> {
        let after = self.ticked.map_or(now.at, |ticked| ticked + TICK);
        let tick = self.is_pending().then_some(after);
        let wakes = [tick, self.retry_at, self.due.next()];
        wakes.into_iter().flatten().min()
    }

    /// Whether a tick has something to tell, or somebody to let in.
    pub(super) fn is_pending(&self) -> bool {
        let Untold {
            left,
            changed,
            said,
            room,
            report,
            came,
            gone,
        } = &self.untold;
        let told = !left.is_empty() || !changed.is_empty() || !said.is_empty() || *room;
        let reported = *report || !came.is_empty() || !gone.is_empty();
        told || reported || !self.waiting.is_empty() || !self.wants.is_empty()
    }

    /// Something of this member is to be told.
    pub(super) fn touch(&mut self, guest: SessionId, fields: Fields) {
        if fields == Fields::NONE {
            return;
        }
        let Some(member) = self.members.get_mut(guest) else {
            return;
        };
        if member.untold == Fields::NONE {
            self.untold.changed.push(member.slot);
        }
        member.untold.add(fields);
    }

    /// Goes on after a crash, which may have left anything half done: who sits where is what holds,
    /// and everybody is told the whole.
    pub fn mend(&mut self) {
        self.members.mend();
        self.waiting.mend();
        self.stale.clear();
        self.untold = Untold::default();
        self.untold.report = true;
        self.kept.clear();
        self.seq.0 += SEQ_LEAP;
        self.wants.clear();
        for member in self.members.all_mut() {
            member.untold = Fields::NONE;
            let (guest, why) = (member.card.guest, WantWhy::Drained);
            member.wants = true;
            self.wants.push(Want { guest, why });
            member.is_stale = false;
            if let Some(lost) = member.lost {
                self.due.add(lost + SEAT_KEPT, Due::Seat(guest));
            }
        }
    }

    /// Whether this member is told nothing at the moment.
    #[cfg(test)]
    pub(super) fn is_deaf(&self, guest: SessionId) -> bool {
        let member = self.members.get(guest);
        member.is_some_and(|member| !member.listens())
    }

    /// What always holds between two steps.
    ///
    /// # Panics
    /// When it does not: a bug, which ends the room's process; the next one mends the state.
    pub(super) fn check(&self) {
        assert!(
            self.members.adds_up(self.untold.left.len()),
            "every place is taken, free or being left"
        );
        assert!(
            self.stale.len() <= self.members.len(),
            "only members are stale"
        );
        assert!(
            !self.is_closed || self.taken() == 0,
            "nobody is in a closed room"
        );
    }
}
