//! Deleting what uploads and deletions left.

use std::collections::BTreeSet;

use colonnade_web::request_scope;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::SignedDuration;

use crate::error::StoreError;
use crate::inner::{CONCURRENCY, Inner};
use crate::objects::Listed;
use crate::published::PublishedRelease;
use crate::upload::Upload;

/// How much older it is than the newest object when it is deleted. No upload takes that long, and
/// no request.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

impl Inner {
    /// Deletes the old uploads, the old files that nothing uses, and what is left of deployments
    /// that were deleted long ago.
    pub(crate) async fn delete_orphans(&self) -> Result<(), StoreError> {
        let scratch = self.scratch.clone();
        request_scope::run_blocking(move || scratch.remove_old()).await?;
        let uploads = self.objects.list("uploads").await?;
        // Before what uses them: a file that an upload shares meanwhile has a release.
        let files = self.objects.list("files").await?;
        let deployments = self.objects.list("deployments").await?;
        // By the clock of the store: that of a gateway may be wrong.
        let all = uploads.iter().chain(&files).chain(&deployments);
        let newest = all.map(|listed| listed.written_at).max();
        let limit = newest.and_then(|newest| newest.checked_sub(MAX_AGE).ok());
        let is_old = |listed: &Listed| limit.is_some_and(|limit| listed.written_at < limit);
        for listed in uploads.into_iter().filter(is_old) {
            self.objects.delete(&format!("uploads/{}", listed.name)).await?;
        }
        let orphans = files.into_iter().filter(is_old).map(|listed| listed.name);
        self.delete_unused_files("", orphans.collect()).await?;
        let old = deployments.into_iter().filter(is_old);
        let old = old.filter(|listed| listed.is_deleted);
        let keys = old.map(|listed| format!("deployments/{}", listed.name));
        let deletes = stream::iter(keys).map(|key| async move {
            match self.objects.read_bytes(&key).await? {
                Some(object) if object.is_deleted() => self.objects.delete(&key).await,
                _ => Ok(()),
            }
        });
        deletes.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }

    /// The files of uploads, and of the releases whose keys below `releases` begin like this.
    /// Uploads first: one that ends in the meantime has left a release.
    pub(crate) async fn used_files(&self, below: &str) -> Result<BTreeSet<String>, StoreError> {
        let mut used = BTreeSet::new();
        for listed in self.objects.list("uploads").await? {
            let upload = self
                .objects
                .read::<Upload>(&format!("uploads/{}", listed.name))
                .await?;
            used.extend(upload.into_iter().flat_map(|upload| upload.files));
        }
        let folder = format!("releases{below}");
        let listed = self.objects.list(&folder).await?.into_iter();
        let keys = listed
            .filter(|listed| !listed.is_deleted)
            .map(|listed| format!("{folder}/{}", listed.name));
        let reads = stream::iter(keys)
            .map(|key| async move { self.objects.read_content::<PublishedRelease>(&key).await });
        let read: Vec<_> = reads.buffer_unordered(CONCURRENCY).try_collect().await?;
        let releases = read.into_iter().flatten();
        used.extend(releases.flat_map(|(release, _)| release.files.into_values()));
        Ok(used)
    }
}
