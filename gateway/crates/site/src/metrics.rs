//! The metrics of the site's routes.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Described;

use crate::csp_report;

pub use crate::signup::SignupMetrics;

/// All metrics of the site's routes.
#[derive(Clone, Default)]
pub struct SiteMetrics {
    /// Metrics of documents.
    pub documents: DocumentMetrics,
    /// Metrics of CSP violation reports.
    pub csp: CspMetrics,
    /// Metrics of sign-up.
    pub signups: SignupMetrics,
}

/// Metrics of documents.
#[derive(Clone, Default)]
pub struct DocumentMetrics {
    cache_misses: Counter,
}

/// Metrics of CSP violation reports.
#[derive(Clone, Default)]
pub struct CspMetrics {
    violations: Family<DirectiveLabel, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DirectiveLabel {
    directive: &'static str,
}

impl SiteMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "document_cache_misses",
            "Documents that were composed and compressed because they were not cached",
            self.documents.cache_misses.clone(),
        );
        for directive in csp_report::directives() {
            drop(self.csp.violations.get_or_create(&DirectiveLabel { directive }));
        }
        registry.register(
            "csp_violations",
            "Violations of the Content Security Policy that browsers reported, by directive",
            Described(self.csp.violations.clone()),
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

impl CspMetrics {
    /// Counts a reported violation of a directive.
    pub fn record_violation(&self, directive: &'static str) {
        self.violations.get_or_create(&DirectiveLabel { directive }).inc();
    }
}
