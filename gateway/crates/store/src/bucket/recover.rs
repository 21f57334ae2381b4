//! Recovering a live state that is missing or damaged from the history, as in a folder.

use std::sync::Arc;

use colonnade_model::deployment::{Change, LiveState};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::upload::CONCURRENCY;
use super::{BucketStore, Inner, LIVE};
use crate::StoreError;
use crate::history::{is_loadable, newest_first, recovered, shell_of};
use crate::read::if_intact;

/// Where a replaced live state is kept.
const DAMAGED: &str = "live.json.damaged";

impl BucketStore {
    /// Recovers a live state that is missing or damaged, or whose deployments cannot be loaded, from the history; `None` if
    /// it is intact. Rollouts that were running end.
    ///
    /// # Errors
    /// If no deployment in the history can be loaded either, or the object store is away.
    pub async fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        self.inner.recover_live_state().await
    }
}

impl Inner {
    async fn recover_live_state(self: &Arc<Self>) -> Result<Option<LiveState>, StoreError> {
        if self.is_offline() {
            // The local copy is intact.
            return Ok(None);
        }
        let stored = match self.live_state().await {
            Ok(None) => return Ok(None),
            Ok(state) => state,
            Err(StoreError::LiveStateMissing | StoreError::LiveStateDamaged(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(state) = &stored {
            let mut is_intact = true;
            for number in state.visible.deployments() {
                is_intact &= self.is_servable(*number).await?;
            }
            if is_intact {
                return Ok(None);
            }
        }
        let change = self
            .newest_servable_change(stored.map(|state| state.change))
            .await?;
        let change = change.ok_or(StoreError::NotRecoverable)?;
        let state = recovered(change);
        let is_replaced = match self.objects.get(LIVE).await? {
            Some(object) => {
                self.objects.write_bytes(DAMAGED, object.bytes).await?;
                self.objects
                    .update(LIVE, &state, &object.version)
                    .await?
                    .is_some()
            }
            None => self.objects.create(LIVE, &state).await?,
        };
        // Otherwise another gateway has recovered it.
        Ok(is_replaced.then_some(state))
    }

    /// The newest change whose live deployment can be served: `newest`, or one of the history.
    async fn newest_servable_change(&self, newest: Option<Change>) -> Result<Option<Change>, StoreError> {
        let reads = stream::iter(self.revisions().await?)
            .map(|revision| async move { if_intact(self.history_entry(revision).await) });
        let entries = reads.buffered(CONCURRENCY).try_collect().await?;
        for change in newest_first(newest, entries) {
            if self.is_servable(change.live).await? {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }

    async fn is_servable(&self, number: u64) -> Result<bool, StoreError> {
        match shell_of(number, self.deployment(number).await)? {
            Some(shell) => is_loadable(&shell, self.release(&shell).await),
            None => Ok(false),
        }
    }
}
