//! Metrics of deployments: what is live, the running rollouts, changes, and client error reports.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use colonnade_model::deployment::LiveState;
use colonnade_model::extension_rules::ExtensionId;
use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;

use crate::deployment::change_error::ChangeError;
use crate::deployment::snapshot::Snapshot;
use crate::deployment::types::ChangeOutcome;

/// The actions of `changes`.
const ACTIONS: [&str; 11] = [
    DEPLOY,
    PROMOTE,
    ADVANCE,
    PAUSE,
    AUTOMATIC_PAUSE,
    RESUME,
    ABORT,
    AUTOMATIC_ABORT,
    ROLLBACK,
    EXTENSION_OFF,
    EXTENSION_ON,
];
pub(crate) const DEPLOY: &str = "deploy";
pub(crate) const PROMOTE: &str = "promote";
pub(crate) const ADVANCE: &str = "advance";
pub(crate) const PAUSE: &str = "pause";
pub(crate) const AUTOMATIC_PAUSE: &str = "automatic_pause";
pub(crate) const RESUME: &str = "resume";
pub(crate) const ABORT: &str = "abort";
pub(crate) const AUTOMATIC_ABORT: &str = "automatic_abort";
pub(crate) const ROLLBACK: &str = "rollback";
pub(crate) const EXTENSION_OFF: &str = "extension_off";
pub(crate) const EXTENSION_ON: &str = "extension_on";

/// The outcomes of `changes`.
const OUTCOMES: [&str; 4] = ["succeeded", "unchanged", "rejected", "failed"];

/// What the browser was doing when a section failed.
const REPORT_CAUSES: [&str; 2] = ["load", "render"];

/// The metrics of deployments.
#[derive(Clone, Default)]
pub struct DeploymentMetrics {
    live: Gauge,
    stored: Gauge,
    candidates: Listed<Labels<1, String>>,
    extensions_off: Listed<Labels<2, String>>,
    changes: Family<Labels<2>, Counter>,
    reports: Family<ReportLabels, Counter>,
    unavailable: Family<Labels<1, String>, Gauge>,
    store_read_at: Gauge,
    counting_gateways: Gauge,
}

/// A gauge of which all series are replaced together.
#[derive(Debug, Clone)]
struct Listed<L>(Arc<Mutex<Vec<(L, u8)>>>);

impl<L> Default for Listed<L> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReportLabels {
    section: String,
    cause: &'static str,
}

impl<L: EncodeLabelSet + fmt::Debug + Send + Sync + 'static> EncodeMetric for Listed<L> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        for (labels, value) in &*self.0.lock() {
            ConstGauge::new(i64::from(*value)).encode(encoder.encode_family(labels)?)?;
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl DeploymentMetrics {
    /// Records that the store was read.
    pub(crate) fn store_was_read(&self) {
        self.store_read_at.set(colonnade_clock::now().as_second());
    }

    /// Records that the counts of canary analysis were exchanged with the other gateways.
    pub(crate) fn counts_were_exchanged(&self, gateways: usize) {
        self.counting_gateways
            .set(i64::try_from(gateways).unwrap_or(i64::MAX));
    }

    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "live_deployment": self.live, "The number of the live deployment; 0 before the first deploy";
            "deployments": self.stored, "The deployments in the store";
            "store_last_read_timestamp" in Seconds: self.store_read_at,
                "When this gateway last read the live state from the store, in Unix time; 0 before";
            "canary_gateways": self.counting_gateways,
                "The gateways whose counts this gateway last added up in canary analysis; 0 without a rollout";
            "rollout_candidate_percent": self.candidates,
                "The share of visitors who get the candidate of a running rollout, by the sections that it changes";
            "extension_off": self.extensions_off,
                "1 while an extension of a release that visitors get is switched off";
            "changes": self.changes,
                "Calls that change the live state, and automatic changes of rollouts, by outcome";
            "client_error_reports": self.reports,
                "Reports of browsers that a section failed to load or render";
            "section_unavailable": self.unavailable,
                "1 while a release of the section that visitors should see is missing or damaged";
        }
        for action in ACTIONS {
            for outcome in OUTCOMES {
                drop(
                    self.changes
                        .get_or_create(&[("action", action), ("outcome", outcome)]),
                );
            }
        }
    }

    /// Counts a report of a browser. `cause` is `load` or `render`.
    pub fn record_client_error(&self, section: &str, cause: &'static str) {
        let section = section.to_owned();
        self.reports.get_or_create(&ReportLabels { section, cause }).inc();
    }

    /// Counts the result of a change.
    pub(crate) fn record_change(&self, action: &'static str, result: &Result<ChangeOutcome, ChangeError>) {
        let outcome = match result {
            Ok(outcome) if outcome.changed => "succeeded",
            Ok(_) => "unchanged",
            Err(ChangeError::Load(_) | ChangeError::Store(_)) => "failed",
            Err(_) => "rejected",
        };
        self.changes
            .get_or_create(&[("action", action), ("outcome", outcome)])
            .inc();
    }

    /// Describes the state that visitors see, and logs the sections that became unavailable or
    /// available.
    pub(crate) fn describe(&self, before: &Snapshot, snapshot: &Snapshot) {
        self.describe_availability(before, snapshot);
        let live = snapshot.live().map_or(0, |live| live.deployment.number);
        self.live.set(i64::try_from(live).unwrap_or(i64::MAX));
        let stored = i64::try_from(snapshot.stored_count());
        self.stored.set(stored.unwrap_or(i64::MAX));
        let candidates = snapshot.rollouts().map(|running| {
            let sections: Vec<String> = running.changes().into_keys().collect();
            let rollout = sections.join(",");
            ([("rollout", rollout)], running.record.percent)
        });
        *self.candidates.0.lock() = candidates.collect();
        let off = snapshot.state().into_iter().flat_map(LiveState::off);
        let off = off.filter(|off| {
            let mut releases = snapshot.visible_releases();
            releases.any(|release| release.has_extension(off))
        });
        let labels =
            off.map(|ExtensionId { section, point }| [("section", section), ("extension_point", point)]);
        *self.extensions_off.0.lock() = labels.map(|labels| (labels, 1)).collect();
        // The counters of each section that browsers can report exist from the start.
        for release in snapshot.visible_releases() {
            for cause in REPORT_CAUSES {
                let section = release.id.name.clone();
                drop(self.reports.get_or_create(&ReportLabels { section, cause }));
            }
        }
    }

    fn describe_availability(&self, before: &Snapshot, now: &Snapshot) {
        let section = |name: &str| [("section", name.to_owned())];
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
