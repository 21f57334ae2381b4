//! `[limits]`: limits and timeouts for clients.

use std::fmt::Display;
use std::time::Duration;

use colonnade_web::limits::Limits;
use serde::{Deserialize, Deserializer};

use crate::config_file::ConfigFile;
use crate::value::{integer, milliseconds};

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
    #[serde(rename = "max_memory_mib", deserialize_with = "memory_limit")]
    max_memory_bytes: Option<u64>,
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
    // hyper clears a slot for each of these fields on every request, and real requests have a few
    // dozen at most.
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

/// The bytes of a number of MiB.
fn memory_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    integer::<1, MILLION, u64, _>(deserializer).map(|mebibytes| Some(mebibytes * 1024 * 1024))
}

/// Warns of limits per client that exceed the limit of all clients together, so that they have no
/// effect.
pub(crate) fn warn(limits: &Limits, file: &mut ConfigFile<'_>) {
    let connections = (limits.max_connections, limits.max_connections_per_client);
    warn_of_pair(
        "limits",
        ["max_connections", "max_connections_per_client"],
        connections,
        file,
    );
    let requests = (
        limits.max_requests_in_flight,
        limits.max_requests_in_flight_per_client,
    );
    let keys = ["max_requests_in_flight", "max_requests_in_flight_per_client"];
    warn_of_pair("limits", keys, requests, file);
}

/// The same for one pair of keys of a table: the total and the limit per client.
pub(crate) fn warn_of_pair<T: PartialOrd + Display>(
    table: &str,
    [total, per_client]: [&str; 2],
    (of_all, of_one): (T, T),
    file: &mut ConfigFile<'_>,
) {
    let path = [table, per_client];
    // A default is no mistake of the operator.
    if of_one > of_all && file.get(&path).is_some() {
        let wrong = format!("is {of_one}, above `{total}`, which is {of_all}");
        file.warning(&path, &wrong, &format!("at most `{total}`"));
    }
}
