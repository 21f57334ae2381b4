//! Metrics of deployments.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Described;

use super::Snapshot;

/// Metrics of the deployments that visitors see.
#[derive(Debug, Clone, Default)]
pub struct DeploymentMetrics {
    unavailable: Family<SectionLabel, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SectionLabel {
    section: String,
}

impl DeploymentMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "section_unavailable",
            "1 while a release of the section that visitors should see is missing or damaged",
            Described(self.unavailable.clone()),
        );
    }

    /// Sets the metrics, and logs the sections that became unavailable or available.
    pub(super) fn record(&self, before: &Snapshot, now: &Snapshot) {
        let section = |name: &str| SectionLabel {
            section: name.to_owned(),
        };
        for each in before.unavailable() {
            if !now.is_unavailable(&each.id.name, &each.id.version) {
                tracing::info!(event = "section_available", release = %each.id);
                self.unavailable.get_or_create(&section(&each.id.name)).set(0);
            }
        }
        for each in now.unavailable() {
            if !before.is_unavailable(&each.id.name, &each.id.version) {
                tracing::error!(event = "section_unavailable", release = %each.id, error = %each.error);
            }
            self.unavailable.get_or_create(&section(&each.id.name)).set(1);
        }
    }
}
