//! The circuit breaker of a backend: while it is open, visitors get an error at once, and a backend
//! that is down gets no load.

use std::sync::Arc;
use std::time::Duration;

use colonnade_clock::poll;
use colonnade_web::client::{ClientKey, Network};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

pub use crate::failure_window::Verdict;
use crate::failure_window::{Caller, FailureWindow, FailuresInARow, network, share};

/// The time to wait while a probe is in progress.
const PROBE_WAIT: Duration = Duration::from_secs(1);

/// When a circuit breaker opens, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct BreakerLimits {
    /// The number of failed calls, within the window or in a row, below which it stays closed. One
    /// client counts for at most a quarter of them.
    pub failure_threshold: u32,
    /// The percentage of failed calls within the window below which it stays closed.
    pub failure_percent: u16,
    /// The length of the window.
    pub window: Duration,
    /// How long it stays open before one call probes the backend.
    pub open: Duration,
}

/// What the health checks of a backend say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// There are no checks, or they fail, perhaps because their path is wrong: calls probe the
    /// backend.
    Unknown,
    /// Checks succeed, and probe the backend with [`CircuitBreaker::check_succeeded`]. No call
    /// does.
    Checked,
    /// No check gets a response, and no call is served: every failure counts in full, because no
    /// client causes it.
    Silent,
}

/// What a circuit breaker is for: its limits, and who observes it.
pub trait Breaker: Send + Sync + 'static {
    /// The current limits.
    fn limits(&self) -> BreakerLimits;

    /// What health checks say about the backend.
    fn health(&self) -> Health {
        Health::Unknown
    }

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
    row: FailuresInARow,
}

#[derive(Debug, Clone, Copy)]
enum CircuitState {
    /// All calls are allowed.
    Closed,
    /// No call is allowed until then. The next one is a probe.
    Open(Wait),
    /// A probe is in progress. No other call is allowed until then: the client of a probe may be
    /// slow, and must not keep the circuit open for others.
    HalfOpen(Wait),
}

/// When the next probe may begin.
#[derive(Debug, Clone, Copy)]
struct Wait {
    until: Instant,
    /// The client of the last failure or of the last probe, which could keep the circuit open for
    /// others. It waits longer.
    last: Option<Network>,
    until_for_last: Instant,
}

/// A permit for one call. Dropped without a result, it does not count.
pub struct BreakerPermit<B: Breaker> {
    breaker: Arc<CircuitBreaker<B>>,
    /// The client that causes the call, if it is not the gateway itself.
    pub(crate) client: Option<ClientKey>,
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
                row: FailuresInARow::default(),
            }),
            observer,
        })
    }

    /// Returns a permit for a call that this client causes; `None` is the gateway itself.
    ///
    /// # Errors
    ///
    /// The time to wait if the circuit breaker is open or half-open.
    pub fn try_acquire(self: &Arc<Self>, client: Option<ClientKey>) -> Result<BreakerPermit<B>, Duration> {
        let mut circuit = self.circuit.lock();
        let is_probe = match circuit.state {
            CircuitState::Closed => false,
            CircuitState::Open(wait) | CircuitState::HalfOpen(wait) => {
                self.begin_probe(&mut circuit, wait, network(client))?;
                true
            }
        };
        Ok(BreakerPermit {
            breaker: Arc::clone(self),
            client,
            is_probe,
        })
    }

    /// Checks whether [`Self::try_acquire`] would return a permit now, and changes nothing: what is
    /// rejected anyway need not be received first.
    ///
    /// # Errors
    ///
    /// The time to wait if the circuit breaker is open or half-open.
    pub fn check(&self, client: Option<ClientKey>) -> Result<(), Duration> {
        let circuit = self.circuit.lock();
        match circuit.state {
            CircuitState::Closed => Ok(()),
            CircuitState::Open(wait) | CircuitState::HalfOpen(wait) => {
                self.check_probe(&circuit, wait, network(client)).map(drop)
            }
        }
    }

    /// Begins a probe by this client, or returns the time to wait.
    fn begin_probe(
        &self,
        circuit: &mut Circuit,
        wait: Wait,
        client: Option<Network>,
    ) -> Result<(), Duration> {
        let now = self.check_probe(circuit, wait, client)?;
        let open = self.observer.limits().open;
        let wait = Wait::new(now + open, client, open);
        self.enter(circuit, CircuitState::HalfOpen(wait));
        Ok(())
    }

    /// Returns the current time if this client may begin a probe, or the time to wait.
    fn check_probe(
        &self,
        circuit: &Circuit,
        wait: Wait,
        client: Option<Network>,
    ) -> Result<Instant, Duration> {
        // Another task may have set `until` during this poll.
        let now = poll::refresh();
        let until = wait.until_for(client);
        if now < until || self.observer.health() == Health::Checked {
            let is_open = now < until && matches!(circuit.state, CircuitState::Open(_));
            return Err(if is_open { until - now } else { PROBE_WAIT });
        }
        Ok(now)
    }

    /// A health check of the backend has succeeded. It closes a circuit whose open time is over,
    /// also while a call that began when checks failed probes the backend: its client may be slow.
    pub(crate) fn check_succeeded(&self) {
        let circuit = self.circuit.lock();
        let now = poll::refresh();
        match circuit.state {
            CircuitState::Open(wait) | CircuitState::HalfOpen(wait) if wait.until <= now => {
                self.close(circuit, now);
            }
            _ => {}
        }
    }

    fn close(&self, mut circuit: MutexGuard<'_, Circuit>, now: Instant) {
        circuit.window = FailureWindow::new(now);
        circuit.row.clear();
        self.enter(&mut circuit, CircuitState::Closed);
        drop(circuit);
        self.observer.closed();
    }

    fn enter(&self, circuit: &mut Circuit, next: CircuitState) {
        circuit.state = next;
        self.observer.entered(match next {
            CircuitState::Closed => BreakerState::Closed,
            CircuitState::Open(_) => BreakerState::Open,
            CircuitState::HalfOpen(_) => BreakerState::HalfOpen,
        });
    }
}

