//! The live state and the history of changes.
//!
//! `live.json` decides which changes happened. Its own change has an entry in the history as well, so that the live
//! deployment can be recovered without it.

use std::fs;

use colonnade_model::deployment::{Change, Deployment, LiveState, VisibleDeployments};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::unknown_fields::UnknownFields;

use super::durable::{create_json, io, remove, rename, replace_json, sync};
use super::loaded::LoadedRelease;
use super::paths::{Paths, entry_names};
use super::read::{if_intact, read_json};
use super::{StoreError, StoredRelease};

impl Paths {
    /// The live state; `None` before the first change. Fails if there is a history without it.
    pub(super) fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        let state = self.read_live_state()?;
        if state.is_none() && !self.revisions()?.is_empty() {
            // `live.json` of another gateway's first change may have appeared since it was read.
            return match self.read_live_state()? {
                Some(state) => Ok(Some(state)),
                None => Err(StoreError::LiveStateMissing),
            };
        }
        Ok(state)
    }

    fn read_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        read_json(&self.live).map_err(|error| match error {
            error if error.is_loss() => StoreError::LiveStateDamaged(Box::new(error)),
            error => error,
        })
    }

    /// Recovers a live state that is missing or damaged, or whose deployments cannot be served, from the newest change whose
    /// deployment can be; `None` if there is nothing to recover. The history does not have the running rollouts, so they end.
    /// The replaced file is kept under another name.
    pub(super) fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        let _lock = self.lock()?;
        let stored = match self.live_state() {
            Ok(None) => return Ok(None),
            Ok(state) => state,
            Err(StoreError::LiveStateMissing | StoreError::LiveStateDamaged(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(state) = &stored {
            let mut is_intact = true;
            for number in state.visible.deployments() {
                is_intact &= self.is_servable(*number)?;
            }
            if is_intact {
                return Ok(None);
            }
        }
        let change = self.newest_servable_change(stored.map(|state| state.change))?;
        let change = change.ok_or(StoreError::NotRecoverable)?;
        let damaged = self.live.with_extension("json.damaged");
        if self.live.exists() {
            remove(&damaged);
        }
        rename(&self.live, &damaged)?;
        let state = recovered(change);
        replace_json(&self.live, &self.scratch.folder, &state)?;
        Ok(Some(state))
    }

    /// The newest change whose live deployment can be served: `newest`, or one of the history.
    fn newest_servable_change(&self, newest: Option<Change>) -> Result<Option<Change>, StoreError> {
        let revisions = self.revisions()?.into_iter();
        let entries = revisions.map(|revision| if_intact(read_json(&self.history_entry(revision))));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        for change in newest_first(newest, entries) {
            if self.is_servable(change.live)? {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }

    fn is_servable(&self, number: u64) -> Result<bool, StoreError> {
        match shell_of(number, read_json(&self.deployment(number)))? {
            Some(shell) => is_loadable(&shell, self.release(&shell)),
            None => Ok(false),
        }
    }

    /// Replaces the live state if it is `expected`; false if it is another.
    pub(super) fn swap_live_state(
        &self,
        expected: Option<&LiveState>,
        next: &LiveState,
    ) -> Result<bool, StoreError> {
        let _lock = self.lock()?;
        let current = self.live_state()?;
        if current.as_ref() != expected {
            return Ok(false);
        }
        if let Some(LiveState { change, .. }) = &current {
            self.record(change)?;
        }
        replace_json(&self.live, &self.scratch.folder, next)?;
        // The change is in effect. The next one repeats this if it fails.
        if let Err(error) = self.record(&next.change) {
            tracing::warn!(event = "history_entry_delayed", revision = next.revision(), error = %error);
        }
        Ok(true)
    }

    /// Adds the change of the live state to the history, if it is not there. A lost entry is replaced, and those after it are
    /// deleted.
    fn record(&self, change: &Change) -> Result<(), StoreError> {
        let path = self.history_entry(change.revision);
        match entry(read_json(&path), change)? {
            Entry::Missing => drop(create_json(&path, &self.scratch.folder, change)?),
            Entry::Recorded => {}
            Entry::Lost => {
                tracing::warn!(event = "history_entry_replaced", revision = change.revision);
                replace_json(&path, &self.scratch.folder, change)?;
                for lost in self.revisions()? {
                    if lost > change.revision {
                        let path = self.history_entry(lost);
                        fs::remove_file(&path).map_err(io(&path))?;
                    }
                }
                sync(&self.history)?;
            }
        }
        Ok(())
    }

    /// The revisions in the history, ascending.
    pub(super) fn revisions(&self) -> Result<Vec<u64>, StoreError> {
        Ok(numbers(&entry_names(&self.history)?))
    }
}

/// The changes that can be recovered, newest first: `newest`, or that of the last entry, and those before it. A bucket has entries of
/// a timeline that ended when an older live state was restored, until others replace them. The first of them follows another change
/// than that of the entry before it.
pub(super) fn newest_first(newest: Option<Change>, entries: Vec<Option<Change>>) -> Vec<Change> {
    let last = newest.as_ref().map_or(u64::MAX, |newest| newest.revision);
    let entries = entries.into_iter().flatten();
    let mut changes: Vec<Change> = Vec::new();
    for change in entries.filter(|change| change.revision < last).chain(newest) {
        let before = changes
            .last()
            .filter(|before| before.revision + 1 == change.revision);
        let is_other = |before: &Change| {
            change
                .after
                .as_ref()
                .is_some_and(|after| *after != before.fingerprint())
        };
        if before.is_some_and(is_other) {
            break;
        }
        changes.push(change);
    }
    changes.reverse();
    changes
}

/// The live state after a change, without the rollouts that were running, on a new timeline.
pub(super) fn recovered(change: Change) -> LiveState {
    LiveState {
        visible: VisibleDeployments::live_only(change.live),
        change,
        timeline: None,
        unknown: UnknownFields::default(),
    }
    .with_new_timeline()
}

/// The shell of a deployment, as its record was read. A gateway can serve a deployment whose record and shell load: it leaves
/// out sections that do not. `None` if the record is not there, or lost.
pub(super) fn shell_of(
    number: u64,
    record: Result<Option<Deployment>, StoreError>,
) -> Result<Option<ReleaseId>, StoreError> {
    let deployment = if_intact(record)?.filter(|deployment| deployment.number == number);
    Ok(deployment.and_then(|deployment| deployment.release_ids().find(|id| id.name == SHELL)))
}

/// Whether the shell of a deployment loads, as it was read.
pub(super) fn is_loadable(
    shell: &ReleaseId,
    release: Result<Option<StoredRelease>, StoreError>,
) -> Result<bool, StoreError> {
    Ok(if_intact(release)?.is_some_and(|stored| LoadedRelease::new(shell, stored).is_ok()))
}

/// What the history has at the revision of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Nothing.
    Missing,
    /// The change.
    Recorded,
    /// Another change, of a timeline that ended when an older live state was restored; or a damaged entry.
    Lost,
}

/// Compares the entry of the history at the revision of a change with it.
pub(super) fn entry(
    existing: Result<Option<Change>, StoreError>,
    change: &Change,
) -> Result<Entry, StoreError> {
    match existing {
        Ok(None) => Ok(Entry::Missing),
        Ok(Some(existing)) if existing == *change => Ok(Entry::Recorded),
        Err(error) if !error.is_loss() => Err(error),
        _ => Ok(Entry::Lost),
    }
}

/// The numbers in the names of JSON files, ascending.
pub(super) fn numbers(names: &[String]) -> Vec<u64> {
    let number = |name: &String| name.strip_suffix(".json")?.parse().ok();
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}
