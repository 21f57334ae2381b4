//! The traffic, errors and latency of sections.

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_diagnostics::{Diagnostics, MAX_MINUTES, TrafficSeries, current_minute};
use colonnade_web::response::{Response, json};

use super::{AdminError, query};

/// The default number of minutes.
const DEFAULT_MINUTES: u64 = 60;

/// The maximum number of points of a series. Longer times have longer steps.
const MAX_POINTS: u64 = 180;

/// The traffic of this gateway.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrafficPage {
    /// When this gateway started to count.
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

/// `GET /api/v1/traffic`
pub(super) fn read(diagnostics: &Diagnostics, query: Option<&str>) -> Result<Response, AdminError> {
    let [minutes] = query::integers(query, &[("minutes", 1..=MAX_MINUTES)])?;
    let minutes = minutes.unwrap_or(DEFAULT_MINUTES);
    let step = minutes.div_ceil(MAX_POINTS);
    let page = TrafficPage {
        since: diagnostics.since,
        now: current_minute(),
        minutes,
        step,
        series: diagnostics.traffic.series(minutes, step),
    };
    Ok(json(StatusCode::OK, &page))
}