impl<B: Breaker> BreakerPermit<B> {
    /// Records what the call says about the backend.
    pub fn record(mut self, verdict: Verdict) {
        let was_probe = std::mem::take(&mut self.is_probe);
        let is_success = verdict == Verdict::Served;
        let breaker = &*self.breaker;
        let limits = breaker.observer.limits();
        let now = poll::now();
        let is_silent = !is_success && breaker.observer.health() == Health::Silent;
        let client = self.client.filter(|_| !is_silent);
        let mut circuit = breaker.circuit.lock();
        match circuit.state {
            CircuitState::Closed => {
                let caller = Caller::new(client, verdict);
                circuit.window.add(now, limits.window, caller, !is_success);
                if is_success {
                    circuit.row.clear();
                    return;
                }
                circuit.row.add(caller, share(limits.failure_threshold));
                if !limits.are_reached(&circuit) {
                    return;
                }
            }
            CircuitState::HalfOpen(_) if was_probe && is_success => {
                breaker.close(circuit, now);
                return;
            }
            CircuitState::HalfOpen(_) if was_probe => {}
            // The call began before the circuit breaker opened. The probe is more recent.
            CircuitState::Open(_) | CircuitState::HalfOpen(_) => return,
        }
        let last = network(self.client).filter(|_| verdict == Verdict::Failed);
        let wait = Wait::new(now + limits.open, last, limits.open);
        breaker.enter(&mut circuit, CircuitState::Open(wait));
        drop(circuit);
        breaker.observer.opened(limits.open);
    }
}

impl BreakerLimits {
    /// A backend with few calls has too few of them in the window, so that those in a row count,
    /// too. The rate applies to both: a few clients that make a backend fail must not open the
    /// circuit for the many that it serves.
    fn are_reached(self, circuit: &Circuit) -> bool {
        let counts = circuit.window.counts(share(self.failure_threshold));
        let failures = counts.failures.max(circuit.row.count().into());
        let is_rate_reached = 100.0 * counts.failures >= f64::from(self.failure_percent) * counts.calls;
        failures >= self.failure_threshold.into() && is_rate_reached
    }
}

impl Wait {
    fn new(until: Instant, last: Option<Network>, open: Duration) -> Self {
        Self {
            until,
            last,
            until_for_last: until + open,
        }
    }

    /// When this client may probe.
    fn until_for(self, client: Option<Network>) -> Instant {
        let is_last = client.is_some() && client == self.last;
        if is_last { self.until_for_last } else { self.until }
    }
}

