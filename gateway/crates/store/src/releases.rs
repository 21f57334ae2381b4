//! Reading releases, their files, and deployments.

use std::sync::Arc;

use bytes::Bytes;
use colonnade_model::deployment::Deployment;
use colonnade_model::release::{Digest, ReleaseId, is_file_path, is_name};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;

use crate::error::{StoreError, damaged, if_intact};
use crate::inner::{FILE_NAME_BYTES, Inner};
use crate::keys::{deployment_key, file_key, is_valid, numbers, release_id, release_key, tombstone_key};
use crate::objects::{Object, When};
use crate::published::{FileNames, PublishedRelease, Tombstone};
use crate::types::{ListedFile, StoredRelease, decode_to, file_path};

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
        let read = self.objects.read_content::<PublishedRelease>(&key).await?;
        let read = read.map(|(release, _)| release);
        if read.as_ref().is_some_and(|release| !release.is_safe()) {
            return Err(damaged(&self.objects.path(&key)));
        }
        match &read {
            Some(PublishedRelease { files, .. }) => {
                let bytes = files.len() * FILE_NAME_BYTES;
                self.files.put(id.clone(), Arc::new(files.clone()), bytes);
            }
            None => self.files.remove(id),
        }
        Ok(read)
    }

    async fn file_names(&self, id: &ReleaseId) -> Result<Option<Arc<FileNames>>, StoreError> {
        if let Some(known) = self.files.get(id) {
            return Ok(Some(known));
        }
        let read = self.published(id).await?;
        Ok(read.map(|release| Arc::new(release.files)))
    }

    /// The bytes of a file of a release.
    pub(crate) async fn read_file(
        &self,
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
        &self,
        name: &str,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        let (key, expected) = (file_key(name), (file.size, file.digest));
        let Some(Object { bytes, .. }) = self.objects.read_bytes(&key).await? else {
            return Ok(None);
        };
        let path = self.objects.path(&key);
        request_scope::run_blocking(move || {
            if !decode_to(&bytes, coding, expected) {
                return Err(damaged(&path));
            }
            Ok(Some(bytes))
        })
        .await
    }

    pub(crate) async fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        let listed = self.objects.list("deployments").await?;
        let stored = listed.iter().filter(|listed| !listed.is_deleted);
        Ok(numbers(stored.map(|listed| &*listed.name)))
    }

    pub(crate) async fn deployment(&self, number: u64) -> Result<Option<Deployment>, StoreError> {
        let key = deployment_key(number);
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
