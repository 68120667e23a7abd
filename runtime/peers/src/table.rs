//! The table: Markdown, a row for each figure, a column for each system, then the ratios.

use crate::System;
use crate::workload::measure::{Figures, ROWS, Row, median};

/// The three ways to start, of which each system's best counts.
const STARTS: [(&str, &str); 3] = [
    ("start-one", "by one task, each awaited"),
    ("start-two", "by two tasks, each awaited"),
    ("start-many", "awaited together"),
];

const BEST_START: Row = Row {
    id: "start",
    title: "**start 100k, acknowledged, best way**",
    more_is_better: true,
    goal: 3e5,
};

/// A system and what its runs found.
pub type Column = (System, Vec<Figures>);

/// Prints the medians, and how many times better the first system is than each other.
pub fn print(columns: &[Column]) {
    line(
        "",
        "goal",
        columns.iter().map(|(system, _)| system.title.to_owned()),
    );
    line("---", "--:", columns.iter().map(|_| "--:".to_owned()));
    let rows: Vec<Row> = std::iter::once(BEST_START).chain(ROWS).collect();
    for row in &rows {
        let values = columns
            .iter()
            .enumerate()
            .map(|(index, (_, runs))| match index {
                0 => own(row, runs),
                _ => value(row, runs),
            });
        let values: Vec<_> = values.collect();
        if values.iter().any(Option::is_some) {
            let values = values.into_iter().map(shown);
            line(
                row.title,
                &shown(Some(row.goal).filter(|goal| *goal > 0.0)),
                values,
            );
        }
    }
    let best = columns.iter().filter_map(|(system, runs)| {
        let (_, way) = best_start(runs)?;
        Some(format!("{} {way}", system.title))
    });
    println!(
        "\nBest way to start: {}.",
        best.collect::<Vec<_>>().join("; ")
    );
    let Some(((ours, first), others)) = columns.split_first() else {
        return;
    };
    if others.is_empty() {
        return;
    }
    println!("\nTimes better is {} (below 1: worse):\n", ours.title);
    line(
        "",
        "of goal",
        others.iter().map(|(system, _)| system.title.to_owned()),
    );
    line("---", "--:", others.iter().map(|_| "--:".to_owned()));
    for row in &rows {
        let Some(own) = own(row, first) else {
            continue;
        };
        let ratio = |theirs: f64| {
            let better = if row.more_is_better {
                own / theirs
            } else {
                theirs / own
            };
            format!("{better:.2}")
        };
        let ratios = others.iter().map(|(_, runs)| {
            let theirs = value(row, runs);
            theirs.map_or("–".to_owned(), ratio)
        });
        let goal = if row.goal > 0.0 {
            ratio(row.goal)
        } else {
            "–".to_owned()
        };
        line(row.title, &goal, ratios);
    }
}

/// Our calls always have a time-out; they stand beside others' calls without one too.
fn own(row: &Row, runs: &[Figures]) -> Option<f64> {
    value(row, runs).or_else(|| median(runs, &row.id.replace("plain-", "call-")))
}

fn value(row: &Row, runs: &[Figures]) -> Option<f64> {
    if row.id == BEST_START.id {
        best_start(runs).map(|(rate, _)| rate)
    } else {
        median(runs, row.id)
    }
}

fn best_start(runs: &[Figures]) -> Option<(f64, &'static str)> {
    STARTS
        .into_iter()
        .filter_map(|(id, way)| Some((median(runs, id)?, way)))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

fn line(title: &str, goal: &str, values: impl Iterator<Item = String>) {
    let values: Vec<_> = values.collect();
    println!("| {title} | {goal} | {} |", values.join(" | "));
}

fn shown(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value >= 1e7 => format!("{:.1}M", value / 1e6),
        Some(value) if value >= 1e6 => format!("{:.2}M", value / 1e6),
        Some(value) if value >= 1e4 => format!("{:.0}k", value / 1e3),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
    }
}
