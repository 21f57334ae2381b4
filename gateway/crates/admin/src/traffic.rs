//! The traffic, errors and latency of sections.

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_diagnostics::{Diagnostics, MAX_MINUTES, TrafficSeries, current_minute};
use colonnade_web::response::{Response, json};

use crate::{AdminError, query};

/// The default number of minutes.
const DEFAULT_MINUTES: u64 = 60;

/// The maximum number of points of a series. Longer times have longer steps.
const MAX_POINTS: u64 = 180;

/// The traffic of this gateway.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrafficPage {
    /// Since when this gateway has counted. Later than its start if it forgot the oldest minutes.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// The current minute, in minutes since the Unix epoch.
    #[schema(minimum = 0)]
    now: u64,
    /// The number of minutes that the response covers.
    #[schema(minimum = 1)]
    minutes: u64,
    /// The number of minutes of a point.
    #[schema(minimum = 1)]
    step: u64,
    /// The series with traffic, by section and track.
    series: Vec<TrafficSeries>,
}

/// Read the traffic of the sections
///
/// Requests for pages, errors, failures in browsers and latency, by section and track. Each gateway
/// counts from its start, for a day, or less with more than 128 series. Long times have longer steps.
#[utoipa::path(
    get, path = "/api/v1/traffic", tag = "diagnostics", operation_id = "readTraffic",
    params(("minutes" = Option<u64>, Query, minimum = 1, maximum = 1440,
        description = "The number of minutes until now; 60 without it.")),
    responses((status = 200, body = TrafficPage, description = "The series.")),
)]
pub(super) fn read(diagnostics: &Diagnostics, query: Option<&str>) -> Result<Response, AdminError> {
    let [minutes] = query::integers(query, &[("minutes", 1..=MAX_MINUTES)])?;
    let minutes = minutes.unwrap_or(DEFAULT_MINUTES);
    let step = minutes.div_ceil(MAX_POINTS);
    let first = i64::try_from(diagnostics.traffic.first_minute() * 60).unwrap_or_default();
    let forgotten = Timestamp::from_second(first).unwrap_or_default();
    let page = TrafficPage {
        since: diagnostics.since.max(forgotten),
        now: current_minute(),
        minutes,
        step,
        series: diagnostics.traffic.series(minutes, step),
    };
    Ok(json(StatusCode::OK, &page))
}
