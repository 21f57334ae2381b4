//! The store in a folder:
//!
//! ```text
//! releases/<name>/<version>/         release.json, stored.json, client/, server/, compressed/
//! tombstones/<name>/<version>.json   the digest of a deleted release, which reserves its version for the same bytes
//! deployments/<number>.json
//! live.json                          the live deployment, the running rollouts, and the newest change
//! history/<revision>.json            the changes, including the newest
//! preview-keys.json                  readable only by its owner
//! ticket-keys.json                   readable only by its owner
//! canary/<gateway>.json              what a gateway has counted about the running rollouts
//! restoring                          the lock file of a restore, until it is complete
//! lock                               the lock file of changes to live.json, key files and releases/
//! scratch/                           incomplete uploads and deletions, and marks of unused releases
//! ```

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

use bytes::Bytes;
use tempfile::TempDir;

use colonnade_model::canary::GatewayCounts;
use colonnade_model::deployment::{Change, Deployment, LiveState};
use colonnade_model::release::{Digest, ReleaseId};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;

use super::durable::{create_json, io, replace_json, sync_parent};
use super::metrics::StoreMetrics;
use super::paths::{Paths, if_exists};
use super::read::read_json;
use super::{
    GatewayId, ListedFile, PutOutcome, StagedRelease, Store, StoreError, StoreFuture, StoredRelease,
    UnusedMark,
};

/// How often a folder is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A store in a local folder. Several processes can share it.
#[derive(Debug, Clone)]
pub struct FolderStore {
    paths: Arc<Paths>,
    metrics: StoreMetrics,
}

impl FolderStore {
    /// Opens the store in a folder, creates the folder if it does not exist, and recovers from crashed processes.
    ///
    /// # Errors
    /// If a file or folder of the store cannot be created, read or synced.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Paths::of(folder).reject_incomplete()?;
        let paths = Paths::create(folder)?;
        paths.recover()?;
        Ok(Self {
            paths: Arc::new(paths),
            metrics: StoreMetrics::default(),
        })
    }

    /// Measures the operations, and counts damaged files, with these metrics.
    #[must_use]
    pub fn with_metrics(self, metrics: StoreMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// Recovers a live state that is missing or damaged, or whose deployments cannot be loaded, from the history; `None` if
    /// it is intact. Rollouts that were running end.
    ///
    /// # Errors
    /// If no deployment in the history can be loaded either.
    pub fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        self.paths.recover_live_state()
    }

    /// Runs blocking file system operations on a thread for blocking work.
    pub(super) fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Paths) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let paths = Arc::clone(&self.paths);
        let (metrics, start) = (self.metrics.clone(), Instant::now());
        let task = request_scope::spawn_blocking(move || {
            let result = work(&paths);
            metrics.record(operation, start.elapsed(), result.is_ok());
            result
        });
        Box::pin(async move { task.await.unwrap_or(Err(StoreError::Interrupted)) })
    }
}

impl Store for FolderStore {
    fn poll_interval(&self) -> Duration {
        POLL_INTERVAL
    }

