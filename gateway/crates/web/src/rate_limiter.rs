//! Rate limiting with the generic cell rate algorithm (GCRA), to throttle clients and repeated log
//! events.
//!
//! Every limit is a number of permits per minute. A burst may use all of them at once. Used permits
//! become available again at an even rate over the next minute.

use std::time::Duration;

use colonnade_clock::poll;
use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::client::{ClientKey, Network};

const MINUTE: Duration = Duration::from_mins(1);

/// The number of networks below which a [`ClientRateLimiter`] removes none.
const MIN_SWEEP_LEN: usize = 1024;

/// Limits how often something happens per minute.
#[derive(Debug)]
pub struct RateLimiter {
    /// The time until one used permit is available again.
    interval: Duration,
    /// When all permits are available: at most a minute from now. The theoretical arrival time of
    /// GCRA.
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
    pub(crate) fn set_rate(&mut self, per_minute: u32) {
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

/// The limits of a [`ClientRateLimiter`], per minute.
#[derive(Debug, Clone, Copy)]
pub struct RateLimits {
    /// The limit for all clients together.
    pub total: u32,
    /// The limit for each client. Wider networks have a multiple of it.
    pub per_client: u32,
}

/// Which limit was reached, and the time until a permit is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimited {
    /// The limit for this client, or for a wider network of it.
    Client(Duration),
    /// The limit for all clients together.
    Total(Duration),
}

/// Limits how often something happens per minute, per client and in total.
///
/// Memory is bounded by the total limit: a network is stored only with a permit of the total limit,
/// and is removed once all of its own permits are available, which takes two minutes at most.
#[derive(Debug)]
pub struct ClientRateLimiter {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    total: RateLimiter,
    networks: HashMap<Network, RateLimiter>,
    /// The number of networks at which full ones are removed next.
    sweep_len: usize,
}

impl Default for ClientRateLimiter {
    fn default() -> Self {
        // Every call sets the rate.
        let state = State {
            total: RateLimiter::new(0, Instant::now()),
            networks: HashMap::default(),
            sweep_len: MIN_SWEEP_LEN,
        };
        Self {
            state: Mutex::new(state),
        }
    }
}

impl ClientRateLimiter {
    /// Whether a permit of each network of this client, if it is known, and one of the total are
    /// available.
    ///
    /// # Errors
    ///
    /// Which limit was reached.
    pub fn check(&self, client: impl Into<Option<ClientKey>>, limits: RateLimits) -> Result<(), RateLimited> {
        self.state.lock().check(client.into(), limits, poll::now())
    }

    /// Takes a permit of each network of this client, if it is known, and one of the total.
    ///
    /// # Errors
    ///
    /// Which limit was reached. Nothing is taken then.
    pub fn try_acquire(
        &self,
        client: impl Into<Option<ClientKey>>,
        limits: RateLimits,
    ) -> Result<(), RateLimited> {
        let now = poll::now();
        let client = client.into();
        let mut state = self.state.lock();
        state.check(client, limits, now)?;
        state.total.try_acquire(now);
        for network in client.into_iter().flat_map(ClientKey::networks) {
            let new = || RateLimiter::new(limits.of(network), now);
            let limiter = state.networks.entry(network).or_insert_with(new);
            limiter.try_acquire(now);
        }
        state.sweep(now);
        Ok(())
    }

    /// Takes a permit of the total only.
    ///
    /// # Errors
    ///
    /// The total limit was reached. Nothing is taken then.
    pub fn try_acquire_total(&self, limits: RateLimits) -> Result<(), RateLimited> {
        let now = poll::now();
        let mut state = self.state.lock();
        state.check(None, limits, now)?;
        state.total.try_acquire(now);
        Ok(())
    }
}

impl RateLimits {
    fn of(self, network: Network) -> u32 {
        self.per_client.saturating_mul(network.limit_factor().into())
    }
}

impl State {
    fn check(
        &mut self,
        client: Option<ClientKey>,
        limits: RateLimits,
        now: Instant,
    ) -> Result<(), RateLimited> {
        for network in client.into_iter().flat_map(ClientKey::networks) {
            if let Some(limiter) = self.networks.get_mut(&network) {
                limiter.set_rate(limits.of(network));
                let retry_after = limiter.retry_after(now);
                if !retry_after.is_zero() {
                    return Err(RateLimited::Client(retry_after));
                }
            }
        }
        self.total.set_rate(limits.total);
        let retry_after = self.total.retry_after(now);
        let is_available = retry_after.is_zero();
        is_available.then_some(()).ok_or(RateLimited::Total(retry_after))
    }

