//! The metrics of the site's routes.

use prometheus_client::registry::Registry;

pub use crate::document::DocumentMetrics;
pub use crate::signup::SignupMetrics;

/// All metrics of the site's routes.
#[derive(Clone, Default)]
pub struct SiteMetrics {
    /// Metrics of documents.
    pub documents: DocumentMetrics,
    /// Metrics of sign-up.
    pub signups: SignupMetrics,
}

impl SiteMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        self.documents.register(registry);
        self.signups.register(registry);
    }
}
