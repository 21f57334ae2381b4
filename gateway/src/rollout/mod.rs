//! Rollouts: which visitors see the candidate, and how it does with them.

mod cohort;
mod judge;
mod report;

pub(crate) use cohort::Draw;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use cohort::fuzz;
pub(crate) use judge::{Judge, Side};
pub(crate) use report::{Heard, ReportError, receive};

use crate::deployment::Rollout;

/// Keeps what a visitor drew for the rollout that runs. It says nothing about the visitor.
pub(crate) const COOKIE: &str = "colonnade-rollout";

/// How long, in seconds, browsers keep it: a week.
pub(crate) const COOKIE_SECONDS: i64 = 7 * 24 * 60 * 60;

/// What is found out about a candidate: that it has to be taken back.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The rollout that was judged.
    pub(crate) rollout: Rollout,
    /// Why, in figures.
    pub(crate) reason: String,
}
