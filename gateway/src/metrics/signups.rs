//! What became of sign-ups, and how the backend is thought of.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Described;

/// Sign-ups, as numbers.
#[derive(Clone, Default)]
pub(crate) struct SignupMetrics {
    outcomes: Family<Outcome, Counter>,
    breaker: Family<State, Gauge>,
}

/// Whether the backend is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BreakerState {
    /// It is.
    Closed,
    /// By one sign-up, which finds out whether it is back.
    HalfOpen,
    /// It is left alone.
    Open,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct State {
    state: &'static str,
}

impl SignupMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "signups",
            "Sign-ups, by what came of them",
            Described(self.outcomes.clone()),
        );
        registry.register(
            "signup_breaker",
            "1 for the state the sign-up backend's breaker is in, as of the last sign-up",
            Described(self.breaker.clone()),
        );
    }

    /// A sign-up ended so.
    pub(crate) fn ended(&self, outcome: &'static str) {
        self.outcomes.get_or_create(&Outcome { outcome }).inc();
    }

    /// The breaker is in this state from now on.
    pub(crate) fn breaker(&self, now: BreakerState) {
        let states = [
            (BreakerState::Closed, "closed"),
            (BreakerState::HalfOpen, "half_open"),
            (BreakerState::Open, "open"),
        ];
        for (each, state) in states {
            self.breaker
                .get_or_create(&State { state })
                .set(i64::from(each == now));
        }
    }
}
