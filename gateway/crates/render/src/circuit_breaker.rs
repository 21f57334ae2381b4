//! The circuit breaker of renders.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::part::Part;
use crate::request::CircuitKey;
use crate::validity::Digest;

/// The most circuits. A circuit beyond it replaces the one whose last failure is the oldest.
const MAX_CIRCUITS: usize = 256;

/// One circuit breaker per pair of releases and each of its extensions, for the paths that releases
/// name and for all others.
///
/// A circuit opens after a number of consecutive failures. It is half-open once the open time is
/// over: the next failure opens it again, and a success closes it. The failures of an extension with
/// the same props count once, so that one page does not open its circuit for all others.
pub(super) struct RenderCircuitBreaker {
    failure_threshold: u32,
    open_time: Duration,
    circuits: Circuits,
}

/// The circuits of the pairs that have failed. The metrics share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Circuits(Arc<Mutex<HashMap<CircuitKey, Circuit>>>);

#[derive(Debug)]
struct Circuit {
    /// The consecutive failures.
    failures: u32,
    /// The props of those that are counted, up to the threshold.
    props: HashSet<Digest>,
    last_failure: Instant,
    /// Set from the first time the circuit opens until it closes.
    open_until: Option<Instant>,
}

impl Circuit {
    fn is_open(&self, now: Instant) -> bool {
        self.open_until.is_some_and(|until| now < until)
    }
}

impl Circuits {
    /// The end of the open time, if a circuit is open now.
    pub(super) fn open_until(&self, key: &CircuitKey) -> Option<Instant> {
        let open_until = self.0.lock().get(key)?.open_until;
        open_until.filter(|until| Instant::now() < *until)
    }

    /// The sections and their extensions, and whether any circuit of them is open now.
    pub(super) fn parts(&self) -> BTreeMap<Part, bool> {
        let now = Instant::now();
        let mut parts = BTreeMap::new();
        for (key, circuit) in &*self.0.lock() {
            *parts.entry(Part::of(key)).or_default() |= circuit.is_open(now);
        }
        parts
    }
}

impl RenderCircuitBreaker {
    /// Circuits that open for `open_time` after `failure_threshold` consecutive failures.
    pub(super) fn new(failure_threshold: u32, open_time: Duration, circuits: Circuits) -> Self {
        Self {
            failure_threshold,
            open_time,
            circuits,
        }
    }

    /// Records a success and closes the circuit.
    pub(super) fn record_success(&self, key: &CircuitKey) {
        if let Some(circuit) = self.circuits.0.lock().get_mut(key) {
            circuit.failures = 0;
            circuit.props.clear();
            circuit.open_until = None;
        }
    }

    /// Records a failure, of an extension with these props; true if the circuit is open now.
    pub(super) fn record_failure(&self, key: &CircuitKey, props: Option<Digest>) -> bool {
        let now = Instant::now();
        let mut circuits = self.circuits.0.lock();
        if circuits.len() >= MAX_CIRCUITS && !circuits.contains_key(key) {
            let oldest = circuits.iter().min_by_key(|(_, circuit)| circuit.last_failure);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                circuits.remove(&oldest);
            }
        }
        let circuit = circuits.entry(key.clone()).or_insert(Circuit {
            failures: 0,
            props: HashSet::new(),
            last_failure: now,
            open_until: None,
        });
        circuit.last_failure = now;
        let is_below = circuit.failures < self.failure_threshold;
        if props.is_none_or(|props| is_below && circuit.props.insert(props)) {
            circuit.failures = circuit.failures.saturating_add(1);
        }
        let is_open = circuit.failures >= self.failure_threshold;
        if is_open {
            circuit.open_until = Some(now + self.open_time);
        }
        is_open
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use colonnade_model::release::{ReleaseId, SHELL};

    use super::{Circuits, MAX_CIRCUITS, RenderCircuitBreaker};
    use crate::part::Part;
    use crate::request::{CircuitKey, ReleasePair};

