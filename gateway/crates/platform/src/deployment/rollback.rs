//! Rolling back: one section to its previous release, or all sections to an earlier deployment.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, require};
use super::{Deployments, Snapshot};
use colonnade_model::deployment::{
    Change, ChangeKind, Deployment, ReleaseChange, VisibleDeployments, release_changes,
};
use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;

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

impl Deployments {
    /// Rolls back with a new deployment, which goes live for all visitors.
    ///
    /// Rolling back a section keeps all other sections, also in the candidates of rollouts. Rolling back to a deployment
    /// ends all rollouts.
    pub async fn roll_back(
        &self,
        target: &RollbackTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        match target {
            RollbackTarget::Section(section) => require(may_change, [section].into_iter())?,
            // This changes all sections.
            RollbackTarget::Deployment(_) | RollbackTarget::Previous => {
                require(may_change, [&"*".to_owned()].into_iter())?;
            }
        }
        let _changing = self.start_change().await?;
        loop {
            let snapshot = self.refresh().await?;
            let number = self.next_number().await?;
            let plan = match target {
                RollbackTarget::Section(section) => {
                    Some(self.section_plan(&snapshot, section, number, author).await?)
                }
                RollbackTarget::Deployment(to) => {
                    self.deployment_plan(&snapshot, *to, number, author).await?
                }
                RollbackTarget::Previous => {
                    let to = self.previous_deployment(&snapshot).await?;
                    self.deployment_plan(&snapshot, to, number, author).await?
                }
            };
            let Some(plan) = plan else {
                let number = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?.number();
                return ChangeOutcome::unchanged(snapshot, number);
            };
            if let Some(outcome) = self.try_apply(&snapshot, plan, number).await? {
                return Ok(outcome);
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
        let earlier = self.store.deployment(to).await?;
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

    /// The releases that the next `count` rollbacks of each live section would restore.
    pub(super) async fn rollback_targets(
        &self,
        snapshot: &Snapshot,
        count: usize,
    ) -> Result<BTreeSet<ReleaseId>, StoreError> {
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
        Ok(targets)
    }

    /// The deployment that was live before the current one.
    ///
    /// Reads the history from the newest change to the oldest, and finds the change that made the current deployment live.
    /// If that change is a rollback that restored an earlier deployment, the search continues with the restored deployment,
    /// so a repeated rollback restores the deployment before that. If the restored deployment was never live, such as a
    /// preview, the result is the deployment that the newest of these rollbacks replaced.
    ///
    /// Example: after deployments 1, 2 and 3 and a rollback to 2, which creates 4, the previous deployment is 1.
    async fn previous_deployment(&self, snapshot: &Snapshot) -> Result<u64, ChangeError> {
        let mut target = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?.number();
        let mut fallback = None;
        let deployment_before = |change: &Change| {
            if change.live != target || change.before == Some(target) {
                return None;
            }
            match change.restores {
                Some(restored) => {
                    fallback = fallback.or(change.before);
                    target = restored;
                    None
                }
                None => Some(change.before),
            }
        };
        let previous = self.search(snapshot, deployment_before).await?;
        previous
            .unwrap_or(fallback)
            .ok_or_else(|| ChangeError::NothingToRestore("there is no previous deployment".to_owned()))
    }

    /// Searches the changes of the live deployment, newest first.
    async fn search<T>(
        &self,
        snapshot: &Snapshot,
        mut find: impl FnMut(&Change) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let newest = snapshot.state().map(|state| state.change.clone());
        let mut change = match newest {
            Some(newest) if !newest.changed_live() => self.store.history_entry(newest.previous).await?,
            newest => newest,
        };
        while let Some(current) = change {
            if let Some(found) = find(&current) {
                return Ok(Some(found));
            }
            change = self.store.history_entry(current.previous).await?;
        }
        Ok(None)
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
