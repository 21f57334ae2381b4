//! When a connection, or its requests, yield to those of other clients.

use std::time::Duration;

use colonnade_admission::{Permit, Waiter, Yield};
use colonnade_clock::poll;

use crate::metrics::CloseReason;
use crate::state::{ConnectionData, ConnectionState, Expected, PATIENCE_PART, StallTimer};

impl Yield for ConnectionState {
    fn yield_to(&self, waiter: Waiter) -> bool {
        self.yield_if(|state| state.yields_to_connection(waiter))
    }
}

impl ConnectionState {
    /// Asks the connection to close with its requests, so that another client gets their permits.
    pub(crate) fn yield_requests(&self, waiter: Waiter) -> bool {
        self.yield_if(|state| state.yields_to_request(waiter))
    }

    /// Closes the connection if a rule returns the reason.
    fn yield_if(&self, rule: impl FnOnce(&ConnectionData) -> Option<CloseReason>) -> bool {
        let mut state = self.lock();
        let reason = rule(&state);
        if reason.is_some() {
            state.yields_as = reason;
            self.0.yielded.notify_one();
        }
        reason.is_some()
    }

    /// Waits until the connection yields its permit. Keeps the permit if a request has just
    /// arrived.
    pub(super) async fn yielded(&self, permit: &Permit<Self>) -> CloseReason {
        loop {
            self.0.yielded.notified().await;
            let mut state = self.lock();
            match state.yields_as {
                Some(CloseReason::Evicted) if !state.has_no_request() => {
                    state.yields_as = None;
                    drop(state);
                    permit.keep(self.clone());
                }
                Some(reason) => {
                    drop(state);
                    if reason.is_slow_client() {
                        self.set_fault(reason);
                    }
                    return reason;
                }
                None => {}
            }
        }
    }

    /// Waits until the connection yields during its handshake.
    pub(crate) async fn yielded_early(&self) {
        self.0.yielded.notified().await;
    }
}

/// The rules of the table in `docs/edge.md`.
impl ConnectionData {
    fn yields_to_connection(&self, waiter: Waiter) -> Option<CloseReason> {
        let (is_evicted, is_preempted) = match waiter {
            Waiter::HoldsLess => (self.has_no_request(), self.waits_only_for_client()),
            // Other visitors share the connection of a proxy. The requests whose bodies are awaited
            // have permits, of which there are fewer.
            Waiter::HoldsNoLess { is_last_resort: true } if !self.is_shared => (
                self.has_stalled_head(),
                self.pending_uploads() == 0 && self.has_stalled(),
            ),
            Waiter::HoldsNoLess { .. } | Waiter::IsSameClient => (false, false),
        };
        if is_evicted || (self.is_idle() && !self.is_new()) {
            Some(CloseReason::Evicted)
        } else {
            is_preempted.then_some(CloseReason::Preempted)
        }
    }

    fn yields_to_request(&self, waiter: Waiter) -> Option<CloseReason> {
        let is_preempted = match waiter {
            Waiter::HoldsLess => self.waits_for_client(),
            Waiter::HoldsNoLess { is_last_resort } => {
                self.waits_only_for_bodies() || (is_last_resort && self.has_stalled())
            }
            Waiter::IsSameClient => false,
        };
        // All its requests end with the connection.
        let is_ending = self.yields_as == Some(CloseReason::Preempted);
        (is_preempted || is_ending).then_some(CloseReason::Preempted)
    }
}

impl ConnectionData {
    /// Returns whether the first request may still be on its way.
    fn is_new(&self) -> bool {
        self.new_until.is_some_and(|at| poll::now() < at)
    }

    /// Returns whether a request waits only for the client, to read the response or to send the
    /// body.
    fn waits_for_client(&self) -> bool {
        self.unread_responses() > 0 || self.write_timer.is_waiting() || self.pending_uploads() > 0
    }

    /// Returns whether all requests in flight wait for the client, to read the response or to send
    /// the body.
    fn waits_only_for_client(&self) -> bool {
        let waiting = self.unread_responses() + self.pending_uploads();
        self.write_timer.is_waiting() || (waiting > 0 && waiting >= self.requests)
    }

    /// Returns whether all requests in flight wait for the client to send the body.
    fn waits_only_for_bodies(&self) -> bool {
        self.requests > 0 && self.pending_uploads() >= self.requests
    }

    /// Returns whether all requests in flight wait for the client, and all that it should read have
    /// done so for long.
    fn has_stalled(&self) -> bool {
        let window = self.limits.min_rate_window;
        let mut responses = self.open_responses.values();
        // HTTP/1 has no open responses: only the socket waits for the client.
        let have_responses_stalled = responses.len() > 0 && responses.all(|timer| has_waited(timer, window));
        self.waits_only_for_client() && (has_waited(&self.write_timer, window) || have_responses_stalled)
    }

    /// Returns whether no request is in flight, and the rest of a head has not arrived for long.
    fn has_stalled_head(&self) -> bool {
        let timeout = self.limits.request_header_timeout;
        self.expected == Expected::Head && self.has_no_request() && has_waited(&self.read_timer, timeout)
    }

    /// Returns the number of requests that wait for the client to send the body.
    fn pending_uploads(&self) -> usize {
        // Not the timer: it stops between the arrival of a part and the next read.
        self.pending_bodies + usize::from(self.expected == Expected::Body)
    }
}

/// Returns whether the client has been waited for during the part of a timeout.
fn has_waited(timer: &StallTimer, timeout: Duration) -> bool {
    timer
        .deadline(timeout / PATIENCE_PART)
        .is_some_and(|at| at <= poll::now())
}