    /// Removes full networks whenever the number of networks has doubled.
    fn sweep(&mut self, now: Instant) {
        if self.networks.len() >= self.sweep_len {
            self.networks.retain(|_, limiter| !limiter.is_full(now));
            self.sweep_len = (2 * self.networks.len()).max(MIN_SWEEP_LEN);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::proptest;
    use tokio::time::Instant;

    use crate::client::ClientKey;

    use super::{ClientRateLimiter, MIN_SWEEP_LEN, MINUTE, RateLimited, RateLimiter, RateLimits};
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

    const LIMITS: RateLimits = RateLimits {
        total: 6,
        per_client: 4,
    };

    fn client(address: impl Into<IpAddr>) -> ClientKey {
        ClientKey::new(address.into())
    }

    /// A client of the IPv6 network `2001:db8::/32`.
    fn ipv6(subnet: u32) -> ClientKey {
        client(Ipv6Addr::from_bits(
            (0x2001_0db8 << 96) + (u128::from(subnet) << 64),
        ))
    }

    #[tokio::test(start_paused = true)]
    async fn client_rate_limiter_limits_each_client_and_the_total() {
        let limiter = ClientRateLimiter::default();
        let [a, b] = [[192, 0, 2, 1], [192, 0, 2, 2]].map(client);
        let retry_after = Duration::from_secs(15);
        for _ in 0..4 {
            assert_eq!(limiter.try_acquire(a, LIMITS), Ok(()));
        }
        assert_eq!(limiter.check(b, LIMITS), Ok(()));
        for _ in 0..2 {
            // Rejected attempts take no permit of the total, and nor does a check.
            assert_eq!(limiter.check(a, LIMITS), Err(RateLimited::Client(retry_after)));
            assert_eq!(
                limiter.try_acquire(a, LIMITS),
                Err(RateLimited::Client(retry_after))
            );
            assert_eq!(limiter.try_acquire(b, LIMITS), Ok(()));
        }
        let retry_after = Duration::from_secs(10);
        assert_eq!(
            limiter.try_acquire(b, LIMITS),
            Err(RateLimited::Total(retry_after))
        );
        assert_eq!(limiter.check(b, LIMITS), Err(RateLimited::Total(retry_after)));
        assert_eq!(
            limiter.try_acquire_total(LIMITS),
            Err(RateLimited::Total(retry_after))
        );
        tokio::time::advance(retry_after).await;
        assert_eq!(limiter.try_acquire_total(LIMITS), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn client_rate_limiter_limits_wider_networks() {
        let limits = RateLimits {
            total: 1000,
            per_client: 1,
        };
        let limiter = ClientRateLimiter::default();
        let count = |subnets: std::ops::Range<u32>| {
            let is_allowed = |subnet: &u32| limiter.try_acquire(ipv6(*subnet), limits).is_ok();
            subnets.filter(is_allowed).count()
        };
        assert_eq!(count(0..256), 4, "a /56");
        assert_eq!(count(0..65_536), 12, "the rest of a /48");
        assert_eq!(count(65_536..65_792), 4, "a /56 of another /48");
    }

    #[tokio::test(start_paused = true)]
    async fn client_rate_limiter_bounds_memory_by_total_limit() {
        let limiter = ClientRateLimiter::default();
        let limits = RateLimits {
            total: u32::try_from(MIN_SWEEP_LEN).expect("small"),
            per_client: 20,
        };
        for minute in 0..20 {
            for subnet in 0..10_000 {
                // Each client is in a /48 of its own.
                let _ = limiter.try_acquire(ipv6((minute * 10_000 + subnet) << 16), limits);
            }
            let len = limiter.state.lock().networks.len();
            assert!(len <= 9 * MIN_SWEEP_LEN, "{len} networks");
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
