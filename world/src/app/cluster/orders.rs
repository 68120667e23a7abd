//! `[process]` What an operator's orders do to a cluster: names are looked up, and those that
//! nobody has are answered with the nearest that somebody has.

use belay_cluster::{Cluster, NodeName, Order, OrderError, ShardId, ShardSpec, Status};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::report;
use crate::ops::control::{ClusterOrder, ControlAnswer};

/// How alike two names must be (Jaro-Winkler, 0 to 1) for "did you mean".
const LIKENESS_MIN: f64 = 0.75;

/// Carries out an order, or shows the status. `own` are the shards of this node's content: that of
/// all nodes that are in reach is the same.
pub(crate) fn answer(
    cluster: &Cluster,
    own: &[ShardSpec],
    order: ClusterOrder,
) -> BoxFuture<'static, ControlAnswer> {
    let status = cluster.status();
    let order = match order {
        ClusterOrder::Status { lines } => {
            return std::future::ready(shown(&status, own, lines)).boxed();
        }
        ClusterOrder::Drain { node } => node_of(&status, &node).map(|it| Order::Drain(it, true)),
        ClusterOrder::Undrain { node } => node_of(&status, &node).map(|it| Order::Drain(it, false)),
        ClusterOrder::Forget { node } => node_of(&status, &node).map(Order::Forget),
        ClusterOrder::Rebalance => Ok(Order::Rebalance),
        ClusterOrder::Retire { shard } => shard_of(&status, &shard).and_then(|shard| {
            if own.iter().any(|spec| spec.shard == shard) {
                return Err(format!(
                    "{shard} is in the areas or settings of this node; take it out there, on all \
                     nodes, first"
                ));
            }
            Ok(Order::Retire(shard))
        }),
        ClusterOrder::Move { shard, node } => shard_of(&status, &shard)
            .and_then(|shard| Ok(Order::Move(shard, node_of(&status, &node)?))),
    };
    match order {
        Ok(order) => ask(cluster, order).boxed(),
        Err(why) => std::future::ready(ControlAnswer::refused(why)).boxed(),
    }
}

/// Has an order carried out. It is given at once, whether the answer is waited for or not.
fn ask(cluster: &Cluster, order: Order) -> impl Future<Output = ControlAnswer> + Send + use<> {
    let (reply, replied) = oneshot::channel();
    cluster.order(order, move |outcome| drop(reply.send(outcome)));
    async move {
        match replied.await {
            Ok(Ok(done)) => ControlAnswer::done(done),
            Ok(Err(OrderError::Refused(why))) => ControlAnswer::refused(why),
            Ok(Err(busy @ OrderError::NoLeader)) => ControlAnswer::busy(busy.to_string()),
            Err(_gone) => ControlAnswer::failed("the cluster of this node has stopped"),
        }
    }
}

fn shown(status: &Status, own: &[ShardSpec], lines: bool) -> ControlAnswer {
    let mut text = if lines {
        report::lines(status)
    } else {
        report::columns(status)
    };
    text.push_str(&report::strays(status, own));
    match serde_json::to_value(status) {
        Ok(data) => ControlAnswer::Done { text, data },
        Err(error) => ControlAnswer::failed(format!("cannot write the status: {error}")),
    }
}

fn node_of(status: &Status, name: &str) -> Result<NodeName, String> {
    let known = || status.nodes.iter().map(|node| node.name.as_str());
    let unknown = || unknown("node", name, known());
    if !known().any(|it| it == name) {
        return Err(unknown());
    }
    NodeName::new(name).map_err(|_bad| unknown())
}

