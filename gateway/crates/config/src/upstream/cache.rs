//! `[upstream_cache]`: the shared cache of upstreams' responses.

use serde::Deserialize;

use crate::value::{MIB, mebibytes};

use crate::upstream::{KIB, size};

/// The shared cache of upstreams' responses.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct UpstreamCacheSettings {
    /// The maximum size of all cached responses, in bytes; with zero nothing is cached.
    #[serde(rename = "size_mib", deserialize_with = "mebibytes::<0, 1_048_576, _>")]
    pub size: usize,
    /// The maximum size of a cached response body, in bytes.
    #[serde(rename = "max_response_kib", deserialize_with = "size")]
    pub max_response_bytes: usize,
}

impl Default for UpstreamCacheSettings {
    fn default() -> Self {
        Self {
            size: 64 * MIB,
            max_response_bytes: 1024 * KIB,
        }
    }
}
