//! Reading releases and their files.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use colonnade_model::deployment::Deployment;
use colonnade_model::release::{Digest, ReleaseId, is_file_path, is_name};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;

use super::error::BucketError;
use super::release::{BucketRelease, FileNames, file_path, release_id};
use super::{Inner, deployment_key, file_key, is_valid, release_key, tombstone_key};
use crate::history::numbers;
use crate::paths::Tombstone;
use crate::release_file::{damaged, matches_digest};
use crate::{ListedFile, StoreError, StoredRelease};

impl Inner {
    /// The IDs of the releases of a section, or of all, sorted.
    pub(super) async fn releases(&self, section: Option<&str>) -> Result<Vec<ReleaseId>, StoreError> {
        let (folder, below) = match section {
            Some(name) if !is_name(name) => return Ok(Vec::new()),
            Some(name) => (format!("releases/{name}"), format!("{name}/")),
            None => ("releases".to_owned(), String::new()),
        };
        let listed = self.objects.list(&folder).await?;
        let mut ids: Vec<_> = listed
            .iter()
            .filter(|listed| !listed.is_deleted)
            .filter_map(|listed| release_id(&format!("{below}{}", listed.name)))
            .collect();
        ids.sort();
        Ok(ids)
    }

    pub(super) async fn release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        match self.bucket_release(id).await? {
            Some(release) => self.stored(id, release).await.map(Some),
            None => Ok(None),
        }
    }

    pub(super) async fn stored(
        &self,
        id: &ReleaseId,
        release: BucketRelease,
    ) -> Result<StoredRelease, StoreError> {
        let (key, objects) = (release_key(id), self.objects.clone());
        // A manifest can be large.
        request_scope::run_blocking(move || release.stored(&key, &objects)).await
    }

    /// The record of a release, which makes the names of its files known.
    pub(super) async fn bucket_release(&self, id: &ReleaseId) -> Result<Option<BucketRelease>, StoreError> {
        let key = release_key(id);
        let read = if self.is_offline() {
            self.mirror.read(&key)?
        } else {
            self.objects
                .read_content::<BucketRelease>(&key)
                .await?
                .map(|(release, _)| release)
        };
        if read.as_ref().is_some_and(|release| !release.is_safe()) {
            return Err(damaged(&self.objects.path(&key)));
        }
        let mut known = self.files.lock();
        match &read {
            Some(release) => known.add(id.clone(), Arc::new(release.files.clone())),
            None => known.remove(id),
        }
        Ok(read)
    }

    async fn file_names(&self, id: &ReleaseId) -> Result<Option<Arc<FileNames>>, StoreError> {
        let known = self.files.lock().releases.get(id).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let read = self.bucket_release(id).await?;
        Ok(read.map(|release| Arc::new(release.files)))
    }

    /// The bytes of a file of a release, from the cache or from the bucket.
    pub(super) async fn read_file(
        self: &Arc<Self>,
        id: &ReleaseId,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        if !is_valid(id) || !is_file_path(file.path) {
            return Ok(None);
        }
        let path = file_path(file.path, coding);
        let Some(files) = self.file_names(id).await? else {
            return Ok(None);
        };
        if let Some(name) = files.get(&path)
            && let Some(bytes) = self.read_object(name, file, coding).await?
        {
            return Ok(Some(bytes));
        }
        // The release was deleted since, or also published again with other objects.
        let Some(release) = self.bucket_release(id).await? else {
            return Ok(None);
        };
        let missing = || self.objects.path(&format!("{}: {path}", release_key(id)));
        let name = release
            .files
            .get(&path)
            .ok_or_else(|| StoreError::MissingFile(missing()))?;
        let read = self.read_object(name, file, coding).await?;
        read.map(Some).ok_or_else(|| StoreError::MissingFile(missing()))
    }

    /// Reads an object of a file; `None` if it does not exist. Fails if its bytes are not the published ones.
    async fn read_object(
        self: &Arc<Self>,
        name: &str,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        let expected = Expected {
            size: file.size,
            digest: file.digest,
            coding,
        };
        let (own, wanted) = (Arc::clone(self), name.to_owned());
        let cached = request_scope::run_blocking(move || {
            let bytes = own.cache.get(&wanted)?;
            let is_intact = expected.matches(&bytes);
            if !is_intact {
                own.cache.remove(&wanted);
            }
            is_intact.then_some(bytes)
        });
        if let Some(bytes) = cached.await {
            return Ok(Some(bytes));
        }
        let key = file_key(name);
        // The poll is what tries again.
        if self.is_away.load(Ordering::Relaxed) {
            return Err(self.objects.error(&key, BucketError::Away));
        }
        let Some(object) = self.objects.get(&key).await? else {
            return Ok(None);
        };
        let (own, name, bytes) = (Arc::clone(self), name.to_owned(), object.bytes);
        request_scope::run_blocking(move || {
            if !expected.matches(&bytes) {
                return Err(damaged(&own.objects.path(&key)));
            }
            own.cache(&name, &bytes);
            Ok(Some(bytes))
        })
        .await
    }

    /// Adds a file to the cache. Without it, it is read from the bucket again. Blocks.
    pub(super) fn cache(&self, name: &str, bytes: &[u8]) {
        if let Err(error) = self.cache.put(name, bytes) {
            self.mirror.report(&error);
        }
    }

    pub(super) async fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        if self.is_offline() {
            return self.mirror.deployments();
        }
        let listed = self.objects.list("deployments").await?.into_iter();
        let stored = listed.filter(|listed| !listed.is_deleted);
        let names: Vec<String> = stored.map(|listed| listed.name).collect();
        Ok(numbers(&names))
    }

    pub(super) async fn deployment(&self, number: u64) -> Result<Option<Deployment>, StoreError> {
        let key = deployment_key(number);
        if self.is_offline() {
            return self.mirror.read(&key);
        }
        let read = self.objects.read_content(&key).await?;
        Ok(read.map(|(deployment, _)| deployment))
    }

    pub(super) async fn tombstone(&self, id: &ReleaseId) -> Result<Option<Digest>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        let read = self.objects.read::<Tombstone>(&tombstone_key(id)).await?;
        Ok(read.map(|(tombstone, _)| tombstone.digest))
    }
}

/// What a file must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    pub(super) size: u64,
    pub(super) digest: Digest,
    pub(super) coding: Coding,
}

impl Expected {
    pub(super) fn matches(self, bytes: &[u8]) -> bool {
        let Self { size, digest, coding } = self;
        let file = ListedFile {
            path: "",
            size,
            digest,
        };
        matches_digest(bytes, file, coding)
    }
}
