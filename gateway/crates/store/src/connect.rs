//! What makes a folder or a prefix of a bucket a store: `store.json`.

use serde::{Deserialize, Serialize};

use crate::bucket::BucketObjects;
use crate::bucket_error::BucketError;
use crate::error::{StoreError, if_intact};
use crate::folder::FolderObjects;
use crate::json;
use crate::keys::{CACHE_MARKER, COPY_MARKER, FOLDERS, LIVE, STORE};
use crate::objects::{Objects, When};
use crate::types::random_id;

/// The content of `store.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoreId {
    pub(crate) id: String,
}

/// What the cache of a store has in place of it.
#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    url: String,
    id: String,
}

impl StoreId {
    pub(crate) fn random() -> Self {
        Self { id: random_id() }
    }
}

/// Checks a folder, and creates the store in an empty one. Blocks.
pub(crate) fn connect_folder(objects: &FolderObjects) -> Result<(), StoreError> {
    if !objects.has(STORE) {
        reject_other_content(objects)?;
        let text = json::text(&objects.path(STORE), &StoreId::random())?;
        // Another gateway may do the same.
        objects.write(STORE, &text, When::Absent)?;
    }
    objects.read_json::<StoreId>(STORE)?;
    reject_lost_history(objects)
}

/// Fails if there is a store that is not whole, or something else, in a folder without
/// `store.json`. Blocks.
pub(crate) fn reject_other_content(objects: &FolderObjects) -> Result<(), StoreError> {
    if objects.has(CACHE_MARKER) {
        return Err(StoreError::IsCache(objects.path(CACHE_MARKER)));
    }
    if objects.has(COPY_MARKER) {
        return Err(StoreError::CopyInterrupted);
    }
    let mut has_content = objects.has(LIVE);
    for folder in FOLDERS {
        has_content |= !objects.entries(folder)?.is_empty();
    }
    if has_content {
        return Err(StoreError::OtherContent(objects.path("")));
    }
    Ok(())
}

/// Fails if the live state and the history were deleted by hand, but not the deployments. A failed
/// first deploy leaves a deployment, too. A running gateway retries it, so this is checked only at
/// the start.
fn reject_lost_history(objects: &FolderObjects) -> Result<(), StoreError> {
    let is_empty = |folder| Ok::<_, StoreError>(objects.entries(folder)?.is_empty());
    if !objects.has(LIVE) && is_empty("history")? && !is_empty("deployments")? {
        return Err(StoreError::HistoryMissing);
    }
    Ok(())
}

/// Checks the bucket, and creates the store in an empty one. The folder must be the cache of this
/// store.
pub(crate) async fn connect(bucket: &BucketObjects, cache: &FolderObjects) -> Result<(), StoreError> {
    let objects: &dyn Objects = bucket;
    let known: Option<Marker> = if_intact(cache.read_json(CACHE_MARKER))?;
    let known = known.as_ref();
    // Even without the object store: what is cached must not be taken for the content of another
    // bucket.
    check_marker(objects, known.filter(|known| known.url != bucket.url()))?;
    let id = match objects.read::<StoreId>(STORE).await? {
        Some(store) => {
            // Before anything is written.
            check_marker(objects, known.filter(|known| known.id != store.id))?;
            if !objects.is_read_only() {
                bucket.check_conditions().await?;
            }
            store.id
        }
        None if objects.is_read_only() => return Err(StoreError::NoStore(objects.path(""))),
        None if bucket.is_empty().await? => {
            check_marker(objects, known)?;
            bucket.check_conditions().await?;
            create(objects).await?
        }
        None if objects.read_bytes(COPY_MARKER).await?.is_some() => return Err(StoreError::CopyInterrupted),
        None => return Err(StoreError::OtherContent(objects.path(""))),
    };
    if known.is_none() {
        let url = bucket.url().to_owned();
        let text = json::text(&cache.path(CACHE_MARKER), &Marker { url, id })?;
        cache.write(CACHE_MARKER, &text, When::Always)?;
    }
    Ok(())
}

/// Fails if the local folder belongs to another store.
fn check_marker(objects: &dyn Objects, other: Option<&Marker>) -> Result<(), StoreError> {
    match other {
        Some(other) => Err(objects.error(
            STORE,
            BucketError::OtherStore {
                cached: format!("{} with the ID {}", other.url, other.id),
            },
        )),
        None => Ok(()),
    }
}

/// Creates the store. Another gateway may do the same.
async fn create(objects: &dyn Objects) -> Result<String, StoreError> {
    let store = StoreId::random();
    if objects.write(STORE, &store, When::Absent).await?.is_some() {
        return Ok(store.id);
    }
    let created = objects.read::<StoreId>(STORE).await?;
    let created = created.ok_or_else(|| objects.error(STORE, BucketError::Unconfirmed))?;
    Ok(created.id)
}
