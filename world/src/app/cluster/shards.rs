//! `[process]` Tells the cluster which shards there are: the zones of the content, and what the
//! players of all nodes share. Every node does when it starts, for any of them may be the first,
//! and goes on asking until a leader has taken it in.

use std::time::Duration;

use belay_cluster::limits::SHARDS_MAX;
use belay_cluster::{Cluster, Order, OrderError, ShardId, ShardSpec};
use belay_runtime::{Capacity, ChildSpec, Incoming, Mailbox, Restart};

use crate::cluster::people;
use crate::content::World;

/// Between two attempts.
const AGAIN: Duration = Duration::from_secs(1);

/// Attempts that fail before the log says so: elections and joins take a while.
const SILENT_ATTEMPTS: u32 = 10;

/// The shards of this content: its zones, and those of people. A zone weighs as it has rooms, until
/// more is known of it.
pub(crate) fn shards(world: &World, gossip: bool) -> Vec<ShardSpec> {
    let zones = world.zones().iter().map(|zone| ShardSpec {
        shard: ShardId::new(&format!("zone:{}", zone.key)),
        weight: u32::try_from(zone.rooms().count())
            .unwrap_or(u32::MAX)
            .max(1),
    });
    let people = people::shards(world, gossip);
    zones.chain(people).take(SHARDS_MAX).collect()
}

/// Tells the cluster of them, once it can be told, and ends.
pub(crate) fn declare(cluster: Cluster, shards: Vec<ShardSpec>) -> ChildSpec {
    let mailbox = Mailbox::<Told>::new(Capacity {
        messages: 1,
        reserved: 0,
    });
    let address = mailbox.address();
    ChildSpec::body("cluster:shards", &mailbox, move |mut ctx| {
        let (cluster, shards, address) = (cluster.clone(), shards.clone(), address.clone());
        let tell = move || {
            let address = address.clone();
            cluster.order(Order::Declare(shards.clone()), move |outcome| {
                // Who has stopped meanwhile does not want to know.
                drop(address.try_send(Told::Answer(outcome)));
            });
        };
        async move {
            let mut failures = 0;
            tell();
            loop {
                match ctx.next().await {
                    Incoming::Message(Told::Answer(Ok(_)))
                    | Incoming::Timer(Told::Answer(Ok(_))) => {
                        return Ok(());
                    }
                    Incoming::Message(Told::Answer(Err(why)))
                    | Incoming::Timer(Told::Answer(Err(why))) => {
                        failures += 1;
                        log_failure(failures, &why);
                        ctx.send_after(AGAIN, Told::Again);
                    }
                    Incoming::Timer(Told::Again) | Incoming::Message(Told::Again) => tell(),
                    Incoming::Signal(_) => {}
                    Incoming::Shutdown => return Ok(()),
                }
            }
        }
    })
    .restart(Restart::Transient)
}

/// What the process is told.
#[derive(Debug)]
enum Told {
    Answer(Result<String, OrderError>),
    Again,
}

fn log_failure(failures: u32, why: &OrderError) {
    let refused = matches!(why, OrderError::Refused(_));
    if refused || failures.is_multiple_of(SILENT_ATTEMPTS) {
        tracing::warn!(
            target: "belay_world", reason = %why, failures,
            "the cluster does not take in the shards"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use belay_cluster::NodeName;
    use belay_cluster::scripted::Script;
    use belay_runtime::{Node, Supervisor};
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::time::timeout;

    #[test]
    fn zones_weigh_as_they_have_rooms() {
        let (_, loaded) = crate::content::open(None).unwrap();
        let world = loaded.world;
        let shards = shards(&world, true);
        let people = people::shards(&world, true).len();
        assert_eq!(shards.len(), world.zones().len() + people);
        let (first, zone) = (&shards[0], &world.zones()[0]);
        assert_eq!(first.shard.kind(), "zone");
        assert_eq!(first.shard.key(), &*zone.key);
        assert_eq!(first.weight, u32::try_from(zone.rooms().count()).unwrap());
        let gossip = shards.last().unwrap();
        assert_eq!((gossip.shard.as_str(), gossip.weight), ("gossip", 1));
    }

    #[tokio::test(start_paused = true)]
    async fn the_shards_are_told_again_until_they_are_taken_in() {
        let attempts = AtomicU32::new(0);
        let name = NodeName::new("n1").unwrap();
        let script = Script::new(name, move |_| {
            match attempts.fetch_add(1, Ordering::Relaxed) {
                0 => Err(OrderError::NoLeader),
                1 => Err(OrderError::Refused("not yet".to_owned())),
                _ => Ok("declared".to_owned()),
            }
        });
        let spec = vec![ShardSpec {
            shard: ShardId::new("zone:a"),
            weight: 3,
        }];
        let tree = Supervisor::builder("node").child(declare(script.cluster(), spec.clone()));
        let node = Node::start(tree).await.unwrap();
        // The clock stands still, and goes on when nobody has anything to do.
        let ended = timeout(AGAIN * 10, node.finished()).await;
        assert!(ended.is_err(), "the node went down with it");
        assert_eq!(script.orders(), vec![Order::Declare(spec); 3]);
        assert!(node.stop(AGAIN).await.not_stopped.is_empty());
    }
}
