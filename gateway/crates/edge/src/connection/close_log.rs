//! Logs connections that were closed because of their client.
//!
//! Most of them had no request, so no other log event mentions them. The log is rate limited, because a flood
//! of invalid connections would otherwise fill it; each event says how many were suppressed before it. The
//! metric `connections_closed_total` counts all of them.

use std::error::Error as _;
use std::net::IpAddr;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::metrics::CloseReason;
use crate::rate_limiter::RateLimiter;

/// The maximum number of events per listener and minute.
const EVENTS_PER_MINUTE: u32 = 60;

/// Logs the closed connections of a listener.
pub(crate) struct CloseLog {
    listener: &'static str,
    log_client_ip: bool,
    state: Mutex<CloseLogState>,
}

struct CloseLogState {
    rate_limiter: RateLimiter,
    /// The number of suppressed events since the last logged one.
    suppressed: u64,
}

impl CloseLog {
    /// Creates the log of a listener. Events contain the client's IP address if `log_client_ip` is true.
    pub(crate) fn new(listener: &'static str, log_client_ip: bool) -> Self {
        let rate_limiter = RateLimiter::new(EVENTS_PER_MINUTE, Instant::now());
        Self {
            listener,
            log_client_ip,
            state: Mutex::new(CloseLogState {
                rate_limiter,
                suppressed: 0,
            }),
        }
    }

    /// Logs a closed connection, within the rate limit.
    pub(super) fn log(&self, reason: CloseReason, client: IpAddr) {
        let Some(suppressed) = self.try_acquire() else {
            return;
        };
        tracing::info!(
            event = "connection_closed",
            listener = self.listener,
            cause = reason.name(),
            suppressed,
            client_ip = self.log_client_ip.then(|| tracing::field::display(client)),
        );
    }

    /// Returns the number of events suppressed before this one, or `None` if this one must be suppressed.
    fn try_acquire(&self) -> Option<u64> {
        let mut state = self.state.lock();
        if state.rate_limiter.try_acquire(Instant::now()) {
            return Some(std::mem::take(&mut state.suppressed));
        }
        state.suppressed += 1;
        None
    }
}

/// Returns the client's fault behind an error of hyper, if any. A client that disconnects is not at fault.
pub(super) fn client_fault(error: &hyper::Error) -> Option<CloseReason> {
    if error.is_parse() {
        return Some(CloseReason::ProtocolError);
    }
    let error = error.source()?.downcast_ref::<h2::Error>()?;
    match error.reason()? {
        _ if error.is_remote() => None,
        h2::Reason::NO_ERROR => None,
        // From the limits of h2 itself: CONTINUATION frames, and streams that it had to reset.
        h2::Reason::ENHANCE_YOUR_CALM => Some(CloseReason::ControlFrameFlood),
        _ => Some(CloseReason::ProtocolError),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CloseLog, EVENTS_PER_MINUTE};

    #[tokio::test(start_paused = true)]
    async fn close_log_suppresses_and_counts_excess_events() {
        let log = CloseLog::new("site", false);
        for _ in 0..EVENTS_PER_MINUTE {
            assert_eq!(log.try_acquire(), Some(0));
        }
        for _ in 0..1000 {
            assert_eq!(log.try_acquire(), None);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(log.try_acquire(), Some(1000));
        assert_eq!(log.try_acquire(), None);
    }
}
