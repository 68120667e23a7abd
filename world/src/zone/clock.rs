//! `[process]` The clock of a zone: missing things come back, and in a cluster the zone shows that
//! it works.

use super::ZonePlan;
use crate::cluster::limits::{BEAT_EVERY, MESSAGES_PER_WEIGHT};
use crate::ids::RoomId;
use crate::ring::{RoomMessage, Undelivered};
use crate::room::RoomState;
use belay_runtime::{Capacity, ChildSpec, Context, Incoming, Mailbox};

/// What the clock wakes for.
#[derive(Clone, Copy, Debug)]
enum Strike {
    /// Time for the things that are missing.
    Reset,
    /// Time to show that the zone works.
    Beat,
}

impl ZonePlan {
    /// Tells all rooms from time to time that missing things come back. When the zone opens, its
    /// rooms hold what they should: whoever starts the zone has seen to it. In a cluster each beat
    /// asks another room whether it works.
    pub(super) fn clock(&self) -> ChildSpec {
        let mailbox = Mailbox::<Strike>::new(Capacity {
            messages: 1,
            reserved: 0,
        });
        let plan = self.clone();
        ChildSpec::body("clock", &mailbox, move |mut ctx| {
            let plan = plan.clone();
            async move {
                ctx.send_after(plan.reset_every, Strike::Reset);
                plan.beat(&mut ctx, 0);
                let mut beats = 0_usize;
                loop {
                    match ctx.next().await {
                        Incoming::Timer(Strike::Reset) | Incoming::Message(Strike::Reset) => {
                            plan.reset();
                            ctx.send_after(plan.reset_every, Strike::Reset);
                        }
                        Incoming::Timer(Strike::Beat) | Incoming::Message(Strike::Beat) => {
                            beats = beats.wrapping_add(1);
                            plan.beat(&mut ctx, beats);
                        }
                        Incoming::Signal(_) => {}
                        Incoming::Shutdown => return Ok(()),
                    }
                }
            }
        })
    }

    fn reset(&self) {
        let world = &self.shared.world;
        let misses = |id: &&RoomId| world.room(**id).is_some_and(|room| !room.resets.is_empty());
        for id in self.heirs.keys().filter(misses) {
            self.rooms.tell_if_here(*id, RoomMessage::Reset);
        }
    }

    fn beat(&self, ctx: &mut Context<Strike>, beats: usize) {
        let Some(right) = &self.shared.right else {
            return;
        };
        let players: usize = self
            .heirs
            .values()
            .map(|heir| heir.with(|room| RoomState::sessions(room)))
            .sum();
        let busy = right.take_handled() / MESSAGES_PER_WEIGHT;
        let players = u32::try_from(players).unwrap_or(u32::MAX);
        right.set_weight(players.saturating_add(u32::try_from(busy).unwrap_or(u32::MAX)));
        let rooms = self.heirs.len().max(1);
        let at = beats.checked_rem(rooms).unwrap_or(0);
        if let Some(id) = self.heirs.keys().nth(at)
            && self.rooms.tell_here(*id, RoomMessage::Beat) == Err(Undelivered::Closed)
        {
            // A room that is closed for good does not speak for the others.
            right.beat(ctx.now().into_std());
        }
        ctx.send_after(BEAT_EVERY, Strike::Beat);
    }
}
