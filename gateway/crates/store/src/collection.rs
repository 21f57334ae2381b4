//! When garbage was last collected: `collection.json`, by which the gateways on a store take turns.

use jiff::SignedDuration;

use crate::error::StoreError;
use crate::inner::Inner;
use crate::keys::COLLECTION;
use crate::turn::Turn;

impl Inner {
    /// Whether garbage is to be collected now, by this gateway. The first call in a store only
    /// begins the interval.
    pub(crate) async fn begin_collection(&self, interval: SignedDuration) -> Result<bool, StoreError> {
        let turn = Turn::begin(&*self.objects, COLLECTION, interval).await?;
        Ok(turn.is_some_and(|turn| !turn.is_first))
    }
}
