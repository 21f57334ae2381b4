//! Metrics and events of damaged files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

/// How often a damaged file is logged at most.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Metrics of the store.
#[derive(Debug, Clone, Default)]
pub struct StoreMetrics {
    damaged_reads: Counter,
    logged: Arc<Mutex<HashMap<PathBuf, Instant>>>,
}

impl StoreMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "store_damaged_reads",
            "Refused reads of release files that are damaged or symbolic links",
            self.damaged_reads.clone(),
        );
    }

    /// Counts a read of a damaged file, and logs it if the file was not logged in the last minute.
    pub(super) fn record_damaged(&self, path: &Path) {
        self.damaged_reads.inc();
        let mut logged = self.logged.lock();
        logged.retain(|_, at| at.elapsed() < LOG_INTERVAL);
        if !logged.contains_key(path) {
            logged.insert(path.to_owned(), Instant::now());
            tracing::error!(event = "file_damaged", file = %path.display());
        }
    }
}
