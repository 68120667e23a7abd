//! `[pure]` The goals of each scenario, and what its runs reached.

use super::figures::Figure;
use super::options::Scenario;
use super::seen::{CrowdSeen, RunSeen, each, sum, total};
use super::stats::Spread;
use crate::values::whole;

/// Median and worst until the zones of a killed node play again, in milliseconds.
const FOLLOWER_MS: (f64, f64) = (4_000.0, 5_000.0);

/// The same when the node led.
const LEADER_MS: (f64, f64) = (5_000.0, 6_000.0);

/// The same when the node is started again at once: median and worst alike.
const RESTART_MS: (f64, f64) = (2_000.0, 2_000.0);

/// How long a zone that moves may stand still.
const FROZEN_MS: (f64, f64) = (200.0, 200.0);

/// 99 of 100 commands in a rolling restart are answered within this.
const ROLLING_P99_MS: f64 = 1_000.0;

/// A node that joins has its share after this.
const JOIN_MS: f64 = 30_000.0;

/// 99 of 100 commands are answered within this while it joins.
const JOIN_P99_MS: f64 = 100.0;

/// 99 of 100 answers from a room of another node come so much later at most.
const DISTANCE_MS: f64 = 5.0;

/// Frames for each event and node, and what counting across the edges of a window may add.
const FRAMES_PER_EVENT: f64 = 1.05;

/// What the runs reached, beside the goals.
pub(crate) fn figures(scenario: Scenario, runs: &[RunSeen]) -> Vec<Figure> {
    match scenario {
        Scenario::FollowerKill => zones(FOLLOWER_MS, runs),
        Scenario::LeaderKill => zones(LEADER_MS, runs),
        Scenario::Restart => zones(RESTART_MS, runs),
        Scenario::Move => moved(runs),
        Scenario::Rolling => rolling(runs),
        Scenario::Join => joined(runs),
        Scenario::Distance => distance(runs),
    }
}

fn zones(goal: (f64, f64), runs: &[RunSeen]) -> Vec<Figure> {
    let mut figures = Figure::runs("all zones play again", goal, &each(runs, "last_ms"));
    figures.push(typical("first zone plays again", runs, "first_ms"));
    figures.push(Figure::none_of(
        "zones that did not play again",
        whole(total(runs, "zones_missing")),
    ));
    figures.extend(crowd(runs));
    figures
}

fn moved(runs: &[RunSeen]) -> Vec<Figure> {
    let mut figures = Figure::runs("zone stands still", FROZEN_MS, &each(runs, "frozen_ms"));
    figures.push(typical("usual answer before the move", runs, "usual_ms"));
    figures.push(typical("longest gap of answers", runs, "gap_ms"));
    figures.push(typical("the same before the move", runs, "usual_gap_ms"));
    figures.push(typical("order until the move is over", runs, "order_ms"));
    let numbered = format!("{:.0}", total(runs, "typed"));
    figures.push(Figure::told("numbered commands", numbered));
    for (name, value) in [
        ("lost", "lost"),
        ("answered twice", "doubled"),
        ("answered out of order", "disordered"),
    ] {
        figures.push(Figure::none_of(name, whole(total(runs, value))));
    }
    figures.push(Figure::none_of("connections lost", sum(runs, |it| it.lost)));
    figures
}

fn rolling(runs: &[RunSeen]) -> Vec<Figure> {
    let worst = |of: fn(&CrowdSeen) -> f64| {
        let values: Vec<_> = runs.iter().map(|run| of(&run.crowd)).collect();
        Spread::of(&values)
    };
    let p99 = worst(|it| it.latency_ms.p99);
    let goal = (ROLLING_P99_MS, "ms");
    let mut figures = vec![
        Figure::at_most("answers p99, median of runs", goal, p99.map(|it| it.median)),
        Figure::at_most("answers p99, worst run", goal, p99.map(|it| it.worst)),
        between("answers p50", worst(|it| it.latency_ms.p50)),
        between("answers p95", worst(|it| it.latency_ms.p95)),
        between("longest answer", worst(|it| it.latency_ms.max)),
        between("longest outage of a bot", worst(|it| it.outage_ms.max)),
        typical("a node is away", runs, "away_ms"),
    ];
    figures.push(Figure::none_of(
        "sessions not back",
        sum(runs, |it| it.not_back),
    ));
    figures.push(Figure::none_of(
        "back as somebody else",
        sum(runs, |it| it.strangers),
    ));
    figures.push(Figure::none_of(
        "back only by password",
        sum(runs, |it| it.by_password),
    ));
    figures.push(Figure::none_of(
        "commands never answered",
        sum(runs, |it| it.unanswered),
    ));
    let resumed = sum(runs, |it| it.by_token).to_string();
    figures.push(Figure::told("resumed by token", resumed));
    figures
}

fn joined(runs: &[RunSeen]) -> Vec<Figure> {
    let worst = |name: &str| Spread::of(&each(runs, name)).map(|it| it.worst);
    let budget = |name: &str| {
        let least = each(runs, name).into_iter().reduce(f64::min);
        least.unwrap_or(0.0)
    };
    let p99: Vec<_> = runs.iter().map(|run| run.crowd.latency_ms.p99).collect();
    let p99 = Spread::of(&p99);
    let mut figures = vec![
        Figure::at_most(
            "zones that moved, worst",
            (budget("zones_budget"), "zones"),
            worst("zones_moved"),
        ),
        Figure::at_most(
            "shards that moved, worst",
            (budget("shards_budget"), "shards"),
            worst("shards_moved"),
        ),
        Figure::at_most(
            "until nothing moves, worst",
            (JOIN_MS, "ms"),
            worst("done_ms"),
        ),
        typical("until nothing moves", runs, "done_ms"),
        Figure::at_most(
            "answers p99, median of runs",
            (JOIN_P99_MS, "ms"),
            p99.map(|it| it.median),
        ),
        Figure::at_most(
            "answers p99, worst run",
            (JOIN_P99_MS, "ms"),
            p99.map(|it| it.worst),
        ),
        Figure::none_of("runs in which it got nothing", whole(total(runs, "empty"))),
    ];
    figures.push(Figure::none_of("connections lost", sum(runs, |it| it.lost)));
    figures
}

