//! Rate limits of sign-up, per client and in total.

use colonnade_config::integrations::CurrentSignupLimits;
use colonnade_web::client::ClientKey;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimited, RateLimits};

use crate::integrations::signup::error::SignupError;

/// Limits sign-up attempts per client and in total.
pub(super) struct SignupRateLimiter {
    limits: CurrentSignupLimits,
    attempts: ClientRateLimiter,
    /// Limits rejections that are shown as a page, because each page may need a render.
    pages: ClientRateLimiter,
}

impl SignupRateLimiter {
    /// Rate limiters that follow these limits.
    pub(super) fn new(limits: CurrentSignupLimits) -> Self {
        Self {
            limits,
            attempts: ClientRateLimiter::default(),
            pages: ClientRateLimiter::default(),
        }
    }

    /// Counts an attempt of this client.
    ///
    /// # Errors
    ///
    /// The limit that was reached; `shows_page` says whether the rejection may be shown as a page.
    pub(super) fn try_acquire(&self, client: ClientKey, wants_page: bool) -> Result<(), SignupError> {
        let limits = self.limits.load();
        let limits = RateLimits {
            total: limits.rate_limit_per_minute,
            per_client: limits.rate_limit_per_client_per_minute,
        };
        self.attempts
            .try_acquire(client, limits)
            .map_err(|limited| match limited {
                RateLimited::Client(wait) => SignupError::ClientRateLimited {
                    wait,
                    shows_page: wants_page && self.pages.try_acquire(client, limits).is_ok(),
                },
                RateLimited::Total(wait) => SignupError::GlobalRateLimited {
                    wait,
                    shows_page: wants_page && self.pages.try_acquire_total(limits).is_ok(),
                },
            })
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    use arc_swap::ArcSwap;

    use colonnade_config::integrations::SignupLimits;
    use colonnade_web::client::ClientKey;

    use super::SignupRateLimiter;
    use crate::integrations::signup::error::SignupError;

    fn limiter(per_minute: u32, per_client_per_minute: u32) -> SignupRateLimiter {
        let limits = SignupLimits {
            rate_limit_per_minute: per_minute,
            rate_limit_per_client_per_minute: per_client_per_minute,
            ..SignupLimits::default()
        };
        SignupRateLimiter::new(Arc::new(ArcSwap::from_pointee(limits)))
    }

    fn number(number: u32) -> ClientKey {
        ClientKey::new(IpAddr::V4(Ipv4Addr::from_bits(number)))
    }

    #[tokio::test(start_paused = true)]
    async fn rate_limited_client_gets_limited_number_of_pages() {
        let limiter = limiter(1000, 3);
        let pages = (0..30).filter(|_| {
            let error = limiter.try_acquire(number(1), true).err();
            matches!(
                error,
                Some(SignupError::ClientRateLimited { shows_page: true, .. })
            )
        });
        assert_eq!(pages.count(), 3);
        // A request that wants no page uses no permit for one.
        for _ in 0..3 {
            assert!(limiter.try_acquire(number(2), false).is_ok());
        }
        for _ in 0..30 {
            assert!(limiter.try_acquire(number(2), false).is_err());
        }
        let error = limiter.try_acquire(number(2), true).err();
        assert!(matches!(
            error,
            Some(SignupError::ClientRateLimited { shows_page: true, .. })
        ));
    }
}
