//! Deployments: numbered, immutable sets of one shell and its sections, exactly one of them live.

mod answer;
mod live;
mod served;
mod set;
mod snapshot;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use answer::SectionEntry;
pub(crate) use answer::{Asset, AssetKind, PageAnswer, SlotAnswer};
pub(crate) use live::{Change, DeployError, Deployed, Deployments};
pub(crate) use served::Frame;
pub(crate) use set::Set;
pub(crate) use snapshot::{LoadError, Snapshot};

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The record of one deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Deployment {
    /// Its number; numbers only rise.
    pub(crate) number: u64,
    /// The version of the shell and of each section.
    pub(crate) releases: BTreeMap<String, String>,
    /// When it was made.
    pub(crate) created_at: Timestamp,
    /// The name of the token it was made with.
    pub(crate) by: String,
    /// Why, if whoever made it said so.
    pub(crate) reason: Option<String>,
}
