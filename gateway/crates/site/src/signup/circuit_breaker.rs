//! The circuit breaker of the sign-up backend: while it is open, visitors get an error at once, and a backend that is
//! down gets no load.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use colonnade_config::CurrentSignupLimits;

use super::metrics::SignupMetrics;

/// The time to wait while a probe is in progress.
const PROBE_WAIT: Duration = Duration::from_secs(1);

/// Opens after a number of consecutive calls that do not reach the backend.
pub(super) struct SignupCircuitBreaker {
    limits: CurrentSignupLimits,
    state: Mutex<CircuitState>,
    metrics: SignupMetrics,
}

#[derive(Debug, Clone, Copy)]
enum CircuitState {
    /// All calls are allowed. `failures` is the number of consecutive calls that have failed.
    Closed { failures: u32 },
    /// No call is allowed until then. The next one is a probe.
    Open { until: Instant },
    /// A probe is in progress. No other call is allowed.
    HalfOpen,
}

/// A permit for one call. Dropped without a result, it does not count.
pub(super) struct BreakerPermit<'a> {
    breaker: &'a SignupCircuitBreaker,
    /// Whether the call is a probe.
    is_probe: bool,
}

impl SignupCircuitBreaker {
    /// Creates a closed circuit breaker.
    pub(super) fn new(limits: CurrentSignupLimits, metrics: SignupMetrics) -> Self {
        metrics.set_circuit_breaker_state("closed");
        Self {
            limits,
            state: Mutex::new(CircuitState::Closed { failures: 0 }),
            metrics,
        }
    }

    /// Returns a permit for a call.
    ///
    /// # Errors
    ///
    /// The time to wait if the circuit breaker is open or half-open.
    pub(super) fn try_acquire(&self) -> Result<BreakerPermit<'_>, Duration> {
        let now = Instant::now();
        let mut state = self.state.lock();
        let is_probe = match *state {
            CircuitState::Closed { .. } => false,
            CircuitState::Open { until } if now < until => return Err(until - now),
            CircuitState::Open { .. } => true,
            CircuitState::HalfOpen => return Err(PROBE_WAIT),
        };
        if is_probe {
            self.enter(&mut state, CircuitState::HalfOpen);
        }
        Ok(BreakerPermit {
            breaker: self,
            is_probe,
        })
    }

    fn enter(&self, state: &mut CircuitState, next: CircuitState) {
        *state = next;
        self.metrics.set_circuit_breaker_state(match next {
            CircuitState::Closed { .. } => "closed",
            CircuitState::Open { .. } => "open",
            CircuitState::HalfOpen => "half_open",
        });
    }
}

impl BreakerPermit<'_> {
    /// Records whether the call reached the backend, whatever the response.
    pub(super) fn record(mut self, is_success: bool) {
        let breaker = self.breaker;
        let limits = breaker.limits.load();
        let mut state = breaker.state.lock();
        let failures = match *state {
            CircuitState::Closed { failures } => failures,
            CircuitState::HalfOpen if self.is_probe => limits.breaker_failure_threshold,
            // The call began before the circuit breaker opened. The probe is more recent.
            CircuitState::Open { .. } | CircuitState::HalfOpen => return,
        };
        let was_probe = std::mem::take(&mut self.is_probe);
        if is_success {
            breaker.enter(&mut state, CircuitState::Closed { failures: 0 });
            drop(state);
            if was_probe {
                tracing::info!(event = "signup_circuit_closed");
            }
        } else if failures.saturating_add(1) >= limits.breaker_failure_threshold {
            let until = Instant::now() + limits.breaker_open;
            breaker.enter(&mut state, CircuitState::Open { until });
            drop(state);
            let open_seconds = limits.breaker_open.as_secs();
            tracing::warn!(event = "signup_circuit_opened", open_seconds);
        } else {
            *state = CircuitState::Closed {
                failures: failures + 1,
            };
        }
    }
}

impl Drop for BreakerPermit<'_> {
    fn drop(&mut self) {
        // The client closed the connection, or the call panicked. The next call is a probe.
        if self.is_probe {
            let mut state = self.breaker.state.lock();
            let until = Instant::now();
            self.breaker.enter(&mut state, CircuitState::Open { until });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use arc_swap::ArcSwap;

    use colonnade_config::SignupLimits;

    use super::SignupCircuitBreaker;
    use crate::signup::SignupMetrics;

    const OPEN: Duration = Duration::from_secs(30);

    fn breaker(breaker_failure_threshold: u32) -> SignupCircuitBreaker {
        let limits = SignupLimits {
            breaker_failure_threshold,
            breaker_open: OPEN,
            ..SignupLimits::default()
        };
        SignupCircuitBreaker::new(Arc::new(ArcSwap::from_pointee(limits)), SignupMetrics::default())
    }

    fn call(breaker: &SignupCircuitBreaker, is_success: bool) {
        breaker.try_acquire().expect("a permit").record(is_success);
    }

    #[tokio::test(start_paused = true)]
    async fn circuit_breaker_opens_after_consecutive_failures() {
        let breaker = breaker(3);
        for is_success in [false, false, true, false, false] {
            call(&breaker, is_success);
        }
        assert!(breaker.try_acquire().is_ok());
        call(&breaker, false);
        assert_eq!(breaker.try_acquire().err(), Some(OPEN));
    }

    #[tokio::test(start_paused = true)]
    async fn half_open_circuit_breaker_allows_one_probe() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        let probe = breaker.try_acquire().expect("a permit");
        for _ in 0..100 {
            assert!(breaker.try_acquire().is_err());
        }
        probe.record(true);
        assert!(breaker.try_acquire().is_ok() && breaker.try_acquire().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn failed_probe_opens_circuit_breaker_again() {
        let breaker = breaker(3);
        for _ in 0..3 {
            call(&breaker, false);
        }
        tokio::time::advance(OPEN).await;
        call(&breaker, false);
        assert_eq!(breaker.try_acquire().err(), Some(OPEN));
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_probe_is_followed_by_another() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        drop(breaker.try_acquire());
        let probe = breaker.try_acquire().expect("a permit");
        assert!(breaker.try_acquire().is_err());
        drop(probe);
        assert!(breaker.try_acquire().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn call_from_before_opening_is_ignored() {
        let breaker = breaker(1);
        let (early, late) = (breaker.try_acquire().ok(), breaker.try_acquire().ok());
        call(&breaker, false);
        early.expect("a permit").record(true);
        assert_eq!(breaker.try_acquire().err(), Some(OPEN));
        tokio::time::advance(OPEN).await;
        let probe = breaker.try_acquire().expect("a permit");
        late.expect("a permit").record(false);
        probe.record(true);
        assert!(breaker.try_acquire().is_ok());
    }
}
