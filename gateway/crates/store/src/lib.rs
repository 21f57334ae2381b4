//! The store of releases, deployments, the live state and its history.
//!
//! [`Store`] is asynchronous although [`FolderStore`] is not: a bucket fits the same trait. Changes to the live state
//! are compare-and-swap operations on its revision, so several gateways on one store never overwrite each other.

mod acme;
mod backup;
mod bucket;
mod canary;
mod durable;
mod folder;
mod history;
mod json;
pub mod loaded;
pub mod metrics;
mod paths;
mod read;
mod recover;
mod release_file;
mod restore;
mod scratch;
#[cfg(test)]
mod suite;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod unused;
mod verify;

pub use acme::AcmeFile;
pub use backup::{Backup, back_up};
pub use bucket::{
    AccessKey, BucketError, BucketSettings, BucketStore, CacheSettings, Copied, copy_to_bucket,
    copy_to_folder,
};
pub use canary::GatewayId;
pub use folder::FolderStore;
pub use release_file::ListedFile;
pub use restore::restore;
pub use verify::{Health, Problem, Report, Serves, VisibleRelease, verify};

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use colonnade_model::canary::GatewayCounts;
use colonnade_model::deployment::{Change, Deployment, LiveState};
use colonnade_model::release::{Digest, Release, ReleaseId};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;

/// The pending result of a store operation.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Storage of releases, deployments, the live state and its history.
pub trait Store: Send + Sync + 'static {
    /// Fails if every change would, because other gateways make them: see [`StoreError::is_read_only`].
    fn check_writable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Whether it reads a local copy, which only has what visitors see, until the live state can be read.
    fn is_offline(&self) -> bool {
        false
    }

    /// Reads the local copy until the live state can be read again, because the store went away during the start; false if there
    /// is none.
    fn fall_back(&self) -> bool {
        false
    }

    /// How often a gateway reads the live state, to notice the changes by others.
    fn poll_interval(&self) -> Duration;

    /// Creates an empty folder to unpack a release in. It is removed when dropped.
    fn scratch_folder(&self) -> StoreFuture<'_, TempDir>;

    /// Stores a validated release, unless its version exists or has a tombstone with another digest.
    fn put_release(&self, release: StagedRelease) -> StoreFuture<'_, PutOutcome>;

    /// The IDs of the stored releases of a section, or of all with `None`, sorted.
    fn releases<'a>(&'a self, section: Option<&'a str>) -> StoreFuture<'a, Vec<ReleaseId>>;

    /// One release; `None` if it is not stored. A release with a mark is stored until it is deleted.
    fn release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>>;

    /// The digest in a version's tombstone. Only a release with this digest can be stored under that version again.
    fn tombstone<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<Digest>>;

    /// The bytes of one file of a release in one content coding; `None` if they are not stored. Fails with
    /// [`StoreError::Damaged`] if they are not the published ones.
    fn read_file<'a>(
        &'a self,
        id: &'a ReleaseId,
        file: ListedFile<'a>,
        coding: Coding,
    ) -> StoreFuture<'a, Option<Bytes>>;

    /// The numbers of all deployments, ascending.
    fn deployments(&self) -> StoreFuture<'_, Vec<u64>>;

    /// One deployment; `None` if it is not stored.
    fn deployment(&self, number: u64) -> StoreFuture<'_, Option<Deployment>>;

    /// Stores a deployment; false if its number is taken.
    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> StoreFuture<'a, bool>;

    /// Deletes a deployment, if it is stored.
    fn delete_deployment(&self, number: u64) -> StoreFuture<'_, ()>;

    /// Marks a release as unused, in place of an earlier mark; `None` if it is not stored. The mark changes nothing but what
    /// [`Store::delete_unused`] deletes, so an interrupted garbage collection leaves nothing to repair.
    fn mark_unused<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<UnusedMark>>;

    /// As [`Store::release`], for a stored deployment that names the release: removes its mark first.
    fn claim_release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>>;

    /// Deletes a release permanently if it still has this mark; false if not. Its tombstone is written first.
    fn delete_unused<'a>(&'a self, mark: &'a UnusedMark) -> StoreFuture<'a, bool>;

    /// Deletes what interrupted uploads and deletions left, when it is a day old.
    fn delete_orphans(&self) -> StoreFuture<'_, ()>;

    /// The live state; `None` before the first deploy. Fails if it is missing from a store with a history.
    fn live_state(&self) -> StoreFuture<'_, Option<LiveState>>;

    /// Replaces the live state if it is `expected` (`None`: there is none yet); false if it is another. The change of the
    /// replaced state is added to the history first, so the history is always complete.
    fn compare_and_swap_state<'a>(
        &'a self,
        expected: Option<&'a LiveState>,
        next: &'a LiveState,
    ) -> StoreFuture<'a, bool>;

    /// The history entry of a revision; `None` if it is not stored.
    fn history_entry(&self, revision: u64) -> StoreFuture<'_, Option<Change>>;

    /// The keys for a purpose.
    fn keys(&self, purpose: KeyPurpose) -> StoreFuture<'_, RotatingKeys>;

    /// Replaces the keys for a purpose if they are `expected`; false if they are others.
    fn compare_and_swap_keys<'a>(
        &'a self,
        purpose: KeyPurpose,
        expected: &'a RotatingKeys,
        next: &'a RotatingKeys,
    ) -> StoreFuture<'a, bool>;

    /// Replaces what a gateway has counted about the running rollouts, and returns the counts of the others. Counts that were
    /// not replaced for a minute, by the clock of the store, are deleted.
    fn exchange_counts<'a>(
        &'a self,
        gateway: GatewayId,
        counts: &'a GatewayCounts,
    ) -> StoreFuture<'a, Vec<GatewayCounts>>;

    /// Deletes the counts of a gateway.
    fn delete_counts(&self, gateway: GatewayId) -> StoreFuture<'_, ()>;
}

