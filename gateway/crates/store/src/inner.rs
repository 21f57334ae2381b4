//! What the operations of a store share.

use std::sync::Arc;

use colonnade_model::deployment::{Change, LiveState};
use colonnade_model::release::ReleaseId;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::call_span::{CallEnd, Callee};
use colonnade_web::request_scope;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::audit_tail::AuditTail;
use crate::error::StoreError;
use crate::metrics::StoreMetrics;
use crate::objects::{Objects, Pending, Version};
use crate::published::FileNames;
use crate::scratch::Scratch;

/// The most bytes of names of files that are kept in memory.
const FILE_NAMES_BYTES: usize = 20 << 20;

/// About the bytes of the name of a file with its path.
pub(crate) const FILE_NAME_BYTES: usize = 200;

/// How often a conditional write of an object is tried. It loses only against others that succeed.
pub(crate) const MAX_ATTEMPTS: usize = 10;

/// The number of objects that are transferred at a time.
pub(crate) const CONCURRENCY: usize = 8;

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) objects: Arc<dyn Objects>,
    pub(crate) scratch: Scratch,
    pub(crate) metrics: StoreMetrics,
    /// The last live state that was read, with its version.
    pub(crate) known: Mutex<Option<(LiveState, Version)>>,
    /// The last change that is known to be in the history.
    pub(crate) recorded: Mutex<Option<Change>>,
    /// The newest calls of the admin API.
    pub(crate) audit: tokio::sync::Mutex<AuditTail>,
    /// The names of the files of releases.
    pub(crate) files: ByteCache<ReleaseId, FileNames>,
}

impl Inner {
    pub(crate) fn new(objects: Arc<dyn Objects>, scratch: Scratch, metrics: StoreMetrics) -> Self {
        Self {
            objects,
            scratch,
            metrics,
            known: Mutex::default(),
            recorded: Mutex::default(),
            audit: tokio::sync::Mutex::default(),
            files: ByteCache::new(FILE_NAMES_BYTES),
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
            let span = request_scope::start_span(Callee::Store(operation));
            let result = work.await;
            if let Some(span) = span {
                span.end(CallEnd {
                    outcome: if result.is_ok() { "ok" } else { "failed" },
                    is_error: result.is_err(),
                    ..CallEnd::default()
                });
            }
            self.metrics.record(operation, start.elapsed(), result.is_ok());
            result
        })
    }
}
