//! The sets of releases that visitors get: the live deployment, a candidate for each running
//! rollout, and those that open tabs still use.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::deployment::{RolloutProgress, SetName};
use crate::secret::Secret;
use crate::unknown_fields::UnknownFields;

/// The live deployment, the candidates of the running rollouts, and what visitors got before.
///
/// A visitor takes part in each rollout independently of the others. So each set of candidates is a
/// set of releases that some visitor may get. These sets are composed when they are requested: only
/// the live deployment and the candidates are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
pub struct VisibleDeployments {
    /// The number of the live deployment.
    live: u64,
    /// The revision of the change that made it live.
    since: u64,
    rollouts: Vec<Rollout>,
    /// What visitors got before, in the order in which it ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<Earlier>,
}

/// A progressive rollout: a share of the visitors gets its candidate in place of live releases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollout {
    /// A unique ID, so that each rollout selects its cohort independently.
    pub id: String,
    /// Decides which visitors belong to the cohort.
    pub key: Secret,
    /// The number of the candidate: a deployment with the changes of the rollout.
    pub candidate: u64,
    /// The revision of the change that started the rollout.
    pub since: u64,
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

/// A deployment that some visitors got before, and that open tabs may still use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Earlier {
    /// The number of the deployment.
    pub number: u64,
    /// What it was.
    pub role: EarlierRole,
    /// The revision of the change from which visitors got it.
    pub since: u64,
    /// The revision of the change from which they did not.
    pub until: u64,
    /// When it ended.
    pub ended_at: Timestamp,
}

/// What an earlier deployment was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EarlierRole {
    /// The live deployment.
    Live,
    /// The candidate of a rollout.
    Candidate,
    /// The deployment of a preview link, which was created then.
    Preview,
}

/// The revision and the time of a change.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The revision of the live state that follows.
    pub revision: u64,
    /// The time.
    pub at: Timestamp,
}

/// The stored form, before validation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Unchecked {
    live: u64,
    since: u64,
    rollouts: Vec<Rollout>,
    #[serde(default)]
    earlier: Vec<Earlier>,
}

impl Rollout {
    /// When the current step began; `None` without steps.
    pub fn step_started_at(&self) -> Option<Timestamp> {
        Some(self.progress.as_ref()?.step_started_at)
    }

    /// The progress, unless the rollout is paused. A share below that of the step was set by a
    /// gateway that does not know steps: by hand.
    pub fn active_progress(&self) -> Option<&RolloutProgress> {
        let progress = self.progress.as_ref()?;
        (!progress.paused && self.percent >= progress.current().percent).then_some(progress)
    }
}

