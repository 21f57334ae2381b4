//! The state and the deadlines of one connection.
//!
//! hyper has no timeout for slow readers, none for HTTP/2, and a single one for idle HTTP/1 connections and
//! slow headers. It also does not poll a connection that waits for nothing. So the stream wrappers record the
//! client's progress here, and the task of the connection, which every event wakes, enforces the deadlines.
//! The keep-alive timeout is the idle timeout between requests. A client that does not read applies
//! backpressure to its responses: the minimum data rate bounds how long it may do so.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, ready};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::stall_timer::StallTimer;
use colonnade_admission::{GiveWay, Newcomer, Permit};

use crate::Limits;
use crate::metrics::CloseReason;

/// What the client should send next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The first byte of the first request.
    FirstByte,
    /// Another request, or nothing.
    NextRequest,
    /// The rest of a request's head.
    Head,
    /// The rest of a request's body.
    Body,
}

/// How a connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close {
    /// After its requests in flight.
    Graceful(CloseReason),
    /// At once.
    Abort(CloseReason),
}

/// How far the close of a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It stays open.
    Open,
    /// The next response is the last one, which announces the close.
    LastResponse,
    /// It closes after its requests in flight.
    Draining,
    /// All further requests are refused.
    RefusesRequests,
}

/// The state of a connection, shared by its task and its stream wrappers.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionState(Arc<SharedState>);

#[derive(Debug)]
struct SharedState {
    state: Mutex<ConnectionData>,
    /// The connection agreed to close for another one.
    gave_way: Notify,
    /// The connection is idle.
    became_idle: Notify,
    /// The client has sent something.
    has_received: AtomicBool,
}

#[derive(Debug)]
struct ConnectionData {
    limits: Limits,
    /// The peer is a proxy, whose connection carries requests of many clients.
    is_shared: bool,
    max_age_at: Instant,
    expected: Expected,
    /// Waits for the client to send what is expected.
    read_timer: StallTimer,
    /// Waits for the socket to accept more bytes.
    write_timer: StallTimer,
    /// The HTTP/2 responses in progress by stream, at most `http2_max_concurrent_streams`. Each timer waits for the client to
    /// open the flow-control window.
    open_responses: HashMap<u32, StallTimer>,
    /// HTTP/2 request bodies whose reader waits for data.
    pending_bodies: usize,
    /// Requests in flight.
    requests: usize,
    /// Whether the gateway has waited for the client since the last request.
    has_waited: bool,
    inactive_since: Instant,
    /// The client's fault for which the connection is closed.
    fault: Option<CloseReason>,
    stage: Stage,
    /// Why the connection closes for another one.
    gives_way: Option<CloseReason>,
}

/// Keeps a connection from being idle while a response is in progress.
#[derive(Debug)]
pub(crate) struct ResponseGuard(ConnectionState);

