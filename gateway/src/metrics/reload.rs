//! Metrics of the configuration, of the token file and of the certificates.

use std::sync::atomic::AtomicU64;

use colonnade_web::metrics::Described;
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// The metrics of reloads. The configuration that the gateway starts with counts as a successful
/// reload.
#[derive(Clone, Default)]
pub(crate) struct ReloadMetrics {
    is_successful: Gauge,
    last_success: Gauge<f64, AtomicU64>,
    is_token_file_read: Gauge,
    certificate_expiry: Family<ListenerLabel, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ListenerLabel {
    listener: &'static str,
}

impl ReloadMetrics {
    /// Adds the metrics to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        self.succeeded();
        self.token_file(true);
        registry.register(
            "config_last_reload_successful",
            "1 if the last reload of the configuration succeeded, otherwise 0",
            self.is_successful.clone(),
        );
        registry.register_with_unit(
            "config_last_reload_success_timestamp",
            "The last successful reload of the configuration, since the Unix epoch",
            Unit::Seconds,
            self.last_success.clone(),
        );
        registry.register(
            "token_file_last_reload_successful",
            "1 if the last read of the token file succeeded, or there is none, otherwise 0",
            self.is_token_file_read.clone(),
        );
        registry.register_with_unit(
            "certificate_expiry_timestamp",
            "When the first certificate that a listener serves expires, since the Unix epoch; 0 without a certificate",
            Unit::Seconds,
            Described(self.certificate_expiry.clone()),
        );
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
            .get_or_create(&ListenerLabel { listener })
            .set(not_after.map_or(0, Timestamp::as_second));
    }

    /// When the first of the certificates that a listener serves expires, if it has any.
    pub(crate) fn certificate_expires_at(&self, listener: &'static str) -> Option<Timestamp> {
        let expiry = self.certificate_expiry.get(&ListenerLabel { listener })?;
        Timestamp::from_second(expiry.get())
            .ok()
            .filter(|_| expiry.get() > 0)
    }

    /// Records that a reload failed.
    pub(crate) fn failed(&self) {
        self.is_successful.set(0);
    }
}
