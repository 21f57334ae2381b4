//! Where releases and deployments are kept.
//!
//! The trait is asynchronous although the folder behind it is not: a bucket shared by several gateways fits the same
//! calls. Whoever changes what is live swaps it against the revision they started from, so two gateways on one
//! store never overwrite each other.

mod durable;
mod folder;
mod recover;
mod scratch;
#[cfg(test)]
mod tests;

pub(crate) use folder::FolderStore;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::deployment::{Change, Deployment, State};
use crate::negotiate::Coding;
use crate::preview::Keys;
use crate::release::{Digest, Release};

/// What a call to the store will come to.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for releases and deployments.
pub(crate) trait Store: Send + Sync + 'static {
    /// An empty folder in which a release can be unpacked before it is kept; gone when dropped.
    fn scratch(&self) -> Answer<'_, TempDir>;

    /// Keeps a checked release under its name and version, unless that place is taken, or was by one with other bytes.
    fn keep(&self, release: Prepared) -> Answer<'_, Kept>;

    /// The releases kept, by name and version.
    fn releases(&self) -> Answer<'_, Vec<ReleaseId>>;

    /// One release, if it is kept.
    fn release<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, Option<StoredRelease>>;

    /// The digest of a release that was there once; a version never changes, also not when its release is gone.
    fn gone<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, Option<Digest>>;

    /// The bytes of one file of a release in one of its codings, if they are there.
    fn file<'a>(&'a self, id: &'a ReleaseId, path: &'a str, coding: Coding) -> Answer<'a, Option<Bytes>>;

    /// The numbers of all deployments, rising.
    fn deployments(&self) -> Answer<'_, Vec<u64>>;

    /// One deployment, if it is kept.
    fn deployment(&self, number: u64) -> Answer<'_, Option<Deployment>>;

    /// Adds a deployment; false if its number is taken.
    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> Answer<'a, bool>;

    /// Takes a deployment away that nothing names any more.
    fn remove_deployment(&self, number: u64) -> Answer<'_, ()>;

    /// Takes a release out of sight, in one step, so that it can be put back or discarded; false if it is not there.
    /// Its digest is noted by then.
    fn set_aside<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, bool>;

    /// Puts back a release that was set aside.
    fn put_back<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, ()>;

    /// Removes a release that was set aside, for good.
    fn discard<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, ()>;

    /// What is live, if anything ever was.
    fn state(&self) -> Answer<'_, Option<State>>;

    /// Makes this the state if the one of revision `expected` (none: 0) still is; false if another is. The change that
    /// made the state before is in the history by then, so the history is whole at every moment.
    fn swap_state(&self, expected: u64, next: State) -> Answer<'_, bool>;

    /// The change of a revision before the present state's, if it is kept.
    fn change(&self, revision: u64) -> Answer<'_, Option<Change>>;

    /// The keys that previews are signed with.
    fn preview_keys(&self) -> Answer<'_, Keys>;

    /// Puts other keys in the place of these; false if they are not the ones kept.
    fn swap_preview_keys<'a>(&'a self, expected: &'a Keys, next: &'a Keys) -> Answer<'a, bool>;
}

/// The name and version of a release.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ReleaseId {
    /// The section's name, or `shell`.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// A release that passed its checks and waits in a scratch folder to be kept.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The release's name and version.
    pub(crate) id: ReleaseId,
    /// The scratch folder.
    pub(crate) folder: TempDir,
    /// What the store notes about it.
    pub(crate) record: Record,
}

/// What the store notes about a release besides the release itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Record {
    /// When it was published.
    pub(crate) published_at: Timestamp,
    /// The name of the token that published it.
    pub(crate) by: String,
    /// The digest of `release.json`: two releases with the same one have the same bytes throughout.
    pub(crate) digest: Digest,
    /// The compressed variants made of its files.
    pub(crate) variants: BTreeMap<String, Vec<Coding>>,
}

/// How keeping a release went.
#[derive(Debug)]
pub(crate) enum Kept {
    /// It is kept now.
    New,
    /// There is a release of that name and version already; this is its digest.
    Taken(Digest),
}

/// A release as it is kept.
#[derive(Debug)]
pub(crate) struct StoredRelease {
    /// What its `release.json` says.
    pub(crate) release: Release,
    /// What the store notes about it.
    pub(crate) record: Record,
}

/// The store failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// Why it could not be.
        source: std::io::Error,
    },
    /// A file of the store is not what the gateway wrote.
    #[error("{}: {source}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it stops making sense.
        source: serde_json::Error,
    },
    /// Work on the store was cut short.
    #[error("work on the store was cut short")]
    Interrupted,
}

/// The path of a file's compressed variant below a release's folder.
pub(crate) fn variant_path(path: &str, coding: Coding) -> String {
    format!("compressed/{path}.{coding}")
}

/// The file in which the store's own note on a release stands.
pub(crate) const RECORD_FILE: &str = "stored.json";
