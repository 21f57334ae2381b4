//! Reading the history of changes.

use super::Deployments;
use super::state::Change;
use crate::store::StoreError;

impl Deployments {
    /// At most `limit` changes, the newest first, all older than revision `before` where one is given. Also the
    /// revision to ask with for those that follow, if any do.
    pub(crate) async fn history(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<(Vec<Change>, Option<u64>), StoreError> {
        let newest = self.store.state().await?.map(|state| state.change);
        let mut change = match (before, newest) {
            (Some(before), Some(newest)) if before <= newest.revision => {
                self.store.change(before.saturating_sub(1)).await?
            }
            (_, newest) => newest,
        };
        let mut changes: Vec<Change> = Vec::new();
        while let Some(present) = change {
            if changes.len() == limit {
                return Ok((changes, Some(present.revision + 1)));
            }
            change = self.store.change(present.revision.saturating_sub(1)).await?;
            changes.push(present);
        }
        Ok((changes, None))
    }
}
