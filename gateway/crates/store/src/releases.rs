//! Reading releases, their files, and deployments.

use std::sync::Arc;

use bytes::Bytes;
use colonnade_model::deployment::Deployment;
use colonnade_model::release::{Digest, ReleaseId, is_file_path, is_name};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;

use super::bucket_error::BucketError;
use super::error::{StoreError, damaged, if_intact};
use super::inner::Inner;
use super::keys::{deployment_key, file_key, is_valid, numbers, release_id, release_key, tombstone_key};
use super::local::Local;
use super::objects::When;
use super::published::{FileNames, PublishedRelease, Tombstone};
use super::types::{Expected, ListedFile, StoredRelease, file_path};

impl Inner {
    /// The IDs of the releases of a section, or of all, sorted.
    pub(crate) async fn releases(&self, section: Option<&str>) -> Result<Vec<ReleaseId>, StoreError> {
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

    pub(crate) async fn release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        match self.published(id).await? {
            Some(release) => self.stored(id, release).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn stored(
        &self,
        id: &ReleaseId,
        release: PublishedRelease,
    ) -> Result<StoredRelease, StoreError> {
        let path = self.objects.path(&release_key(id));
        request_scope::run_blocking(move || release.stored(&path)).await
    }

    /// The record of a release, which makes the names of its files known.
    pub(crate) async fn published(&self, id: &ReleaseId) -> Result<Option<PublishedRelease>, StoreError> {
        let key = release_key(id);
        let read = if let Some(local) = self.offline() {
            local.mirror.read(&key)?
        } else {
            let read = self.objects.read_content::<PublishedRelease>(&key).await?;
            read.map(|(release, _)| release)
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
        let read = self.published(id).await?;
        Ok(read.map(|release| Arc::new(release.files)))
    }

    /// The bytes of a file of a release, from the cache or from the bucket.
    pub(crate) async fn read_file(
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
        let Some(release) = self.published(id).await? else {
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

    /// Reads an object of a file; `None` if it does not exist. Fails if its bytes are not the
    /// published ones.
    async fn read_object(
        self: &Arc<Self>,
        name: &str,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        let expected = Expected::new(file, coding);
        if let Some(bytes) = self.cached(name, expected).await {
            return Ok(Some(bytes));
        }
        let key = file_key(name);
        // The poll is what tries again.
        if self.local.as_ref().is_some_and(Local::is_away) {
            return Err(self.objects.error(&key, BucketError::Away));
        }
        let Some(object) = self.objects.read_bytes(&key).await? else {
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

    /// Reads a file from the cache; `None` if it is not there, or not as it was published.
    async fn cached(self: &Arc<Self>, name: &str, expected: Expected) -> Option<Bytes> {
        self.local.as_ref()?;
        let (own, name) = (Arc::clone(self), name.to_owned());
        let read = request_scope::run_blocking(move || {
            let cache = &own.local.as_ref()?.cache;
            let bytes = cache.get(&name)?;
            let is_intact = expected.matches(&bytes);
            if !is_intact {
                cache.remove(&name);
            }
            is_intact.then_some(bytes)
        });
        read.await
    }

    /// Adds a file to the cache. Without it, it is read from the bucket again. Blocks.
    pub(crate) fn cache(&self, name: &str, bytes: &[u8]) {
        if let Some(local) = &self.local
            && let Err(error) = local.cache.put(name, bytes)
        {
            local.mirror.report(&error);
        }
    }

    pub(crate) async fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        if let Some(local) = self.offline() {
            return local.mirror.deployments();
        }
        let listed = self.objects.list("deployments").await?;
        let stored = listed.iter().filter(|listed| !listed.is_deleted);
        Ok(numbers(stored.map(|listed| &*listed.name)))
    }

    pub(crate) async fn deployment(&self, number: u64) -> Result<Option<Deployment>, StoreError> {
        let key = deployment_key(number);
        if let Some(local) = self.offline() {
            return local.mirror.read(&key);
        }
        let read = self.objects.read_content(&key).await?;
        Ok(read.map(|(deployment, _)| deployment))
    }

    pub(crate) async fn create_deployment(&self, deployment: &Deployment) -> Result<bool, StoreError> {
        let key = deployment_key(deployment.number);
        if self
            .objects
            .write(&key, deployment, When::Absent)
            .await?
            .is_some()
        {
            return Ok(true);
        }
        // The client may have repeated a request that had succeeded.
        let existing = if_intact(self.deployment(deployment.number).await)?;
        Ok(existing.as_ref() == Some(deployment))
    }

    pub(crate) async fn tombstone(&self, id: &ReleaseId) -> Result<Option<Digest>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        let read = self.objects.read::<Tombstone>(&tombstone_key(id)).await?;
        Ok(read.map(|tombstone| tombstone.digest))
    }
}
