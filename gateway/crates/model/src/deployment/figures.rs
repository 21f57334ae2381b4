//! The figures of a rollout: what the canary analysis has counted.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::Name;

/// The figures of a rollout when it was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RolloutFigures {
    /// The visitors with the rollout's releases.
    pub candidate: TrackFigures,
    /// The visitors without them.
    pub live: TrackFigures,
    /// The results of the operator's own criteria.
    pub queries: Vec<QueryFigures>,
}

/// The visitors on one side of a rollout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RolloutTrack)]
pub struct TrackFigures {
    /// The requests for documents and page data since the step began. At most 20 of a client count.
    #[schema(minimum = 0)]
    pub requests: u64,
    /// The share of them with a 5xx status.
    #[schema(minimum = 0, maximum = 100)]
    pub server_error_percent: f64,
    /// The share of them that the gateway could not render.
    #[schema(minimum = 0, maximum = 100)]
    pub render_failure_percent: f64,
    /// The latency in milliseconds that 99 % of them do not exceed; null without requests.
    #[schema(minimum = 0, required)]
    pub latency_p99_ms: Option<u64>,
    /// The documents that were sent since the step began.
    #[schema(minimum = 0)]
    pub views: u64,
    /// The clients that received a document since the step began.
    #[schema(minimum = 0)]
    pub clients: u64,
    /// The share of them that reported a failure.
    #[schema(minimum = 0, maximum = 100)]
    pub failed_client_percent: f64,
}

/// The result of a criterion for one section of a rollout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryFigures {
    /// The name of the criterion.
    pub name: String,
    /// The section that the rollout changes.
    #[schema(value_type = Name)]
    pub section: String,
    /// The result for the candidate; null if it is no number.
    #[schema(required)]
    pub candidate: Option<f64>,
    /// The result for the live release; null if it is no number, or was not asked for.
    #[schema(required)]
    pub live: Option<f64>,
}
