//! Rolling back: one section to its previous release, or all sections to an earlier deployment.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, require};
use super::claims::require_claims;
use super::{Deployments, Snapshot};
use crate::metrics;
use colonnade_model::deployment::{
    Change, ChangeKind, Deployment, ReleaseChange, VisibleDeployments, release_changes,
};
use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;
use tokio::time::Instant;

/// What to roll back.
#[derive(Debug, Clone)]
pub enum RollbackTarget {
    /// One section, to its previous release.
    Section(String),
    /// All sections, to this deployment.
    Deployment(u64),
    /// All sections, to the previous deployment.
    Previous,
}

/// What a rollback would change.
#[derive(Debug, Default)]
pub struct RollbackPlan {
    /// The live deployment that the plan is for.
    pub live: u64,
    /// The deployment whose releases are all restored.
    pub restores: Option<u64>,
    /// The release changes of the shell and the sections, by name. Empty if there is nothing to change.
    pub sections: BTreeMap<String, ReleaseChange>,
}

fn require_rollback(target: &RollbackTarget, may_change: MayChange<'_>) -> Result<(), ChangeError> {
    match target {
        RollbackTarget::Section(section) => require(may_change, [section].into_iter()),
        // This changes all sections.
        RollbackTarget::Deployment(_) | RollbackTarget::Previous => {
            require(may_change, [&"*".to_owned()].into_iter())
        }
    }
}

impl Deployments {
    /// Rolls back with a new deployment, which goes live for all visitors.
    ///
    /// Rolling back a section keeps all other sections, also in the candidates of rollouts. Rolling back to a deployment
    /// ends all rollouts.
    pub async fn roll_back(
        &self,
        target: &RollbackTarget,
        base: Option<u64>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let result = self.try_roll_back(target, base, author, may_change).await;
        self.metrics.record_change(metrics::ROLLBACK, &result);
        result
    }

    /// What [`Deployments::roll_back`] would change now.
    pub async fn plan_rollback(
        &self,
        target: &RollbackTarget,
        base: Option<u64>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<RollbackPlan, ChangeError> {
        require_rollback(target, may_change)?;
        let snapshot = {
            let _changing = self.hold_off_changes().await?;
            self.refresh().await?
        };
        let plan = self.rollback_plan(&snapshot, target, base, 0, author).await?;
        if let Some(plan) = plan.as_ref().filter(|_| !may_change("*")) {
            require_claims(&snapshot, &self.assemble_all(&snapshot, plan).await?, may_change)?;
        }
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?.number();
        Ok(plan.map_or_else(
            || RollbackPlan {
                live,
                ..RollbackPlan::default()
            },
            |plan| RollbackPlan {
                live,
                restores: plan.state.change.restores,
                sections: plan.state.change.sections,
            },
        ))
    }

    async fn try_roll_back(
        &self,
        target: &RollbackTarget,
        base: Option<u64>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        require_rollback(target, may_change)?;
        let asked_at = Instant::now();
        let _changing = self.start_change().await?;
        loop {
            let snapshot = self.newest_since(asked_at).await?;
            let number = self.next_number(&snapshot);
            let plan = self
                .rollback_plan(&snapshot, target, base, number, author)
                .await?;
            let Some(plan) = plan else {
                let number = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?.number();
                return ChangeOutcome::unchanged(snapshot, number);
            };
            let loaded = self.assemble_all(&snapshot, &plan).await?;
            require_claims(&snapshot, &loaded, may_change)?;
            if let Some(outcome) = self.try_apply(&snapshot, plan, loaded, number).await? {
                return Ok(outcome);
            }
        }
    }

    /// Plans a rollback; `None` if there is nothing to change. With `base`, only if this deployment is live.
    async fn rollback_plan(
        &self,
        snapshot: &Snapshot,
        target: &RollbackTarget,
        base: Option<u64>,
        number: u64,
        author: &Author,
    ) -> Result<Option<ChangePlan>, ChangeError> {
        let live = snapshot.live().map(|live| live.number());
        if let Some(base) = base
            && live != Some(base)
        {
            return Err(ChangeError::BaseNotLive { base, live });
        }
        match target {
            RollbackTarget::Section(section) => {
                Ok(Some(self.section_plan(snapshot, section, number, author).await?))
            }
            RollbackTarget::Deployment(to) => self.deployment_plan(snapshot, *to, number, author).await,
            RollbackTarget::Previous => {
                let to = self.previous_deployment(snapshot).await?;
                self.deployment_plan(snapshot, to, number, author).await
            }
        }
    }

    async fn section_plan(
        &self,
        snapshot: &Snapshot,
        section: &String,
        number: u64,
        author: &Author,
    ) -> Result<ChangePlan, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
        snapshot.reject_rolled_out(|name| name == section)?;
        let before = &live.deployment.releases;
        let Some(current) = before.get(section) else {
            return Err(ChangeError::NothingToRestore(format!("`{section}` is not live")));
        };
        let earlier = self.previous_release(snapshot, section, current).await?;
        let roll_back = |releases: &BTreeMap<String, String>| {
            let mut releases = releases.clone();
            releases.insert(section.clone(), earlier.clone());
            releases
        };
        let changes = release_changes(before, &roll_back(before));
        let deployments = author.renewed(snapshot, number, roll_back);
        let state = author.state_for_all(snapshot, ChangeKind::Rollback, &deployments, changes);
        Ok(ChangePlan { deployments, state })
    }

