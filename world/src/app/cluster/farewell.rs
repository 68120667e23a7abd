//! `[process]` Sends the players of a node that stops away, some at a time. They log in on other
//! nodes at once: all in one moment, each would wait for all others to be saved and let in.

use std::sync::Arc;
use std::time::Duration;

use belay_cluster::Cluster;
use belay_runtime::{Capacity, ChildSpec, Context, Incoming, Mailbox, Shutdown};
use tokio::time::{MissedTickBehavior, interval};

use super::leave::others_can_own;
use crate::node::{Player, Services};
use crate::ring::SessionMessage;

/// Between two slices.
const SLICE_EVERY: Duration = Duration::from_millis(50);

/// Players of a slice, when there is time enough for all.
const SLICE_PLAYERS: usize = 15;

/// Players who were sent away and are not saved yet; while there are so many, nobody else is.
const LEAVING_MAX: usize = 60;

/// The part of the node's deadline for a stop that may go by with this: one half.
const PART_OF_DEADLINE: u32 = 2;

/// The child for the node's tree: to be stopped when nobody comes in any more, and before the
/// sessions are. With nobody to go to, it does nothing, and the sessions end all at once.
pub(crate) fn farewell(cluster: Cluster, services: Arc<Services>, deadline: Duration) -> ChildSpec {
    let mailbox = Mailbox::<Never>::new(Capacity {
        messages: 1,
        reserved: 0,
    });
    let within = deadline / PART_OF_DEADLINE;
    ChildSpec::body("farewell", &mailbox, move |mut ctx| {
        let (cluster, services) = (cluster.clone(), services.clone());
        async move {
            wait(&mut ctx).await;
            if others_can_own(&cluster.view(), cluster.me()) {
                send_away(&services, within).await;
            }
            Ok(())
        }
    })
    // It keeps to its time by itself; the node's own deadline is above it.
    .shutdown(Shutdown::Infinity)
}

/// Nobody tells it anything.
#[derive(Debug)]
enum Never {}

async fn wait(ctx: &mut Context<Never>) {
    loop {
        match ctx.next().await {
            Incoming::Shutdown => return,
            Incoming::Message(never) | Incoming::Timer(never) => match never {},
            Incoming::Signal(_) => {}
        }
    }
}

/// Tells everybody, a slice at a time, for as long as that may take; who is left then is told with
/// all others.
async fn send_away(services: &Services, within: Duration) {
    let mut players: Vec<Arc<Player>> = Vec::new();
    services
        .players
        .for_each(|player| players.push(player.clone()));
    let mut slices = interval(SLICE_EVERY);
    slices.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let count = players.len();
    let (mut told, mut left) = (0, slices_within(within));
    while told < count && left > 0 {
        slices.tick().await;
        let leaving = (services.players.count() + told).saturating_sub(count);
        for player in players
            .iter()
            .skip(told)
            .take(slice(count - told, left, leaving))
        {
            told += 1;
            // Who has ended meanwhile need not be told.
            drop(player.session.try_send_owed(SessionMessage::NodeStops));
        }
        left -= 1;
    }
    tracing::info!(target: "belay_world", count = told, "players were sent to other nodes");
}

fn slices_within(within: Duration) -> usize {
    let slices = within.as_millis() / SLICE_EVERY.as_millis();
    usize::try_from(slices).unwrap_or(usize::MAX)
}

/// How many are told next, of so many in so many slices, while some still leave.
fn slice(players: usize, slices: usize, leaving: usize) -> usize {
    let needed = players.div_ceil(slices.max(1));
    if needed > SLICE_PLAYERS {
        return needed;
    }
    SLICE_PLAYERS.min(LEAVING_MAX.saturating_sub(leaving))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_small_when_there_is_time_and_wait_for_who_leaves() {
        assert_eq!(slices_within(Duration::from_secs(5)), 100);
        assert_eq!(slice(700, 100, 0), SLICE_PLAYERS);
        assert_eq!(slice(700, 100, LEAVING_MAX - 2), 2);
        assert_eq!(slice(700, 100, LEAVING_MAX), 0);
    }

    #[test]
    fn many_go_in_larger_slices_so_that_time_is_enough() {
        assert_eq!(slice(5_000, 100, LEAVING_MAX), 50);
        assert_eq!(slice(5_000, 1, 0), 5_000);
        let mut left = 5_000;
        for slices in (1..=100).rev() {
            left -= slice(left, slices, LEAVING_MAX).min(left);
        }
        assert_eq!(left, 0);
    }
}
