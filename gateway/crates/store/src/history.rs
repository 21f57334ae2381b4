//! The rules of the history of changes.

use std::collections::BTreeMap;

use colonnade_model::deployment::{Change, Deployment, LiveState, VisibleDeployments};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::unknown_fields::UnknownFields;

use crate::error::{StoreError, if_intact};
use crate::loaded::LoadedRelease;
use crate::types::StoredRelease;

/// The changes that can be recovered, newest first: `newest`, or that of the last entry, and those
/// before it. The store has entries of a timeline that ended when an older live state was restored,
/// until others replace them. The first of them follows another change than that of the entry
/// before it.
pub(crate) fn newest_first(newest: Option<Change>, entries: Vec<Option<Change>>) -> Vec<Change> {
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
pub(crate) fn recovered(change: Change) -> LiveState {
    LiveState {
        visible: VisibleDeployments::first(change.live, change.revision),
        change,
        timeline: None,
        summaries: BTreeMap::new(),
        switched_off: Vec::new(),
        unknown: UnknownFields::default(),
    }
    .with_new_timeline()
}

/// The shell of a deployment, as its record was read. A gateway can serve a deployment whose record
/// and shell load: it leaves out sections that do not. `None` if the record is not there, or lost.
pub(crate) fn shell_of(
    number: u64,
    record: Result<Option<Deployment>, StoreError>,
) -> Result<Option<ReleaseId>, StoreError> {
    let deployment = if_intact(record)?.filter(|deployment| deployment.number == number);
    Ok(deployment.and_then(|deployment| deployment.release_ids().find(|id| id.name == SHELL)))
}

/// Whether the shell of a deployment loads, as it was read.
pub(crate) fn is_loadable(
    shell: &ReleaseId,
    release: Result<Option<StoredRelease>, StoreError>,
) -> Result<bool, StoreError> {
    Ok(if_intact(release)?.is_some_and(|stored| LoadedRelease::new(shell, stored).is_ok()))
}

/// What the history has at the revision of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Nothing.
    Missing,
    /// The change.
    Recorded,
    /// Another change, of a timeline that ended when an older live state was restored; or a damaged
    /// entry.
    Lost,
}

/// Compares the entry of the history at the revision of a change with it.
pub(crate) fn entry(
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
