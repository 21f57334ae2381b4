//! Recording changes in the section log, including changes of other gateways.

use crate::deployment::deployments::Deployments;
use crate::deployment::snapshot::Snapshot;
use colonnade_diagnostics::NewLogEntry;
use colonnade_model::deployment::Change;
use colonnade_model::release::point_owner;

/// The maximum number of changes to read from the history after a poll. Other gateways can make
/// several changes between two polls.
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
                self.record_change(change);
            }
        }
        if newest.revision > before.revision() {
            self.record_change(newest.clone());
        }
    }

    fn record_change(&self, change: Change) {
        let extension = change.extension.iter();
        let of_extension = extension.flat_map(|of| [&*of.section, point_owner(&of.point)].map(str::to_owned));
        let sections: Vec<String> = change.sections.keys().cloned().chain(of_extension).collect();
        if !sections.is_empty() {
            let entry = NewLogEntry::of_change(change, sections);
            self.observers.diagnostics.log.record(entry);
        }
    }
}
