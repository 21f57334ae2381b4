//! What a rollback restores: the previous release of a section, or an earlier deployment.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::StreamExt as _;

use crate::deployment::change_error::ChangeError;
use crate::deployment::deployments::Deployments;
use crate::deployment::history::MAX_READ;
use crate::deployment::plan::{PlanInput, reject_rolled_out};
use crate::deployment::rollback_targets::RollbackTargets;
use crate::deployment::snapshot::Snapshot;
use crate::deployment::types::RollbackTarget;
use colonnade_model::deployment::{Change, ChangeKind, Deployment, ReleaseChange};
use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;

impl Deployments {
    /// What a rollback restores, from the history.
    pub(super) async fn restored(
        &self,
        snapshot: &Snapshot,
        target: &RollbackTarget,
    ) -> Result<PlanInput, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
        let number = match target {
            RollbackTarget::Section(section) => {
                reject_rolled_out(snapshot, |name| name == section)?;
                let Some(current) = live.deployment.releases.get(section) else {
                    return Err(ChangeError::NothingToRestore(format!("`{section}` is not live")));
                };
                let version = self.previous_release(snapshot, section, current).await?;
                return Ok(PlanInput::Version(version));
            }
            RollbackTarget::Deployment(number) => *number,
            RollbackTarget::Previous => self.previous_deployment(snapshot).await?,
        };
        let earlier = self.stored_deployment(number).await?;
        Ok(PlanInput::Deployment(
            earlier.ok_or(ChangeError::DeploymentNotFound(number))?,
        ))
    }

    /// The release of a section that was live before its current one.
    async fn previous_release(
        &self,
        snapshot: &Snapshot,
        section: &str,
        current: &str,
    ) -> Result<String, ChangeError> {
        let mut search = PreviousRelease::of(section, current);
        let previous = self
            .search(snapshot, usize::MAX, |change| search.find(change))
            .await?;
        previous.ok_or_else(|| {
            ChangeError::NothingToRestore(format!(
                "`{section}` has no previous release; deploy another of its releases"
            ))
        })
    }

    /// The releases that rollbacks of these sections restore, by name. A section is absent if it has
    /// no previous release in the last [`MAX_READ`] changes, is not live, or is being rolled out.
    pub async fn previous_releases(
        &self,
        sections: impl Iterator<Item = &str>,
    ) -> Result<BTreeMap<String, String>, ChangeError> {
        let mut known = self.rollback_targets.lock().await;
        let snapshot = self.current();
        let Some(live) = snapshot.live() else {
            return Ok(BTreeMap::new());
        };
        let can_roll_back = |name: &&str| reject_rolled_out(&snapshot, |changed| changed == *name).is_ok();
        let releases = sections
            .filter(can_roll_back)
            .filter_map(|name| live.deployment.releases.get_key_value(name));
        let releases: Vec<_> = releases.collect();
        self.forget_changed(&snapshot, &mut known).await?;
        let unknown = releases
            .iter()
            .filter(|(name, _)| !known.versions.contains_key(*name));
        let mut searches: Vec<_> = unknown
            .map(|(name, current)| PreviousRelease::of(name, current))
            .collect();
        if !searches.is_empty() {
            let outcome = self.search(&snapshot, MAX_READ, |change| {
                searches.retain_mut(|search| match search.find(change) {
                    Some(version) => {
                        known.versions.insert(search.section.to_owned(), Some(version));
                        false
                    }
                    None => true,
                });
                searches.is_empty().then_some(())
            });
            match outcome.await {
                // A rollback of these sections fails until the record is restored.
                Err(ChangeError::DamagedRecord(_)) => {}
                outcome => {
                    outcome?;
                    let none = searches.iter().map(|search| (search.section.to_owned(), None));
                    known.versions.extend(none);
                }
            }
        }
        let found = releases.into_iter().filter_map(|(name, _)| {
            let version = known.versions.get(name)?.clone()?;
            Some((name.clone(), version))
        });
        Ok(found.collect())
    }

    /// Forgets what rollbacks restore of sections that changed since it was found.
    async fn forget_changed(
        &self,
        snapshot: &Snapshot,
        known: &mut RollbackTargets,
    ) -> Result<(), ChangeError> {
        let Some(state) = snapshot.state() else {
            return Ok(());
        };
        if state.timeline != known.timeline || state.revision() < known.revision {
            *known = RollbackTargets::default();
        }
        let since = known.revision;
        if !known.versions.is_empty() && since < state.revision() {
            let searched = self.search(snapshot, MAX_READ, |change| {
                if change.revision > since {
                    known
                        .versions
                        .retain(|name, _| !change.sections.contains_key(name));
                }
                (change.revision <= since).then_some(())
            });
            match searched.await {
                // Also if too many changes were made since then.
                Ok(None) | Err(ChangeError::DamagedRecord(_)) => known.versions.clear(),
                searched => drop(searched?),
            }
        }
        known.timeline.clone_from(&state.timeline);
        known.revision = state.revision();
        Ok(())
    }

    /// The last `count` previous releases of each section, and those that the next `count`
    /// rollbacks of each live section restore.
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
        self.search(snapshot, usize::MAX, all_changes).await?;
        let mut targets = BTreeSet::new();
        let live = snapshot.live().map(|live| &*live.deployment);
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

    /// The deployment to which a rollback of all sections returns: the newest earlier live
    /// deployment that has other releases than the live one, and none that a rollback has removed
    /// since. Garbage collection may have deleted newer ones.
    ///
    /// So a rollback never restores what another rollback has just removed, also if that one
    /// concerned a single section, and a repeated rollback goes further back. A release that became
    /// live again after its removal counts as not removed.
    ///
    /// If the live deployment comes from a rollback to a deployment that was never live, such as a
    /// preview, and no other qualifies, the result is the deployment that this rollback replaced.
    ///
    /// Example: after deployments 1, 2 and 3 and a rollback to 2, which creates 4, the previous
    /// deployment is 1.
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

    /// Searches the changes of the live deployment, newest first, in up to `count` entries of the
    /// history.
    async fn search<T>(
        &self,
        snapshot: &Snapshot,
        count: usize,
        mut find: impl FnMut(&Change) -> Option<T>,
    ) -> Result<Option<T>, ChangeError> {
        let Some(newest) = snapshot.state().map(|state| state.change.clone()) else {
            return Ok(None);
        };
        let mut next = if newest.changed_live() {
            newest.revision
        } else {
            newest.previous
        };
        // Those between them are read as well, because most of a read of a bucket is waiting.
        let mut entries = pin!(self.entries(next, count, newest));
        while let Some((revision, entry)) = entries.next().await {
            if revision != next {
                continue;
            }
            let Some(change) = intact(entry, || entry_name(revision))? else {
                break;
            };
            if let Some(found) = find(&change) {
                return Ok(Some(found));
            }
            next = change.previous;
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
        intact(read, || entry_name(revision))
    }

    async fn stored_deployment(&self, number: u64) -> Result<Option<Deployment>, ChangeError> {
        let read = self.store.deployment(number).await;
        intact(read, || format!("the record of deployment {number}"))
    }
}

fn entry_name(revision: u64) -> String {
    format!("entry {revision} of the history")
}

/// A record that a change needs.
fn intact<T>(read: Result<T, StoreError>, name: impl FnOnce() -> String) -> Result<T, ChangeError> {
    read.map_err(|error| match error {
        error if error.is_damage() => ChangeError::DamagedRecord(name()),
        error => error.into(),
    })
}

/// The last `count` releases of each section that were live before its current one. `changes` are
/// those of the live deployment, newest first.
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
/// Goes through the changes from the newest to the oldest, and finds the deploy or promotion that
/// made the current version live. The version that this change replaced is the previous release;
/// earlier rollbacks are skipped, so a repeated rollback restores the release before that. If the
/// change added the section, or replaced the version by itself, the search continues from the
/// change before.
///
/// Example: after deploys of 1, 2 and 3 and a rollback to 2, the deploy of 2 replaced 1, so the
/// previous release is 1.
struct PreviousRelease<'a> {
    section: &'a str,
    current: &'a str,
    /// The version that the next change to find made live.
    target: String,
    /// Whether the change that was found last added the section, so that an earlier one may have
    /// removed it.
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
