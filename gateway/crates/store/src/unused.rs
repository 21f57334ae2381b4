//! Deleting releases and deployments.
//!
//! **Releases.** The object of a release is published, marked as unused, or deleted: it has the
//! content [`DELETED`]. Garbage collection marks a release, and then reads which deployments there
//! are. A deploy stores its deployment, and then removes the marks of its releases. So either
//! garbage collection sees the deployment, or the mark is gone when it deletes the release.
//!
//! Each step is conditional on the version that it has read. The versions of a release are unique
//! because each contains the ID of its write. So a request that takes effect after its sender has
//! given up either fails or sets a mark. A marked release is still served. Only the garbage
//! collection that set the mark deletes the release.
//!
//! **Deployments.** The object of a deleted deployment has the content [`DELETED`] for at least a
//! day. Until then, a late request cannot create a deployment with the same number and other
//! releases.

use std::collections::BTreeSet;

use bytes::Bytes;
use colonnade_model::release::ReleaseId;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::error::StoreError;
use crate::inner::{CONCURRENCY, Inner, MAX_ATTEMPTS};
use crate::keys::{deployment_key, file_key, is_valid, release_key, tombstone_key};
use crate::objects::{DELETED, Version, When};
use crate::published::{PublishedRelease, Tombstone};
use crate::types::{StoredRelease, UnusedMark};

/// How often it is read which files are in use, before others are deleted.
const READS: usize = 2;

impl Inner {
    pub(crate) async fn mark_unused(&self, id: &ReleaseId) -> Result<Option<UnusedMark>, StoreError> {
        let mark = UnusedMark::new(id);
        let marked = self.set_mark(id, Some(&mark)).await?;
        Ok(marked.map(|_| mark))
    }

    pub(crate) async fn claim_release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        match self.set_mark(id, None).await? {
            Some(release) => self.stored(id, release).await.map(Some),
            None => Ok(None),
        }
    }

    /// Replaces the mark of a release; `None` if it is not stored.
    async fn set_mark(
        &self,
        id: &ReleaseId,
        mark: Option<&UnusedMark>,
    ) -> Result<Option<PublishedRelease>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        let mark = mark.map(|mark| mark.id.clone());
        for _ in 0..MAX_ATTEMPTS {
            let Some((release, version)) = self.released(id).await? else {
                return Ok(None);
            };
            if release.mark == mark {
                return Ok(Some(release));
            }
            let next = release.with_mark(mark.clone());
            let key = release_key(id);
            if self
                .objects
                .write(&key, &next, When::Is(&version))
                .await?
                .is_some()
            {
                return Ok(Some(next));
            }
        }
        Err(StoreError::Interrupted)
    }

    pub(crate) async fn delete_unused(&self, mark: &UnusedMark) -> Result<bool, StoreError> {
        let id = &mark.release;
        let Some((release, version)) = self.released(id).await? else {
            return Ok(false);
        };
        if release.mark.as_ref() != Some(&mark.id) {
            return Ok(false);
        }
        let tombstone = Tombstone {
            digest: release.record.digest,
        };
        self.objects
            .write(&tombstone_key(id), &tombstone, When::Absent)
            .await?;
        let deleted = Bytes::from_static(DELETED);
        let replaced = self
            .objects
            .put(&release_key(id), deleted, When::Is(&version))
            .await?;
        // The client may have retried a write that had already succeeded.
        if replaced.is_none() && self.released(id).await?.is_some() {
            return Ok(false);
        }
        self.files.remove(id);
        let files = release.files.into_values().collect();
        self.delete_unused_files(&format!("/{}", id.name), files).await?;
        Ok(true)
    }

    pub(crate) async fn delete_deployment(&self, number: u64) -> Result<(), StoreError> {
        let key = deployment_key(number);
        for _ in 0..MAX_ATTEMPTS {
            let Some(object) = self.objects.read_bytes(&key).await? else {
                return Ok(());
            };
            if object.is_deleted() {
                return Ok(());
            }
            let deleted = Bytes::from_static(DELETED);
            let when = When::Is(&object.version);
            if self.objects.put(&key, deleted, when).await?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Interrupted)
    }

    /// The record of a release with its version; `None` if it was deleted or never published.
    async fn released(&self, id: &ReleaseId) -> Result<Option<(PublishedRelease, Version)>, StoreError> {
        self.objects.read_content(&release_key(id)).await
    }

    /// Deletes those of the files that neither an upload has, nor a release whose key below
    /// `releases` begins like this.
    ///
    /// Another garbage collection can delete a release, from which an upload has just taken a file,
    /// between the read of uploads and that of releases. The second time, no release with the file
    /// is left from which an upload could take it.
    pub(crate) async fn delete_unused_files(
        &self,
        below: &str,
        mut names: BTreeSet<String>,
    ) -> Result<(), StoreError> {
        for _ in 0..READS {
            if names.is_empty() {
                return Ok(());
            }
            let used = self.used_files(below).await?;
            names.retain(|name| !used.contains(name));
        }
        let deletes =
            stream::iter(names).map(|name| async move { self.objects.delete(&file_key(&name)).await });
        deletes.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }
}
