//! Deployments: numbered, immutable sets of one shell and its sections, exactly one of them live.

mod answer;
mod change;
mod collect;
mod deploy;
mod history;
mod live;
mod looks;
mod prepare;
mod preview;
mod rollback;
mod rollout;
mod served;
mod set;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use answer::SectionEntry;
pub(crate) use answer::{Asset, AssetKind, PageAnswer, SlotAnswer};
pub(crate) use change::{Author, ChangeError, Outcome};
pub(crate) use deploy::Wish;
pub(crate) use live::Deployments;
pub(crate) use preview::Shown;
pub(crate) use rollback::Target;
pub(crate) use served::{Frame, Published, Served, ServedFile};
pub(crate) use set::Set;
pub(crate) use snapshot::{LoadError, Snapshot};
pub(crate) use state::{Change, Rollout, State};

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::ReleaseId;

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
    /// Whether it was made for a preview. It never becomes live nor a candidate: a deploy or a rollback to the same set
    /// makes another.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) preview: bool,
}

impl Deployment {
    /// Its releases.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ReleaseId> {
        self.releases.iter().map(|(name, version)| ReleaseId {
            name: name.clone(),
            version: version.clone(),
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(value: &bool) -> bool {
    !value
}
