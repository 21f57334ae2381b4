//! `[rollout]`: the steps of rollouts, and canary analysis, which decides when a rollout is aborted
//! automatically.

use std::time::Duration;

use colonnade_model::deployment::{EXPECTED_STEPS, RolloutSteps};
use serde::{Deserialize, Deserializer};

use crate::criterion::Criterion;
use crate::value::{UNBOUNDED, as_string, convert, integer, milliseconds, table, tables};

/// How rollouts continue, and when they are aborted automatically.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct RolloutSettings {
    /// The steps of a rollout that names none.
    #[serde(deserialize_with = "steps")]
    pub steps: Option<RolloutSteps>,
    /// Whether rollouts are ever aborted automatically.
    pub automatic_abort: bool,
    /// The number of percentage points by which the candidate's failure rate must exceed the live
    /// deployment's.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub abort_margin_percent: u8,
    /// The minimum number of the candidate's documents served before the analysis starts.
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    pub min_views: u64,
    /// The minimum number of distinct clients that a failure of the candidate affects.
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    pub min_clients: u64,
    /// The percentage of failures that browsers report.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub report_sample_percent: u8,
    /// The analysis of the gateway's own measurements.
    #[serde(deserialize_with = "table")]
    pub analysis: AnalysisSettings,
    /// The queries to Prometheus that decide, too.
    #[serde(deserialize_with = "tables")]
    pub criteria: Vec<Criterion>,
}

/// When the gateway's own measurements of a rollout fail, or are too few.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalysisSettings {
    /// The minimum number of requests with and without the rollout's releases before a step passes.
    #[serde(deserialize_with = "integer::<0, UNBOUNDED, _, _>")]
    pub min_requests: u64,
    /// The number of percentage points by which the candidate's share of 5xx responses must exceed
    /// the live deployment's.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub server_error_margin_percent: u8,
    /// The same for requests whose page the gateway could not render.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub render_failure_margin_percent: u8,
    /// The time by which the candidate's 99th percentile of latency must exceed the live
    /// deployment's.
    #[serde(
        rename = "latency_margin_ms",
        deserialize_with = "milliseconds::<1, 60_000, _>"
    )]
    pub latency_margin: Duration,
    /// How many more times its duration a step lasts at most while there are too few requests.
    #[serde(deserialize_with = "integer::<0, 100, _, _>")]
    pub max_extensions: u8,
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
            analysis: AnalysisSettings::default(),
            criteria: Vec::new(),
        }
    }
}

impl Default for AnalysisSettings {
    fn default() -> Self {
        Self {
            min_requests: 200,
            server_error_margin_percent: 2,
            render_failure_margin_percent: 2,
            latency_margin: Duration::from_millis(500),
            max_extensions: 3,
        }
    }
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RolloutSteps>, D::Error> {
    convert(deserializer, EXPECTED_STEPS, |value| {
        as_string(value)?.parse().map(Some)
    })
}