impl<B: Breaker> Drop for BreakerPermit<B> {
    fn drop(&mut self) {
        // The client closed the connection, or the call panicked. The next call of another client
        // is a probe.
        if self.is_probe {
            let mut circuit = self.breaker.circuit.lock();
            // Unless a later probe has decided.
            if matches!(circuit.state, CircuitState::HalfOpen(_)) {
                let open = self.breaker.observer.limits().open;
                let wait = Wait::new(poll::now(), network(self.client), open);
                self.breaker.enter(&mut circuit, CircuitState::Open(wait));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::time::Duration;

    use colonnade_web::client::ClientKey;

    use super::{Breaker, BreakerLimits, BreakerPermit, BreakerState, CircuitBreaker, Health, Verdict};

    const OPEN: Duration = Duration::from_secs(30);
    const WINDOW: Duration = Duration::from_secs(10);

    struct Threshold {
        failures: u32,
        health: Health,
    }

    impl Breaker for Threshold {
        fn limits(&self) -> BreakerLimits {
            BreakerLimits {
                failure_threshold: self.failures,
                failure_percent: 50,
                window: WINDOW,
                open: OPEN,
            }
        }

        fn health(&self) -> Health {
            self.health
        }

        fn entered(&self, _: BreakerState) {}

        fn opened(&self, _: Duration) {}

        fn closed(&self) {}
    }

    fn breaker(failure_threshold: u32) -> Arc<CircuitBreaker<Threshold>> {
        checked_breaker(failure_threshold, Health::Unknown)
    }

    fn checked_breaker(failures: u32, health: Health) -> Arc<CircuitBreaker<Threshold>> {
        CircuitBreaker::new(Threshold { failures, health })
    }

    /// Each address is another client.
    fn client(address: u32) -> ClientKey {
        ClientKey::new(Ipv4Addr::from_bits(address).into())
    }

    /// A permit for a call without a client.
    fn acquire(breaker: &Arc<CircuitBreaker<Threshold>>) -> Result<BreakerPermit<Threshold>, Duration> {
        breaker.try_acquire(None)
    }

    fn call(breaker: &Arc<CircuitBreaker<Threshold>>, is_success: bool) {
        let verdict = if is_success {
            Verdict::Served
        } else {
            Verdict::Failed
        };
        acquire(breaker).expect("a permit").record(verdict);
    }

    fn call_of(breaker: &Arc<CircuitBreaker<Threshold>>, client: ClientKey, verdict: Verdict) {
        let permit = breaker.try_acquire(Some(client));
        permit.expect("a permit").record(verdict);
    }

    fn is_open(breaker: &Arc<CircuitBreaker<Threshold>>) -> bool {
        acquire(breaker).is_err()
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
        assert!(breaker.check(None).is_ok() && breaker.check(None).is_ok());
        let probe = acquire(&breaker).expect("a permit");
        for _ in 0..100 {
            assert_eq!(breaker.check(None).err(), acquire(&breaker).err());
        }
        probe.record(Verdict::Served);
        assert!(acquire(&breaker).is_ok() && acquire(&breaker).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn failed_probe_opens_circuit_breaker_again() {
        let breaker = breaker(3);
        for _ in 0..3 {
            call(&breaker, false);
        }
        tokio::time::advance(OPEN).await;
        call(&breaker, false);
        assert_eq!(acquire(&breaker).err(), Some(OPEN));
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_probe_is_followed_by_another() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        drop(acquire(&breaker));
        let probe = acquire(&breaker).expect("a permit");
        assert!(acquire(&breaker).is_err());
        drop(probe);
        assert!(acquire(&breaker).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_probe_is_followed_by_another() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        let slow = acquire(&breaker).expect("a permit");
        tokio::time::advance(OPEN).await;
        let dropped = acquire(&breaker).expect("a permit");
        assert!(acquire(&breaker).is_err());
        tokio::time::advance(OPEN).await;
        call(&breaker, true);
        drop(dropped);
        slow.record(Verdict::Served);
        assert!(acquire(&breaker).is_ok() && acquire(&breaker).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn call_from_before_opening_is_ignored() {
        let breaker = breaker(1);
        let (early, late) = (acquire(&breaker).ok(), acquire(&breaker).ok());
        call(&breaker, false);
        early.expect("a permit").record(Verdict::Served);
        assert_eq!(acquire(&breaker).err(), Some(OPEN));
        tokio::time::advance(OPEN).await;
        let probe = acquire(&breaker).expect("a permit");
        late.expect("a permit").record(Verdict::Failed);
        probe.record(Verdict::Served);
        assert!(acquire(&breaker).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn client_counts_for_a_quarter_of_the_threshold() {
        // The failures of each client in turn, between successes of another one, or without any.
        for (threshold, failing_clients, has_successes, expected) in [
            (8, 1, true, false),
            (8, 1, false, false),
            (8, 3, true, false),
            (8, 3, false, false),
            (8, 4, true, true),
            (8, 4, false, true),
            (3, 2, false, false),
            (3, 3, false, true),
            (1, 1, false, true),
        ] {
            let breaker = breaker(threshold);
            for call in 0..40_u32 {
                if !is_open(&breaker) {
                    call_of(&breaker, client(call % failing_clients), Verdict::Failed);
                }
                if has_successes && call % 10 == 0 && !is_open(&breaker) {
                    call_of(&breaker, client(100), Verdict::Served);
                }
            }
            let case = format!("{failing_clients} of {threshold}, {has_successes}");
            assert_eq!(is_open(&breaker), expected, "{case}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn client_gets_its_share_again_after_the_window() {
        let breaker = breaker(8);
        for _ in 0..3 {
            for one in 0..2 {
                (0..20).for_each(|_| call_of(&breaker, client(one), Verdict::Failed));
            }
            call_of(&breaker, client(2), Verdict::Served);
            tokio::time::advance(WINDOW).await;
        }
        for one in 0..4 {
            assert!(!is_open(&breaker));
            (0..2).for_each(|_| call_of(&breaker, client(one), Verdict::Failed));
        }
        assert!(is_open(&breaker));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_that_no_client_causes_count_in_full() {
        let one = Some(client(1));
        // Whether the client waits longer than others before it may probe.
        for (client, verdict, health, waits) in [
            (one, Verdict::Unreachable, Health::Unknown, false),
            (None, Verdict::Failed, Health::Unknown, false),
            (one, Verdict::Failed, Health::Silent, true),
        ] {
            let breaker = checked_breaker(8, health);
            for _ in 0..8 {
                breaker.try_acquire(client).expect("a permit").record(verdict);
            }
            assert!(is_open(&breaker), "{verdict:?}");
            tokio::time::advance(OPEN).await;
            assert_eq!(breaker.check(client).is_err(), waits, "{verdict:?}");
            assert!(!is_open(&breaker), "another one probes");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn client_that_failed_last_lets_another_one_probe() {
        let breaker = breaker(1);
        let (one, other) = (client(1), client(2));
        call_of(&breaker, one, Verdict::Failed);
        tokio::time::advance(OPEN).await;
        assert!(breaker.try_acquire(Some(one)).is_err());
        // One that disconnects does not keep it open either.
        drop(breaker.try_acquire(Some(other)).expect("a permit"));
        assert!(breaker.try_acquire(Some(other)).is_err());
        call_of(&breaker, one, Verdict::Failed);
        // If nobody else asks, it probes after the same time again.
        tokio::time::advance(OPEN).await;
        assert!(breaker.try_acquire(Some(one)).is_err());
        tokio::time::advance(OPEN).await;
        call_of(&breaker, one, Verdict::Unreachable);
        tokio::time::advance(OPEN).await;
        call_of(&breaker, one, Verdict::Served);
        assert!(!is_open(&breaker));
    }

    #[tokio::test(start_paused = true)]
    async fn health_check_probes_in_place_of_calls() {
        let breaker = checked_breaker(1, Health::Checked);
        call(&breaker, false);
        breaker.check_succeeded();
        assert!(is_open(&breaker), "the open time is not over");
        tokio::time::advance(OPEN).await;
        assert!(is_open(&breaker), "calls do not probe");
        breaker.check_succeeded();
        assert!(!is_open(&breaker));
    }

    #[tokio::test(start_paused = true)]
    async fn health_check_closes_circuit_during_slow_probe() {
        let breaker = breaker(1);
        call(&breaker, false);
        tokio::time::advance(OPEN).await;
        let slow = acquire(&breaker).expect("a permit");
        breaker.check_succeeded();
        assert!(is_open(&breaker), "the probe may end soon");
        tokio::time::advance(OPEN).await;
        breaker.check_succeeded();
        assert!(!is_open(&breaker));
        drop(slow);
        assert!(!is_open(&breaker));
    }
}