/// The shard of this name; or the zone, when it is a zone's key.
fn shard_of(status: &Status, name: &str) -> Result<ShardId, String> {
    let zone = format!("zone:{name}");
    let known = || status.shards.iter().map(|it| it.shard.as_str());
    let found = known()
        .find(|it| *it == name)
        .or_else(|| known().find(|it| *it == zone));
    found.map(ShardId::new).ok_or_else(|| {
        let keys = known().filter_map(|it| it.strip_prefix("zone:"));
        unknown("shard", name, known().chain(keys))
    })
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let scored = known.map(|it| (strsim::jaro_winkler(name, it), it));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right));
    match best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN) {
        Some((_, nearest)) => {
            format!("there is no {what} named {name}; did you mean {nearest}?")
        }
        None => format!("there is no {what} named {name}; \"belay cluster status\" lists them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use belay_cluster::scripted::Script;
    use belay_cluster::{NodePhase, NodeStatus, Placement, ShardStatus};

    fn script(answer: Result<String, OrderError>) -> Script {
        let name = NodeName::new("n1").unwrap();
        let script = Script::new(name, move |_| answer.clone());
        let node = |number: u16, name: &str| NodeStatus {
            number,
            name: name.to_owned(),
            address: String::new(),
            phase: NodePhase::Up,
            incarnation: 1,
            voter: true,
            lease_ms_ago: None,
            lag: None,
            shards: 0,
        };
        let shard = |name: &str| ShardStatus {
            shard: name.to_owned(),
            owner: None,
            placement: Placement::Unplaced {
                last: belay_cluster::Epoch(0),
            },
            ticked_ms_ago: None,
            weight: 1,
        };
        script.show(Status {
            cluster: "skerrow".to_owned(),
            nodes: vec![node(1, "north"), node(2, "south")],
            shards: vec![
                shard("accounts"),
                shard("zone:accounts"),
                shard("zone:harbour"),
            ],
            ..Status::default()
        });
        script
    }

    fn own() -> Vec<ShardSpec> {
        let spec = |shard: &str| ShardSpec {
            shard: ShardId::new(shard),
            weight: 1,
        };
        ["accounts", "zone:accounts"].map(spec).to_vec()
    }

    fn drain(node: &str) -> ClusterOrder {
        let node = node.to_owned();
        ClusterOrder::Drain { node }
    }

    fn moved(shard: &str, node: &str) -> ClusterOrder {
        ClusterOrder::Move {
            shard: shard.to_owned(),
            node: node.to_owned(),
        }
    }

    #[track_caller]
    fn check(order: ClusterOrder, given: &[Order], expected: &ControlAnswer) {
        let script = script(Ok("done so".to_owned()));
        let answer = answer(&script.cluster(), &own(), order).now_or_never();
        assert_eq!(answer.as_ref(), Some(expected));
        assert_eq!(script.orders(), given);
    }

    #[test]
    fn orders_reach_the_cluster_and_its_words_come_back() {
        let done = ControlAnswer::done("done so");
        let south = NodeName::new("south").unwrap();
        let shard = ShardId::new;
        check(drain("south"), &[Order::Drain(south.clone(), true)], &done);
        let node = "south".to_owned();
        let undrain = ClusterOrder::Undrain { node: node.clone() };
        check(undrain, &[Order::Drain(south.clone(), false)], &done);
        let forget = ClusterOrder::Forget { node };
        check(forget, &[Order::Forget(south.clone())], &done);
        check(ClusterOrder::Rebalance, &[Order::Rebalance], &done);
        for (typed, meant) in [
            ("zone:harbour", "zone:harbour"),
            ("harbour", "zone:harbour"),
            ("accounts", "accounts"),
        ] {
            let given = [Order::Move(shard(meant), south.clone())];
            check(moved(typed, "south"), &given, &done);
        }
    }

    #[test]
    fn only_what_is_in_no_areas_is_retired() {
        let retire = |shard: &str| ClusterOrder::Retire {
            shard: shard.to_owned(),
        };
        let done = ControlAnswer::done("done so");
        for typed in ["harbour", "zone:harbour"] {
            let given = [Order::Retire(ShardId::new("zone:harbour"))];
            check(retire(typed), &given, &done);
        }
        let told = "zone:accounts is in the areas or settings of this node; take it out there, on \
                    all nodes, first";
        check(retire("zone:accounts"), &[], &ControlAnswer::refused(told));
        let script = script(Err(OrderError::NoLeader));
        let order = ClusterOrder::Status { lines: true };
        let answer = answer(&script.cluster(), &own(), order).now_or_never();
        let Some(ControlAnswer::Done { text, .. }) = answer else {
            panic!("no status: {answer:?}");
        };
        let hint = "zone:harbour is in no areas of this node; if they are as they should be: belay \
                    cluster retire zone:harbour\n";
        assert!(text.ends_with(hint), "{text}");
    }

    #[test]
    fn names_that_nobody_has_are_answered_with_the_nearest() {
        for (order, told) in [
            (
                drain("suoth"),
                "there is no node named suoth; did you mean south?",
            ),
            (
                drain("x"),
                "there is no node named x; \"belay cluster status\" lists them",
            ),
            (
                moved("habrour", "south"),
                "there is no shard named habrour; did you mean harbour?",
            ),
            (
                moved("zone:harbor", "south"),
                "there is no shard named zone:harbor; did you mean zone:harbour?",
            ),
            (
                moved("harbour", "nroth"),
                "there is no node named nroth; did you mean north?",
            ),
            (
                drain(""),
                "there is no node named ; \"belay cluster status\" lists them",
            ),
        ] {
            check(order, &[], &ControlAnswer::refused(told));
        }
    }

    #[test]
    fn what_the_cluster_refuses_and_what_it_cannot_now_are_told_apart() {
        for (outcome, expected) in [
            (
                Err(OrderError::Refused("it owns shards".to_owned())),
                ControlAnswer::refused("it owns shards"),
            ),
            (
                Err(OrderError::NoLeader),
                ControlAnswer::busy("no answer from the leader; try again"),
            ),
        ] {
            let script = script(outcome);
            let answer = answer(&script.cluster(), &own(), ClusterOrder::Rebalance).now_or_never();
            assert_eq!(answer, Some(expected));
        }
    }

    #[test]
    fn the_status_is_text_in_both_forms_and_data() {
        let script = script(Err(OrderError::NoLeader));
        for (lines, part) in [(false, "  north"), (true, "Node north: up")] {
            let order = ClusterOrder::Status { lines };
            let answer = answer(&script.cluster(), &own(), order).now_or_never();
            let Some(ControlAnswer::Done { text, data }) = answer else {
                panic!("no status: {answer:?}");
            };
            assert!(text.contains(part), "{text}");
            assert_eq!(data["nodes"][1]["name"], "south");
            let status: Status = serde_json::from_value(data).unwrap();
            assert_eq!(status.cluster, "skerrow");
        }
        assert!(script.orders().is_empty());
    }
}
