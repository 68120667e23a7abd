//! `[pure]` Figures beside their goals, and what is said of whether they were reached.

use serde::Serialize;

use super::stats::Spread;

/// One figure of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Figure {
    /// What it is.
    pub(crate) name: String,
    /// What it shall be; empty when it is only told.
    pub(crate) goal: String,
    /// What it is.
    pub(crate) reached: String,
    /// Whether the goal was reached; `None` without a goal.
    pub(crate) holds: Option<bool>,
}

impl Figure {
    /// A figure without a goal.
    pub(crate) fn told(name: impl Into<String>, reached: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            goal: String::new(),
            reached: reached.into(),
            holds: None,
        }
    }

    /// A figure that must not be above its goal; what was not measured has not reached it.
    pub(crate) fn at_most(
        name: impl Into<String>,
        goal: (f64, &str),
        reached: Option<f64>,
    ) -> Self {
        let (most, unit) = goal;
        Self {
            name: name.into(),
            goal: format!("<= {most} {unit}"),
            reached: reached.map_or_else(
                || "not measured".to_owned(),
                |reached| format!("{reached:.1} {unit}"),
            ),
            holds: Some(reached.is_some_and(|reached| reached <= most)),
        }
    }

    /// A count that must be 0.
    pub(crate) fn none_of(name: impl Into<String>, reached: u64) -> Self {
        Self {
            name: name.into(),
            goal: "0".to_owned(),
            reached: reached.to_string(),
            holds: Some(reached == 0),
        }
    }

    /// Median and worst of the runs, in milliseconds, each beside its goal.
    pub(crate) fn runs(name: &str, (median, worst): (f64, f64), values: &[f64]) -> Vec<Self> {
        let spread = Spread::of(values);
        let of = |pick: fn(Spread) -> f64| spread.map(pick);
        let p95 = of(|it| it.p95).map_or_else(String::new, |p95| format!("{p95:.1} ms"));
        vec![
            Self::at_most(
                format!("{name}, median"),
                (median, "ms"),
                of(|it| it.median),
            ),
            Self::told(format!("{name}, p95"), p95),
            Self::at_most(format!("{name}, worst"), (worst, "ms"), of(|it| it.worst)),
        ]
    }
}

/// Whether no goal was missed.
pub(crate) fn all_hold(figures: &[Figure]) -> bool {
    figures.iter().all(|figure| figure.holds != Some(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_holds_up_to_its_value_and_never_without_one() {
        let figure = |reached| Figure::at_most("x", (4.0, "ms"), reached).holds;
        assert_eq!(figure(Some(4.0)), Some(true));
        assert_eq!(figure(Some(4.1)), Some(false));
        assert_eq!(figure(None), Some(false));
        assert_eq!(Figure::none_of("x", 0).holds, Some(true));
        assert_eq!(Figure::none_of("x", 1).holds, Some(false));
    }

    #[test]
    fn one_missed_goal_is_enough() {
        let mut figures = Figure::runs("back", (4.0, 5.0), &[3.0, 4.0, 5.0]);
        figures.push(Figure::told("note", "something"));
        assert!(all_hold(&figures));
        figures.extend(Figure::runs("back", (4.0, 5.0), &[1.0, 1.0, 5.5]));
        assert!(!all_hold(&figures));
        assert!(!all_hold(&Figure::runs("back", (4.0, 5.0), &[])));
    }
}
