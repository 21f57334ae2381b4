//! When garbage was last collected: `collection.json`, by which the gateways on a store take turns.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::{StoreError, if_intact};
use super::inner::Inner;
use super::keys::COLLECTION;
use super::objects::When;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Collection {
    begun_at: Timestamp,
}

impl Inner {
    /// Whether garbage is to be collected now, by this gateway. The first call in a store only
    /// begins the interval.
    pub(crate) async fn begin_collection(&self, interval: SignedDuration) -> Result<bool, StoreError> {
        let now = colonnade_clock::now();
        let next = Collection { begun_at: now };
        let Some(object) = self.objects.read_bytes(COLLECTION).await? else {
            self.objects.write(COLLECTION, &next, When::Absent).await?;
            return Ok(false);
        };
        let last: Option<Collection> = if_intact(self.objects.parse(COLLECTION, &object.bytes).map(Some))?;
        // A time that is far in the future is that of a wrong clock.
        let is_due = last.is_none_or(|last| now.duration_since(last.begun_at).abs() >= interval);
        let when = When::Is(&object.version);
        Ok(is_due && self.objects.write(COLLECTION, &next, when).await?.is_some())
    }
}
