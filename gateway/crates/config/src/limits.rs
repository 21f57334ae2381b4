//! `[limits]`: limits and timeouts for clients.

use std::time::Duration;

use colonnade_web::limits::Limits;
use serde::{Deserialize, Deserializer};

use super::value::{integer, milliseconds};

/// One week in milliseconds. A longer time was probably meant in another unit.
const WEEK: u64 = 7 * 24 * 60 * 60 * 1000;
const MILLION: u64 = 1_000_000;

/// Describes the fields of `Limits` to serde.
#[derive(Deserialize)]
#[serde(remote = "Limits", default = "Limits::default")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct LimitsTable {
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    max_connections: usize,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    max_connections_per_client: usize,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    max_requests_in_flight: usize,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    max_requests_in_flight_per_client: usize,
    #[serde(rename = "tls_handshake_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    tls_handshake_timeout: Duration,
    #[serde(rename = "first_byte_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    first_byte_timeout: Duration,
    #[serde(rename = "request_header_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    request_header_timeout: Duration,
    #[serde(rename = "min_rate_window_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    min_rate_window: Duration,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    min_rate_bytes: u64,
    #[serde(rename = "keepalive_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    keepalive_timeout: Duration,
    #[serde(rename = "max_connection_age_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    max_connection_age: Duration,
    #[serde(rename = "max_header_kib")]
    #[serde(deserialize_with = "header_kib")]
    max_header_bytes: u32,
    // hyper clears a slot for each of these fields on every request, and real requests have a few dozen at most.
    #[serde(deserialize_with = "integer::<1, 1000, _, _>")]
    max_header_fields: usize,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    http2_max_concurrent_streams: u32,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    http2_max_resets_per_minute: u32,
    #[serde(deserialize_with = "integer::<1, MILLION, _, _>")]
    http2_max_control_frames_per_minute: u32,
    #[serde(rename = "shutdown_delay_ms")]
    #[serde(deserialize_with = "milliseconds::<0, WEEK, _>")]
    shutdown_delay: Duration,
    #[serde(rename = "drain_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    drain_timeout: Duration,
    #[serde(rename = "upgrade_timeout_ms")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    upgrade_timeout: Duration,
}

impl LimitsTable {
    /// SIGHUP reloads the whole table.
    pub(crate) const RELOADABLE: &[&str] = &["limits"];
}

/// The bytes of a number of KiB. hyper's buffer cannot be smaller than 8 KiB.
fn header_kib<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    integer::<8, 1024, u32, _>(deserializer).map(|kibibytes| kibibytes * 1024)
}
