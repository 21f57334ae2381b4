//! The keys of `[signup]` that say how much of it there may be.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::reader::{Read, Table, count};

/// How much of sign-up there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignupLimits {
    /// The most sign-ups a minute that are looked at, in all.
    pub(crate) attempts: u32,
    /// The most of one client: an IPv4 address, or the /64 of an IPv6 address.
    pub(crate) attempts_per_client: u32,
    /// The most that wait for the backend at a time.
    pub(crate) concurrent: usize,
    /// After so many sign-ups in a row that found the backend out of reach, it is left alone.
    pub(crate) failures: u32,
    /// For so long; then one sign-up tries whether it is back.
    pub(crate) rest: Duration,
}

/// Those that hold at the moment.
pub(crate) type CurrentSignupLimits = Arc<ArcSwap<SignupLimits>>;

impl Default for SignupLimits {
    fn default() -> Self {
        Self {
            attempts: 600,
            attempts_per_client: 20,
            concurrent: 64,
            failures: 5,
            rest: Duration::from_secs(30),
        }
    }
}

/// Reads them; every one is optional.
pub(super) fn read(table: &mut Table<'_>) -> Option<SignupLimits> {
    let default = SignupLimits::default();
    let mut amount = |key, default: u32| {
        let amount = table.optional(key, "a whole number from 1 to 1000000", |value| {
            up_to(1_000_000)(count(value)?)
        })?;
        Some(amount.unwrap_or(default))
    };
    let attempts = amount("attempts", default.attempts);
    let attempts_per_client = amount("attempts_per_client", default.attempts_per_client);
    let failures = amount("failures", default.failures);
    let concurrent = table.optional("concurrent", "a whole number from 1 to 65536", |value| {
        up_to(65_536)(count(value)?)
    });
    let rest = table.optional("rest_seconds", "a whole number from 1 to 86400", |value| {
        up_to(86_400)(count(value)?)
    });
    Some(SignupLimits {
        attempts: attempts?,
        attempts_per_client: attempts_per_client?,
        concurrent: concurrent?.map_or(default.concurrent, |number| {
            usize::try_from(number).unwrap_or(usize::MAX)
        }),
        failures: failures?,
        rest: rest?.map_or(default.rest, |seconds| Duration::from_secs(seconds.into())),
    })
}

fn up_to(most: u32) -> impl Fn(u64) -> Read<u32> {
    move |number| {
        u32::try_from(number)
            .ok()
            .filter(|number| *number <= most)
            .ok_or(format!("is {number}"))
    }
}
