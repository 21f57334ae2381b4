//! The deployments that visitors see while any number of rollouts is running.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::RolloutProgress;
use crate::secret::Secret;
use crate::unknown_fields::UnknownFields;

/// The maximum number of concurrent rollouts. Each one doubles the number of deployments that visitors see.
pub const MAX_ROLLOUTS: usize = 4;

/// The running rollouts, and one deployment for each combination of them.
///
/// A visitor takes part in each rollout independently of the others. Bit `i` of a combination is set if it includes the
/// changes of rollout `i`. Combination 0 is the live deployment, and combination `1 << i` the candidate of rollout `i`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
pub struct VisibleDeployments {
    rollouts: Vec<Rollout>,
    /// The numbers of the deployments, by combination.
    deployments: Vec<u64>,
}

/// A progressive rollout: a share of the visitors gets its candidate instead of the live deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollout {
    /// A unique ID, so that each rollout selects its cohort independently.
    pub id: String,
    /// Signs the draws of visitors. A rollout that an older gateway started has no secret.
    #[serde(default = "Secret::none")]
    pub key: Secret,
    /// The share of visitors who get the candidate, in percent.
    pub percent: u8,
    /// When the rollout started.
    pub started_at: Timestamp,
    /// The name of the token that started the rollout.
    pub by: String,
    /// The steps and the current one. `None`: the share changes only by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RolloutProgress>,
    /// The fields of newer gateways.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The stored form, before validation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Unchecked {
    rollouts: Vec<Rollout>,
    deployments: Vec<u64>,
}

impl Rollout {
    /// When the current step began; `None` without steps.
    pub fn step_started_at(&self) -> Option<Timestamp> {
        Some(self.progress.as_ref()?.step_started_at)
    }

    /// The progress, unless the rollout is paused. A share below that of the step was set by a gateway that does not know
    /// steps: by hand.
    pub fn active_progress(&self) -> Option<&RolloutProgress> {
        let progress = self.progress.as_ref()?;
        (!progress.paused && self.percent >= progress.current().percent).then_some(progress)
    }
}

impl VisibleDeployments {
    /// The state in which all visitors see one deployment.
    pub fn live_only(deployment: u64) -> Self {
        Self {
            rollouts: Vec::new(),
            deployments: vec![deployment],
        }
    }

    /// The number of the live deployment.
    pub fn live(&self) -> u64 {
        self.deployments[0]
    }

    /// The running rollouts, in the order in which they started.
    pub fn rollouts(&self) -> &[Rollout] {
        &self.rollouts
    }

    /// The numbers of all deployments, by combination.
    pub fn deployments(&self) -> &[u64] {
        &self.deployments
    }

    /// The rollouts, each with the number of its candidate.
    pub fn candidates(&self) -> impl Iterator<Item = (&Rollout, u64)> {
        let numbers = (0..).map(|index| self.deployments[1 << index]);
        self.rollouts.iter().zip(numbers)
    }

    /// For each rollout, whether a deployment includes its changes; `None` if visitors do not see the deployment.
    pub fn rollouts_in(&self, deployment: u64) -> Option<impl Iterator<Item = (&Rollout, bool)>> {
        let combination = self.deployments.iter().position(|number| *number == deployment)?;
        let rollouts = self.rollouts.iter().enumerate();
        Some(rollouts.map(move |(index, rollout)| (rollout, includes(combination, index))))
    }

    /// The same rollouts with other deployments, one for each combination.
    #[must_use]
    pub fn renewed(&self, deployments: Vec<u64>) -> Self {
        debug_assert_eq!(deployments.len(), self.deployments.len());
        Self {
            rollouts: self.rollouts.clone(),
            deployments,
        }
    }

    /// Adds a rollout. `deployments` are the current combinations with the changes of the rollout.
    #[must_use]
    pub fn started(&self, rollout: Rollout, deployments: Vec<u64>) -> Self {
        debug_assert_eq!(deployments.len(), self.deployments.len());
        let mut next = self.clone();
        next.rollouts.push(rollout);
        next.deployments.extend(deployments);
        next
    }

    /// Changes the share and the progress of a rollout.
    #[must_use]
    pub fn continued(&self, index: usize, percent: u8, progress: Option<RolloutProgress>) -> Self {
        let mut next = self.clone();
        let rollout = &mut next.rollouts[index];
        (rollout.percent, rollout.progress) = (percent, progress);
        next
    }

    /// Ends a rollout: all visitors get its changes.
    #[must_use]
    pub fn promoted(&self, index: usize) -> Self {
        self.ended(index, true)
    }

    /// Ends a rollout: no visitor gets its changes.
    #[must_use]
    pub fn aborted(&self, index: usize) -> Self {
        self.ended(index, false)
    }

    /// Ends a rollout, and keeps the combinations with or without its changes. The order of the kept deployments stays, so
    /// their positions are the new combinations.
    fn ended(&self, index: usize, with_changes: bool) -> Self {
        let mut rollouts = self.rollouts.clone();
        rollouts.remove(index);
        let combinations = self.deployments.iter().enumerate();
        let kept = combinations.filter(|(combination, _)| includes(*combination, index) == with_changes);
        Self {
            rollouts,
            deployments: kept.map(|(_, number)| *number).collect(),
        }
    }
}

impl TryFrom<Unchecked> for VisibleDeployments {
    type Error = String;

    fn try_from(
        Unchecked {
            rollouts,
            deployments,
        }: Unchecked,
    ) -> Result<Self, String> {
        let (count, expected) = (rollouts.len(), 1 << rollouts.len().min(MAX_ROLLOUTS));
        if count > MAX_ROLLOUTS {
            return Err(format!(
                "`rollouts` has {count} entries; expected at most {MAX_ROLLOUTS}"
            ));
        }
        if deployments.len() != expected {
            return Err(format!(
                "`deployments` has {} entries; expected {expected}, one per combination of {count} rollouts",
                deployments.len()
            ));
        }
        if deployments.iter().collect::<BTreeSet<_>>().len() < deployments.len() {
            return Err("`deployments` has an entry twice; expected different deployments".to_owned());
        }
        let ids: BTreeSet<&str> = rollouts.iter().map(|rollout| &*rollout.id).collect();
        if ids.len() < count {
            return Err("`rollouts` has an `id` twice; expected different IDs".to_owned());
        }
        if let Some(Rollout { percent, .. }) = rollouts.iter().find(|rollout| rollout.percent > 99) {
            return Err(format!("a rollout has `percent` {percent}; expected 0 to 99"));
        }
        Ok(Self {
            rollouts,
            deployments,
        })
    }
}

/// Whether a combination includes the changes of a rollout.
pub fn includes(combination: usize, rollout: usize) -> bool {
    (combination >> rollout) & 1 == 1
}

#[cfg(test)]
mod tests;
