//! `[pure]` Tests.