/// Adds a key for a purpose if none is active. Returns the keys.
pub async fn rotate_keys(store: &dyn Store, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
    loop {
        let keys = store.keys(purpose).await?;
        let Some(next) = keys.rotated(purpose, colonnade_clock::now()) else {
            return Ok(keys);
        };
        if store.compare_and_swap_keys(purpose, &keys, &next).await? {
            return Ok(next);
        }
    }
}

/// A validated release in a scratch folder, ready to be stored.
#[derive(Debug)]
pub struct StagedRelease {
    /// The release's name and version.
    pub id: ReleaseId,
    /// The scratch folder.
    pub folder: TempDir,
    /// The store's record of it.
    pub record: ReleaseRecord,
}

/// What the store records about a release in addition to its `release.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRecord {
    /// When it was published.
    pub published_at: Timestamp,
    /// The name of the token that published it.
    pub by: String,
    /// The digest of `release.json`, which lists the digest of every file: equal digests mean equal bytes throughout.
    pub digest: Digest,
    /// The compressed variants of its files, by file path.
    pub variants: BTreeMap<String, Vec<Coding>>,
}

/// The mark of a release that garbage collection is about to delete. Each mark has its own ID, so that a garbage collection deletes
/// a release only if its mark is still there: no deploy has claimed the release, and no other collection has marked it.
#[derive(Debug, Clone)]
pub struct UnusedMark {
    /// The release.
    pub release: ReleaseId,
    id: String,
}

impl UnusedMark {
    fn new(release: &ReleaseId) -> Self {
        Self {
            release: release.clone(),
            id: format!("{:032x}", colonnade_random::random::<u128>()),
        }
    }
}

/// The outcome of [`Store::put_release`].
#[derive(Debug)]
pub enum PutOutcome {
    /// The release is stored.
    Created,
    /// The version exists, or has a tombstone: the digest of that release.
    VersionTaken(Digest),
}

/// A release in the store.
#[derive(Debug)]
pub struct StoredRelease {
    /// Its `release.json`.
    pub release: Release,
    /// The store's record of it.
    pub record: ReleaseRecord,
}

