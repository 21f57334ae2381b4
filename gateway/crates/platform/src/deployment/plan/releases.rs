//! The rules of deploys and rollbacks.

use std::collections::BTreeMap;

use colonnade_model::deployment::{
    ChangeKind, Deployment, ReleaseChange, Rollout, RolloutProgress, SetName, VisibleDeployments,
    release_changes,
};
use colonnade_model::secret::Secret;
use colonnade_model::unknown_fields::UnknownFields;

use crate::deployment::change_error::ChangeError;
use crate::deployment::plan::{ChangedSet, Plan, Planner, Releases, reject_rolled_out, replaced};
use crate::deployment::types::{DeployRequest, RolloutStart};

impl Planner<'_> {
    pub(super) fn deploy(&self, request: &DeployRequest) -> Result<Option<Plan>, ChangeError> {
        self.require_base(request.base)?;
        let no_releases = Releases::new();
        let live = self.live();
        let before = live.map_or(&no_releases, |live| &live.releases);
        let after = replaced(before, &request.releases);
        let changes = release_changes(before, &after);
        reject_rolled_out(self.snapshot, |name| request.releases.contains_key(name))?;
        reject_absent(request, before)?;
        if changes.is_empty() && live.is_some() {
            return Ok(None);
        }
        let Some(start) = &request.rollout else {
            return Ok(Some(self.go_live(ChangeKind::Deploy, after, changes)));
        };
        let visible = &self
            .snapshot
            .state()
            .ok_or(ChangeError::NoLiveDeployment)?
            .visible;
        let (percent, steps) = match start {
            RolloutStart::Percent(percent) => (*percent, None),
            RolloutStart::Steps(steps) => (steps.first().percent, Some(steps.clone())),
        };
        let progress = |steps| RolloutProgress::new(steps, colonnade_clock::precise());
        let rollout = Rollout {
            id: format!("{:016x}", colonnade_random::random::<u64>()),
            key: Secret::random(),
            candidate: self.number,
            since: self.moment.revision,
            percent,
            started_at: self.moment.at,
            by: self.request.author.by.clone(),
            progress: steps.clone().map(progress),
            unknown: UnknownFields::default(),
        };
        let sets = self.changed_sets(&after);
        let candidate = Deployment {
            changes: changes.keys().cloned().collect(),
            ..self.deployment(after)
        };
        let mut state = self.state(ChangeKind::Rollout, visible.started(rollout), changes);
        state.change.candidate = Some(self.number);
        state.change.percent = Some(percent);
        state.change.steps = steps;
        Ok(Some(self.plan(Some(candidate), state, sets)))
    }

    pub(super) fn restore_section(
        &self,
        section: &str,
        version: String,
    ) -> Result<Option<Plan>, ChangeError> {
        let live = self.live().ok_or(ChangeError::NoLiveDeployment)?;
        let mut after = live.releases.clone();
        after.insert(section.to_owned(), version);
        let changes = release_changes(&live.releases, &after);
        Ok(Some(self.go_live(ChangeKind::Rollback, after, changes)))
    }

    pub(super) fn restore(&self, earlier: Deployment) -> Result<Option<Plan>, ChangeError> {
        let state = self.snapshot.state().ok_or(ChangeError::NoLiveDeployment)?;
        let live = self.live().ok_or(ChangeError::NoLiveDeployment)?;
        let changes = release_changes(&live.releases, &earlier.releases);
        if changes.is_empty() && state.visible.rollouts().is_empty() {
            return Ok(None);
        }
        let visible = state.visible.restored(self.number, self.moment);
        let mut next = self.state(ChangeKind::Rollback, visible, changes);
        next.change.restores = Some(earlier.number);
        let sets = vec![ChangedSet {
            releases: earlier.releases.clone(),
            replaces: Some(SetName::of_live(live.number)),
            rollout: None,
        }];
        Ok(Some(self.plan(
            Some(self.deployment(earlier.releases)),
            next,
            sets,
        )))
    }

    /// These releases go live for all visitors. The rollouts continue.
    fn go_live(
        &self,
        action: ChangeKind,
        releases: Releases,
        changes: BTreeMap<String, ReleaseChange>,
    ) -> Plan {
        let visible = match self.snapshot.state() {
            Some(state) => state.visible.replaced(self.number, self.moment),
            None => VisibleDeployments::first(self.number, self.moment.revision),
        };
        let sets = self.changed_sets(&releases);
        let state = self.state(action, visible, changes);
        self.plan(Some(self.deployment(releases)), state, sets)
    }

    /// The sets that visitors get when these releases are live or a candidate: alone, and with each
    /// running rollout. The rules of sets are about two releases, so all sets of several rollouts are
    /// valid if these are. What a point shows is about more: [`crate::deployment::pushed_out`].
    fn changed_sets(&self, releases: &Releases) -> Vec<ChangedSet> {
        let live = self.live().map(|live| live.number);
        let alone = ChangedSet {
            releases: releases.clone(),
            replaces: live.map(SetName::of_live),
            rollout: None,
        };
        let with_rollouts = self.snapshot.rollouts().map(|running| ChangedSet {
            releases: running.candidate.deployment.applied_to(releases),
            replaces: live.map(|live| SetName::with(live, [running.record.candidate])),
            rollout: Some(running.describe()),
        });
        std::iter::once(alone).chain(with_rollouts).collect()
    }
}

/// Rejects the removal of a section that is not live: the name is probably misspelled.
fn reject_absent(request: &DeployRequest, releases: &Releases) -> Result<(), ChangeError> {
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
