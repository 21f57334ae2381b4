//! How many sign-ups may be tried in a minute, by one client and in all.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::SignupError;
use crate::allowance::Allowance;
use crate::config::{CurrentSignupLimits, SignupLimits};
use crate::net::Client;

/// Below so many clients it is not worth looking for those that can be forgotten.
const FEW: usize = 1024;

/// Counts sign-ups by client.
///
/// What is kept is bounded by the limit for all: a client is noted only with a sign-up that this limit has let pass, and
/// forgotten once its own allowance is whole again, which takes two minutes at most.
pub(super) struct Rates {
    limits: CurrentSignupLimits,
    state: Mutex<State>,
}

struct State {
    all: Allowance,
    pages: Allowance,
    clients: HashMap<Client, OfClient>,
    /// How many clients there may be until those are looked for that can be forgotten.
    sweep_at: usize,
}

/// What one client has left.
struct OfClient {
    tries: Allowance,
    /// Refusals that are shown in a page. Each may take a render: that is not for who goes on regardless.
    pages: Allowance,
}

impl OfClient {
    fn new(limits: &SignupLimits, now: Instant) -> Self {
        Self {
            tries: Allowance::new(limits.attempts_per_client, now),
            pages: Allowance::new(limits.attempts_per_client, now),
        }
    }

    fn is_whole(&self, now: Instant) -> bool {
        self.tries.is_whole(now) && self.pages.is_whole(now)
    }
}

impl Rates {
    /// Counts by these limits.
    pub(super) fn new(limits: CurrentSignupLimits) -> Self {
        let now = Instant::now();
        let attempts = limits.load().attempts;
        Self {
            limits,
            state: Mutex::new(State {
                all: Allowance::new(attempts, now),
                pages: Allowance::new(attempts, now),
                clients: HashMap::new(),
                sweep_at: FEW,
            }),
        }
    }

    /// Counts a sign-up of this client, or refuses it; in a page, where it asks for one and there is one to be had.
    pub(super) fn admit(&self, client: Client, asks_page: bool) -> Result<(), SignupError> {
        let now = Instant::now();
        let limits = self.limits.load();
        let mut state = self.state.lock();
        let state = &mut *state;
        state.all.change(limits.attempts);
        state.pages.change(limits.attempts);
        if let Some(known) = state.clients.get_mut(&client) {
            known.tries.change(limits.attempts_per_client);
            known.pages.change(limits.attempts_per_client);
            let wait = known.tries.wait(now);
            if !wait.is_zero() {
                let has_page = asks_page && known.pages.take(now) && state.pages.take(now);
                return Err(SignupError::TooOften { wait, has_page });
            }
        }
        let wait = state.all.wait(now);
        if !state.all.take(now) {
            let has_page = asks_page && state.pages.take(now);
            return Err(SignupError::Crowded { wait, has_page });
        }
        let new = || OfClient::new(&limits, now);
        state.clients.entry(client).or_insert_with(new).tries.take(now);
        state.sweep(now);
        Ok(())
    }
}

impl State {
    /// Forgets, now and then, whoever has everything left.
    fn sweep(&mut self, now: Instant) {
        if self.clients.len() >= self.sweep_at {
            self.clients.retain(|_, client| !client.is_whole(now));
            self.sweep_at = (2 * self.clients.len()).max(FEW);
        }
    }
}

impl SignupError {
    /// How long it is worth waiting before another try, where that is known.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::TooOften { wait, .. } | Self::Crowded { wait, .. } | Self::Resting(wait) => Some(*wait),
            Self::Busy => Some(Duration::from_secs(1)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;
    use std::time::Duration;

    use arc_swap::ArcSwap;

    use super::{FEW, Rates};
    use crate::config::SignupLimits;
    use crate::net::Client;
    use crate::signup::SignupError;

    fn rates(attempts: u32, attempts_per_client: u32) -> Rates {
        let limits = SignupLimits {
            attempts,
            attempts_per_client,
            ..SignupLimits::default()
        };
        Rates::new(Arc::new(ArcSwap::from_pointee(limits)))
    }

    fn client(text: &str) -> Client {
        Client::at(text.parse().expect("an address"))
    }

    fn number(number: u32) -> Client {
        Client::at(IpAddr::V4(Ipv4Addr::from_bits(number)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_so_many_tries_a_minute_and_others_have_their_own() {
        let rates = rates(1000, 4);
        for _ in 0..4 {
            assert!(rates.admit(client("192.0.2.1"), true).is_ok());
        }
        let Err(SignupError::TooOften { wait, .. }) = rates.admit(client("192.0.2.1"), true) else {
            panic!("a fifth is let through");
        };
        assert_eq!(wait, Duration::from_secs(15));
        assert!(rates.admit(client("192.0.2.2"), true).is_ok());
        tokio::time::advance(wait).await;
        assert!(rates.admit(client("192.0.2.1"), true).is_ok());
        assert!(rates.admit(client("192.0.2.1"), true).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_network_of_ipv6_is_one_client() {
        let rates = rates(1000, 1);
        assert!(rates.admit(client("2001:db8::1"), true).is_ok());
        assert!(rates.admit(client("2001:db8::ffff:0:0:2"), true).is_err());
        assert!(rates.admit(client("2001:db8:0:1::1"), true).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn all_together_have_so_many_tries_a_minute() {
        let rates = rates(6, 4);
        for other in 0..6 {
            assert!(rates.admit(number(other), true).is_ok());
        }
        let Err(SignupError::Crowded { wait, .. }) = rates.admit(number(7), true) else {
            panic!("a seventh is let through");
        };
        assert_eq!(wait, Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn who_goes_on_regardless_is_shown_no_more_pages() {
        let rates = rates(1000, 3);
        let pages = (0..30).filter(|_| {
            let refused = rates.admit(number(1), true).err();
            matches!(refused, Some(SignupError::TooOften { has_page: true, .. }))
        });
        assert_eq!(pages.count(), 3);
        // Who asks for none uses none up.
        for _ in 0..3 {
            assert!(rates.admit(number(2), false).is_ok());
        }
        for _ in 0..30 {
            assert!(rates.admit(number(2), false).is_err());
        }
        let refused = rates.admit(number(2), true).err();
        assert!(matches!(
            refused,
            Some(SignupError::TooOften { has_page: true, .. })
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_remembered_is_bounded_by_the_limit_for_all() {
        let rates = rates(u32::try_from(FEW).expect("few"), 20);
        for minute in 0..20 {
            for other in 0..10_000 {
                let _ = rates.admit(number((minute << 20) | other), true);
            }
            let known = rates.state.lock().clients.len();
            assert!(known <= 3 * FEW, "{known} clients");
            tokio::time::advance(Duration::from_mins(1)).await;
        }
    }
}
