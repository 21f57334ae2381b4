//! The store in a bucket of an object store:
//!
//! ```text
//! store.json                         the ID of the store
//! releases/<name>/<version>.json     a release: release.json, its record, and the names of its files; or that it was deleted
//! files/<digest>.<random>            the files of releases
//! uploads/<id>.json                  the files that an upload shares with published releases
//! tombstones/<name>/<version>.json   the digest of a deleted release, which reserves its version for the same bytes
//! deployments/<number>.json          a deployment; for at least a day that it was deleted
//! live.json                          the live deployment, the running rollouts, and the newest change
//! history/<revision>.json            the changes, including the newest
//! canary/<gateway>.json              what a gateway has counted about the running rollouts
//! preview-keys.json                  secret
//! ticket-keys.json                   secret
//! ```
//!
//! This is not the folder's layout: see `docs/decisions/0009-folder-or-bucket.md`. A release becomes visible with one object,
//! created only if it does not exist; `live.json` and the keys are replaced only if their entity tag is unchanged.
//!
//! **Releases.** The object of a release stays when the release is deleted. So a request that arrives late fails, or repeats what is
//! true anyway: see [`unused`](mod@unused).
//!
//! **Shared files.** A file with the same bytes as one of a published release of the same name is not sent again. The upload
//! first names the shared files in `uploads/`, and then checks that the releases with them are still published. Garbage
//! collection first deletes a release, and then reads which files others use, `uploads/` before `releases/`. Whichever is first,
//! the other one sees it.

mod cache;
mod canary;
mod client;
mod copy;
mod error;
mod live;
mod mirror;
mod objects;
mod open;
mod orphans;
mod probe;
mod read;
mod recover;
mod release;
mod replica;
mod requests;
mod store;
#[cfg(test)]
mod tests;
mod unused;
mod upload;

pub use client::{AccessKey, BucketSettings};
pub use copy::{Copied, copy_to_bucket, copy_to_folder};
pub use error::BucketError;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use colonnade_model::deployment::{Change, LiveState};
use colonnade_model::release::{ReleaseId, is_name, is_version};
use colonnade_model::rotating_keys::KeyPurpose;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::StoreError;
use crate::metrics::StoreMetrics;
use crate::scratch::Scratch;
use cache::FileCache;
use mirror::Mirror;
use objects::{ObjectVersion, Objects};
use release::FileNames;

/// The live state.
const LIVE: &str = "live.json";

/// The names of files that are kept in memory, of all releases together. A name takes about 200 bytes.
const MAX_KNOWN_FILES: usize = 100_000;

/// How often a conditional write of an object is tried. It loses only against others that succeed.
const MAX_ATTEMPTS: usize = 10;

/// How often a bucket is polled: each request costs money.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A store in a bucket, with a local cache. Many gateways share it.
#[derive(Debug)]
pub struct BucketStore {
    inner: Arc<Inner>,
    /// Keeps the cache complete.
    mirroring: AbortHandle,
}

#[derive(Debug)]
struct Inner {
    objects: Objects,
    cache: FileCache,
    mirror: Mirror,
    scratch: Scratch,
    metrics: StoreMetrics,
    /// The last live state that was read, with its version.
    known: Mutex<Option<(LiveState, ObjectVersion)>>,
    /// The last change that is known to be in the history.
    recorded: Mutex<Option<Change>>,
    /// The names of the files of releases.
    files: Mutex<KnownFiles>,
    contact: Mutex<Contact>,
    /// Whether the last poll could not reach the object store.
    is_away: AtomicBool,
    /// The live state, for what fills the cache.
    changes: watch::Sender<Option<LiveState>>,
    /// The last revision for which a replica of the bucket was not complete.
    awaited: AtomicU64,
}

#[derive(Debug, Default)]
struct KnownFiles {
    releases: HashMap<ReleaseId, Arc<FileNames>>,
    count: usize,
}

/// Whether the object store was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contact {
    /// It was.
    Online,
    /// Not yet: the gateway starts with the local copy.
    Starting,
    /// Not yet: the gateway has started with the local copy.
    Offline,
}

/// The settings of the local cache.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    /// The folder.
    pub folder: PathBuf,
    /// The limit of all files of releases in bytes.
    pub limit: u64,
}

impl Drop for BucketStore {
    fn drop(&mut self) {
        self.mirroring.abort();
    }
}

impl KnownFiles {
    fn add(&mut self, id: ReleaseId, files: Arc<FileNames>) {
        if self.count + files.len() > MAX_KNOWN_FILES {
            *self = Self::default();
        }
        self.count += files.len();
        if let Some(before) = self.releases.insert(id, files) {
            self.count -= before.len();
        }
    }

    fn remove(&mut self, id: &ReleaseId) {
        if let Some(before) = self.releases.remove(id) {
            self.count -= before.len();
        }
    }
}

impl Inner {
    /// Measures an operation.
    async fn measure<T>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let start = Instant::now();
        let result = work.await;
        self.metrics.record(operation, start.elapsed(), result.is_ok());
        result
    }

    /// Measures an operation for which there is no local copy. Before the first contact, nothing is read from the bucket or written
    /// to it: it can be that of another store.
    async fn measure_online<T>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let work = async {
            if self.is_offline() {
                return Err(self.objects.error(LIVE, BucketError::Away));
            }
            work.await
        };
        self.measure(operation, work).await
    }

    /// Whether only the local copy can be read.
    fn is_offline(&self) -> bool {
        *self.contact.lock() != Contact::Online
    }
}

/// Whether a release can be in a store.
fn is_valid(id: &ReleaseId) -> bool {
    is_name(&id.name) && is_version(&id.version)
}

fn release_key(id: &ReleaseId) -> String {
    format!("releases/{}/{}.json", id.name, id.version)
}

fn tombstone_key(id: &ReleaseId) -> String {
    format!("tombstones/{}/{}.json", id.name, id.version)
}

fn file_key(name: &str) -> String {
    format!("files/{name}")
}

fn deployment_key(number: u64) -> String {
    format!("deployments/{number}.json")
}

fn history_key(revision: u64) -> String {
    format!("history/{revision}.json")
}

fn keys_key(purpose: KeyPurpose) -> &'static str {
    match purpose {
        KeyPurpose::Previews => "preview-keys.json",
        KeyPurpose::Tickets => "ticket-keys.json",
    }
}