    async fn deployment_plan(
        &self,
        snapshot: &Snapshot,
        to: u64,
        number: u64,
        author: &Author,
    ) -> Result<Option<ChangePlan>, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
        let earlier = self.stored_deployment(to).await?;
        let target_releases = earlier.ok_or(ChangeError::DeploymentNotFound(to))?.releases;
        let changes = release_changes(&live.deployment.releases, &target_releases);
        if changes.is_empty() && snapshot.rollouts().next().is_none() {
            return Ok(None);
        }
        let visible = VisibleDeployments::live_only(number);
        let mut state = author.state(snapshot, ChangeKind::Rollback, visible, changes);
        state.change.restores = Some(to);
        Ok(Some(ChangePlan {
            deployments: vec![author.deployment(number, target_releases)],
            state,
        }))
    }

    /// The release of a section that was live before its current one.
    async fn previous_release(
        &self,
        snapshot: &Snapshot,
        section: &str,
        current: &str,
    ) -> Result<String, ChangeError> {
        let mut search = PreviousRelease::of(section, current);
        let previous = self.search(snapshot, |change| search.find(change)).await?;
        previous.ok_or_else(|| {
            ChangeError::NothingToRestore(format!(
                "`{section}` has no previous release; remove the section with a deploy instead"
            ))
        })
    }

    /// The last `count` previous releases of each section, and those that the next `count` rollbacks of each live section
    /// restore.
    pub(super) async fn retained_releases(
        &self,
        snapshot: &Snapshot,
        count: usize,
    ) -> Result<BTreeSet<ReleaseId>, ChangeError> {
        let mut changes = Vec::new();
        let all_changes = |change: &Change| {
            changes.push(change.clone());
            None::<()>
        };
        self.search(snapshot, all_changes).await?;
        let mut targets = BTreeSet::new();
        let live = snapshot.live().map(|live| &live.deployment);
        for mut release in live.into_iter().flat_map(Deployment::release_ids) {
            for _ in 0..count {
                let mut search = PreviousRelease::of(&release.name, &release.version);
                let Some(version) = changes.iter().find_map(|change| search.find(change)) else {
                    break;
                };
                release.version = version;
                // Versions that were deployed in turns repeat.
                if !targets.insert(release.clone()) {
                    break;
                }
            }
        }
        targets.extend(previous_releases(&changes, live, count));
        Ok(targets)
    }

    /// The deployment to which a rollback of all sections returns: the newest earlier live deployment that has other releases
    /// than the live one, and none that a rollback has removed since. Garbage collection may have deleted newer ones.
    ///
    /// So a rollback never restores what another rollback has just removed, also if that one concerned a single section, and
    /// a repeated rollback goes further back. A release that became live again after its removal counts as not removed.
    ///
    /// If the live deployment comes from a rollback to a deployment that was never live, such as a preview, and no other
    /// qualifies, the result is the deployment that this rollback replaced.
    ///
    /// Example: after deployments 1, 2 and 3 and a rollback to 2, which creates 4, the previous deployment is 1.
    async fn previous_deployment(&self, snapshot: &Snapshot) -> Result<u64, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
        let mut history = RollbackHistory::default();
        let mut change = self.newest_live_change(snapshot).await?;
        while let Some(current) = change {
            history.add(&current);
            if let Some(number) = current.before {
                let earlier = self.stored_deployment(number).await?;
                let qualifies = earlier.is_some_and(|earlier| {
                    let is_other = earlier.releases != live.deployment.releases;
                    is_other && !earlier.release_ids().any(|release| history.is_removed(&release))
                });
                if qualifies {
                    return Ok(number);
                }
            }
            change = self.stored_change(current.previous).await?;
        }
        history
            .replaced_by_new()
            .ok_or_else(|| ChangeError::NothingToRestore("there is no previous deployment".to_owned()))
    }

    /// Searches the changes of the live deployment, newest first.
    async fn search<T>(
        &self,
        snapshot: &Snapshot,
        mut find: impl FnMut(&Change) -> Option<T>,
    ) -> Result<Option<T>, ChangeError> {
        let mut change = self.newest_live_change(snapshot).await?;
        while let Some(current) = change {
            if let Some(found) = find(&current) {
                return Ok(Some(found));
            }
            change = self.stored_change(current.previous).await?;
        }
        Ok(None)
    }

    /// The newest change of the live deployment.
    async fn newest_live_change(&self, snapshot: &Snapshot) -> Result<Option<Change>, ChangeError> {
        let newest = snapshot.state().map(|state| state.change.clone());
        match newest {
            Some(newest) if !newest.changed_live() => self.stored_change(newest.previous).await,
            newest => Ok(newest),
        }
    }

    /// An entry of the history.
    pub(super) async fn stored_change(&self, revision: u64) -> Result<Option<Change>, ChangeError> {
        let read = self.store.history_entry(revision).await;
        intact(read, || format!("entry {revision} of the history"))
    }

    async fn stored_deployment(&self, number: u64) -> Result<Option<Deployment>, ChangeError> {
        let read = self.store.deployment(number).await;
        intact(read, || format!("the record of deployment {number}"))
    }
}

