//! Recovering a live state that is missing or damaged from the history.

use colonnade_model::deployment::{Change, LiveState};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::error::{StoreError, if_intact};
use crate::history::{is_loadable, newest_first, recovered, shell_of};
use crate::inner::{CONCURRENCY, Inner};
use crate::keys::{DAMAGED_LIVE, LIVE};
use crate::objects::When;

impl Inner {
    /// Recovers a live state that is missing or damaged, or whose deployments cannot be loaded,
    /// from the newest change whose deployment can be; `None` if there is nothing to recover. The
    /// history does not have the running rollouts, so they end. The replaced object is kept under
    /// another name.
    pub(crate) async fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        let stored = match self.live_state().await {
            Ok(None) => return Ok(None),
            Ok(state) => state,
            Err(StoreError::LiveStateMissing | StoreError::LiveStateDamaged(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(state) = &stored {
            let mut is_intact = true;
            for number in state.visible.numbers() {
                is_intact &= self.is_servable(number).await?;
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
        let damaged = match self.objects.read_bytes(LIVE).await {
            // Something else is in its place, such as a folder.
            Err(error) if error.is_loss() => {
                self.objects.delete(LIVE).await?;
                None
            }
            read => read?,
        };
        let when = match &damaged {
            Some(object) => {
                let copy = object.bytes.clone();
                self.objects.put(DAMAGED_LIVE, copy, When::Always).await?;
                When::Is(&object.version)
            }
            None => When::Absent,
        };
        let is_replaced = self.objects.write(LIVE, &state, when).await?.is_some();
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
