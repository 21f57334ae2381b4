//! The circuit breaker of a backend: while it is open, visitors get an error at once, and a backend that is down gets no
//! load.

use std::sync::Arc;
use std::time::Duration;

use colonnade_clock::poll;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::failure_window::{Counts, FailureWindow};

/// The time to wait while a probe is in progress.
const PROBE_WAIT: Duration = Duration::from_secs(1);

/// When a circuit breaker opens, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct BreakerLimits {
    /// The number of failed calls, within the window or in a row, below which it stays closed.
    pub failure_threshold: u32,
    /// The percentage of failed calls within the window below which it stays closed.
    pub failure_percent: u16,
    /// The length of the window.
    pub window: Duration,
    /// How long it stays open before one call probes the backend.
    pub open: Duration,
}

/// What a circuit breaker is for: its limits, and who observes it.
pub trait Breaker: Send + Sync + 'static {
    /// The current limits.
    fn limits(&self) -> BreakerLimits;

    /// The state has changed, or the circuit breaker is new.
    fn entered(&self, state: BreakerState);

    /// Calls have failed. The circuit breaker stays open for this time.
    fn opened(&self, open: Duration);

    /// A probe has succeeded.
    fn closed(&self);
}

/// The state of a circuit breaker, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// All calls are allowed.
    Closed,
    /// One call probes the backend. No other is allowed for a while.
    HalfOpen,
    /// No call is allowed.
    Open,
}

impl BreakerState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Closed, Self::HalfOpen, Self::Open];

    /// The name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::HalfOpen => "half_open",
            Self::Open => "open",
        }
    }
}

/// Opens when too many of the last calls have failed.
pub struct CircuitBreaker<B> {
    circuit: Mutex<Circuit>,
    observer: B,
}

#[derive(Debug)]
struct Circuit {
    state: CircuitState,
    /// The calls since it was closed.
    window: FailureWindow,
    /// The failed calls since the last one that succeeded.
    failures_in_a_row: u64,
}

#[derive(Debug, Clone, Copy)]
enum CircuitState {
    /// All calls are allowed.
    Closed,
    /// No call is allowed until then. The next one is a probe.
    Open { until: Instant },
    /// A probe is in progress. No other call is allowed until then: the client of a probe may be slow, and must not keep the
    /// circuit open for others.
    HalfOpen { until: Instant },
}

/// A permit for one call. Dropped without a result, it does not count.
pub struct BreakerPermit<B: Breaker> {
    breaker: Arc<CircuitBreaker<B>>,
    /// Whether the call is a probe.
    is_probe: bool,
}

impl<B: Breaker> CircuitBreaker<B> {
    /// Creates a closed circuit breaker.
    pub fn new(observer: B) -> Arc<Self> {
        observer.entered(BreakerState::Closed);
        Arc::new(Self {
            circuit: Mutex::new(Circuit {
                state: CircuitState::Closed,
                window: FailureWindow::new(poll::now()),
                failures_in_a_row: 0,
            }),
            observer,
        })
    }

    /// Returns a permit for a call.
    ///
    /// # Errors
    ///
    /// The time to wait if the circuit breaker is open or half-open.
    pub fn try_acquire(self: &Arc<Self>) -> Result<BreakerPermit<B>, Duration> {
        let mut circuit = self.circuit.lock();
        let is_probe = match circuit.state {
            CircuitState::Closed => false,
            CircuitState::Open { until } | CircuitState::HalfOpen { until } => {
                // Another task may have set `until` during this poll.
                let now = poll::refresh();
                if now < until {
                    let is_open = matches!(circuit.state, CircuitState::Open { .. });
                    return Err(if is_open { until - now } else { PROBE_WAIT });
                }
                let until = now + self.observer.limits().open;
                self.enter(&mut circuit, CircuitState::HalfOpen { until });
                true
            }
        };
        Ok(BreakerPermit {
            breaker: Arc::clone(self),
            is_probe,
        })
    }

    fn enter(&self, circuit: &mut Circuit, next: CircuitState) {
        circuit.state = next;
        self.observer.entered(match next {
            CircuitState::Closed => BreakerState::Closed,
            CircuitState::Open { .. } => BreakerState::Open,
            CircuitState::HalfOpen { .. } => BreakerState::HalfOpen,
        });
    }
}

