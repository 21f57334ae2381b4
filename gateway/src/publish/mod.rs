//! Publishing: from an uploaded archive to a release in the store.
//!
//! Nothing is kept before everything is checked: the archive is unpacked to a scratch folder, compared with its own
//! `release.json`, its stylesheets are read, it is compressed once for all the requests to come, weighed, and only then
//! renamed into its place. All that is wrong with a release is told at once.

mod budget;
mod compress;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod style;
#[cfg(test)]
mod tests;
mod unpack;
mod verify;
mod warnings;

pub(crate) use compress::{Effort, encode};
pub(crate) use warnings::warnings;

use std::fs::File;

use tempfile::TempDir;

use unpack::Contents;
use verify::Verified;

use crate::config::Budget;
use crate::release::Digest;
use crate::store::{Kept, Prepared, Record, ReleaseId, Store, StoreError};

/// The most bytes an archive may have as it is sent.
pub(crate) const MAX_ARCHIVE: u64 = 64 * 1024 * 1024;

/// How publishing went.
#[derive(Debug)]
pub(crate) enum Published {
    /// The release is kept now.
    New(Digest),
    /// The very same release was kept before.
    Same(Digest),
}

/// Why a release is not published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    /// What was sent is no gzipped tar.
    #[error("the body is not a gzipped tar: {0}")]
    Archive(std::io::Error),
    /// It is one, but not of a release that can be kept; these are all the reasons.
    #[error("the release is refused")]
    Refused(Vec<String>),
    /// There are other bytes under this name and version.
    #[error("{0} is published already, with other contents; a version never changes")]
    Taken(ReleaseId),
    /// There were other bytes under this name and version.
    #[error("{0} was published before and removed, with other contents; a version never changes")]
    Gone(ReleaseId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Publishes an archive under a name and version.
pub(crate) async fn publish(
    store: &dyn Store,
    budget: &Budget,
    id: ReleaseId,
    archive: File,
    by: String,
) -> Result<Published, PublishError> {
    let scratch = store.scratch().await?;
    let (draft, id) = blocking(move || Ok((Draft::read(&id, archive, scratch)?, id))).await?;
    let digest = draft.verified.digest;
    if draft.verified.problems.is_empty() {
        if let Some(stored) = store.release(&id).await? {
            return same(id, digest, stored.record.digest);
        }
        if store.gone(&id).await?.is_some_and(|gone| gone != digest) {
            return Err(PublishError::Gone(id));
        }
    }
    let budget = *budget;
    let prepared = blocking(move || draft.prepare(id, &budget, by)).await?;
    let id = prepared.id.clone();
    match store.keep(prepared).await? {
        Kept::New => Ok(Published::New(digest)),
        Kept::Taken(there) => same(id, digest, there),
    }
}

/// A release in a scratch folder, checked but for its weight.
struct Draft {
    folder: TempDir,
    contents: Contents,
    verified: Verified,
}

impl Draft {
    fn read(id: &ReleaseId, archive: File, scratch: TempDir) -> Result<Self, PublishError> {
        let contents = unpack::unpack(archive, scratch.path())?;
        let verified = verify::verify(id, &contents, scratch.path())?;
        Ok(Self {
            folder: scratch,
            contents,
            verified,
        })
    }

    fn prepare(self, id: ReleaseId, budget: &Budget, by: String) -> Result<Prepared, PublishError> {
        let Verified {
            release,
            digest,
            mut problems,
        } = self.verified;
        // Where nothing would be weighed, a refused release is not worth the time that compressing takes.
        if !problems.is_empty() && *budget == Budget::default() {
            return Err(PublishError::Refused(problems));
        }
        let files = verify::present(&release, &self.contents);
        let compressed = compress::compress(&files, self.folder.path())?;
        problems.extend(budget::check(budget, &release, &compressed.sizes));
        if !problems.is_empty() {
            return Err(PublishError::Refused(problems));
        }
        Ok(Prepared {
            id,
            folder: self.folder,
            record: Record {
                published_at: crate::clock::now(),
                by,
                digest,
                variants: compressed.variants,
            },
        })
    }
}

fn same(id: ReleaseId, sent: Digest, there: Digest) -> Result<Published, PublishError> {
    if sent == there {
        Ok(Published::Same(sent))
    } else {
        Err(PublishError::Taken(id))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PublishError> + Send + 'static,
) -> Result<T, PublishError> {
    let task = tokio::task::spawn_blocking(work).await;
    task.unwrap_or(Err(PublishError::Store(StoreError::Interrupted)))
}
