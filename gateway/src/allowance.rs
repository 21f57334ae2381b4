//! A number of things a minute.

use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_mins(1);

/// Lets so many things pass in a minute, at once or one by one.
#[derive(Debug)]
pub(super) struct Allowance {
    each: Duration,
    /// Up to when all is used up: at most a minute from now.
    used_until: Instant,
}

impl Allowance {
    /// An allowance of so many a minute.
    pub(super) fn new(a_minute: u32, now: Instant) -> Self {
        Self {
            each: MINUTE / a_minute.max(1),
            used_until: now,
        }
    }

    /// Whether one more may pass.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let until = self.used_until.max(now) + self.each;
        let may_pass = until.saturating_duration_since(now) <= MINUTE;
        if may_pass {
            self.used_until = until;
        }
        may_pass
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
        assert!(!allowance.take(start + Duration::from_secs(9)));
        assert!(allowance.take(start + Duration::from_secs(10)));
        assert!(!allowance.take(start + Duration::from_secs(10)));
    }
}
