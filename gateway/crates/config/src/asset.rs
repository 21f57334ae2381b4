//! `[assets]`: settings for serving release files.

use serde::Deserialize;

use crate::value::{MIB, mebibytes};

/// Settings for serving release files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AssetSettings {
    /// The size of the in-memory cache, in bytes; 0 disables it.
    #[serde(rename = "cache_mib", deserialize_with = "mebibytes::<0, 65_536, _>")]
    pub cache_bytes: usize,
    /// Whether releases may contain WebAssembly, and documents may compile it.
    pub allow_wasm: bool,
}

impl Default for AssetSettings {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * MIB,
            allow_wasm: false,
        }
    }
}
