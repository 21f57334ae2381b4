//! Deploying: to all visitors at once, or to a percentage of them.

use std::collections::BTreeMap;

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, numbers, require};
use super::claims::require_claims;
use super::{Deployments, Snapshot};
use crate::metrics;
use colonnade_diagnostics::TrialAction;
use colonnade_model::deployment::{
    ChangeKind, MAX_ROLLOUTS, Rollout, RolloutProgress, RolloutSteps, release_changes,
};
use colonnade_model::secret::Secret;
use colonnade_model::unknown_fields::UnknownFields;
use colonnade_render::TrialResults;
use tokio::time::Instant;

/// A request to change releases of the live deployment.
#[derive(Debug, Clone)]
pub struct DeployRequest {
    /// The version of each section to change, by name; `None` removes the section.
    pub releases: BTreeMap<String, Option<String>>,
    /// The deployment that must be live, if given.
    pub base: Option<u64>,
    /// How its rollout starts. `None`: it goes live for all visitors.
    pub rollout: Option<RolloutStart>,
    /// Who requests it.
    pub author: Author,
}

/// How a rollout starts.
#[derive(Debug, Clone)]
pub enum RolloutStart {
    /// At this percentage of visitors, which changes only by hand.
    Percent(u8),
    /// At the first step.
    Steps(RolloutSteps),
}

impl DeployRequest {
    /// These releases with the requested ones replaced.
    pub(super) fn applied_to(&self, releases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut releases = releases.clone();
        for (name, version) in &self.releases {
            match version {
                Some(version) => releases.insert(name.clone(), version.clone()),
                None => releases.remove(name),
            };
        }
        releases
    }
}

impl Deployments {
    /// Creates a deployment of the live releases with some replaced, and makes it live or starts its rollout.
    ///
    /// During rollouts of other sections, the live deployment, the candidates and their combinations are all replaced, in
    /// one swap.
    pub async fn deploy(
        &self,
        request: &DeployRequest,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let result = self.try_deploy(request, may_change).await;
        self.metrics.record_change(metrics::DEPLOY, &result);
        result
    }

    async fn try_deploy(
        &self,
        request: &DeployRequest,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        require(may_change, request.releases.keys())?;
        let mut verified = TrialResults::default();
        let asked_at = Instant::now();
        let mut changing = self.start_change().await?;
        loop {
            let snapshot = self.newest_since(asked_at).await?;
            let number = self.next_number(&snapshot);
            let Some(plan) = plan(&snapshot, request, number)? else {
                let number = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?.number();
                return ChangeOutcome::unchanged(snapshot, number);
            };
            let loaded = self.assemble_all(&snapshot, &plan).await?;
            require_claims(&snapshot, &loaded, may_change)?;
            let unverified = self.unverified(&snapshot, &loaded, &mut verified);
            if !unverified.is_empty() {
                drop(changing);
                self.verify_rendering(TrialAction::Deploy, &snapshot, unverified, &mut verified)
                    .await?;
                changing = self.start_change().await?;
                if !self.is_current(&snapshot) {
                    continue;
                }
            }
            if let Some(outcome) = self.try_apply(&snapshot, plan, loaded, number).await? {
                return Ok(outcome);
            }
        }
    }
}

/// Plans a deploy; `None` if there is nothing to change.
fn plan(
    snapshot: &Snapshot,
    request: &DeployRequest,
    number: u64,
) -> Result<Option<ChangePlan>, ChangeError> {
    let live = snapshot.live();
    if let Some(base) = request.base
        && live.is_none_or(|live| live.number() != base)
    {
        let live = live.map(|live| live.number());
        return Err(ChangeError::BaseNotLive { base, live });
    }
    let no_releases = BTreeMap::new();
    let before = live.map_or(&no_releases, |live| &live.deployment.releases);
    let changes = release_changes(before, &request.applied_to(before));
    snapshot.reject_rolled_out(|name| request.releases.contains_key(name))?;
    reject_absent(request, before)?;
    if changes.is_empty() && live.is_some() {
        return Ok(None);
    }
    let author = &request.author;
    let deployments = author.renewed(snapshot, number, |releases| request.applied_to(releases));
    let Some(start) = &request.rollout else {
        let state = author.state_for_all(snapshot, ChangeKind::Deploy, &deployments, changes);
        return Ok(Some(ChangePlan { deployments, state }));
    };
    let current = &snapshot.state().ok_or(ChangeError::NoLiveDeployment)?.visible;
    if current.rollouts().len() == MAX_ROLLOUTS {
        return Err(ChangeError::TooManyRollouts(snapshot.describe_rollouts()));
    }
    let (percent, steps) = match start {
        RolloutStart::Percent(percent) => (*percent, None),
        RolloutStart::Steps(steps) => (steps.first().percent, Some(steps.clone())),
    };
    let rollout = Rollout {
        id: format!("{:016x}", colonnade_random::random::<u64>()),
        key: Secret::random(),
        percent,
        started_at: colonnade_clock::now(),
        by: author.by.clone(),
        progress: steps
            .clone()
            .map(|steps| RolloutProgress::new(steps, colonnade_clock::precise())),
        unknown: UnknownFields::default(),
    };
    let visible = current.started(rollout, numbers(&deployments));
    let mut state = author.state(snapshot, ChangeKind::Rollout, visible, changes);
    state.change.candidate = Some(number);
    state.change.percent = Some(percent);
    state.change.steps = steps;
    Ok(Some(ChangePlan { deployments, state }))
}

/// Rejects the removal of a section that is not live: the name is probably misspelled.
fn reject_absent(request: &DeployRequest, releases: &BTreeMap<String, String>) -> Result<(), ChangeError> {
    let removed = request.releases.iter().filter(|(_, version)| version.is_none());
    let absent: Vec<String> = removed
        .filter(|(name, _)| !releases.contains_key(*name))
        .map(|(name, _)| format!("{name} cannot be removed: it is not in the live deployment"))
        .collect();
    if absent.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::UnknownReleases(absent))
    }
}
