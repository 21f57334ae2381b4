//! The metrics of the site's routes.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

pub use crate::signup::SignupMetrics;

/// All metrics of the site's routes.
#[derive(Clone, Default)]
pub struct SiteMetrics {
    /// Metrics of documents.
    pub documents: DocumentMetrics,
    /// Metrics of sign-up.
    pub signups: SignupMetrics,
}

/// Metrics of documents.
#[derive(Clone, Default)]
pub struct DocumentMetrics {
    cache_misses: Counter,
}

impl SiteMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "document_cache_misses",
            "Documents that were composed and compressed because they were not cached",
            self.documents.cache_misses.clone(),
        );
        self.signups.register(registry);
    }
}

impl DocumentMetrics {
    /// Counts a document that was not cached.
    pub fn record_cache_miss(&self) {
        self.cache_misses.inc();
    }
}
