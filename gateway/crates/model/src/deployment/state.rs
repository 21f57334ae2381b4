//! The live state and the changes in its history.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deployment::{Deployment, ReleaseSummary, RolloutFigures, RolloutSteps, VisibleDeployments};
use crate::extension_rules::ExtensionId;
use crate::release::{Digest, ReleaseId};
use crate::schema::{Name, Number, Percent, Reason, Version};
use crate::unknown_fields::UnknownFields;

/// The deployments that visitors see, and the newest change. Every change replaces the whole state
/// with a compare-and-swap on its revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveState {
    /// The running rollouts, and the deployments that visitors see.
    pub visible: VisibleDeployments,
    /// The change that created this state: the newest entry of the history.
    pub change: Change,
    /// The ID of the timeline; `None` until the store is restored from a backup. Every restore
    /// starts a new one: the changes after the backup never happened, and their numbers and
    /// versions can mean something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// What is known of the section releases that visitors get, by `name@version`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub summaries: BTreeMap<String, ReleaseSummary>,
    /// The extensions that are switched off, whether or not a section fills their points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switched_off: Vec<SwitchedOff>,
    /// The fields of newer gateways.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// An extension that is switched off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchedOff {
    /// The extension.
    pub extension: ExtensionId,
    /// When it was switched off.
    pub at: Timestamp,
    /// The name of the token that switched it off.
    pub by: String,
    /// The reason, if one was given.
    pub reason: Option<String>,
}

/// The author of automatic changes. No token has this name.
pub const GATEWAY: &str = "gateway";

/// One entry of the history: who changed what, when and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The revision of the state it created; the first is 1.
    #[schema(minimum = 1)]
    pub revision: u64,
    /// The revision of the newest earlier change that replaced the live deployment; 0 if there is
    /// none. Following these revisions finds earlier live deployments without reading the entries
    /// between them.
    pub previous: u64,
    /// The fingerprint of the change before it; absent in the first one. Changes of a timeline that
    /// ended when an older live state was restored do not follow those that came after the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, pattern = "^[A-Za-z0-9+/]{16}$")]
    pub after: Option<String>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The name of the token that made it, or `gateway` for automatic changes.
    pub by: String,
    /// What was done.
    pub action: ChangeKind,
    /// The live deployment after the change.
    #[schema(value_type = Number)]
    pub live: u64,
    /// The live deployment before the change.
    #[schema(value_type = Option<Number>, required)]
    pub before: Option<u64>,
    /// The candidate of the rollout that the change concerns, or the deployment of a preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Number, required = false)]
    pub candidate: Option<u64>,
    /// The candidate's share of visitors after the change, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Percent, required = false)]
    pub percent: Option<u8>,
    /// The steps of a rollout that started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub steps: Option<RolloutSteps>,
    /// Whether the change paused the rollout or resumed it; absent if it did neither. Both have the
    /// action `percent`, which gateways without pauses can read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    pub paused: Option<bool>,
    /// The deployment whose releases a rollback restored, if it restored all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Number, required = false)]
    pub restores: Option<u64>,
    /// The extension that was switched on or off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ExtensionId, required = false)]
    pub extension: Option<ExtensionId>,
    /// The release changes of the shell and the sections, by name. For a new share of a rollout:
    /// the changes of the rollout.
    #[schema(value_type = BTreeMap<Name, ReleaseChange>)]
    pub sections: BTreeMap<String, ReleaseChange>,
    /// The reason, if one was given.
    #[schema(value_type = Option<Reason>, required)]
    pub reason: Option<String>,
    /// The figures of the changed rollout's analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub figures: Option<Box<RolloutFigures>>,
}

/// The versions of a section before and after a change. `None`: the section is not in the
/// deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReleaseChange {
    /// The version before.
    #[schema(value_type = Option<Version>, required)]
    pub from: Option<String>,
    /// The version after.
    #[schema(value_type = Option<Version>, required)]
    pub to: Option<String>,
}

