//! Recording changes in the section log, including changes of other gateways.

use std::collections::BTreeSet;

use super::{Deployments, Snapshot};
use colonnade_diagnostics::NewLogEntry;
use colonnade_model::deployment::{Change, release_changes};

/// The maximum number of changes to read from the history after a poll. Other gateways can make several changes between two
/// polls.
const MAX_EARLIER: u64 = 100;

impl Deployments {
    /// Records the changes that led from one snapshot to the next.
    pub(super) async fn record_changes(&self, before: &Snapshot, now: &Snapshot) {
        let Some(newest) = now.state().map(|state| &state.change) else {
            return;
        };
        let first = (before.revision() + 1).max(newest.revision.saturating_sub(MAX_EARLIER));
        for revision in first..newest.revision {
            // The section log is best effort: the history has every change.
            if let Ok(Some(change)) = self.store.history_entry(revision).await {
                self.record_change(now, change);
            }
        }
        if newest.revision > before.revision() {
            self.record_change(now, newest.clone());
        }
    }

    fn record_change(&self, snapshot: &Snapshot, change: Change) {
        let sections = sections_of(snapshot, &change);
        if !sections.is_empty() {
            let entry = NewLogEntry::of_change(change, sections.into_iter().collect());
            self.diagnostics.log.record(entry);
        }
    }
}

/// The sections of a change: the sections with another release and, if there is a candidate, the sections that it changes.
fn sections_of(snapshot: &Snapshot, change: &Change) -> BTreeSet<String> {
    let mut sections: BTreeSet<String> = change.sections.keys().cloned().collect();
    let releases = |number| Some(&snapshot.deployment(number)?.deployment.releases);
    if let Some((live, candidate)) = releases(change.live).zip(change.candidate.and_then(releases)) {
        sections.extend(release_changes(live, candidate).into_keys());
    }
    sections
}
