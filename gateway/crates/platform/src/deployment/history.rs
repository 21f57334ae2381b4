//! The history of changes.

use std::pin::pin;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};

use crate::deployment::deployments::Deployments;
use crate::deployment::snapshot::CONCURRENT_READS;
use colonnade_model::deployment::Change;
use colonnade_store::StoreError;

/// The most entries that are read for one page of a section's changes, which can be few of many, and
/// for a list of what rollbacks restore.
pub(super) const MAX_READ: usize = 5000;

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
    /// At most `limit` entries, newest first, older than revision `before` if given. With `section`,
    /// those that concern it: fewer than `limit` also if many others come between them.
    pub async fn history(
        &self,
        section: Option<&str>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<HistoryPage, StoreError> {
        let mut page = HistoryPage::default();
        let Some(newest) = self.store.live_state().await?.map(|state| state.change) else {
            return Ok(page);
        };
        let first = before.map_or(newest.revision, |before| {
            newest.revision.min(before.saturating_sub(1))
        });
        let count = section.map_or(limit, |_| MAX_READ);
        let mut read = 0;
        let mut entries = pin!(self.entries(first, count + 1, newest));
        while let Some((revision, entry)) = entries.next().await {
            let is_end = matches!(entry, Ok(None));
            if is_end || read == count || page.changes.len() + page.damaged.len() == limit {
                page.next = (!is_end).then_some(revision + 1);
                break;
            }
            read += 1;
            match entry {
                Err(error) if error.is_damage() => page.damaged.push(revision),
                entry => {
                    let is_wanted = |change: &Change| section.is_none_or(|name| concerns(change, name));
                    page.changes.extend(entry?.filter(is_wanted));
                }
            }
        }
        Ok(page)
    }

    /// Up to `count` entries from revision `first` on, newest first, of which several are read at a
    /// time. `newest` is the newest one.
    pub(super) fn entries(
        &self,
        first: u64,
        count: usize,
        newest: Change,
    ) -> impl stream::Stream<Item = (u64, Result<Option<Change>, StoreError>)> + use<> {
        let (store, newest) = (Arc::clone(&self.store), Arc::new(newest));
        let reads = (1..=first).rev().take(count).map(move |revision| {
            let (store, newest) = (Arc::clone(&store), Arc::clone(&newest));
            async move {
                let entry = if revision == newest.revision {
                    Ok(Some(Change::clone(&newest)))
                } else {
                    store.history_entry(revision).await
                };
                (revision, entry)
            }
        });
        stream::iter(reads).buffered(CONCURRENT_READS)
    }
}

/// Whether a change concerns a section: its release, its extension, or an extension of its pages.
fn concerns(
    Change {
        sections, extension, ..
    }: &Change,
    name: &str,
) -> bool {
    let is_extended = |point: &str| point.split_once('/').is_some_and(|(opener, _)| opener == name);
    sections.contains_key(name)
        || extension
            .as_ref()
            .is_some_and(|extension| extension.section == name || is_extended(&extension.point))
}