impl VisibleDeployments {
    /// The first live deployment, from this revision.
    pub fn first(live: u64, since: u64) -> Self {
        Self {
            live,
            since,
            rollouts: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// The number of the live deployment.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The running rollouts, in the order in which they started.
    pub fn rollouts(&self) -> &[Rollout] {
        &self.rollouts
    }

    /// What visitors got before, in the order in which it ended.
    pub fn earlier(&self) -> &[Earlier] {
        &self.earlier
    }

    /// The numbers of the live deployment and of the candidates.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let candidates = self.rollouts.iter().map(|rollout| rollout.candidate);
        std::iter::once(self.live).chain(candidates)
    }

    /// For each running rollout, whether a set includes its changes; `None` if its live deployment
    /// is an earlier one.
    pub fn rollouts_in(&self, set: &SetName) -> Option<impl Iterator<Item = (&Rollout, bool)>> {
        let includes = |rollout: &Rollout| set.candidates().contains(&rollout.candidate);
        (set.live() == self.live).then(|| {
            self.rollouts
                .iter()
                .map(move |rollout| (rollout, includes(rollout)))
        })
    }

    /// Whether visitors get this set now, or got it before: at some revision, its live deployment
    /// was live and all its candidates were running.
    pub fn has_offered(&self, set: &SetName) -> bool {
        let earlier = |number, role| {
            let mut earlier = self.earlier.iter();
            let found = earlier.find(|earlier| earlier.number == number && earlier.role == role)?;
            Some((found.since, found.until))
        };
        let live = if set.live() == self.live {
            Some((self.since, u64::MAX))
        } else {
            earlier(set.live(), EarlierRole::Live)
        };
        let candidates = set.candidates().iter().map(|number| {
            let running = self.rollouts.iter().find(|rollout| rollout.candidate == *number);
            let running = running.map(|rollout| (rollout.since, u64::MAX));
            running.or_else(|| earlier(*number, EarlierRole::Candidate))
        });
        let intervals: Option<Vec<(u64, u64)>> = std::iter::once(live).chain(candidates).collect();
        intervals.is_some_and(|intervals| {
            let since = intervals.iter().map(|(since, _)| *since).max();
            let until = intervals.iter().map(|(_, until)| *until).min();
            since < until
        })
    }

    /// Another deployment goes live. The rollouts continue.
    #[must_use]
    pub fn replaced(&self, live: u64, moment: Moment) -> Self {
        let mut next = self.clone();
        next.end(self.live, EarlierRole::Live, self.since, moment);
        (next.live, next.since) = (live, moment.revision);
        next
    }

    /// Another deployment goes live, and all rollouts end.
    #[must_use]
    pub fn restored(&self, live: u64, moment: Moment) -> Self {
        let mut next = self.replaced(live, moment);
        for rollout in std::mem::take(&mut next.rollouts) {
            next.end(rollout.candidate, EarlierRole::Candidate, rollout.since, moment);
        }
        next
    }

    /// Adds a rollout.
    #[must_use]
    pub fn started(&self, rollout: Rollout) -> Self {
        let mut next = self.clone();
        next.rollouts.push(rollout);
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

    /// Ends a rollout: all visitors get its changes, with the deployment `live`.
    #[must_use]
    pub fn promoted(&self, index: usize, live: u64, moment: Moment) -> Self {
        self.aborted(index, moment).replaced(live, moment)
    }

    /// Ends a rollout: no visitor gets its changes.
    #[must_use]
    pub fn aborted(&self, index: usize, moment: Moment) -> Self {
        let mut next = self.clone();
        let rollout = next.rollouts.remove(index);
        next.end(rollout.candidate, EarlierRole::Candidate, rollout.since, moment);
        next
    }

    /// Records that a preview link of a deployment was created.
    #[must_use]
    pub fn previewed(&self, number: u64, moment: Moment) -> Self {
        let mut next = self.clone();
        let is_same = |earlier: &Earlier| earlier.number == number && earlier.role == EarlierRole::Preview;
        next.earlier.retain(|earlier| !is_same(earlier));
        next.end(number, EarlierRole::Preview, moment.revision, moment);
        next
    }

    /// Forgets these earlier deployments, which are no longer kept: open tabs with one must reload.
    #[must_use]
    pub fn without(&self, numbers: &[u64]) -> Self {
        let mut next = self.clone();
        next.earlier.retain(|earlier| !numbers.contains(&earlier.number));
        next
    }

    fn end(&mut self, number: u64, role: EarlierRole, since: u64, moment: Moment) {
        self.earlier.push(Earlier {
            number,
            role,
            since,
            until: moment.revision,
            ended_at: moment.at,
        });
    }
}

impl TryFrom<Unchecked> for VisibleDeployments {
    type Error = String;

    fn try_from(unchecked: Unchecked) -> Result<Self, String> {
        let Unchecked {
            live,
            since,
            rollouts,
            earlier,
        } = unchecked;
        let ids: BTreeSet<&str> = rollouts.iter().map(|rollout| &*rollout.id).collect();
        if ids.len() < rollouts.len() {
            return Err("`rollouts` has an `id` twice; expected different IDs".to_owned());
        }
        let candidates = rollouts.iter().map(|rollout| rollout.candidate);
        let numbers: BTreeSet<u64> = candidates.chain([live]).collect();
        if numbers.len() <= rollouts.len() {
            return Err(
                "two of the live deployment and the candidates have the same number; expected different ones"
                    .to_owned(),
            );
        }
        if let Some(Rollout { percent, .. }) = rollouts.iter().find(|rollout| rollout.percent > 99) {
            return Err(format!("a rollout has `percent` {percent}; expected 0 to 99"));
        }
        Ok(Self {
            live,
            since,
            rollouts,
            earlier,
        })
    }
}

#[cfg(test)]
mod tests;
