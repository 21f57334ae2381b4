//! The history of changes.

use super::deployments::Deployments;
use colonnade_model::deployment::Change;
use colonnade_store::StoreError;

/// A part of the history.
#[derive(Debug, Default)]
pub struct HistoryPage {
    /// The changes, newest first.
    pub changes: Vec<Change>,
    /// The revisions of the entries that are damaged.
    pub damaged: Vec<u64>,
    /// The `before` of the next page, if there is one.
    pub next: Option<u64>,
}

impl Deployments {
    /// At most `limit` entries, newest first, older than revision `before` if given.
    pub async fn history(&self, before: Option<u64>, limit: usize) -> Result<HistoryPage, StoreError> {
        let mut page = HistoryPage::default();
        let Some(newest) = self.store.live_state().await?.map(|state| state.change) else {
            return Ok(page);
        };
        let first = before.map_or(newest.revision, |before| {
            newest.revision.min(before.saturating_sub(1))
        });
        for revision in (1..=first).rev() {
            let entry = if revision == newest.revision {
                Ok(Some(newest.clone()))
            } else {
                self.store.history_entry(revision).await
            };
            let is_end = matches!(entry, Ok(None));
            if is_end || page.changes.len() + page.damaged.len() == limit {
                page.next = (!is_end).then_some(revision + 1);
                break;
            }
            match entry {
                Err(error) if error.is_damage() => page.damaged.push(revision),
                entry => page.changes.extend(entry?),
            }
        }
        Ok(page)
    }
}
