//! The circuit breaker of the sign-up backend.

use std::time::Duration;

use colonnade_config::integrations::CurrentSignupLimits;
use colonnade_upstream::circuit_breaker::{Breaker, BreakerLimits, BreakerState};

use crate::integrations::signup::metrics::SignupMetrics;

/// The limits and the metrics of the circuit breaker.
pub(super) struct SignupBreaker {
    pub(super) limits: CurrentSignupLimits,
    pub(super) metrics: SignupMetrics,
}

impl Breaker for SignupBreaker {
    fn limits(&self) -> BreakerLimits {
        let limits = self.limits.load();
        BreakerLimits {
            failure_threshold: limits.breaker_failure_threshold,
            failure_percent: limits.breaker_failure_percent,
            window: limits.breaker_window,
            open: limits.breaker_open,
        }
    }

    fn entered(&self, state: BreakerState) {
        self.metrics.set_circuit_breaker_state(state);
    }

    fn opened(&self, open: Duration) {
        tracing::warn!(event = "signup_circuit_opened", open_seconds = open.as_secs());
    }

    fn closed(&self) {
        tracing::info!(event = "signup_circuit_closed");
    }
}
