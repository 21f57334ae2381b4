//! Deleting what interrupted uploads left.

use std::collections::BTreeSet;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};

use super::objects::Listed;
use super::release::BucketRelease;
use super::upload::{CONCURRENCY, Upload};
use super::{Inner, file_key};
use crate::StoreError;

/// The age at which it is deleted. No upload takes that long.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

/// How often the files in use are read while releases are moved.
const MAX_ATTEMPTS: usize = 5;

impl Inner {
    /// Deletes the old uploads, and the old files that nothing uses.
    pub(super) async fn delete_orphans(&self) -> Result<(), StoreError> {
        let limit = colonnade_clock::now().saturating_sub(MAX_AGE);
        let limit = limit.unwrap_or(Timestamp::MIN);
        let is_old = |listed: &Listed| listed.written_at < limit;
        let uploads = self.objects.list("uploads").await?;
        for listed in uploads.into_iter().filter(is_old) {
            self.objects.delete(&format!("uploads/{}", listed.name)).await?;
        }
        // Before what uses them: a file that an upload shares meanwhile has a release.
        let files = self.objects.list("files").await?;
        let mut orphans: BTreeSet<String> = files
            .into_iter()
            .filter(is_old)
            .map(|listed| listed.name)
            .collect();
        if orphans.is_empty() {
            return Ok(());
        }
        let used = self.used_files("").await?;
        orphans.retain(|name| !used.contains(name));
        let deletes =
            stream::iter(orphans).map(|name| async move { self.objects.delete(&file_key(&name)).await });
        deletes.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }

    /// The files of uploads, and of the releases whose keys below a folder begin like this.
    ///
    /// Uploads first: one that ends in the meantime has left a release. A release that is moved is written to its new place
    /// before it is deleted from the old one, so that these lists find it, whatever its way; if it is gone when it is read,
    /// all is read again.
    pub(super) async fn used_files(&self, below: &str) -> Result<BTreeSet<String>, StoreError> {
        for _ in 0..MAX_ATTEMPTS {
            let mut used = BTreeSet::new();
            for listed in self.objects.list("uploads").await? {
                let upload = self
                    .objects
                    .read::<Upload>(&format!("uploads/{}", listed.name))
                    .await?;
                used.extend(upload.into_iter().flat_map(|(upload, _)| upload.files));
            }
            let mut keys = BTreeSet::new();
            for folder in ["releases", "quarantine", "releases"] {
                let folder = format!("{folder}{below}");
                let listed = self.objects.list(&folder).await?.into_iter();
                keys.extend(listed.map(|listed| format!("{folder}/{}", listed.name)));
            }
            let reads =
                stream::iter(keys).map(|key| async move { self.objects.read::<BucketRelease>(&key).await });
            let read: Vec<_> = reads.buffer_unordered(CONCURRENCY).try_collect().await?;
            let releases: Option<Vec<_>> = read.into_iter().collect();
            if let Some(releases) = releases {
                used.extend(
                    releases
                        .into_iter()
                        .flat_map(|(release, _)| release.files.into_values()),
                );
                return Ok(used);
            }
        }
        Err(StoreError::Interrupted)
    }
}
