//! Where a store is, for the commands that work on stores which no gateway has opened.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bucket::{BucketObjects, BucketSettings};
use crate::connect::{StoreId, reject_other_content};
use crate::durable::{entry_names, io};
use crate::error::StoreError;
use crate::folder::FolderObjects;
use crate::keys::{COPY_MARKER, STORE};
use crate::metrics::StoreMetrics;
use crate::objects::Objects;

/// Where a store is.
#[derive(Debug, Clone)]
pub enum Place {
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(BucketSettings),
}

/// A store that is there.
pub(crate) struct Existing {
    pub(crate) objects: Arc<dyn Objects>,
    pub(crate) id: String,
}

impl Place {
    /// The whole store that is there. Nothing is written.
    pub(crate) async fn existing(&self) -> Result<Existing, StoreError> {
        let objects = self.objects()?;
        if let Some(StoreId { id }) = objects.read(STORE).await? {
            return Ok(Existing { objects, id });
        }
        if objects.read_bytes(COPY_MARKER).await?.is_some() {
            return Err(StoreError::CopyInterrupted);
        }
        if let Self::Folder(folder) = self {
            reject_other_content(&FolderObjects::of(folder)?)?;
        }
        Err(StoreError::NoStore(objects.path("")))
    }

    /// The objects that are there. Nothing is written.
    pub(crate) fn objects(&self) -> Result<Arc<dyn Objects>, StoreError> {
        Ok(match self {
            Self::Folder(folder) if !folder.is_dir() => return Err(StoreError::NoStore(folder.clone())),
            Self::Folder(folder) => Arc::new(FolderObjects::of(folder)?),
            Self::Bucket(settings) => Arc::new(settings.objects(&StoreMetrics::default())?),
        })
    }

    /// The objects to write a store to: an empty folder or prefix, or one that an interrupted copy
    /// has left.
    pub(crate) async fn target(&self) -> Result<Arc<dyn Objects>, StoreError> {
        let (objects, is_empty): (Arc<dyn Objects>, bool) = match self {
            Self::Folder(folder) => {
                let is_empty = entry_names(folder)?.is_empty();
                if !is_empty && !folder.join(COPY_MARKER).exists() {
                    return Err(StoreError::NotEmpty(folder.clone()));
                }
                if let Some(parent) = folder.parent() {
                    fs::create_dir_all(parent).map_err(io(parent))?;
                }
                (Arc::new(FolderObjects::create(folder)?), is_empty)
            }
            Self::Bucket(settings) => {
                let bucket: BucketObjects = settings.objects(&StoreMetrics::default())?;
                let is_empty = bucket.is_empty().await?;
                bucket.check_conditions().await?;
                (Arc::new(bucket), is_empty)
            }
        };
        let is_whole = objects.read_bytes(STORE).await?.is_some();
        if is_whole || (!is_empty && objects.read_bytes(COPY_MARKER).await?.is_none()) {
            return Err(StoreError::NotEmpty(objects.path("")));
        }
        Ok(objects)
    }
}
