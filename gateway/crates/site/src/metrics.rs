//! The metrics of the site's routes.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Described;

pub use crate::signup::SignupMetrics;

/// The label of all further directives.
const OTHER: &str = "other";

/// The directives with a metric label of their own (CSP 3, and Trusted Types). All others are
/// counted as `other`, because any client can send reports.
const DIRECTIVES: [&str; 22] = [
    "base-uri",
    "child-src",
    "connect-src",
    "default-src",
    "font-src",
    "form-action",
    "frame-ancestors",
    "frame-src",
    "img-src",
    "manifest-src",
    "media-src",
    "object-src",
    "prefetch-src",
    "require-trusted-types-for",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
    "trusted-types",
    "worker-src",
];

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
        for directive in DIRECTIVES.into_iter().chain([OTHER]) {
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

/// The label of a directive.
pub(crate) fn directive_label(directive: &str) -> &'static str {
    let name = directive.split(' ').next().unwrap_or_default();
    let known = DIRECTIVES.iter().find(|known| **known == name);
    known.copied().unwrap_or(OTHER)
}