    const OPEN: Duration = Duration::from_secs(30);

    fn pair(section: &str, shell_version: &str) -> CircuitKey {
        let id = |name: &str, version: &str| ReleaseId {
            name: name.to_owned(),
            version: version.to_owned(),
        };
        CircuitKey {
            releases: ReleasePair {
                shell: id(SHELL, shell_version),
                section: id(section, "1"),
            },
            point: None,
            is_listed: true,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn circuit_opens_at_threshold_and_closes_on_success() {
        let breaker = RenderCircuitBreaker::new(3, OPEN, Circuits::default());
        let (a, b) = (pair("a", "1"), pair("b", "1"));
        assert!(!breaker.record_failure(&a, None));
        assert!(!breaker.record_failure(&a, None));
        tokio::time::advance(OPEN).await;
        breaker.record_success(&a);
        assert!(!breaker.record_failure(&a, None));
        breaker.record_success(&a);
        assert!(!breaker.record_failure(&a, None));
        assert!(!breaker.record_failure(&a, None));
        assert!(breaker.circuits.open_until(&a).is_none());
        assert!(breaker.record_failure(&a, None));
        assert!(breaker.circuits.open_until(&a).is_some());
        assert!(breaker.circuits.open_until(&b).is_none());
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.circuits.open_until(&a).is_none(), "half-open");
        assert!(breaker.record_failure(&a, None));
        assert!(breaker.circuits.open_until(&a).is_some());
        tokio::time::advance(Duration::from_secs(31)).await;
        breaker.record_success(&a);
        assert!(!breaker.record_failure(&a, None));
        assert!(breaker.circuits.open_until(&a).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn failures_with_same_props_count_once() {
        let breaker = RenderCircuitBreaker::new(3, OPEN, Circuits::default());
        let key = pair("a", "1");
        let fail = |props: u8| breaker.record_failure(&key, Some([props; 32]));
        assert!(!fail(1) && !fail(1) && !fail(1));
        assert!(!fail(2) && !fail(1) && !fail(2));
        breaker.record_success(&key);
        assert!(!fail(1) && !fail(2) && fail(3));
        tokio::time::advance(OPEN).await;
        assert!(breaker.circuits.open_until(&key).is_none(), "half-open");
        assert!(fail(1));
    }

    #[tokio::test(start_paused = true)]
    async fn section_is_open_while_any_circuit_is_open() {
        let circuits = Circuits::default();
        let breaker = RenderCircuitBreaker::new(1, OPEN, circuits.clone());
        let (live, canary) = (pair("a", "1"), pair("a", "2"));
        breaker.record_failure(&live, None);
        breaker.record_failure(&canary, None);
        breaker.record_success(&live);
        breaker.record_failure(&pair("b", "1"), None);
        breaker.record_success(&pair("b", "1"));
        let sections =
            |is_open| BTreeMap::from([(Part::of(&live), is_open), (Part::of(&pair("b", "1")), false)]);
        assert_eq!(circuits.parts(), sections(true));
        tokio::time::advance(OPEN).await;
        assert_eq!(circuits.parts(), sections(false), "the open time is over");
    }

    #[tokio::test(start_paused = true)]
    async fn circuit_beyond_limit_replaces_oldest() {
        let circuits = Circuits::default();
        let breaker = RenderCircuitBreaker::new(1, OPEN, circuits.clone());
        let pairs: Vec<_> = (0..=MAX_CIRCUITS)
            .map(|number| pair("a", &number.to_string()))
            .collect();
        for pair in &pairs {
            breaker.record_failure(pair, None);
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(circuits.0.lock().len(), MAX_CIRCUITS);
        assert!(breaker.circuits.open_until(&pairs[0]).is_none());
        assert!(
            pairs[1..]
                .iter()
                .all(|pair| breaker.circuits.open_until(pair).is_some())
        );
    }
}
