//! Metrics of orders at a certificate authority.

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Counts orders by outcome.
#[derive(Clone, Default)]
pub(crate) struct AcmeMetrics(Family<Labels<1>, Counter>);

impl AcmeMetrics {
    /// Adds the metric to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        for outcome in ["issued", "failed"] {
            drop(self.0.get_or_create(&[("outcome", outcome)]));
        }
        register_metrics! { registry;
            "acme_orders": self.0, "Orders of a certificate at the certificate authority";
        }
    }

    /// Counts an order.
    pub(crate) fn ordered(&self, is_issued: bool) {
        let outcome = if is_issued { "issued" } else { "failed" };
        self.0.get_or_create(&[("outcome", outcome)]).inc();
    }
}
