//! Leaving a section alone that fails and fails.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Remembers, for each release, how many renders in a row have failed.
pub(super) struct Breaker {
    failures: u32,
    rest: Duration,
    releases: Mutex<HashMap<String, Record>>,
}

#[derive(Debug, Default)]
struct Record {
    failures: u32,
    resting_until: Option<Instant>,
}

impl Breaker {
    /// After so many failures in a row a release rests for so long.
    pub(super) fn new(failures: u32, rest: Duration) -> Self {
        Self {
            failures,
            rest,
            releases: Mutex::default(),
        }
    }

    /// Whether a release is left alone now. Once its rest is over, a single failure is enough for the next.
    pub(super) fn rests(&self, release: &str) -> bool {
        let releases = self.releases.lock();
        let until = releases.get(release).and_then(|record| record.resting_until);
        until.is_some_and(|until| Instant::now() < until)
    }

    /// A render of it succeeded; true if it had rested.
    pub(super) fn succeeded(&self, release: &str) -> bool {
        let mut releases = self.releases.lock();
        let record = releases.remove(release);
        record.is_some_and(|record| record.resting_until.is_some())
    }

    /// A render of it failed; true if it rests from now on.
    pub(super) fn failed(&self, release: &str) -> bool {
        let mut releases = self.releases.lock();
        let record = releases.entry(release.to_owned()).or_default();
        record.failures = record.failures.saturating_add(1);
        let rests = record.failures >= self.failures;
        if rests {
            record.resting_until = Some(Instant::now() + self.rest);
        }
        rests
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Breaker;

    #[tokio::test(start_paused = true)]
    async fn a_release_rests_after_failures_in_a_row_and_is_tried_again_once() {
        let breaker = Breaker::new(3, Duration::from_secs(30));
        assert!(!breaker.failed("a@1"));
        assert!(!breaker.failed("a@1"));
        breaker.succeeded("a@1");
        assert!(!breaker.failed("a@1"));
        assert!(!breaker.failed("a@1"));
        assert!(!breaker.rests("a@1"));
        assert!(breaker.failed("a@1"));
        assert!(breaker.rests("a@1"));
        assert!(!breaker.rests("b@1"));
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(!breaker.rests("a@1"));
        assert!(breaker.failed("a@1"));
        assert!(breaker.rests("a@1"));
        tokio::time::advance(Duration::from_secs(31)).await;
        breaker.succeeded("a@1");
        assert!(!breaker.failed("a@1"));
        assert!(!breaker.rests("a@1"));
    }
}