impl ConnectionState {
    /// Creates the state of a new connection.
    pub(crate) fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let state = ConnectionData {
            limits,
            is_shared: false,
            max_age_at: now + limits.max_connection_age,
            expected: Expected::FirstByte,
            read_timer: StallTimer::default(),
            write_timer: StallTimer::default(),
            open_responses: HashMap::new(),
            pending_bodies: 0,
            requests: 0,
            has_waited: true,
            inactive_since: now,
            fault: None,
            stage: Stage::Open,
            gives_way: None,
        };
        Self(Arc::new(SharedState {
            state: Mutex::new(state),
            gave_way: Notify::new(),
            became_idle: Notify::new(),
            has_received: AtomicBool::new(false),
        }))
    }

    /// Returns the limits as of the start of the connection.
    pub(crate) fn limits(&self) -> Limits {
        self.lock().limits
    }

    /// Starts the timeout of the first byte. Earlier steps, such as the TLS handshake, have their own
    /// timeouts.
    pub(super) fn start(&self) {
        self.lock().inactive_since = Instant::now();
    }

    /// Records that the peer is a proxy, whose connection carries requests of many clients.
    pub(super) fn mark_shared(&self) {
        self.lock().is_shared = true;
    }

    /// Records that the client has sent something.
    pub(crate) fn mark_received(&self) {
        self.0.has_received.store(true, Ordering::Relaxed);
    }

    /// Returns whether the client has sent anything.
    pub(super) fn has_received(&self) -> bool {
        self.0.has_received.load(Ordering::Relaxed)
    }

    /// Sets what the client should send next.
    pub(crate) fn expect(&self, expected: Expected) {
        self.update(|state| {
            if state.expected != expected {
                state.expected = expected;
                state.read_timer = StallTimer::default();
                state.inactive_since = Instant::now();
            }
        });
    }

    /// Returns whether the client has sent a part of a request.
    pub(crate) fn is_receiving_request(&self) -> bool {
        let state = self.lock();
        matches!(state.expected, Expected::Head | Expected::Body) || state.pending_bodies > 0
    }

    /// Records that the last response was sent and further input is discarded.
    pub(crate) fn ignore_input(&self) {
        self.expect(Expected::NextRequest);
    }

    /// Records that the gateway waits for the client to send.
    pub(crate) fn read_pending(&self) {
        let mut state = self.lock();
        state.has_waited = true;
        state.read_timer.wait(Instant::now());
    }

    /// Records bytes of what is expected.
    pub(crate) fn received(&self, bytes: usize) {
        let mut state = self.lock();
        // The timeout of a head is absolute.
        let min_bytes = match state.expected {
            Expected::Body => state.limits.min_rate_bytes,
            _ => u64::MAX,
        };
        state.read_timer.moved(bytes, min_bytes, Instant::now());
    }

    /// Records that the gateway waits for the client to read.
    pub(crate) fn write_pending(&self) {
        self.update(|state| state.write_timer.wait(Instant::now()));
    }

    /// Records bytes written to the socket.
    pub(crate) fn written(&self, bytes: usize) {
        self.update(|state| {
            let (min_bytes, now) = (state.limits.min_rate_bytes, Instant::now());
            if state.write_timer.is_waiting() {
                state.inactive_since = now;
            }
            state.write_timer.moved(bytes, min_bytes, now);
        });
    }

    /// Records bytes of an HTTP/2 response that were sent, and whether there are more. The minimum data rate applies
    /// to each open response, because each holds as many resources as one on its own connection.
    pub(crate) fn response_sent(&self, stream: u32, bytes: usize, is_open: bool) {
        self.update(|state| {
            let (min_bytes, now) = (state.limits.min_rate_bytes, Instant::now());
            state.inactive_since = now;
            if is_open {
                let timer = state.open_responses.entry(stream).or_default();
                timer.moved(bytes, min_bytes, now);
                timer.wait(now);
            } else {
                state.open_responses.remove(&stream);
            }
        });
    }

    /// Records that the client reset an HTTP/2 stream.
    pub(crate) fn response_reset(&self, stream: u32) {
        self.update(|state| {
            if state.open_responses.remove(&stream).is_some() {
                state.inactive_since = Instant::now();
            }
        });
    }

    /// The streams of the HTTP/2 responses in progress.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn open_responses(&self) -> std::collections::HashSet<u32> {
        self.lock().open_responses.keys().copied().collect()
    }

    /// Records that the reader of an HTTP/2 request body waits for data.
    pub(super) fn body_pending(&self) {
        self.lock().pending_bodies += 1;
    }

    /// Records that it no longer does.
    pub(super) fn body_resumed(&self) {
        self.lock().pending_bodies -= 1;
    }

    /// Asks the connection to close with its requests, so that another client gets their permits.
    pub(super) fn give_requests_way(&self, newcomer: Newcomer) -> bool {
        self.give_way_if(CloseReason::Preempted, |state| {
            state.gives_way == Some(CloseReason::Preempted)
                || match newcomer {
                    Newcomer::HoldsLess => state.waits_for_client(),
                    Newcomer::HoldsNoLess { is_last_resort } => {
                        state.waits_only_for_bodies() || (is_last_resort && state.has_stalled())
                    }
                    Newcomer::IsSameClient => false,
                }
        })
    }

    /// Closes the connection for this reason if it meets a condition.
    fn give_way_if(&self, reason: CloseReason, condition: impl FnOnce(&ConnectionData) -> bool) -> bool {
        let mut state = self.lock();
        let gives_way = condition(&state);
        if gives_way {
            state.gives_way = Some(reason);
            self.0.gave_way.notify_one();
        }
        gives_way
    }

    /// Records a request in flight until the guard is dropped. Also returns whether it was pipelined: it had arrived
    /// before the response to the request before it (RFC 9112, section 9.3.2).
    pub(super) fn begin_response(&self) -> (ResponseGuard, bool) {
        let mut is_pipelined = false;
        self.update(|state| {
            state.requests += 1;
            is_pipelined = !std::mem::replace(&mut state.has_waited, false);
        });
        (ResponseGuard(self.clone()), is_pipelined)
    }

    /// Waits until the connection must be closed. Must be polled by the task of the connection, after the
    /// connection.
    pub(super) async fn close_required(&self, permit: &Permit<Self>) -> Close {
        tokio::select! {
            biased;
            reason = self.gave_way(permit) => Close::Abort(reason),
            close = self.deadline_passed() => close,
        }
    }

    /// Waits until the connection gives way to another one. Keeps its permit if it just received a request.
    async fn gave_way(&self, permit: &Permit<Self>) -> CloseReason {
        loop {
            self.0.gave_way.notified().await;
            let mut state = self.lock();
            match state.gives_way {
                Some(CloseReason::Evicted) if !state.has_no_request() => {
                    state.gives_way = None;
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

    /// Waits until the connection gives way during its handshake.
    pub(super) async fn gave_way_early(&self) {
        self.0.gave_way.notified().await;
    }

    /// Waits until the connection is idle. Must be polled by the task of the connection, after the
    /// connection.
    pub(super) async fn became_idle(&self) {
        while !self.lock().is_idle() {
            self.0.became_idle.notified().await;
        }
    }

    /// Waits for the next deadline.
    fn deadline_passed(&self) -> impl Future<Output = Close> {
        let this = self.clone();
        async move {
            let mut sleep = pin!(sleep_until(this.lock().max_age_at));
            poll_fn(|cx| {
                loop {
                    // An event that sets a deadline wakes the task.
                    let Some((deadline, close)) = this.lock().deadline() else {
                        return Poll::Pending;
                    };
                    // A timer that fires too early is cheaper than one that is reset for each request.
                    if deadline < sleep.deadline() {
                        sleep.as_mut().reset(deadline);
                    }
                    ready!(sleep.as_mut().poll(cx));
                    if Instant::now() >= deadline {
                        if let Close::Abort(reason) = close {
                            this.set_fault(reason);
                        }
                        return Poll::Ready(close);
                    }
                    sleep.as_mut().reset(deadline);
                }
            })
            .await
        }
    }

    /// Waits until the connection must be aborted. Its close has begun.
    pub(super) async fn abort_required(&self, permit: &Permit<Self>) {
        while let Close::Graceful(_) = self.close_required(permit).await {}
    }

    /// Records that the close has come to this stage.
    pub(super) fn begin_stage(&self, stage: Stage) {
        self.lock().stage = stage;
    }

    /// Returns whether further requests are refused.
    pub(super) fn refuses_requests(&self) -> bool {
        self.lock().stage == Stage::RefusesRequests
    }

    /// Sets the client's fault for which the connection is closed. The first one wins, but a slow client
    /// overrides every other fault: the socket must then drop its unsent bytes.
    pub(crate) fn set_fault(&self, fault: CloseReason) {
        let mut state = self.lock();
        if state.fault.is_none() || fault.is_slow_client() {
            state.fault = Some(fault);
        }
    }

    /// Returns the client's fault for which the connection is closed.
    pub(super) fn fault(&self) -> Option<CloseReason> {
        self.lock().fault
    }

    /// Returns whether the connection is closed because the client was too slow.
    pub(crate) fn is_timed_out(&self) -> bool {
        self.fault().is_some_and(CloseReason::is_slow_client)
    }

    /// Changes the state.
    fn update(&self, change: impl FnOnce(&mut ConnectionData)) {
        let mut state = self.lock();
        change(&mut state);
        if state.is_idle() {
            self.0.became_idle.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionData> {
        self.0.state.lock()
    }
}

impl ConnectionData {
    /// Returns when and how the connection closes next. After a graceful close has begun, only an abort may follow.
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
        let read = read.map(|at| (at, reason));
        let deadline = |timer: &StallTimer| timer.deadline(limits.min_rate_window);
        let write = deadline(&self.write_timer).map(|at| (at, CloseReason::WriteTimeout));
        let abort = read.into_iter().chain(write);
        let abort = abort.map(|(at, reason)| (at, Close::Abort(reason)));
        let is_open = self.stage < Stage::Draining;
        let is_inactive = self.expected == Expected::NextRequest && self.has_no_request();
        let keepalive = (is_open && is_inactive).then(|| {
            let close = Close::Graceful(CloseReason::KeepaliveTimeout);
            (self.inactive_since + limits.keepalive_timeout, close)
        });
        let max_age = is_open.then_some((self.max_age_at, Close::Graceful(CloseReason::MaxAge)));
        // Of deadlines at the same time the first one counts.
        abort
            .chain(self.response_deadline())
            .chain(max_age)
            .chain(keepalive)
            .min_by_key(|(at, _)| *at)
    }

    /// Returns when and how the connection closes because of HTTP/2 responses that its client does not read.
    ///
    /// Other visitors share the connection of a proxy, and their requests may still wait for the gateway. So it stays open as
    /// long as one of its responses keeps the rate, then closes gracefully, and is aborted only once requests are refused.
    fn response_deadline(&self) -> Option<(Instant, Close)> {
        let window = self.limits.min_rate_window;
        let deadlines = self
            .open_responses
            .values()
            .filter_map(|timer| timer.deadline(window));
        let reason = CloseReason::WriteTimeout;
        if !self.is_shared {
            return deadlines.min().map(|at| (at, Close::Abort(reason)));
        }
        let at = deadlines.max()?;
        match self.stage {
            Stage::Open | Stage::LastResponse => Some((at, Close::Graceful(reason))),
            Stage::Draining => None,
            Stage::RefusesRequests => Some((at, Close::Abort(reason))),
        }
    }

    /// Returns whether no request is being received or in flight.
    fn is_idle(&self) -> bool {
        matches!(self.expected, Expected::FirstByte | Expected::NextRequest) && self.has_no_request()
    }

    /// Returns whether no request is in flight. A part of a head may have arrived.
    fn has_no_request(&self) -> bool {
        let is_writing = self.write_timer.is_waiting() || !self.open_responses.is_empty();
        self.expected != Expected::Body && self.requests == 0 && !is_writing
    }

    /// Returns whether a request waits only for the client, to read the response or to send the body.
    fn waits_for_client(&self) -> bool {
        !self.open_responses.is_empty() || self.write_timer.is_waiting() || self.pending_uploads() > 0
    }

    /// Returns whether all requests in flight wait for the client, to read the response or to send the body.
    fn waits_only_for_client(&self) -> bool {
        let waiting = self.open_responses.len() + self.pending_uploads();
        self.write_timer.is_waiting() || (waiting > 0 && waiting >= self.requests)
    }

    /// Returns whether all requests in flight wait for the client, and all that it should read have done so for long.
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

    /// Returns whether all requests in flight wait for the client to send the body.
    fn waits_only_for_bodies(&self) -> bool {
        self.requests > 0 && self.pending_uploads() >= self.requests
    }

    /// Returns the number of requests that wait for the client to send the body.
    fn pending_uploads(&self) -> usize {
        // Not the timer: it stops between the arrival of a part and the next read.
        self.pending_bodies + usize::from(self.expected == Expected::Body)
    }
}

impl ResponseGuard {
    /// Returns whether this response is the last one of its connection.
    pub(super) fn is_last(&self) -> bool {
        self.0.lock().stage >= Stage::LastResponse
    }
}

impl Drop for ResponseGuard {
    fn drop(&mut self) {
        self.0.update(|state| {
            state.requests -= 1;
            state.inactive_since = Instant::now();
        });
    }
}

/// Returns whether the client has been waited for during a part of a timeout that an honest client rarely needs.
fn has_waited(timer: &StallTimer, timeout: Duration) -> bool {
    timer
        .deadline(timeout / 10)
        .is_some_and(|at| at <= Instant::now())
}

/// A connection gives way to a new one if it is idle, or to a client with fewer connections if it has received a
/// part of a head, or if all its requests wait for the client. As a last resort, it does so for any other client after a
/// while.
impl GiveWay for ConnectionState {
    fn give_way(&self, newcomer: Newcomer) -> bool {
        let holds_less = newcomer == Newcomer::HoldsLess;
        let is_last_resort = newcomer == Newcomer::HoldsNoLess { is_last_resort: true };
        let is_evicted = self.give_way_if(CloseReason::Evicted, |state| {
            state.is_idle()
                || (holds_less && state.has_no_request())
                || (is_last_resort && !state.is_shared && state.has_stalled_head())
        });
        // The requests whose bodies are awaited have permits, of which there are fewer.
        let is_stalled = |state: &ConnectionData| {
            (holds_less && state.waits_only_for_client())
                || (is_last_resort && !state.is_shared && state.pending_uploads() == 0 && state.has_stalled())
        };
        is_evicted || self.give_way_if(CloseReason::Preempted, is_stalled)
    }
}
