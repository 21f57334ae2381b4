//! Deployments: numbered, immutable sets of one shell release and section releases.

mod figures;
mod progress;
mod release_summary;
mod set_name;
mod state;
mod steps;
mod visible;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::release::ReleaseId;
use crate::schema::{Name, Number, Reason, Releases};

pub use figures::{QueryFigures, RolloutFigures, TrackFigures};
pub use progress::RolloutProgress;
pub use release_summary::ReleaseSummary;
pub use set_name::{SetName, SetNameError};
pub use state::{Change, ChangeKind, GATEWAY, LiveState, ReleaseChange, SwitchedOff, release_changes};
pub use steps::{EXPECTED_STEPS, RolloutStep, RolloutSteps};
pub use visible::{Earlier, EarlierRole, Moment, Rollout, VisibleDeployments};

/// One deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// Its number. Numbers are never reused and only increase.
    #[schema(value_type = Number)]
    pub number: u64,
    /// The versions of the shell and of each section, by name.
    #[schema(value_type = Releases)]
    pub releases: BTreeMap<String, String>,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The name of the token that created it.
    pub by: String,
    /// The reason, if one was given.
    #[schema(value_type = Option<Reason>, required)]
    pub reason: Option<String>,
    /// Whether it was created for a preview. Such a deployment never becomes the live one or a
    /// candidate: a deploy or rollback to the same releases creates another.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preview: bool,
    /// What its rollout changes, by name, if it was created as a candidate. Visitors with the
    /// candidate get these of its releases, and the rest of the live ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[schema(value_type = Vec<Name>, required = false)]
    pub changes: BTreeSet<String>,
}

impl Deployment {
    /// These releases with the changes of this candidate.
    pub fn applied_to(&self, releases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut releases = releases.clone();
        for name in &self.changes {
            match self.releases.get(name) {
                Some(version) => releases.insert(name.clone(), version.clone()),
                None => releases.remove(name),
            };
        }
        releases
    }

    /// The IDs of those of its releases that it changes as a candidate.
    pub fn changed_ids(&self) -> impl Iterator<Item = ReleaseId> {
        self.release_ids().filter(|id| self.changes.contains(&id.name))
    }

    /// The IDs of its releases.
    pub fn release_ids(&self) -> impl Iterator<Item = ReleaseId> {
        self.releases.iter().map(|(name, version)| ReleaseId {
            name: name.clone(),
            version: version.clone(),
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
