//! `[process]` What happens in a room of another node is told to this node's sessions there. A
//! crowd is told some at a time, as a room tells the crowd of its own node; what happens meanwhile
//! in any room of the zone waits behind it, so that everybody reads everything in order.

use super::counts::Count;
use super::desk::{Desk, Standing};
use super::frame::Entry;
use super::gateway::Gateway;
use super::limits::TELLINGS_MAX;
use crate::event::Event;
use crate::ids::{Being, RoomId, SessionId, ZoneId};
use crate::limits::{CROWD_SLICE, CROWD_SLICE_GAP};
use crate::ops::metrics;
use crate::ring::{SessionMessage, SessionPort};
use crate::view::{Batch, Notice};
use belay_runtime::{ChildSpec, Incoming, TrySendError};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// What is told.
#[derive(Debug)]
pub(super) enum News {
    /// Something happened, which is not told to the one who did it.
    Notice(Option<Being>, Arc<Notice>),
    /// The tick of a crowd: what those read who stood there before, and those who came in during
    /// it, who are named in order.
    Tick {
        all: Option<Arc<Batch>>,
        newcomers: Option<Arc<Batch>>,
        fresh: Vec<SessionId>,
    },
}

/// News on their way to those who stood in the room when they came.
#[derive(Debug)]
pub(super) struct Telling {
    room: RoomId,
    news: News,
    to: VecDeque<(SessionId, SessionPort)>,
}

impl News {
    pub(super) fn notice((by, seen): Entry) -> Self {
        Self::Notice(by, Arc::new(Notice::new(Event::Seen(seen))))
    }

    pub(super) fn tick(all: Vec<Entry>, newcomers: Vec<Entry>, fresh: Vec<SessionId>) -> Self {
        Self::Tick {
            all: batch(all),
            newcomers: batch(newcomers),
            fresh,
        }
    }

    /// What this session is sent, if anything.
    fn message(&self, session: SessionId) -> Option<SessionMessage> {
        match self {
            Self::Notice(by, _) if *by == Some(Being::Session(session)) => None,
            Self::Notice(_, notice) => Some(SessionMessage::Notice(notice.clone())),
            Self::Tick {
                all,
                newcomers,
                fresh,
            } => {
                let came_during = fresh.binary_search(&session).is_ok();
                let batch = if came_during { newcomers } else { all };
                batch.clone().map(SessionMessage::Tick)
            }
        }
    }
}

impl Gateway {
    /// Tells this node's sessions in a room, at once or the first of many.
    pub(super) fn tell(&self, desk: &mut Desk, (zone, room): (ZoneId, RoomId), news: News) {
        let Desk {
            standing, tellings, ..
        } = desk;
        let Some(here) = standing.in_room(room) else {
            return;
        };
        let waits = !tellings.is_empty();
        if !waits && here.len() <= CROWD_SLICE {
            let mut ended = false;
            for (session, port) in here {
                ended |= self.tell_one(&news, *session, port);
            }
            if ended {
                standing.purge(room);
            }
            return;
        }
        let to = here.iter().map(|(session, port)| (*session, port.clone()));
        tellings.push_back(Telling {
            room,
            news,
            to: to.collect(),
        });
        if tellings.len() > TELLINGS_MAX {
            self.tell_rest(desk);
        } else if !waits && self.slice(desk) {
            let mut fanning = self.fanning.lock().unwrap_or_else(PoisonError::into_inner);
            fanning.insert(zone);
            drop(self.fan.address().try_send(()));
        }
    }

    /// Tells the next ones; whether more are to be told.
    fn slice(&self, desk: &mut Desk) -> bool {
        self.tell_some(desk, CROWD_SLICE);
        !desk.tellings.is_empty()
    }

    /// Tells all that are to be told.
    pub(super) fn tell_rest(&self, desk: &mut Desk) {
        self.tell_some(desk, usize::MAX);
    }

    fn tell_some(&self, desk: &mut Desk, mut most: usize) {
        let Desk {
            standing, tellings, ..
        } = desk;
        while let Some(telling) = tellings.front_mut() {
            let room = telling.room;
            let mut ended = false;
            while most > 0
                && let Some((session, port)) = telling.to.pop_front()
            {
                most -= 1;
                // Who has left meanwhile is not told.
                if standing.is_in(room, session) {
                    ended |= self.tell_one(&telling.news, session, &port);
                }
            }
            if ended {
                standing.purge(room);
            }
            if !telling.to.is_empty() {
                return;
            }
            tellings.pop_front();
        }
    }

    /// Whether the session has ended.
    fn tell_one(&self, news: &News, session: SessionId, port: &SessionPort) -> bool {
        let Some(message) = news.message(session) else {
            return false;
        };
        self.counts().add(Count::FanOut, 1);
        match port.try_send(message) {
            Ok(()) => false,
            Err(TrySendError::Full(_)) => {
                metrics::ambient_dropped(1);
                false
            }
            Err(TrySendError::Closed(_)) => true,
        }
    }

    /// Tells the next ones of all crowds; whether more are to be told.
    fn fan_out(&self) -> bool {
        let fanning = || self.fanning.lock().unwrap_or_else(PoisonError::into_inner);
        let zones = fanning().clone();
        for zone in zones {
            let mut desk = self.lock(zone);
            if !self.slice(&mut desk) {
                fanning().remove(&zone);
            }
        }
        !fanning().is_empty()
    }
}

impl Standing {
    fn is_in(&self, room: RoomId, session: SessionId) -> bool {
        self.find(session)
            .is_some_and(|(stands_in, _)| stands_in == room)
    }
}

/// Tells crowds, a moment after the first of them were told.
pub(super) fn fan(gateway: Arc<Gateway>) -> ChildSpec {
    let mailbox = gateway.fan.clone();
    ChildSpec::body("fan", &mailbox, move |mut ctx| {
        let gateway = gateway.clone();
        async move {
            // Also what an incarnation before has not told.
            let mut armed = true;
            ctx.send_after(CROWD_SLICE_GAP, ());
            loop {
                match ctx.next().await {
                    Incoming::Message(()) if armed => continue,
                    Incoming::Message(()) => armed = true,
                    Incoming::Timer(()) => armed = gateway.fan_out(),
                    Incoming::Signal(_) => continue,
                    Incoming::Shutdown => return Ok(()),
                }
                if armed {
                    ctx.send_after(CROWD_SLICE_GAP, ());
                }
            }
        }
    })
}

fn batch(entries: Vec<Entry>) -> Option<Arc<Batch>> {
    if entries.is_empty() {
        return None;
    }
    let events = entries
        .into_iter()
        .map(|(by, seen)| (by, Event::Seen(seen)))
        .collect();
    Some(Arc::new(Batch::new(events)))
}
