//! Which connections ended for a fault of their client, for the log.
//!
//! Most such connections had no request, so no other event tells of them. One that is rare is logged with its cause, which
//! is what helps to find a client that is broken. Of a flood only so many lines a minute are, each with how many there were
//! without one: else whoever sends bytes that are none would write the log. `connections_ended` counts them all.

use std::error::Error as _;
use std::net::IpAddr;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::allowance::Allowance;
use crate::metrics::Ended;

/// The most lines of a listener, a minute.
const LINES: u32 = 60;

/// The faults of a listener's clients.
pub(super) struct Faults {
    listener: &'static str,
    /// Whether events name the client's address.
    addresses: bool,
    told: Mutex<Told>,
}

struct Told {
    lines: Allowance,
    /// How many there were without a line since the last one with it.
    unlogged: u64,
}

impl Faults {
    /// None yet.
    pub(super) fn new(listener: &'static str, addresses: bool) -> Self {
        let lines = Allowance::new(LINES, Instant::now());
        Self {
            listener,
            addresses,
            told: Mutex::new(Told { lines, unlogged: 0 }),
        }
    }

    /// The connection of this client ended for this fault.
    pub(super) fn tell(&self, fault: Ended, client: IpAddr) {
        let Some(unlogged) = self.line() else {
            return;
        };
        tracing::info!(
            event = "connection_ended",
            listener = self.listener,
            cause = fault.name(),
            unlogged,
            address = self.addresses.then(|| tracing::field::display(client)),
        );
    }

    /// Whether there may be a line, and then how many had none before it.
    fn line(&self) -> Option<u64> {
        let mut told = self.told.lock();
        if told.lines.take(Instant::now()) {
            return Some(std::mem::take(&mut told.unlogged));
        }
        told.unlogged += 1;
        None
    }
}

/// The fault of the client that hyper ended a connection for. Most errors are none: clients leave as they please.
pub(super) fn of(error: &hyper::Error) -> Option<Ended> {
    if error.is_parse() {
        return Some(Ended::Malformed);
    }
    let error = error.source()?.downcast_ref::<h2::Error>()?;
    match error.reason()? {
        _ if error.is_remote() => None,
        h2::Reason::NO_ERROR => None,
        // For what h2 counts itself: CONTINUATION, and requests that it had to reset.
        h2::Reason::ENHANCE_YOUR_CALM => Some(Ended::Flood),
        _ => Some(Ended::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Faults, LINES};

    #[tokio::test(start_paused = true)]
    async fn there_are_only_so_many_lines_and_the_next_one_tells_of_the_others() {
        let faults = Faults::new("site", false);
        for _ in 0..LINES {
            assert_eq!(faults.line(), Some(0));
        }
        for _ in 0..1000 {
            assert_eq!(faults.line(), None);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(faults.line(), Some(1000));
        assert_eq!(faults.line(), None);
    }
}
