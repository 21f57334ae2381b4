//! What the operations of a store share.

use std::collections::HashMap;
use std::sync::Arc;

use colonnade_model::deployment::{Change, LiveState};
use colonnade_model::release::ReleaseId;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::bucket_error::BucketError;
use super::error::StoreError;
use super::keys::LIVE;
use super::local::Local;
use super::metrics::StoreMetrics;
use super::objects::{Objects, Pending, Version};
use super::published::FileNames;
use super::scratch::Scratch;

/// The names of files that are kept in memory, of all releases together. A name takes about 200
/// bytes.
const MAX_KNOWN_FILES: usize = 100_000;

/// How often a conditional write of an object is tried. It loses only against others that succeed.
pub(crate) const MAX_ATTEMPTS: usize = 10;

/// The number of objects that are transferred at a time.
pub(crate) const CONCURRENCY: usize = 8;

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) objects: Arc<dyn Objects>,
    /// The local copy of what visitors see, for a bucket.
    pub(crate) local: Option<Local>,
    pub(crate) scratch: Scratch,
    pub(crate) metrics: StoreMetrics,
    /// The last live state that was read, with its version.
    pub(crate) known: Mutex<Option<(LiveState, Version)>>,
    /// The last change that is known to be in the history.
    pub(crate) recorded: Mutex<Option<Change>>,
    /// The names of the files of releases.
    pub(crate) files: Mutex<KnownFiles>,
}

#[derive(Debug, Default)]
pub(crate) struct KnownFiles {
    pub(crate) releases: HashMap<ReleaseId, Arc<FileNames>>,
    count: usize,
}

impl KnownFiles {
    pub(crate) fn add(&mut self, id: ReleaseId, files: Arc<FileNames>) {
        if self.count + files.len() > MAX_KNOWN_FILES {
            *self = Self::default();
        }
        self.count += files.len();
        if let Some(before) = self.releases.insert(id, files) {
            self.count -= before.len();
        }
    }

    pub(crate) fn remove(&mut self, id: &ReleaseId) {
        if let Some(before) = self.releases.remove(id) {
            self.count -= before.len();
        }
    }
}

impl Inner {
    pub(crate) fn new(
        objects: Arc<dyn Objects>,
        local: Option<Local>,
        scratch: Scratch,
        metrics: StoreMetrics,
    ) -> Self {
        Self {
            objects,
            local,
            scratch,
            metrics,
            known: Mutex::default(),
            recorded: Mutex::default(),
            files: Mutex::default(),
        }
    }

    /// Measures an operation. Its future is on the heap, so that those of callers stay small.
    pub(crate) fn measure<'a, T: 'a>(
        &'a self,
        operation: &'static str,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'a,
    ) -> Pending<'a, T> {
        Box::pin(async move {
            let start = Instant::now();
            let result = work.await;
            self.metrics.record(operation, start.elapsed(), result.is_ok());
            result
        })
    }

    /// Measures an operation for which there is no local copy. Before the first contact, nothing is
    /// read from the bucket or written to it: it can be that of another store.
    pub(crate) fn measure_online<'a, T: 'a>(
        &'a self,
        operation: &'static str,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'a,
    ) -> Pending<'a, T> {
        self.measure(operation, async move {
            if self.is_offline() {
                return Err(self.objects.error(LIVE, BucketError::Away));
            }
            work.await
        })
    }

    /// Whether only the local copy can be read.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline().is_some()
    }

    /// The local copy, if only it can be read.
    pub(crate) fn offline(&self) -> Option<&Local> {
        self.local.as_ref().filter(|local| local.is_offline())
    }
}
