//! Deleting releases from a bucket.

use std::collections::BTreeSet;

use colonnade_model::deployment::Deployment;
use colonnade_model::release::ReleaseId;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::release::BucketRelease;
use super::upload::CONCURRENCY;
use super::{
    Inner, deleted_key, deployment_key, file_key, is_valid, quarantine_key, release_key, tombstone_key,
};
use crate::StoreError;
use crate::paths::Tombstone;

impl Inner {
    pub(super) async fn quarantine(&self, id: &ReleaseId) -> Result<bool, StoreError> {
        if !is_valid(id) {
            return Ok(false);
        }
        let Some(release) = self.bucket_release(id).await? else {
            return Ok(false);
        };
        let tombstone = Tombstone {
            digest: release.record.digest,
        };
        self.objects.create(&tombstone_key(id), &tombstone).await?;
        self.objects.write(&quarantine_key(id), &release).await?;
        self.objects.delete(&release_key(id)).await?;
        self.files.lock().remove(id);
        Ok(true)
    }

    pub(super) async fn restore(&self, id: &ReleaseId) -> Result<(), StoreError> {
        let Some(release) = self.quarantined(id).await? else {
            return Ok(());
        };
        if self.objects.create(&release_key(id), &release).await? {
            return self.objects.delete(&quarantine_key(id)).await;
        }
        match self.bucket_release(id).await? {
            // A process that restored it, or that quarantined it, was interrupted.
            Some(existing) if existing.upload == release.upload => {
                self.objects.delete(&quarantine_key(id)).await
            }
            // It was published again.
            _ => self.delete_quarantined(id).await,
        }
    }

    async fn quarantined(&self, id: &ReleaseId) -> Result<Option<BucketRelease>, StoreError> {
        if !is_valid(id) {
            return Ok(None);
        }
        let read = self.objects.read(&quarantine_key(id)).await?;
        Ok(read.map(|(release, _)| release))
    }

    /// Deletes a release in quarantine. Its record is moved first, so that a partly deleted release is never restored.
    pub(super) async fn delete_quarantined(&self, id: &ReleaseId) -> Result<(), StoreError> {
        let Some(release) = self.quarantined(id).await? else {
            return Ok(());
        };
        self.objects.write(&deleted_key(id), &release).await?;
        self.objects.delete(&quarantine_key(id)).await?;
        self.delete_files(id, release).await
    }

    /// Deletes the files of a deleted release that no other one has.
    async fn delete_files(&self, id: &ReleaseId, release: BucketRelease) -> Result<(), StoreError> {
        let in_use = self.used_files(&format!("/{}", id.name)).await?;
        let names: BTreeSet<String> = release.files.into_values().collect();
        let unused: Vec<String> = names.difference(&in_use).cloned().collect();
        let deletes =
            stream::iter(unused).map(|name| async move { self.objects.delete(&file_key(&name)).await });
        deletes.buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
        self.objects.delete(&deleted_key(id)).await
    }

    /// Completes what crashed processes left unfinished: restores the quarantined releases that a deployment names, and
    /// deletes the others.
    pub(super) async fn complete_deletions(&self) -> Result<(), StoreError> {
        let quarantined = self.list_releases("quarantine").await?;
        if !quarantined.is_empty() {
            // Read the deployments after the quarantine: see the folder's recovery.
            match self.named_releases().await {
                Ok(named) => {
                    for id in quarantined {
                        if named.contains(&id) {
                            self.restore(&id).await?;
                        } else {
                            self.delete_quarantined(&id).await?;
                        }
                    }
                }
                Err(error) if error.is_damage() => {
                    tracing::warn!(event = "release_recovery_skipped", releases = quarantined.len());
                }
                Err(error) => return Err(error),
            }
        }
        for id in self.list_releases("deleted").await? {
            if let Some((release, _)) = self.objects.read(&deleted_key(&id)).await? {
                self.delete_files(&id, release).await?;
            }
        }
        Ok(())
    }

    /// The releases that deployments name.
    async fn named_releases(&self) -> Result<BTreeSet<ReleaseId>, StoreError> {
        let mut named = BTreeSet::new();
        for listed in self.objects.list("deployments").await? {
            let Some(number) = listed
                .name
                .strip_suffix(".json")
                .and_then(|number| number.parse().ok())
            else {
                continue;
            };
            let deployment = self.objects.read::<Deployment>(&deployment_key(number)).await?;
            named.extend(
                deployment
                    .iter()
                    .flat_map(|(deployment, _)| deployment.release_ids()),
            );
        }
        Ok(named)
    }
}