/// A record that a change needs.
fn intact<T>(read: Result<T, StoreError>, name: impl FnOnce() -> String) -> Result<T, ChangeError> {
    read.map_err(|error| match error {
        error if error.is_damage() => ChangeError::DamagedRecord(name()),
        error => error.into(),
    })
}

/// The last `count` releases of each section that were live before its current one. `changes` are those of the live
/// deployment, newest first.
fn previous_releases(changes: &[Change], live: Option<&Deployment>, count: usize) -> Vec<ReleaseId> {
    let mut previous: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (name, ReleaseChange { from, .. }) in changes.iter().flat_map(|change| &change.sections) {
        let versions = previous.entry(name).or_default();
        let current = live.and_then(|live| live.releases.get(name));
        if let Some(from) = from
            && Some(from) != current
            && versions.len() < count
        {
            versions.insert(from);
        }
    }
    let ids = previous.into_iter().flat_map(|(name, versions)| {
        versions.into_iter().map(|version| ReleaseId {
            name: name.clone(),
            version: version.clone(),
        })
    });
    ids.collect()
}

/// What rollbacks removed, from the changes of the live deployment, newest first.
#[derive(Default)]
struct RollbackHistory {
    /// Whether the newest change that concerns a release is a rollback that removed it.
    removed: BTreeMap<ReleaseId, bool>,
    /// The newest rollback to a deployment: that deployment and the one that was live before.
    restored: Option<(u64, Option<u64>)>,
    /// Whether that deployment was live before.
    was_live: bool,
}

impl RollbackHistory {
    /// Adds the next older change.
    fn add(&mut self, change: &Change) {
        for (name, ReleaseChange { from, to }) in &change.sections {
            let release = |version: &String| ReleaseId {
                name: name.clone(),
                version: version.clone(),
            };
            if let Some(to) = to {
                self.removed.entry(release(to)).or_insert(false);
            }
            if let Some(from) = from
                && change.action == ChangeKind::Rollback
            {
                self.removed.entry(release(from)).or_insert(true);
            }
        }
        match (self.restored, change.restores) {
            (None, Some(restored)) => self.restored = Some((restored, change.before)),
            (Some((restored, _)), _) => self.was_live |= change.live == restored,
            (None, None) => {}
        }
    }

    fn is_removed(&self, release: &ReleaseId) -> bool {
        self.removed.get(release) == Some(&true)
    }

    /// The deployment that the newest rollback replaced, if it restored one that was never live.
    fn replaced_by_new(&self) -> Option<u64> {
        let (_, replaced) = self.restored?;
        replaced.filter(|_| !self.was_live)
    }
}

/// A search for the release of a section that was live before `current`.
///
/// Goes through the changes from the newest to the oldest, and finds the deploy or promotion that made the current version
/// live. The version that this change replaced is the previous release; earlier rollbacks are skipped, so a repeated
/// rollback restores the release before that. If the change added the section, or replaced the version by itself, the
/// search continues from the change before.
///
/// Example: after deploys of 1, 2 and 3 and a rollback to 2, the deploy of 2 replaced 1, so the previous release is 1.
struct PreviousRelease<'a> {
    section: &'a str,
    current: &'a str,
    /// The version that the next change to find made live.
    target: String,
    /// Whether the change that was found last added the section, so that an earlier one may have removed it.
    was_removed: bool,
}

impl<'a> PreviousRelease<'a> {
    fn of(section: &'a str, current: &'a str) -> Self {
        Self {
            section,
            current,
            target: current.to_owned(),
            was_removed: false,
        }
    }

    /// Takes the next change. Returns the version if it replaced the previous release.
    fn find(&mut self, change: &Change) -> Option<String> {
        let ReleaseChange { from, to } = change.sections.get(self.section)?;
        let matches = match to {
            Some(to) => change.action.is_forward() && *to == self.target,
            None => self.was_removed,
        };
        if !matches {
            return None;
        }
        self.was_removed = from.is_none();
        match from {
            Some(from) if from != self.current => return Some(from.clone()),
            Some(from) => self.target.clone_from(from),
            None => {}
        }
        None
    }
}