impl<B: Breaker> BreakerPermit<B> {
    /// Records whether the call reached the backend, whatever the response.
    pub fn record(mut self, is_success: bool) {
        let was_probe = std::mem::take(&mut self.is_probe);
        let breaker = &*self.breaker;
        let limits = breaker.observer.limits();
        let now = poll::now();
        let mut circuit = breaker.circuit.lock();
        match circuit.state {
            CircuitState::Closed => {
                let counts = circuit.window.add(now, limits.window, !is_success);
                if is_success {
                    circuit.failures_in_a_row = 0;
                    return;
                }
                circuit.failures_in_a_row += 1;
                if !limits.are_reached(counts, circuit.failures_in_a_row) {
                    return;
                }
            }
            CircuitState::HalfOpen { .. } if was_probe && is_success => {
                circuit.window = FailureWindow::new(now);
                circuit.failures_in_a_row = 0;
                breaker.enter(&mut circuit, CircuitState::Closed);
                drop(circuit);
                breaker.observer.closed();
                return;
            }
            CircuitState::HalfOpen { .. } if was_probe => {}
            // The call began before the circuit breaker opened. The probe is more recent.
            CircuitState::Open { .. } | CircuitState::HalfOpen { .. } => return,
        }
        let until = now + limits.open;
        breaker.enter(&mut circuit, CircuitState::Open { until });
        drop(circuit);
        breaker.observer.opened(limits.open);
    }
}

impl BreakerLimits {
    /// A backend with few calls has too few of them in the window, so that those in a row count, too. The rate applies to both:
    /// one client that makes a backend fail must not open the circuit for the many that it serves.
    fn are_reached(self, Counts { calls, failures }: Counts, failures_in_a_row: u64) -> bool {
        let is_rate_reached = 100 * failures >= u64::from(self.failure_percent) * calls;
        failures.max(failures_in_a_row) >= u64::from(self.failure_threshold) && is_rate_reached
    }
}

impl<B: Breaker> Drop for BreakerPermit<B> {
    fn drop(&mut self) {
        // The client closed the connection, or the call panicked. The next call is a probe.
        if self.is_probe {
            let mut circuit = self.breaker.circuit.lock();
            // Unless a later probe has decided.
            if matches!(circuit.state, CircuitState::HalfOpen { .. }) {
                let until = poll::now();
                self.breaker.enter(&mut circuit, CircuitState::Open { until });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Breaker, BreakerLimits, BreakerState, CircuitBreaker};

    const OPEN: Duration = Duration::from_secs(30);
    const WINDOW: Duration = Duration::from_secs(10);

    struct Threshold(u32);

    impl Breaker for Threshold {
        fn limits(&self) -> BreakerLimits {
            BreakerLimits {
                failure_threshold: self.0,
                failure_percent: 50,
                window: WINDOW,
                open: OPEN,
            }
        }

        fn entered(&self, _: BreakerState) {}

        fn opened(&self, _: Duration) {}

        fn closed(&self) {}
    }

    fn breaker(failure_threshold: u32) -> Arc<CircuitBreaker<Threshold>> {
        CircuitBreaker::new(Threshold(failure_threshold))
    }

    fn call(breaker: &Arc<CircuitBreaker<Threshold>>, is_success: bool) {
        breaker.try_acquire().expect("a permit").record(is_success);
    }

    fn is_open(breaker: &Arc<CircuitBreaker<Threshold>>) -> bool {
        breaker.try_acquire().is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn circuit_breaker_opens_at_threshold_and_rate() {
        for (results, expected) in [
            ("ffff", false),
            ("fffff", true),
            ("sfffsff", true),
            ("sssssffff", false),
            ("sssssfffff", true),
            ("ssssssfffff", false),
            // Only a failure opens it.
            ("ssssssffffffs", true),
        ] {
            let breaker = breaker(5);
            for result in results.chars() {
                assert!(!is_open(&breaker), "{results}: too early");
                call(&breaker, result == 's');
                if is_open(&breaker) {
                    break;
                }
            }
            assert_eq!(is_open(&breaker), expected, "{results}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_before_the_window_do_not_count() {
        let breaker = breaker(2);
        call(&breaker, false);
        call(&breaker, true);
        tokio::time::advance(WINDOW).await;
        call(&breaker, false);
        assert!(!is_open(&breaker), "the first failure is too old");
        for _ in 0..10 {
            call(&breaker, true);
            tokio::time::advance(WINDOW / 10).await;
        }
        for _ in 0..9 {
            assert!(!is_open(&breaker));
            call(&breaker, false);
        }
        assert!(is_open(&breaker), "nine of the last 18 calls");
        tokio::time::advance(OPEN).await;
        call(&breaker, true);
        call(&breaker, false);
        assert!(!is_open(&breaker), "a probe that succeeds clears the window");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_count_however_rare() {
        let breaker = breaker(3);
        for result in "ffsfff".chars() {
            assert!(!is_open(&breaker));
            tokio::time::advance(10 * WINDOW).await;
            call(&breaker, result == 's');
        }
        assert!(is_open(&breaker));
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
    async fn slow_probe_is_followed_by_another() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        let slow = breaker.try_acquire().expect("a permit");
        tokio::time::advance(OPEN).await;
        let dropped = breaker.try_acquire().expect("a permit");
        assert!(breaker.try_acquire().is_err());
        tokio::time::advance(OPEN).await;
        call(&breaker, true);
        drop(dropped);
        slow.record(true);
        assert!(breaker.try_acquire().is_ok() && breaker.try_acquire().is_ok());
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
