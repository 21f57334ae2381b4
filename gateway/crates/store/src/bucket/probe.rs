//! Whether a bucket can have a store: what is in it, and whether it honors the conditions of writes.

use bytes::Bytes;

use super::error::BucketError;
use super::objects::Objects;
use crate::StoreError;

impl Objects {
    /// Checks that the object store honors `If-None-Match` and `If-Match` of writes, with an object that is deleted again.
    pub(super) async fn check_conditions(&self) -> Result<(), StoreError> {
        let key = format!("probe/{:032x}.json", colonnade_random::random::<u128>());
        let checked = self.check_conditions_of(&key).await;
        let deleted = self.delete(&key).await;
        checked.and(deleted)
    }

    async fn check_conditions_of(&self, key: &str) -> Result<(), StoreError> {
        let ignored = |condition| self.error(key, BucketError::ConditionsIgnored(condition));
        let (first, second) = (Bytes::from_static(b"first"), Bytes::from_static(b"second"));
        // The name is random, so that only a repeated request finds the object.
        self.create_bytes(key, first.clone()).await?;
        if self.create_bytes(key, second.clone()).await? {
            return Err(ignored("If-None-Match"));
        }
        let Some(object) = self.get(key).await? else {
            return Err(self.error(key, BucketError::Unconfirmed));
        };
        if !object.version.is_usable() {
            return Err(self.error(key, BucketError::NoEtag));
        }
        if object.bytes != first {
            return Err(ignored("If-None-Match"));
        }
        let other = object.version.impossible();
        if self.update_bytes(key, second.clone(), &other).await?.is_some() {
            return Err(ignored("If-Match"));
        }
        self.update_bytes(key, second.clone(), &object.version).await?;
        let updated = self.get(key).await?;
        match updated {
            Some(updated) if updated.bytes == second => Ok(()),
            _ => Err(ignored("a matching If-Match")),
        }
    }
}
