//! `[budget]`: size budgets of releases.

use serde::{Deserialize, Deserializer};

use super::value::{UNBOUNDED, integer};

/// The maximum bytes, compressed with Brotli, that a first view may load from one release. `None` means no limit.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Budget {
    /// Scripts of a section's page or slot.
    #[serde(rename = "page_script_kib", deserialize_with = "kibibytes")]
    pub page_script: Option<u64>,
    /// Stylesheets of a section's page or slot.
    #[serde(rename = "page_style_kib", deserialize_with = "kibibytes")]
    pub page_style: Option<u64>,
    /// Scripts of the shell.
    #[serde(rename = "shell_script_kib", deserialize_with = "kibibytes")]
    pub shell_script: Option<u64>,
    /// Stylesheets of the shell.
    #[serde(rename = "shell_style_kib", deserialize_with = "kibibytes")]
    pub shell_style: Option<u64>,
}

fn kibibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let kibibytes: u64 = integer::<1, UNBOUNDED, _, _>(deserializer)?;
    Ok(Some(kibibytes.saturating_mul(1024)))
}
