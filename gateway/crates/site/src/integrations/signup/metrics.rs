//! The metrics of sign-up.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use colonnade_upstream::circuit_breaker::BreakerState;
use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;

use crate::integrations::signup::error::SignupError;

/// The outcomes of sign-ups.
const OUTCOMES: [&str; 11] = [
    "accepted",
    "rejected",
    "unreachable",
    "circuit_open",
    "client_rate_limited",
    "global_rate_limited",
    "concurrency_limited",
    "invalid",
    "malformed",
    "cross_origin",
    "client_closed",
];

/// The metrics of sign-up.
#[derive(Clone, Default)]
pub(crate) struct SignupMetrics {
    outcomes: Family<Labels<1>, Counter>,
    circuit_breaker: Family<Labels<1>, Gauge>,
}

impl SignupMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        for outcome in OUTCOMES {
            drop(self.outcomes.get_or_create(&[("outcome", outcome)]));
        }
        register_metrics! { registry;
            "signups": self.outcomes, "Sign-ups, by outcome";
            "signup_circuit_breaker_state": self.circuit_breaker,
                "1 for the current state of the sign-up backend's circuit breaker, 0 for the others";
        }
    }

    /// Sets the circuit breaker's state.
    pub(super) fn set_circuit_breaker_state(&self, current: BreakerState) {
        for state in BreakerState::ALL {
            let label = [("state", state.name())];
            let gauge = self.circuit_breaker.get_or_create(&label);
            gauge.set(i64::from(state == current));
        }
    }
}

/// Counts the outcome of one sign-up on drop.
pub(super) struct OutcomeRecorder<'a> {
    metrics: &'a SignupMetrics,
    outcome: &'static str,
}

impl<'a> OutcomeRecorder<'a> {
    /// A recorder. If it is dropped without a result, the client closed the connection.
    pub(super) fn new(metrics: &'a SignupMetrics) -> Self {
        Self {
            metrics,
            outcome: "client_closed",
        }
    }

    /// Records a result.
    pub(super) fn record<T>(mut self, result: Result<T, &SignupError>) {
        self.outcome = result.err().map_or("accepted", SignupError::outcome);
    }
}

impl Drop for OutcomeRecorder<'_> {
    fn drop(&mut self) {
        let label = [("outcome", self.outcome)];
        self.metrics.outcomes.get_or_create(&label).inc();
    }
}
