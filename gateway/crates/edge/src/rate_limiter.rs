//! Rate limiting with the generic cell rate algorithm (GCRA), to throttle clients and repeated log events.
//!
//! Every limit is a number of permits per minute. A burst may use all of them at once. Used permits become
//! available again at an even rate over the next minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_mins(1);

/// The number of keys below which a [`KeyedRateLimiter`] removes no keys.
const MIN_SWEEP_LEN: usize = 1024;

/// Limits how often something happens per minute.
#[derive(Debug)]
pub struct RateLimiter {
    /// The time until one used permit is available again.
    interval: Duration,
    /// When all permits are available: at most a minute from now. The theoretical arrival time of GCRA.
    full_at: Instant,
}

impl RateLimiter {
    /// Creates a limiter with all permits available. A rate of 0 counts as 1.
    pub fn new(per_minute: u32, now: Instant) -> Self {
        Self {
            interval: MINUTE / per_minute.max(1),
            full_at: now,
        }
    }

    /// Changes the rate. The used share of the minute stays used.
    pub fn set_rate(&mut self, per_minute: u32) {
        self.interval = MINUTE / per_minute.max(1);
    }

    /// Takes a permit. Returns false, and takes nothing, if none is available.
    pub fn try_acquire(&mut self, now: Instant) -> bool {
        let is_available = self.retry_after(now).is_zero();
        if is_available {
            self.full_at = self.full_at.max(now) + self.interval;
        }
        is_available
    }

    /// Returns the time until a permit is available; zero if one is.
    pub fn retry_after(&self, now: Instant) -> Duration {
        let next = self.full_at.max(now) + self.interval;
        next.saturating_duration_since(now).saturating_sub(MINUTE)
    }

    /// Returns whether all permits are available, as in a new limiter.
    pub fn is_full(&self, now: Instant) -> bool {
        self.full_at <= now
    }
}

/// The limits of a [`KeyedRateLimiter`], per minute.
#[derive(Debug, Clone, Copy)]
pub struct RateLimits {
    /// The limit for all keys together.
    pub total: u32,
    /// The limit for each key.
    pub per_key: u32,
}

/// Which limit was reached, and the time until a permit is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimited {
    /// The limit for this key.
    Key(Duration),
    /// The limit for all keys together.
    Total(Duration),
}

/// Limits how often something happens per minute, per key and in total.
///
/// Memory is bounded by the total limit: a key is stored only with a permit of the total limit, and is
/// removed once all of its own permits are available, which takes two minutes at most.
#[derive(Debug)]
pub struct KeyedRateLimiter<K> {
    state: Mutex<KeyedState<K>>,
}

#[derive(Debug)]
struct KeyedState<K> {
    total: RateLimiter,
    keys: HashMap<K, RateLimiter>,
    /// The number of keys at which full ones are removed next.
    sweep_len: usize,
}

impl<K> Default for KeyedRateLimiter<K> {
    fn default() -> Self {
        // Every call sets the rate.
        let state = KeyedState {
            total: RateLimiter::new(0, Instant::now()),
            keys: HashMap::new(),
            sweep_len: MIN_SWEEP_LEN,
        };
        Self {
            state: Mutex::new(state),
        }
    }
}

impl<K: Eq + Hash> KeyedRateLimiter<K> {
    /// Takes a permit of this key and one of the total.
    ///
    /// # Errors
    ///
    /// Which limit was reached. Nothing is taken then.
    pub fn try_acquire(&self, key: K, limits: RateLimits) -> Result<(), RateLimited> {
        let now = Instant::now();
        let mut state = self.state.lock();
        if let Some(limiter) = state.keys.get_mut(&key) {
            limiter.set_rate(limits.per_key);
            let retry_after = limiter.retry_after(now);
            if !retry_after.is_zero() {
                return Err(RateLimited::Key(retry_after));
            }
        }
        state.try_acquire_total(limits, now)?;
        let new = || RateLimiter::new(limits.per_key, now);
        state.keys.entry(key).or_insert_with(new).try_acquire(now);
        state.sweep(now);
        Ok(())
    }

    /// Takes a permit of the total only.
    ///
    /// # Errors
    ///
    /// The total limit was reached. Nothing is taken then.
    pub fn try_acquire_total(&self, limits: RateLimits) -> Result<(), RateLimited> {
        self.state.lock().try_acquire_total(limits, Instant::now())
    }
}

impl<K: Eq + Hash> KeyedState<K> {
    fn try_acquire_total(&mut self, limits: RateLimits, now: Instant) -> Result<(), RateLimited> {
        self.total.set_rate(limits.total);
        let retry_after = self.total.retry_after(now);
        let is_acquired = self.total.try_acquire(now);
        is_acquired.then_some(()).ok_or(RateLimited::Total(retry_after))
    }

