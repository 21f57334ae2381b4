//! A number of things a minute.

use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_mins(1);

/// Lets so many things pass in a minute, at once or one by one.
#[derive(Debug)]
pub(crate) struct Allowance {
    each: Duration,
    /// Up to when all is used up: at most a minute from now.
    used_until: Instant,
}

impl Allowance {
    /// An allowance of so many a minute.
    pub(crate) fn new(a_minute: u32, now: Instant) -> Self {
        Self {
            each: MINUTE / a_minute.max(1),
            used_until: now,
        }
    }

    /// Whether one more may pass.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        let may_pass = self.wait(now).is_zero();
        if may_pass {
            self.used_until = self.used_until.max(now) + self.each;
        }
        may_pass
    }

    /// How long it is until one more may pass.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        let until = self.used_until.max(now) + self.each;
        until.saturating_duration_since(now).saturating_sub(MINUTE)
    }

    /// Whether nothing is used up, so that a new one would be the same.
    pub(crate) fn is_whole(&self, now: Instant) -> bool {
        self.used_until <= now
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Allowance;

    #[tokio::test(start_paused = true)]
    async fn so_many_may_pass_at_once_and_more_only_with_time() {
        let start = Instant::now();
        let mut allowance = Allowance::new(6, start);
        for _ in 0..6 {
            assert!(allowance.take(start));
        }
        assert!(!allowance.take(start));
        assert_eq!(allowance.wait(start), Duration::from_secs(10));
        assert!(!allowance.take(start + Duration::from_secs(9)));
        assert!(allowance.take(start + Duration::from_secs(10)));
        assert!(!allowance.take(start + Duration::from_secs(10)));
        assert!(!allowance.is_whole(start + Duration::from_secs(69)));
        assert!(allowance.is_whole(start + Duration::from_secs(70)));
    }
}
