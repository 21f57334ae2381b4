//! The history of changes.

use super::Deployments;
use colonnade_model::deployment::Change;
use colonnade_store::StoreError;

impl Deployments {
    /// At most `limit` changes, newest first, older than revision `before` if given. Also the `before` of the next page,
    /// if there is one.
    pub async fn history(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<(Vec<Change>, Option<u64>), StoreError> {
        let newest = self.store.live_state().await?.map(|state| state.change);
        let mut change = match (before, newest) {
            (Some(before), Some(newest)) if before <= newest.revision => {
                self.store.history_entry(before.saturating_sub(1)).await?
            }
            (_, newest) => newest,
        };
        let mut changes: Vec<Change> = Vec::new();
        while let Some(present) = change {
            if changes.len() == limit {
                return Ok((changes, Some(present.revision + 1)));
            }
            change = self
                .store
                .history_entry(present.revision.saturating_sub(1))
                .await?;
            changes.push(present);
        }
        Ok((changes, None))
    }
}
