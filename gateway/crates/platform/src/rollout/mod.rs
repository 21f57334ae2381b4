//! Progressive rollouts: which visitors see which candidates, and whether a candidate fails more often.

mod analysis;
mod cohort;
mod controller;

pub use analysis::CanaryAnalysis;
pub use cohort::CohortDraws;
#[cfg(any(test, feature = "testing"))]
pub use cohort::fuzz;
pub use controller::RolloutController;

use colonnade_model::deployment::Rollout;

/// The cookie with a visitor's draws for the running rollouts. It contains nothing about the visitor.
pub const COOKIE: &str = "colonnade-rollout";

/// The lifetime of the cookie in seconds: a week.
pub const COOKIE_SECONDS: i64 = 7 * 24 * 60 * 60;

/// The decision of the canary analysis to abort a rollout.
#[derive(Debug)]
pub struct AbortDecision {
    /// The rollout to abort.
    pub rollout: Rollout,
    /// The failure rates that led to it.
    pub reason: String,
}
