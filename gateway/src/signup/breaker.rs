//! Leaving a backend alone that cannot be reached: visitors are told at once, and it is not kept from getting up.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::config::CurrentSignupLimits;
use crate::metrics::{BreakerState, SignupMetrics};

/// Counts, in a row, the sign-ups that found the backend out of reach.
pub(super) struct Breaker {
    limits: CurrentSignupLimits,
    state: Mutex<State>,
    metrics: SignupMetrics,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// All may pass; so many in a row have failed.
    Closed { failures: u32 },
    /// Nobody may pass until then, and the next one after that alone.
    Open { until: Instant },
    /// One is under way that finds out whether the backend is back.
    Probing,
}

/// Leave to ask the backend. Dropped without an outcome, it says nothing about the backend.
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    /// Whether what becomes of it decides for everybody.
    probes: bool,
}

impl Breaker {
    /// A breaker that lets all pass.
    pub(super) fn new(limits: CurrentSignupLimits, metrics: SignupMetrics) -> Self {
        metrics.breaker(BreakerState::Closed);
        Self {
            limits,
            state: Mutex::new(State::Closed { failures: 0 }),
            metrics,
        }
    }

    /// Leave to ask the backend, or how long it is left alone still.
    pub(super) fn ask(&self) -> Result<Pass<'_>, Duration> {
        let now = Instant::now();
        let mut state = self.state.lock();
        let probes = match *state {
            State::Closed { .. } => false,
            State::Open { until } if now < until => return Err(until - now),
            State::Open { .. } => true,
            // Known in a moment, by whoever is on the way.
            State::Probing => return Err(Duration::from_secs(1)),
        };
        if probes {
            self.enter(&mut state, State::Probing);
        }
        Ok(Pass {
            breaker: self,
            probes,
        })
    }

    fn enter(&self, state: &mut State, next: State) {
        *state = next;
        self.metrics.breaker(match next {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::Probing => BreakerState::HalfOpen,
        });
    }
}

impl Pass<'_> {
    /// Says whether the backend was reached, whatever it answered.
    pub(super) fn reached(mut self, was_reached: bool) {
        let breaker = self.breaker;
        let limits = breaker.limits.load();
        let mut state = breaker.state.lock();
        let failures = match *state {
            State::Closed { failures } => failures,
            State::Probing if self.probes => limits.failures,
            // Sent before the backend was given up: the one that probes knows better.
            State::Open { .. } | State::Probing => return,
        };
        self.probes = false;
        if was_reached {
            breaker.enter(&mut state, State::Closed { failures: 0 });
        } else if failures.saturating_add(1) >= limits.failures {
            let until = Instant::now() + limits.rest;
            breaker.enter(&mut state, State::Open { until });
            drop(state);
            let rest_seconds = limits.rest.as_secs();
            tracing::warn!(event = "signup_resting", rest_seconds);
        } else {
            *state = State::Closed {
                failures: failures + 1,
            };
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        // The visitor has left, or the attempt has come apart: then the next one probes.
        if self.probes {
            let mut state = self.breaker.state.lock();
            let until = Instant::now();
            self.breaker.enter(&mut state, State::Open { until });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use arc_swap::ArcSwap;

    use super::Breaker;
    use crate::config::SignupLimits;
    use crate::metrics::Metrics;

    const REST: Duration = Duration::from_secs(30);

    fn breaker(failures: u32) -> Breaker {
        let limits = SignupLimits {
            failures,
            rest: REST,
            ..SignupLimits::default()
        };
        Breaker::new(
            Arc::new(ArcSwap::from_pointee(limits)),
            Metrics::default().signups.clone(),
        )
    }

    fn ask(breaker: &Breaker, was_reached: bool) {
        breaker.ask().expect("leave").reached(was_reached);
    }

    #[tokio::test(start_paused = true)]
    async fn only_failures_in_a_row_open_it() {
        let breaker = breaker(3);
        for was_reached in [false, false, true, false, false] {
            ask(&breaker, was_reached);
        }
        assert!(breaker.ask().is_ok());
        ask(&breaker, false);
        assert_eq!(breaker.ask().err(), Some(REST));
    }

    #[tokio::test(start_paused = true)]
    async fn after_its_rest_exactly_one_probes() {
        let breaker = breaker(1);
        ask(&breaker, false);
        tokio::time::advance(REST).await;
        let probe = breaker.ask().expect("leave");
        for _ in 0..100 {
            assert!(breaker.ask().is_err());
        }
        probe.reached(true);
        assert!(breaker.ask().is_ok() && breaker.ask().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_fails_begins_another_rest() {
        let breaker = breaker(3);
        for _ in 0..3 {
            ask(&breaker, false);
        }
        tokio::time::advance(REST).await;
        ask(&breaker, false);
        assert_eq!(breaker.ask().err(), Some(REST));
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_is_given_up_leaves_probing_to_the_next() {
        let breaker = breaker(1);
        ask(&breaker, false);
        tokio::time::advance(REST).await;
        drop(breaker.ask());
        let probe = breaker.ask().expect("leave");
        assert!(breaker.ask().is_err());
        drop(probe);
        assert!(breaker.ask().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_sent_before_decides_nothing_any_more() {
        let breaker = breaker(1);
        let (early, late) = (breaker.ask().ok(), breaker.ask().ok());
        ask(&breaker, false);
        early.expect("leave").reached(true);
        assert_eq!(breaker.ask().err(), Some(REST));
        tokio::time::advance(REST).await;
        let probe = breaker.ask().expect("leave");
        late.expect("leave").reached(false);
        probe.reached(true);
        assert!(breaker.ask().is_ok());
    }
}