    fn scratch_folder(&self) -> StoreFuture<'_, TempDir> {
        self.run("scratch_folder", |paths| paths.scratch.create_folder())
    }

    fn put_release(&self, release: StagedRelease) -> StoreFuture<'_, PutOutcome> {
        self.run("put_release", move |paths| paths.put_release(&release))
    }

    fn releases<'a>(&'a self, section: Option<&'a str>) -> StoreFuture<'a, Vec<ReleaseId>> {
        let section = section.map(ToOwned::to_owned);
        self.run("releases", move |paths| match section {
            Some(section) => paths.section_releases(&section),
            None => paths.releases(),
        })
    }

    fn release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>> {
        let id = id.clone();
        self.run("release", move |paths| paths.release(&id))
    }

    fn tombstone<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<Digest>> {
        let id = id.clone();
        self.run("tombstone", move |paths| paths.tombstone(&id))
    }

    fn read_file<'a>(
        &'a self,
        id: &'a ReleaseId,
        file: ListedFile<'a>,
        coding: Coding,
    ) -> StoreFuture<'a, Option<Bytes>> {
        let (id, path) = (id.clone(), file.path.to_owned());
        let ListedFile { size, digest, .. } = file;
        let metrics = self.metrics.clone();
        self.run("read_file", move |paths| {
            let path = &path;
            let read = paths.release_file(&id, ListedFile { path, size, digest }, coding);
            if let Err(
                StoreError::Damaged { path }
                | StoreError::MissingFile(path)
                | StoreError::NotAFile(path)
                | StoreError::SymbolicLink(path),
            ) = &read
            {
                metrics.record_damaged(path);
            }
            read
        })
    }

    fn deployments(&self) -> StoreFuture<'_, Vec<u64>> {
        self.run("deployments", Paths::deployments)
    }

    fn deployment(&self, number: u64) -> StoreFuture<'_, Option<Deployment>> {
        self.run("deployment", move |paths| read_json(&paths.deployment(number)))
    }

    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> StoreFuture<'a, bool> {
        let deployment = deployment.clone();
        self.run("create_deployment", move |paths| {
            let path = paths.deployment(deployment.number);
            create_json(&path, &paths.scratch.folder, &deployment)
        })
    }

    fn delete_deployment(&self, number: u64) -> StoreFuture<'_, ()> {
        self.run("delete_deployment", move |paths| {
            let path = paths.deployment(number);
            if_exists(fs::remove_file(&path)).map_err(io(&path))?;
            sync_parent(&path)
        })
    }

    fn mark_unused<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<UnusedMark>> {
        let id = id.clone();
        self.run("mark_unused", move |paths| paths.mark_unused(&id))
    }

    fn claim_release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>> {
        let id = id.clone();
        self.run("claim_release", move |paths| paths.claim_release(&id))
    }

    fn delete_unused<'a>(&'a self, mark: &'a UnusedMark) -> StoreFuture<'a, bool> {
        let mark = mark.clone();
        self.run("delete_unused", move |paths| paths.delete_unused(&mark))
    }

    fn delete_orphans(&self) -> StoreFuture<'_, ()> {
        self.run("delete_orphans", |paths| paths.scratch.remove_old())
    }

    fn live_state(&self) -> StoreFuture<'_, Option<LiveState>> {
        self.run("live_state", Paths::live_state)
    }

    fn compare_and_swap_state<'a>(
        &'a self,
        expected: Option<&'a LiveState>,
        next: &'a LiveState,
    ) -> StoreFuture<'a, bool> {
        let (expected, next) = (expected.cloned(), next.clone());
        self.run("compare_and_swap_state", move |paths| {
            paths.swap_live_state(expected.as_ref(), &next)
        })
    }

    fn history_entry(&self, revision: u64) -> StoreFuture<'_, Option<Change>> {
        self.run("history_entry", move |paths| {
            read_json(&paths.history_entry(revision))
        })
    }

    fn keys(&self, purpose: KeyPurpose) -> StoreFuture<'_, RotatingKeys> {
        self.run("keys", move |paths| paths.keys(purpose))
    }

    fn compare_and_swap_keys<'a>(
        &'a self,
        purpose: KeyPurpose,
        expected: &'a RotatingKeys,
        next: &'a RotatingKeys,
    ) -> StoreFuture<'a, bool> {
        let (expected, next) = (expected.clone(), next.clone());
        self.run("compare_and_swap_keys", move |paths| {
            let _lock = paths.lock()?;
            if paths.keys(purpose)? != expected {
                return Ok(false);
            }
            // A temporary file is readable only by its owner, and keeps its mode when it is renamed.
            replace_json(paths.key_file(purpose), &paths.scratch.folder, &next)?;
            Ok(true)
        })
    }

    fn exchange_counts<'a>(
        &'a self,
        gateway: GatewayId,
        counts: &'a GatewayCounts,
    ) -> StoreFuture<'a, Vec<GatewayCounts>> {
        let counts = counts.clone();
        self.run("exchange_counts", move |paths| {
            paths.exchange_counts(gateway, &counts)
        })
    }

    fn delete_counts(&self, gateway: GatewayId) -> StoreFuture<'_, ()> {
        self.run("delete_counts", move |paths| paths.delete_counts(gateway))
    }
}