fn distance(runs: &[RunSeen]) -> Vec<Figure> {
    let added = Spread::of(&each(runs, "added_p99_ms"));
    let frames = Spread::of(&each(runs, "frames_per_event"));
    let goal = (DISTANCE_MS, "ms");
    vec![
        Figure::at_most("added p99, median of runs", goal, added.map(|it| it.median)),
        Figure::told(
            "added p99, worst run",
            milliseconds(added.map(|it| it.worst)),
        ),
        typical("added p50", runs, "added_p50_ms"),
        typical("p99 on the room's node", runs, "near_p99_ms"),
        typical("p99 on another node", runs, "far_p99_ms"),
        Figure::at_most(
            "frames an event and node",
            (FRAMES_PER_EVENT, ""),
            frames.map(|it| it.worst),
        ),
        typical("listeners on that node", runs, "listeners"),
        typical(
            "play frames in the same time of quiet",
            runs,
            "quiet_frames",
        ),
    ]
}

/// What the bots saw, where losing connections is part of it.
fn crowd(runs: &[RunSeen]) -> Vec<Figure> {
    let told = |name: &str, count: u64| Figure::told(name, count.to_string());
    vec![
        told("connections lost", sum(runs, |it| it.lost)),
        told("back by token", sum(runs, |it| it.by_token)),
        told("back by password", sum(runs, |it| it.by_password)),
        Figure::none_of("not back", sum(runs, |it| it.not_back)),
        Figure::none_of("back as somebody else", sum(runs, |it| it.strangers)),
    ]
}

fn typical(name: &str, runs: &[RunSeen], value: &str) -> Figure {
    between(name, Spread::of(&each(runs, value)))
}

/// Median and worst, without a goal.
fn between(name: &str, spread: Option<Spread>) -> Figure {
    let text = spread.map_or_else(
        || "not measured".to_owned(),
        |it| format!("{:.1}, worst {:.1}", it.median, it.worst),
    );
    Figure::told(name, text)
}

fn milliseconds(value: Option<f64>) -> String {
    value.map_or_else(
        || "not measured".to_owned(),
        |value| format!("{value:.1} ms"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::all_hold;
    use super::*;

    fn run(values: &[(&'static str, f64)]) -> RunSeen {
        RunSeen {
            values: values.iter().copied().collect(),
            ..RunSeen::default()
        }
    }

    fn holds(scenario: Scenario, runs: &[RunSeen]) -> bool {
        all_hold(&figures(scenario, runs))
    }

    #[test]
    fn without_runs_no_goal_of_any_scenario_is_reached() {
        for scenario in [
            Scenario::FollowerKill,
            Scenario::LeaderKill,
            Scenario::Restart,
            Scenario::Move,
            Scenario::Rolling,
            Scenario::Join,
            Scenario::Distance,
        ] {
            assert!(!holds(scenario, &[]), "{scenario:?}");
        }
    }

    #[test]
    fn a_kill_is_judged_by_median_and_worst() {
        let runs = |values: [f64; 3]| values.map(|ms| run(&[("last_ms", ms)]));
        assert!(holds(
            Scenario::FollowerKill,
            &runs([3_900.0, 4_900.0, 3_000.0])
        ));
        assert!(!holds(
            Scenario::FollowerKill,
            &runs([3_900.0, 5_100.0, 3_000.0])
        ));
        assert!(!holds(
            Scenario::FollowerKill,
            &runs([4_100.0, 4_900.0, 4_200.0])
        ));
        assert!(holds(
            Scenario::LeaderKill,
            &runs([4_100.0, 5_900.0, 4_200.0])
        ));
        assert!(!holds(
            Scenario::Restart,
            &runs([1_000.0, 2_100.0, 1_000.0])
        ));
    }

    #[test]
    fn one_lost_command_or_session_misses_the_goal() {
        let good = || run(&[("frozen_ms", 90.0), ("typed", 100.0), ("lost", 0.0)]);
        assert!(holds(Scenario::Move, &[good(), good()]));
        let mut bad = good();
        bad.values.insert("lost", 1.0);
        assert!(!holds(Scenario::Move, &[good(), bad]));
        assert!(holds(Scenario::Rolling, &[run(&[])]));
        let mut password = run(&[]);
        password.crowd.by_password = 1;
        assert!(!holds(Scenario::Rolling, &[password]));
    }

    #[test]
    fn a_join_keeps_to_its_budget_and_gets_something() {
        let joined = |moved: f64, empty: f64| {
            run(&[
                ("zones_moved", moved),
                ("zones_budget", 3.0),
                ("shards_moved", 7.0),
                ("shards_budget", 8.0),
                ("done_ms", 900.0),
                ("empty", empty),
            ])
        };
        assert!(holds(Scenario::Join, &[joined(3.0, 0.0)]));
        assert!(!holds(Scenario::Join, &[joined(4.0, 0.0)]));
        assert!(!holds(Scenario::Join, &[joined(0.0, 1.0)]));
    }

    #[test]
    fn a_frame_for_each_listener_misses_the_goal() {
        let far = |frames: f64| run(&[("added_p99_ms", 2.0), ("frames_per_event", frames)]);
        assert!(holds(Scenario::Distance, &[far(1.0)]));
        assert!(!holds(Scenario::Distance, &[far(20.0)]));
    }
}
