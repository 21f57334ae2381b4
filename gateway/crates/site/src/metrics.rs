//! The metrics of the site's routes.

use prometheus_client::registry::Registry;

pub use crate::document::DocumentMetrics;
pub use crate::integrations::IntegrationMetrics;

/// All metrics of the site's routes.
#[derive(Clone, Default)]
pub struct SiteMetrics {
    /// Metrics of documents.
    pub documents: DocumentMetrics,
    /// Metrics of integrations.
    pub integrations: IntegrationMetrics,
}

impl SiteMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        self.documents.register(registry);
        self.integrations.register(registry);
    }
}
