//! When a connection must be closed, and how.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Poll, ready};

use colonnade_admission::Permit;
use colonnade_clock::poll;
use tokio::time::{Instant, sleep_until};

use crate::metrics::CloseReason;
use crate::state::{ConnectionData, ConnectionState, Expected, Stage};

/// How a connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close {
    /// After its requests in flight.
    Graceful(CloseReason),
    /// At once.
    Abort(CloseReason),
}

impl ConnectionState {
    /// Waits until the connection must be closed. Must be polled by the task of the connection,
    /// after the connection.
    ///
    /// Each request polls it several times. The first poll registers the task with the timer and
    /// with the notification to yield. Later polls ask them only after they have fired.
    pub(crate) async fn close_required(&self, permit: &Permit<Self>) -> Close {
        let mut yielded = pin!(self.yielded(permit));
        let mut sleep = pin!(sleep_until(self.lock().max_age_at));
        let (mut waits_to_yield, mut is_asleep) = (false, false);
        poll_fn(|cx| {
            loop {
                let (yields, next) = {
                    let state = self.lock();
                    (state.yields_as.is_some(), state.deadline())
                };
                if yields || !waits_to_yield {
                    waits_to_yield = true;
                    if let Poll::Ready(reason) = yielded.as_mut().poll(cx) {
                        return Poll::Ready(Close::Abort(reason));
                    }
                }
                // An event that sets a deadline wakes the task.
                let Some((deadline, close)) = next else {
                    return Poll::Pending;
                };
                // A timer that fires too early is cheaper than one that is reset for each request.
                if deadline < sleep.deadline() {
                    sleep.as_mut().reset(deadline);
                    is_asleep = false;
                }
                if is_asleep && !sleep.is_elapsed() {
                    return Poll::Pending;
                }
                is_asleep = true;
                ready!(sleep.as_mut().poll(cx));
                if poll::refresh() >= deadline {
                    if let Close::Abort(reason) = close {
                        self.set_fault(reason);
                    }
                    return Poll::Ready(close);
                }
                sleep.as_mut().reset(deadline);
                is_asleep = false;
            }
        })
        .await
    }

    /// Waits until the connection must be aborted. Its close has started.
    pub(crate) async fn abort_required(&self, permit: &Permit<Self>) {
        while let Close::Graceful(_) = self.close_required(permit).await {}
    }
}

impl ConnectionData {
    /// Returns when and how the connection closes next. After a graceful close has started, only an
    /// abort may follow.
    fn deadline(&self) -> Option<(Instant, Close)> {
        let limits = &self.limits;
        let (read, reason) = match self.expected {
            Expected::FirstByte => (
                Some(self.inactive_since + limits.first_byte_timeout),
                CloseReason::FirstByteTimeout,
            ),
            Expected::Head => (
                self.read_timer.deadline(limits.request_header_timeout),
                CloseReason::HeaderTimeout,
            ),
            Expected::Body => (
                self.read_timer.deadline(limits.min_rate_window),
                CloseReason::BodyTimeout,
            ),
            Expected::NextRequest => (None, CloseReason::KeepaliveTimeout),
        };
        let mut next: Option<(Instant, Close)> = None;
        // Of deadlines at the same time the first one counts.
        let mut consider = |at: Option<Instant>, close| {
            if let Some(at) = at
                && next.is_none_or(|(earliest, _)| at < earliest)
            {
                next = Some((at, close));
            }
        };
        consider(read, Close::Abort(reason));
        let write = self.write_timer.deadline(limits.min_rate_window);
        consider(write, Close::Abort(CloseReason::WriteTimeout));
        if let Some((at, close)) = self.response_deadline() {
            consider(Some(at), close);
        }
        if self.stage < Stage::Draining {
            consider(Some(self.max_age_at), Close::Graceful(CloseReason::MaxAge));
            let is_inactive = self.expected == Expected::NextRequest && self.has_no_request();
            let keepalive = is_inactive.then(|| self.inactive_since + limits.keepalive_timeout);
            consider(keepalive, Close::Graceful(CloseReason::KeepaliveTimeout));
        }
        next
    }

    /// Returns when and how the connection closes because of HTTP/2 responses that its client does
    /// not read.
    ///
    /// Other visitors share the connection of a proxy, and their requests may still wait for the
    /// gateway. So it stays open as long as one of its responses keeps the rate, then closes
    /// gracefully, and is aborted only once requests are refused.
    fn response_deadline(&self) -> Option<(Instant, Close)> {
        if self.unread_responses() == 0 {
            return None;
        }
        let window = self.limits.min_rate_window;
        let deadlines = self.open_responses.values();
        let deadlines = deadlines.filter_map(|timer| timer.deadline(window));
        let reason = CloseReason::WriteTimeout;
        if !self.is_shared {
            let at = match self.quiet_responses {
                0 => deadlines.min()?,
                // Which ones are quiet is not known: at most those that are due first.
                quiet => {
                    let mut deadlines: Vec<_> = deadlines.collect();
                    deadlines.sort_unstable();
                    *deadlines.get(quiet)?
                }
            };
            return Some((at, Close::Abort(reason)));
        }
        let at = deadlines.max()?;
        match self.stage {
            Stage::Open | Stage::LastResponse => Some((at, Close::Graceful(reason))),
            Stage::Draining => None,
            Stage::RefusesRequests => Some((at, Close::Abort(reason))),
        }
    }
}