/// A store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the store does not have the expected format.
    #[error("{}: {source}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
    /// A newer gateway wrote the file in a format that this one does not know.
    #[error(
        "{}: the file has schema {schema}, and this gateway reads up to {supported}; run the newer gateway that wrote it",
        path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The schema of the file.
        schema: u32,
        /// The highest schema that this gateway reads.
        supported: u32,
    },
    /// A symbolic link: the store never follows one.
    #[error("{}: a symbolic link in the path, which the store never follows", .0.display())]
    SymbolicLink(PathBuf),
    /// A file of a release is not as it was published.
    #[error("{}: the bytes do not match their digest", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file of a stored release is missing.
    #[error("{}: the file is missing", .0.display())]
    MissingFile(PathBuf),
    /// Something else in place of a file, such as a folder or a FIFO.
    #[error("{}: not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The file is not a backup, or not a complete one.
    #[error("{}: {reason}", path.display())]
    InvalidBackup {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The target of a restore has files in it.
    #[error("{}: the folder is not empty; move it away first, because a restore never overwrites a store", .0.display())]
    NotEmpty(PathBuf),
    /// An object store cannot be used as it should.
    #[error("{object}: {source}")]
    Bucket {
        /// The URL of the object.
        object: String,
        /// What is wrong.
        source: BucketError,
    },
    /// The folder is the cache of a store in a bucket.
    #[error(
        "{}: the folder is the cache of a store in a bucket, and no store; `gateway store copy` copies that store to a folder",
        .0.display()
    )]
    IsCache(PathBuf),
    /// `live.json` was deleted.
    #[error(
        "live.json is missing from the store, but its history is there; restore a backup, or run `gateway serve --recover`"
    )]
    LiveStateMissing,
    /// `live.json` is damaged.
    #[error("{0}; restore a backup, or run `gateway serve --recover`")]
    LiveStateDamaged(Box<StoreError>),
    /// `live.json` and the history were deleted, but not the rest.
    #[error(
        "live.json and the history are missing from the store, but deployments or releases are there; restore a backup, or \
         empty deployments/ and create history/ to start without a live deployment"
    )]
    HistoryMissing,
    /// No change of the history can be made live.
    #[error("no change of the history has a deployment and a shell that can be loaded; restore a backup")]
    NotRecoverable,
    /// A restore was killed.
    #[error("a restore of the store was interrupted; run `gateway store restore` again")]
    RestoreInterrupted,
    /// Another operation, mostly of another process, holds the lock for too long. The operation did not happen, and will not.
    #[error("another operation holds the lock of the store; try again")]
    Locked,
    /// Another change in this process takes too long. The operation did not happen, and will not.
    #[error("this gateway is making another change; try again")]
    ChangeInProgress,
    /// The operation was aborted before it was done.
    #[error("the store operation was interrupted")]
    Interrupted,
}

/// The cause of an I/O error. The text of the error itself names the path if a library added it.
pub fn cause_without_path(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error.kind().to_string(),
    }
}

impl StoreError {
    /// The text for those who must not learn where the store is: without the path of a file.
    pub fn without_path(&self) -> String {
        if let Self::Io { source, .. } = self {
            return format!("a file of the store: {}", cause_without_path(source));
        }
        let text = self.to_string();
        match self.path() {
            Some(path) => text.replace(&*path.to_string_lossy(), "a file of the store"),
            None => text,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::Corrupt { path, .. }
            | Self::NewerSchema { path, .. }
            | Self::SymbolicLink(path)
            | Self::Damaged { path }
            | Self::MissingFile(path)
            | Self::NotAFile(path)
            | Self::InvalidBackup { path, .. }
            | Self::NotEmpty(path)
            | Self::IsCache(path) => Some(path),
            Self::LiveStateDamaged(error) => error.path(),
            _ => None,
        }
    }

    /// Whether a file itself is the problem. Reading it again does not help.
    pub fn is_damage(&self) -> bool {
        self.is_loss() || matches!(self, Self::NewerSchema { .. })
    }

    /// Whether the store may be intact and only cannot be used now.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Bucket { source, .. } if source.is_away())
    }

    /// Whether another operation or change takes too long.
    pub fn is_contended(&self) -> bool {
        matches!(self, Self::Locked | Self::ChangeInProgress)
    }

    /// Whether the store is opened to read only.
    pub fn is_read_only(&self) -> bool {
        matches!(
            self,
            Self::Bucket {
                source: BucketError::ReadOnly,
                ..
            }
        )
    }

    /// Whether the content of a file is lost. A newer gateway cannot read it either.
    pub fn is_loss(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::Corrupt { .. }
                | Self::MissingFile(_)
                | Self::NotAFile(_)
                | Self::SymbolicLink(_)
        )
    }
}

/// The path of a file's compressed variant, relative to the release's folder.
pub fn variant_path(path: &str, coding: Coding) -> String {
    format!("compressed/{path}.{coding}")
}

/// The file with a release's [`ReleaseRecord`], in the release's folder.
pub const RECORD_FILE: &str = "stored.json";
