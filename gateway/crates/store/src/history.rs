//! The live state and the history of changes.
//!
//! `live.json` decides which changes happened. Its own change has an entry in the history as well, so that the live
//! deployment can be recovered without it.

use std::fs;

use colonnade_model::deployment::{Change, LiveState, VisibleDeployments};
use colonnade_model::unknown_fields::UnknownFields;

use super::StoreError;
use super::durable::{create_json, io, rename, replace_json, sync};
use super::paths::{Paths, entry_names};
use super::read::read_json;

impl Paths {
    /// The live state; `None` before the first change. Fails if there is a history without it.
    pub(super) fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        let state = read_json(&self.live)?;
        if state.is_none() && !self.revisions()?.is_empty() {
            // `live.json` of another gateway's first change may have appeared since it was read.
            return match read_json(&self.live)? {
                Some(state) => Ok(Some(state)),
                None => Err(StoreError::LiveStateMissing),
            };
        }
        Ok(state)
    }

    /// Recovers a missing or damaged `live.json` from the newest readable change in the history; `None` if there is nothing to
    /// recover. The history does not have the running rollouts, so they end. A damaged file is kept under another name.
    pub(super) fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        let _lock = self.lock()?;
        match self.live_state() {
            Ok(_) => return Ok(None),
            Err(StoreError::LiveStateMissing) => {}
            Err(StoreError::Corrupt { .. }) => {
                rename(&self.live, &self.live.with_extension("json.damaged"))?;
            }
            Err(error) => return Err(error),
        }
        let mut newest_first = self.revisions()?.into_iter().rev();
        let change = newest_first.find_map(|revision| {
            let change: Option<Change> = read_json(&self.history_entry(revision)).unwrap_or_default();
            change
        });
        let Some(change) = change else {
            return Err(StoreError::LiveStateMissing);
        };
        let state = LiveState {
            visible: VisibleDeployments::live_only(change.live),
            change,
            timeline: None,
            unknown: UnknownFields::default(),
        }
        .with_new_timeline();
        replace_json(&self.live, &self.scratch.folder, &state)?;
        Ok(Some(state))
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

    /// Adds the change of the live state to the history, if it is not there. An entry with other content belongs to a
    /// timeline that ended when an older live state was restored, or is damaged. It is replaced, and the entries after it
    /// are deleted.
    fn record(&self, change: &Change) -> Result<(), StoreError> {
        let path = self.history_entry(change.revision);
        let existing: Result<Option<Change>, _> = read_json(&path);
        match existing {
            Ok(None) => drop(create_json(&path, &self.scratch.folder, change)?),
            Ok(Some(existing)) if existing == *change => {}
            Ok(Some(_)) | Err(StoreError::Corrupt { .. } | StoreError::SymbolicLink(_)) => {
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
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The revisions in the history, ascending.
    pub(super) fn revisions(&self) -> Result<Vec<u64>, StoreError> {
        Ok(numbers(&entry_names(&self.history)?))
    }
}

/// The numbers in the names of JSON files, ascending.
pub(super) fn numbers(names: &[String]) -> Vec<u64> {
    let number = |name: &String| name.strip_suffix(".json")?.parse().ok();
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}
