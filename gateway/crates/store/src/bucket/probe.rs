//! Whether a bucket can have a store: what is in it, and whether it honors the conditions of
//! writes.

use bytes::Bytes;

use crate::bucket::objects::BucketObjects;
use crate::bucket_error::BucketError;
use crate::error::StoreError;
use crate::objects::{Objects, When};
use crate::types::random_id;

impl BucketObjects {
    /// Checks that the object store honors `If-None-Match` and `If-Match` of writes, with an object
    /// that is deleted again.
    pub(crate) async fn check_conditions(&self) -> Result<(), StoreError> {
        let key = format!("probe/{}.json", random_id());
        let checked = check_conditions_of(self, &key).await;
        let deleted = self.delete(&key).await;
        checked.and(deleted)
    }
}

async fn check_conditions_of(objects: &dyn Objects, key: &str) -> Result<(), StoreError> {
    let ignored = |condition| objects.error(key, BucketError::ConditionsIgnored(condition));
    let (first, second) = (Bytes::from_static(b"first"), Bytes::from_static(b"second"));
    // The name is random, so that only a repeated request finds the object.
    objects.put(key, first.clone(), When::Absent).await?;
    if objects.put(key, second.clone(), When::Absent).await?.is_some() {
        return Err(ignored("If-None-Match"));
    }
    let Some(object) = objects.read_bytes(key).await? else {
        return Err(objects.error(key, BucketError::Unconfirmed));
    };
    if !object.version.is_usable() {
        return Err(objects.error(key, BucketError::NoEtag));
    }
    if object.bytes != first {
        return Err(ignored("If-None-Match"));
    }
    let other = object.version.impossible();
    if objects
        .put(key, second.clone(), When::Is(&other))
        .await?
        .is_some()
    {
        return Err(ignored("If-Match"));
    }
    objects
        .put(key, second.clone(), When::Is(&object.version))
        .await?;
    let updated = objects.read_bytes(key).await?;
    match updated {
        Some(updated) if updated.bytes == second => Ok(()),
        _ => Err(ignored("a matching If-Match")),
    }
}
