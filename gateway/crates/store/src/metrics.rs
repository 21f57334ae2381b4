//! Metrics of store operations, and metrics and events of damaged files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

/// How often a damaged file is logged at most.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Bucket bounds in seconds, from a read of a cached file to a disk that hangs.
const SECONDS: [f64; 10] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0, 60.0];

/// The operations of [`crate::Store`].
const OPERATIONS: [&str; 27] = [
    "scratch_folder",
    "put_release",
    "releases",
    "release",
    "tombstone",
    "read_file",
    "deployments",
    "deployment",
    "create_deployment",
    "delete_deployment",
    "mark_unused",
    "claim_release",
    "delete_unused",
    "delete_orphans",
    "begin_collection",
    "live_state",
    "compare_and_swap_state",
    "history_entry",
    "keys",
    "compare_and_swap_keys",
    "exchange_counts",
    "delete_counts",
    "write_gateway",
    "gateways",
    "delete_gateway",
    "audit",
    "webhook",
];

/// The kinds of requests to an object store, as providers charge them.
const REQUESTS: [&str; 5] = ["get", "list", "put", "delete", "other"];

/// Durations and errors of store operations, and reads of damaged files.
#[derive(Clone, Debug)]
pub struct StoreMetrics {
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    errors: Family<Labels<1>, Counter>,
    requests: Family<Labels<1>, Counter>,
    damaged_reads: Counter,
    writable: Gauge,
    logged: Arc<Mutex<HashMap<PathBuf, Instant>>>,
}

impl Default for StoreMetrics {
    fn default() -> Self {
        let metrics = Self {
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            errors: Family::default(),
            requests: Family::default(),
            damaged_reads: Counter::default(),
            writable: Gauge::default(),
            logged: Arc::default(),
        };
        metrics.set_writable(true);
        for operation in OPERATIONS {
            drop(metrics.seconds.get_or_create(&[("operation", operation)]));
            drop(metrics.errors.get_or_create(&[("operation", operation)]));
        }
        for kind in REQUESTS {
            drop(metrics.requests.get_or_create(&[("kind", kind)]));
        }
        metrics
    }
}

impl StoreMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "store_operation_duration" in Seconds: self.seconds,
                "Durations of store operations, with the wait for a thread";
            "store_errors": self.errors, "Store operations that failed, by operation";
            "store_requests": self.requests,
                "Requests to the object store, also repeated ones; 0 for a store in a folder";
            "store_damaged_reads": self.damaged_reads,
                "Refused reads of release files that are damaged, missing or no regular files";
            "store_writable": self.writable,
                "Whether the last check could write to the store; always 1 for a store in a bucket";
        }
    }

    /// Whether the last check could write to the folder of the store.
    pub(crate) fn set_writable(&self, is_writable: bool) {
        self.writable.set(is_writable.into());
    }

    /// Counts a request to the object store.
    pub(crate) fn record_request(&self, kind: &'static str) {
        self.requests.get_or_create(&[("kind", kind)]).inc();
    }

    /// Counts an operation.
    pub(crate) fn record(&self, operation: &'static str, duration: Duration, is_ok: bool) {
        let operation = [("operation", operation)];
        self.seconds
            .get_or_create(&operation)
            .observe(duration.as_secs_f64());
        if !is_ok {
            self.errors.get_or_create(&operation).inc();
        }
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
