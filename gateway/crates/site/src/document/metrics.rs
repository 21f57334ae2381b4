//! The metrics of documents.

use colonnade_web::register_metrics;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Metrics of documents.
#[derive(Clone, Default)]
pub struct DocumentMetrics {
    cache_misses: Counter,
}

impl DocumentMetrics {
    /// Counts a document that was not cached.
    pub(crate) fn record_cache_miss(&self) {
        self.cache_misses.inc();
    }

    /// Registers the metrics.
    pub(crate) fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "document_cache_misses": self.cache_misses,
                "Documents that were composed and compressed because they were not cached";
        }
    }
}
