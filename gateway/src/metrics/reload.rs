//! Metrics of the configuration, of the token file and of the certificates.

use std::sync::atomic::AtomicU64;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use jiff::Timestamp;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The metrics of reloads. The configuration that the gateway starts with counts as a successful
/// reload.
#[derive(Clone, Default)]
pub(crate) struct ReloadMetrics {
    is_successful: Gauge,
    last_success: Gauge<f64, AtomicU64>,
    is_token_file_read: Gauge,
    certificate_expiry: Family<Labels<1>, Gauge>,
}

impl ReloadMetrics {
    /// Adds the metrics to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        self.succeeded();
        self.token_file(true);
        register_metrics! { registry;
            "config_last_reload_successful": self.is_successful,
                "1 if the last reload of the configuration succeeded, otherwise 0";
            "config_last_reload_success_timestamp" in Seconds: self.last_success,
                "The last successful reload of the configuration, since the Unix epoch";
            "token_file_last_reload_successful": self.is_token_file_read,
                "1 if the last read of the token file succeeded, or there is none, otherwise 0";
            "certificate_expiry_timestamp" in Seconds: self.certificate_expiry,
                "When the first certificate that a listener serves expires, since the Unix epoch; 0 without a certificate";
        }
    }

    /// Records that the configuration was reloaded.
    pub(crate) fn succeeded(&self) {
        self.is_successful.set(1);
        self.last_success
            .set(colonnade_clock::now().as_duration().as_secs_f64());
    }

    /// Records whether the token file could be read.
    pub(crate) fn token_file(&self, is_read: bool) {
        self.is_token_file_read.set(i64::from(is_read));
    }

    /// Records when the first of the certificates that a listener serves expires, if it has any.
    pub(crate) fn certificate(&self, listener: &'static str, not_after: Option<Timestamp>) {
        self.certificate_expiry
            .get_or_create(&[("listener", listener)])
            .set(not_after.map_or(0, Timestamp::as_second));
    }

    /// When the first of the certificates that a listener serves expires, if it has any.
    pub(crate) fn certificate_expires_at(&self, listener: &'static str) -> Option<Timestamp> {
        let expiry = self.certificate_expiry.get(&[("listener", listener)])?;
        Timestamp::from_second(expiry.get())
            .ok()
            .filter(|_| expiry.get() > 0)
    }

    /// Records that a reload failed.
    pub(crate) fn failed(&self) {
        self.is_successful.set(0);
    }
}
