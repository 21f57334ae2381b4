//! What each extension has cost so far, which is what a document waits for.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use colonnade_model::release::{PointReference, ReleaseId};

use crate::job::{EXTENSION_SHARE, FIRST_TRY};
use crate::request::CircuitKey;

/// How many extensions are kept. A further one replaces the least recently rendered.
const MAX_EXTENSIONS: usize = 4096;

/// What was counted of an extension since the gateway started.
#[derive(Debug, Clone, Copy, Default)]
pub struct RenderStatistics {
    /// The successful renders.
    pub renders: u64,
    /// The CPU time of the successful renders, in seconds.
    pub cpu_seconds: f64,
}

/// The extensions of each release, by the point that they fill.
#[derive(Debug, Default)]
pub(super) struct ExtensionHistory(Mutex<HashMap<(ReleaseId, PointReference), History>>);

#[derive(Debug)]
struct History {
    statistics: RenderStatistics,
    /// The most CPU time of a job that succeeded.
    longest: Duration,
    /// Whether a job has exceeded its budget or a limit, and no other one has succeeded since.
    is_suspect: bool,
    last_job: Instant,
}

impl ExtensionHistory {
    /// The CPU time for which a document waits for a job of an extension, with the extension's share of the
    /// time of the page: what the longest job has used so far, and a fifth of this and of the share. So
    /// a document with extensions that loop takes at most a fifth longer than with ones that do not.
    /// `None` if it does not wait.
    pub(super) fn budget(&self, circuit: &CircuitKey, share: Duration) -> Option<Duration> {
        let histories = self.0.lock();
        let history = key(circuit).and_then(|key| histories.get(&key));
        if history.is_some_and(|history| history.is_suspect) {
            return None;
        }
        let longest = history.map_or(Duration::ZERO, |history| history.longest);
        Some(longest + (longest + share) / EXTENSION_SHARE)
    }

    /// The budget of an extension that no document waits for: a fifth more than the longest job has
    /// used so far, and at least [`FIRST_TRY`].
    pub(super) fn postponed_budget(&self, circuit: &CircuitKey) -> Duration {
        let histories = self.0.lock();
        let history = key(circuit).and_then(|key| histories.get(&key));
        let longest = history.map_or(Duration::ZERO, |history| history.longest);
        FIRST_TRY.max(longest + longest / EXTENSION_SHARE)
    }

    /// Records that a job has succeeded, and whether it was a render.
    pub(super) fn record(&self, circuit: &CircuitKey, cpu_time: Duration, is_render: bool) {
        self.change(circuit, |history| {
            history.is_suspect = false;
            history.longest = history.longest.max(cpu_time);
            if is_render {
                history.statistics.renders += 1;
                history.statistics.cpu_seconds += cpu_time.as_secs_f64();
            }
        });
    }

    /// Lets no document wait for an extension until a job succeeds: each further one may cost as much.
    pub(super) fn suspect(&self, circuit: &CircuitKey) {
        self.change(circuit, |history| history.is_suspect = true);
    }

    /// What was counted of an extension so far.
    pub(super) fn statistics(&self, section: &ReleaseId, point: &PointReference) -> RenderStatistics {
        let histories = self.0.lock();
        let history = histories.get(&(section.clone(), point.clone()));
        history.map_or_else(RenderStatistics::default, |history| history.statistics)
    }

    fn change(&self, circuit: &CircuitKey, change: impl FnOnce(&mut History)) {
        let Some(key) = key(circuit) else {
            return;
        };
        let now = Instant::now();
        let mut histories = self.0.lock();
        if histories.len() >= MAX_EXTENSIONS && !histories.contains_key(&key) {
            let oldest = histories.iter().min_by_key(|(_, history)| history.last_job);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                histories.remove(&oldest);
            }
        }
        let history = histories.entry(key).or_insert(History {
            statistics: RenderStatistics::default(),
            longest: Duration::ZERO,
            is_suspect: false,
            last_job: now,
        });
        history.last_job = now;
        change(history);
    }
}

/// The key of an extension, whatever shell and paths it is rendered with.
fn key(circuit: &CircuitKey) -> Option<(ReleaseId, PointReference)> {
    Some((circuit.releases.section.clone(), circuit.point.clone()?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use colonnade_model::release::{ReleaseId, SHELL};

    use super::{ExtensionHistory, MAX_EXTENSIONS};
    use crate::request::{CircuitKey, ReleasePair};

    const SHARE: Duration = Duration::from_millis(5);

    fn circuit(version: usize) -> CircuitKey {
        let id = |name: &str, version: usize| ReleaseId {
            name: name.to_owned(),
            version: version.to_string(),
        };
        CircuitKey {
            releases: ReleasePair {
                shell: id(SHELL, 1),
                section: id("events", version),
            },
            point: "page/aside@1".parse().ok(),
            is_listed: true,
        }
    }

    #[test]
    fn budget_is_that_of_longest_job_and_a_fifth() {
        let history = ExtensionHistory::default();
        let budget = |version| {
            let budget = history.budget(&circuit(version), SHARE);
            budget.map(|budget| budget.as_micros())
        };
        assert_eq!(budget(1), Some(1000));
        for ms in [5, 10, 1] {
            history.record(&circuit(1), Duration::from_millis(ms), true);
        }
        assert_eq!([budget(1), budget(2)], [Some(13_000), Some(1000)]);
        history.suspect(&circuit(1));
        assert_eq!(budget(1), None);
        history.record(&circuit(1), Duration::ZERO, false);
        assert_eq!(budget(1), Some(13_000));
        let statistics = history.statistics(&circuit(1).releases.section, &"page/aside@1".parse().unwrap());
        assert_eq!(statistics.renders, 3);
    }

    #[test]
    fn postponed_budget_exceeds_longest_job() {
        let history = ExtensionHistory::default();
        let budget = || history.postponed_budget(&circuit(1)).as_millis();
        assert_eq!(budget(), 25);
        history.record(&circuit(1), Duration::from_millis(60), true);
        history.suspect(&circuit(1));
        assert_eq!(budget(), 72);
    }

    #[tokio::test(start_paused = true)]
    async fn extension_beyond_limit_replaces_oldest() {
        let history = ExtensionHistory::default();
        for version in 0..=MAX_EXTENSIONS {
            history.suspect(&circuit(version));
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(history.0.lock().len(), MAX_EXTENSIONS);
        assert!(history.budget(&circuit(0), SHARE).is_some());
        assert!(history.budget(&circuit(1), SHARE).is_none());
    }
}
