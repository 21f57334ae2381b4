//! `[rollout]`: the steps of rollouts, and canary analysis, which decides when a rollout is aborted automatically.

use colonnade_model::deployment::{EXPECTED_STEPS, RolloutSteps};
use serde::{Deserialize, Deserializer};

use super::value::{UNBOUNDED, as_string, convert, integer};

/// How rollouts continue, and when they are aborted automatically.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct RolloutSettings {
    /// The steps of a rollout that names none.
    #[serde(deserialize_with = "steps")]
    pub steps: Option<RolloutSteps>,
    /// Whether rollouts are ever aborted automatically.
    pub automatic_abort: bool,
    /// The number of percentage points by which the candidate's failure rate must exceed the live deployment's.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub abort_margin_percent: u8,
    /// The minimum number of the candidate's documents served before the analysis starts.
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    pub min_views: u64,
    /// The minimum number of distinct clients that report a failure of the candidate.
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    pub min_clients: u64,
    /// The percentage of failures that browsers report.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub report_sample_percent: u8,
}

impl Default for RolloutSettings {
    fn default() -> Self {
        Self {
            steps: None,
            automatic_abort: true,
            abort_margin_percent: 5,
            min_views: 100,
            min_clients: 5,
            report_sample_percent: 100,
        }
    }
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RolloutSteps>, D::Error> {
    convert(deserializer, EXPECTED_STEPS, |value| {
        as_string(value)?.parse().map(Some)
    })
}
