//! Metrics of webhooks.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use jiff::Timestamp;

/// The results of a delivery.
const RESULTS: [&str; 4] = [DELIVERED, REJECTED, TIMED_OUT, UNREACHABLE];
pub(super) const DELIVERED: &str = "delivered";
pub(super) const REJECTED: &str = "rejected";
pub(super) const TIMED_OUT: &str = "timed_out";
pub(super) const UNREACHABLE: &str = "unreachable";

/// Deliveries of webhooks, and how far they are behind.
#[derive(Debug, Clone, Default)]
pub struct WebhookMetrics {
    deliveries: Family<DeliveryLabels, Counter>,
    disabled: Family<Labels<1, String>, Gauge>,
    discarded: Family<Labels<1, String>, Counter>,
    undelivered: Family<Labels<1, String>, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DeliveryLabels {
    webhook: String,
    result: &'static str,
}

impl WebhookMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "webhook_deliveries": self.deliveries, "Attempts to deliver an event to a webhook, by result";
            "webhook_disabled": self.disabled,
                "1 if the receiver of a webhook said that it is gone, so that it gets nothing more, otherwise 0";
            "webhook_discarded_events": self.discarded,
                "Events that a webhook has refused for three days, and does not get";
            "webhook_oldest_undelivered_timestamp" in Seconds: self.undelivered,
                "When the oldest event happened that a webhook has not got, in Unix time; 0 if there is none";
        }
    }

    /// Creates the series of a webhook.
    pub(super) fn expose(&self, webhook: &str) {
        for result in RESULTS {
            let webhook = webhook.to_owned();
            drop(self.deliveries.get_or_create(&DeliveryLabels { webhook, result }));
        }
        let label = [("webhook", webhook.to_owned())];
        drop(self.disabled.get_or_create(&label));
        drop(self.discarded.get_or_create(&label));
        self.set_oldest_undelivered(webhook, None);
    }

    /// Records that the receiver is gone.
    pub(super) fn disabled(&self, webhook: &str) {
        let webhook = webhook.to_owned();
        self.disabled.get_or_create(&[("webhook", webhook)]).set(1);
    }

    /// Counts an event that the receiver does not get.
    pub(super) fn discarded(&self, webhook: &str) {
        let webhook = webhook.to_owned();
        self.discarded.get_or_create(&[("webhook", webhook)]).inc();
    }

    /// Counts an attempt.
    pub(super) fn attempted(&self, webhook: &str, result: &'static str) {
        let webhook = webhook.to_owned();
        self.deliveries
            .get_or_create(&DeliveryLabels { webhook, result })
            .inc();
    }

    /// Records when the oldest event happened that was not delivered.
    pub(super) fn set_oldest_undelivered(&self, webhook: &str, at: Option<Timestamp>) {
        let webhook = webhook.to_owned();
        self.undelivered
            .get_or_create(&[("webhook", webhook)])
            .set(at.map_or(0, Timestamp::as_second));
    }
}
