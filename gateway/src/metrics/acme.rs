//! Metrics of orders at a certificate authority.

use colonnade_web::metrics::Described;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Counts orders by outcome.
#[derive(Clone, Default)]
pub(crate) struct AcmeMetrics(Family<OutcomeLabel, Counter>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

impl AcmeMetrics {
    /// Adds the metric to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        for outcome in ["issued", "failed"] {
            drop(self.0.get_or_create(&OutcomeLabel { outcome }));
        }
        registry.register(
            "acme_orders",
            "Orders of a certificate at the certificate authority",
            Described(self.0.clone()),
        );
    }

    /// Counts an order.
    pub(crate) fn ordered(&self, is_issued: bool) {
        let outcome = if is_issued { "issued" } else { "failed" };
        self.0.get_or_create(&OutcomeLabel { outcome }).inc();
    }
}
