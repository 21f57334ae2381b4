//! Metrics of memory pressure.

use colonnade_memory::{Pressure, Usage};
use colonnade_model::fleet::MemoryUse;
use colonnade_web::register_metrics;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The memory that the gateway may use, and what is used of it.
#[derive(Clone, Default)]
pub(crate) struct MemoryMetrics {
    limit: Gauge,
    used: Gauge,
    pressure: Gauge,
}

impl MemoryMetrics {
    /// Adds the metrics to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "memory_limit" in Bytes: self.limit, "The memory that the gateway may use; 0 if it is not known";
            "memory_used" in Bytes: self.used,
                "The memory that counts against the limit; 0 if the limit is not known";
            "memory_pressure": self.pressure,
                "0 normal, 1 if renders and publishes are refused because memory is short, 2 if requests are as well";
        }
    }

    /// The last reading; `None` if the limit is not known.
    pub(crate) fn current(&self) -> Option<MemoryUse> {
        let bytes = |gauge: &Gauge| u64::try_from(gauge.get()).unwrap_or(0);
        let (used, limit) = (bytes(&self.used), bytes(&self.limit));
        (limit > 0).then_some(MemoryUse { used, limit })
    }

    /// Records a reading.
    pub(crate) fn record(&self, usage: Option<Usage>, pressure: Pressure) {
        let gauge = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        self.limit.set(usage.map_or(0, |usage| gauge(usage.limit)));
        self.used.set(usage.map_or(0, |usage| gauge(usage.used)));
        self.pressure.set(pressure as i64);
    }
}
