//! `[render]`: server-side rendering.

use std::time::Duration;

use serde::Deserialize;

use crate::value::{MIB, UNBOUNDED, integer, mebibytes, milliseconds, seconds};

/// Limits of server-side rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct RenderSettings {
    /// Whether pages are rendered on the server at all.
    pub enabled: bool,
    /// Whether the pages that releases list, and an example of each extension, are rendered before the
    /// first request for them.
    pub warm_cache: bool,
    /// The number of render workers.
    #[serde(deserialize_with = "integer::<1, 256, _, _>")]
    pub workers: usize,
    /// The maximum number of renders that wait for a worker.
    #[serde(deserialize_with = "integer::<1, 65_536, _, _>")]
    pub max_queue_length: usize,
    /// How long a document waits for its render, including the time in the queue.
    #[serde(rename = "deadline_ms", deserialize_with = "milliseconds::<1, UNBOUNDED, _>")]
    pub deadline: Duration,
    /// How long a document waits for the results of its page's queries, in addition to `deadline`.
    #[serde(
        rename = "query_deadline_ms",
        deserialize_with = "milliseconds::<1, UNBOUNDED, _>"
    )]
    pub query_deadline: Duration,
    /// The CPU time of one render.
    #[serde(rename = "cpu_limit_ms", deserialize_with = "milliseconds::<1, UNBOUNDED, _>")]
    pub cpu_limit: Duration,
    /// The memory of one render, in bytes.
    #[serde(rename = "memory_limit_mib", deserialize_with = "mebibytes::<1, 512, _>")]
    pub memory_limit_bytes: usize,
    /// The number of consecutive failures that opens the circuit breaker of a section release and a
    /// shell release.
    #[serde(deserialize_with = "integer::<1, { u32::MAX as u64 }, _, _>")]
    pub breaker_failure_threshold: u32,
    /// How long the circuit breaker stays open.
    #[serde(rename = "breaker_open_seconds", deserialize_with = "seconds::<UNBOUNDED, _>")]
    pub breaker_open: Duration,
    /// The size of the cache of rendered pages, in bytes.
    #[serde(rename = "cache_mib", deserialize_with = "mebibytes::<1, 65_536, _>")]
    pub cache_bytes: usize,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            warm_cache: true,
            workers: std::thread::available_parallelism().map_or(2, usize::from),
            max_queue_length: 64,
            deadline: Duration::from_secs(1),
            query_deadline: Duration::from_millis(500),
            cpu_limit: Duration::from_millis(500),
            memory_limit_bytes: 64 * MIB,
            breaker_failure_threshold: 5,
            breaker_open: Duration::from_secs(30),
            cache_bytes: 64 * MIB,
        }
    }
}
