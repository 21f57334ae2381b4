//! Publishing: from an uploaded archive to a release in the store.
//!
//! Nothing is kept before everything is checked: the archive is unpacked to a scratch folder, compared with its own
//! `release.json`, compressed once for all the requests to come, and only then renamed into its place.

mod compress;
mod unpack;
mod verify;

pub(crate) use compress::encode;

use std::fs::File;

use tempfile::TempDir;

use crate::release::{Digest, Release};
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
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Publishes an archive under a name and version.
pub(crate) async fn publish(
    store: &dyn Store,
    id: ReleaseId,
    archive: File,
    by: String,
) -> Result<Published, PublishError> {
    let scratch = store.scratch().await?;
    let (unpacked, id) = blocking(move || Ok((unpack(&id, archive, scratch)?, id))).await?;
    if let Some(stored) = store.release(&id).await? {
        return same(id, unpacked.digest, stored.record.digest);
    }
    let digest = unpacked.digest;
    let prepared = blocking(move || prepare(id, unpacked, by)).await?;
    let id = prepared.id.clone();
    match store.keep(prepared).await? {
        Kept::New => Ok(Published::New(digest)),
        Kept::Taken(there) => same(id, digest, there),
    }
}

/// A release in a scratch folder that is what its `release.json` says.
struct Unpacked {
    folder: TempDir,
    release: Release,
    digest: Digest,
}

fn unpack(id: &ReleaseId, archive: File, scratch: TempDir) -> Result<Unpacked, PublishError> {
    let contents = unpack::unpack(archive, scratch.path())?;
    let (release, digest) = verify::verify(id, &contents).map_err(PublishError::Refused)?;
    Ok(Unpacked {
        folder: scratch,
        release,
        digest,
    })
}

fn prepare(id: ReleaseId, unpacked: Unpacked, by: String) -> Result<Prepared, PublishError> {
    let variants = compress::compress(&unpacked.release, unpacked.folder.path())?;
    Ok(Prepared {
        id,
        folder: unpacked.folder,
        record: Record {
            published_at: crate::clock::now(),
            by,
            digest: unpacked.digest,
            variants,
        },
    })
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