    /// Removes full keys whenever the number of keys has doubled.
    fn sweep(&mut self, now: Instant) {
        if self.keys.len() >= self.sweep_len {
            self.keys.retain(|_, limiter| !limiter.is_full(now));
            self.sweep_len = (2 * self.keys.len()).max(MIN_SWEEP_LEN);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::proptest;
    use tokio::time::Instant;

    use super::{KeyedRateLimiter, MIN_SWEEP_LEN, MINUTE, RateLimited, RateLimiter, RateLimits};
    use colonnade_testing::cases;

    #[tokio::test(start_paused = true)]
    async fn rate_limiter_allows_burst_then_refills_evenly() {
        let start = Instant::now();
        let mut limiter = RateLimiter::new(6, start);
        for _ in 0..6 {
            assert!(limiter.try_acquire(start));
        }
        assert!(!limiter.try_acquire(start));
        assert_eq!(limiter.retry_after(start), Duration::from_secs(10));
        assert!(!limiter.try_acquire(start + Duration::from_secs(9)));
        assert!(limiter.try_acquire(start + Duration::from_secs(10)));
        assert!(!limiter.try_acquire(start + Duration::from_secs(10)));
        assert!(!limiter.is_full(start + Duration::from_secs(69)));
        assert!(limiter.is_full(start + Duration::from_secs(70)));
    }

    #[tokio::test(start_paused = true)]
    async fn rate_limiter_set_rate_keeps_used_share() {
        let start = Instant::now();
        let mut limiter = RateLimiter::new(6, start);
        for _ in 0..3 {
            assert!(limiter.try_acquire(start));
        }
        // Half of the minute is unused.
        limiter.set_rate(60);
        assert_eq!((0..60).filter(|_| limiter.try_acquire(start)).count(), 30);
        limiter.set_rate(1);
        assert_eq!(limiter.retry_after(start), Duration::from_mins(1));
    }

    const LIMITS: RateLimits = RateLimits { total: 6, per_key: 4 };

    #[tokio::test(start_paused = true)]
    async fn keyed_rate_limiter_limits_each_key_and_the_total() {
        let limiter = KeyedRateLimiter::default();
        let retry_after = Duration::from_secs(15);
        for _ in 0..4 {
            assert_eq!(limiter.try_acquire("a", LIMITS), Ok(()));
        }
        for _ in 0..2 {
            // Rejected attempts take no permit of the total.
            assert_eq!(
                limiter.try_acquire("a", LIMITS),
                Err(RateLimited::Key(retry_after))
            );
            assert_eq!(limiter.try_acquire("b", LIMITS), Ok(()));
        }
        let retry_after = Duration::from_secs(10);
        assert_eq!(
            limiter.try_acquire("b", LIMITS),
            Err(RateLimited::Total(retry_after))
        );
        assert_eq!(
            limiter.try_acquire_total(LIMITS),
            Err(RateLimited::Total(retry_after))
        );
        tokio::time::advance(retry_after).await;
        assert_eq!(limiter.try_acquire_total(LIMITS), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn keyed_rate_limiter_bounds_memory_by_total_limit() {
        let limiter = KeyedRateLimiter::default();
        let limits = RateLimits {
            total: u32::try_from(MIN_SWEEP_LEN).expect("small"),
            per_key: 20,
        };
        for minute in 0..20 {
            for client in 0..10_000 {
                let _ = limiter.try_acquire((minute, client), limits);
            }
            let len = limiter.state.lock().keys.len();
            assert!(len <= 3 * MIN_SWEEP_LEN, "{len} keys");
            tokio::time::advance(MINUTE).await;
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn rate_limiter_never_exceeds_rate_and_retry_succeeds(
            per_minute in 1_u32..50,
            steps in vec(0_u64..20_000, 0..200),
        ) {
            let start = Instant::now();
            let mut limiter = RateLimiter::new(per_minute, start);
            let (mut now, mut acquired) = (start, 0_u32);
            for step in steps {
                now += Duration::from_millis(step);
                let retry_after = limiter.retry_after(now);
                assert!(retry_after <= MINUTE / per_minute);
                assert_eq!(limiter.try_acquire(now), retry_after.is_zero());
                if !retry_after.is_zero() {
                    // A rejected attempt takes nothing.
                    assert_eq!(limiter.retry_after(now), retry_after);
                    now += retry_after;
                    assert!(limiter.try_acquire(now));
                }
                acquired += 1;
                // The burst, and the permits that became available since.
                assert!(MINUTE / per_minute * acquired <= MINUTE + (now - start));
            }
            assert!(limiter.is_full(now + MINUTE));
        }
    }
}
