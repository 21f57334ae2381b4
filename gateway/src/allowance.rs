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

    /// Lets so many a minute pass from now on. What is used up stays used up.
    pub(crate) fn change(&mut self, a_minute: u32) {
        self.each = MINUTE / a_minute.max(1);
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

    use proptest::collection::vec;
    use proptest::prelude::proptest;
    use tokio::time::Instant;

    use super::{Allowance, MINUTE};
    use crate::testing::cases;

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

    #[tokio::test(start_paused = true)]
    async fn what_may_pass_can_be_changed_and_nothing_is_given_twice() {
        let start = Instant::now();
        let mut allowance = Allowance::new(6, start);
        for _ in 0..3 {
            assert!(allowance.take(start));
        }
        // Half a minute is left.
        allowance.change(60);
        assert_eq!((0..60).filter(|_| allowance.take(start)).count(), 30);
        allowance.change(1);
        assert_eq!(allowance.wait(start), Duration::from_mins(1));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn no_more_pass_than_may_and_who_waits_passes(
            a_minute in 1_u32..50,
            steps in vec(0_u64..20_000, 0..200),
        ) {
            let start = Instant::now();
            let mut allowance = Allowance::new(a_minute, start);
            let (mut now, mut passed) = (start, 0_u32);
            for step in steps {
                now += Duration::from_millis(step);
                let wait = allowance.wait(now);
                assert!(wait <= MINUTE / a_minute);
                assert_eq!(allowance.take(now), wait.is_zero());
                if !wait.is_zero() {
                    // Asking in vain costs nothing.
                    assert_eq!(allowance.wait(now), wait);
                    now += wait;
                    assert!(allowance.take(now));
                }
                passed += 1;
                // All that was there at first, and what has come since.
                assert!(MINUTE / a_minute * passed <= MINUTE + (now - start));
            }
            assert!(allowance.is_whole(now + MINUTE));
        }
    }
}
