//! What is known of a release without its files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the checks of a set need to know of a section's release. The live state keeps it, so that a
/// release that is missing or damaged neither prevents changes of other sections nor loses its
/// paths to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseSummary {
    /// The version of the section contract it implements.
    pub contract: u32,
    /// The global name of its Module Federation container.
    pub container: String,
    /// The patterns of its pages.
    pub patterns: Vec<String>,
    /// The version ranges of shared packages that it needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<String, String>,
}
