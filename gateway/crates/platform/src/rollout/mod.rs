//! Progressive rollouts: which visitors see which candidates, whether a candidate fails more often,
//! and when the share rises.

mod analysis;
mod cohort;
mod controller;
mod criteria;
mod prometheus;
mod query_result;
mod report;
mod samples;
mod sequential_test;

pub use analysis::CanaryAnalysis;
pub use cohort::Cohort;
#[cfg(any(test, feature = "testing"))]
pub use cohort::fuzz;
pub use controller::RolloutController;
pub use prometheus::PrometheusError;
pub use query_result::{QueryResult, Verdict};
pub use report::{AnalysisReport, Criteria};
pub use samples::{ExtensionRender, Measurement, PageHash};

/// The cookie with a visitor's group, which many visitors share.
pub const COOKIE: &str = "colonnade-rollout";

/// The lifetime of the cookie in seconds: 30 days. A rollout that runs longer draws its first
/// visitors again.
pub const COOKIE_SECONDS: i64 = 30 * 24 * 60 * 60;