/// The kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Releases went live for all visitors at once.
    Deploy,
    /// A rollout started.
    Rollout,
    /// The share of a rollout changed.
    Percent,
    /// A candidate became the live deployment.
    Promote,
    /// A rollout was aborted.
    Abort,
    /// The gateway aborted a rollout because the candidate failed more often than the live
    /// deployment.
    AutomaticAbort,
    /// Earlier releases went live again.
    Rollback,
    /// A preview link was created.
    Preview,
    /// All preview links were revoked.
    EndPreviews,
    /// Garbage collection deleted deployments and releases.
    GarbageCollection,
    /// An extension was switched off.
    ExtensionOff,
    /// An extension was switched on again.
    ExtensionOn,
}

impl LiveState {
    /// This state as the first of a new timeline.
    #[must_use]
    pub fn with_new_timeline(self) -> Self {
        Self {
            timeline: Some(format!("{:016x}", colonnade_random::random::<u64>())),
            ..self
        }
    }

    /// The IDs of the releases of a deployment that visitors get: those that it changes if it is a
    /// candidate, otherwise all.
    pub fn visible_ids(&self, deployment: &Deployment) -> Vec<ReleaseId> {
        if deployment.number == self.live() {
            deployment.release_ids().collect()
        } else {
            deployment.changed_ids().collect()
        }
    }

    /// The extensions that are switched off.
    pub fn off(&self) -> BTreeSet<ExtensionId> {
        self.switched_off
            .iter()
            .map(|off| off.extension.clone())
            .collect()
    }

    /// The number of the live deployment.
    pub fn live(&self) -> u64 {
        self.visible.live()
    }

    /// The revision, which increases with every change.
    pub fn revision(&self) -> u64 {
        self.change.revision
    }
}

impl Change {
    /// Whether the gateway aborted or paused a rollout by itself. The log records such a change as
    /// a warning.
    pub fn needs_attention(&self) -> bool {
        self.action == ChangeKind::AutomaticAbort || (self.by == GATEWAY && self.paused == Some(true))
    }

    /// What tells it apart from other changes with the same revision. It has only what gateways of
    /// all versions know.
    pub fn fingerprint(&self) -> String {
        let core = (
            self.revision,
            self.at,
            &self.by,
            self.action,
            self.live,
            &self.reason,
        );
        let text = serde_json::to_vec(&core).unwrap_or_default();
        Digest::of(&text).base64()[..16].to_owned()
    }

    /// The releases before and after it, each with its name and its version.
    pub fn releases(&self) -> impl Iterator<Item = (&String, &String)> {
        self.sections.iter().flat_map(|(name, change)| {
            let versions = change.from.iter().chain(&change.to);
            versions.map(move |version| (name, version))
        })
    }

    /// Whether the change replaced the live deployment.
    pub fn changed_live(&self) -> bool {
        self.before != Some(self.live)
    }
}

impl ChangeKind {
    /// Whether changes of this kind only create deployments and replace the live state. Others also
    /// change keys, or delete deployments.
    pub fn is_within_live_state(self) -> bool {
        !matches!(self, Self::Preview | Self::EndPreviews | Self::GarbageCollection)
    }

    /// Whether changes of this kind put new releases live: deploys and promotions, but not
    /// rollbacks.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Deploy | Self::Promote)
    }
}

/// The differences between two sets of releases, by name.
pub fn release_changes(
    from: &BTreeMap<String, String>,
    to: &BTreeMap<String, String>,
) -> BTreeMap<String, ReleaseChange> {
    let names = from.keys().chain(to.keys());
    let changed = names.filter(|name| from.get(*name) != to.get(*name)).map(|name| {
        let (from, to) = (from.get(name).cloned(), to.get(name).cloned());
        (name.clone(), ReleaseChange { from, to })
    });
    changed.collect()
}
