//! The state of one connection: what it records, when it must be closed, and when it yields.
//!
//! hyper has no timeout for slow readers, none for HTTP/2, and a single one for idle HTTP/1
//! connections and slow headers. It also does not poll a connection that waits for nothing. So the
//! stream wrappers record the client's progress here, and the task of the connection, which every
//! event wakes, enforces the deadlines. The keep-alive timeout is the idle timeout between
//! requests. A client that does not read applies backpressure to its responses: the minimum data
//! rate bounds how long it may do so.

mod deadlines;
mod preemption;
mod stall_timer;
mod write_hold;

pub(crate) use deadlines::Close;
pub(crate) use stall_timer::StallTimer;
pub(crate) use write_hold::WriteHold;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use colonnade_clock::poll;
use foldhash::HashMap;
use http::Version;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::Instant;

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

/// How far the close of a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
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
    /// The connection agreed to close in favor of another client.
    yielded: Notify,
    /// The connection is idle.
    became_idle: Notify,
    /// The connection no longer stays open.
    ending: Notify,
    /// An HTTP/1 connection has switched to another protocol.
    is_tunnel: AtomicBool,
    /// The client has sent something.
    has_received: AtomicBool,
    /// The last response of an HTTP/1 connection ended early.
    is_response_broken: AtomicBool,
    write_hold: WriteHold,
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
    /// The HTTP/2 responses in progress by stream, at most `http2_max_concurrent_streams`. Each
    /// timer waits for the client to open the flow-control window.
    open_responses: HashMap<u32, StallTimer>,
    /// How many HTTP/2 responses have nothing to send: their clients are not waited for.
    quiet_responses: usize,
    /// HTTP/2 request bodies whose reader waits for data.
    pending_bodies: usize,
    /// Requests in flight.
    requests: usize,
    /// Whether the gateway has waited for the client since the last request.
    has_waited: bool,
    inactive_since: Instant,
    /// Until then the first request may be on its way. `None` once it has arrived.
    new_until: Option<Instant>,
    /// The client's fault for which the connection is closed.
    fault: Option<CloseReason>,
    stage: Stage,
    /// Why the connection closes in favor of another client.
    yields_as: Option<CloseReason>,
}

/// The part of a timeout for which an honest client rarely needs to be waited for. After it, a
/// connection without a request yields to every waiter, and what a client has left waiting yields
/// as a last resort.
const PATIENCE_PART: u32 = 10;

/// How long a connection counts as new if no request arrives.
fn new_period(limits: &Limits) -> Duration {
    limits.first_byte_timeout / PATIENCE_PART
}

/// Keeps a connection from being idle while a response is in progress.
#[derive(Debug)]
pub(crate) struct ResponseGuard {
    connection: ConnectionState,
    version: Version,
}

impl ConnectionState {
    /// Creates the state of a new connection.
    pub(crate) fn new(limits: Limits) -> Self {
        let now = poll::now();
        let state = ConnectionData {
            limits,
            is_shared: false,
            max_age_at: now + limits.max_connection_age,
            expected: Expected::FirstByte,
            read_timer: StallTimer::default(),
            write_timer: StallTimer::default(),
            open_responses: HashMap::default(),
            quiet_responses: 0,
            pending_bodies: 0,
            requests: 0,
            has_waited: true,
            inactive_since: now,
            new_until: Some(now + new_period(&limits)),
            fault: None,
            stage: Stage::Open,
            yields_as: None,
        };
        Self(Arc::new(SharedState {
            state: Mutex::new(state),
            yielded: Notify::new(),
            became_idle: Notify::new(),
            ending: Notify::new(),
            is_tunnel: AtomicBool::new(false),
            has_received: AtomicBool::new(false),
            is_response_broken: AtomicBool::new(false),
            write_hold: WriteHold::default(),
        }))
    }

    /// Returns the limits as of the start of the connection.
    pub(crate) fn limits(&self) -> Limits {
        self.lock().limits
    }

    /// Starts the timeout of the first byte. Earlier steps, such as the TLS handshake, have their
    /// own timeouts.
    pub(crate) fn start(&self) {
        let mut state = self.lock();
        let now = poll::now();
        state.inactive_since = now;
        state.new_until = Some(now + new_period(&state.limits));
    }

    /// Records that the peer is a proxy, whose connection carries requests of many clients.
    pub(crate) fn mark_shared(&self) {
        self.lock().is_shared = true;
    }

    /// Returns the hold on writes to the socket.
    pub(crate) fn write_hold(&self) -> &WriteHold {
        &self.0.write_hold
    }

    /// Records that the client has sent something.
    pub(crate) fn mark_received(&self) {
        self.0.has_received.store(true, Ordering::Relaxed);
    }

    /// Returns whether the client has sent anything.
    pub(crate) fn has_received(&self) -> bool {
        self.0.has_received.load(Ordering::Relaxed)
    }

    /// Sets what the client should send next.
    pub(crate) fn expect(&self, expected: Expected) {
        self.update(|state| {
            if state.expected != expected {
                state.expected = expected;
                state.read_timer = StallTimer::default();
                state.inactive_since = poll::now();
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
        state.read_timer.wait();
    }

    /// Records bytes of what is expected.
    pub(crate) fn received(&self, bytes: usize) {
        let mut state = self.lock();
        // The timeout of a head is absolute.
        let min_bytes = match state.expected {
            Expected::Body => state.limits.min_rate_bytes,
            _ => u64::MAX,
        };
        state.read_timer.moved(bytes, min_bytes);
    }

    /// Records that the gateway waits for the client to read.
    pub(crate) fn write_pending(&self) {
        self.update(|state| state.write_timer.wait());
    }

    /// Records bytes written to the socket.
    pub(crate) fn written(&self, bytes: usize) {
        self.update(|state| {
            let min_bytes = state.limits.min_rate_bytes;
            if state.write_timer.is_waiting() {
                state.inactive_since = poll::now();
            }
            state.write_timer.moved(bytes, min_bytes);
        });
    }

    /// Records bytes of an HTTP/2 response that were sent, and whether there are more. The minimum
    /// data rate applies to each open response, because each holds as many resources as one on its
    /// own connection.
    pub(crate) fn response_sent(&self, stream: u32, bytes: usize, is_open: bool) {
        self.update(|state| {
            let min_bytes = state.limits.min_rate_bytes;
            state.inactive_since = poll::now();
            if is_open {
                let timer = state.open_responses.entry(stream).or_default();
                timer.moved(bytes, min_bytes);
                timer.wait();
            } else {
                state.open_responses.remove(&stream);
            }
        });
    }

    /// Records that the client reset an HTTP/2 stream.
    pub(crate) fn response_reset(&self, stream: u32) {
        self.update(|state| {
            if state.open_responses.remove(&stream).is_some() {
                state.inactive_since = poll::now();
            }
        });
    }

    /// The streams of the HTTP/2 responses in progress.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn open_responses(&self) -> std::collections::HashSet<u32> {
        self.lock().open_responses.keys().copied().collect()
    }

    /// Records that the reader of an HTTP/2 request body waits for data.
    pub(crate) fn body_pending(&self) {
        self.lock().pending_bodies += 1;
    }

    /// Records that the reader of an HTTP/2 request body no longer waits.
    pub(crate) fn body_resumed(&self) {
        self.lock().pending_bodies -= 1;
    }

    /// Records a request in flight until the guard is dropped. Also returns whether it was
    /// pipelined: it had arrived before the response to the request before it (RFC 9112, section
    /// 9.3.2).
    pub(crate) fn begin_response(&self, version: Version) -> (ResponseGuard, bool) {
        let mut is_pipelined = false;
        self.update(|state| {
            state.requests += 1;
            state.new_until = None;
            is_pipelined = !std::mem::replace(&mut state.has_waited, false);
        });
        let guard = ResponseGuard {
            connection: self.clone(),
            version,
        };
        (guard, is_pipelined)
    }

    /// Records a tunnel: what follows a switch of the protocol, over HTTP/2 of one stream.
    pub(crate) fn begin_tunnel(&self, version: Version) -> (ResponseGuard, Option<QuietResponse>) {
        let (guard, _) = self.begin_response(version);
        if version < Version::HTTP_2 {
            self.0.is_tunnel.store(true, Ordering::Relaxed);
            // Without a deadline.
            self.expect(Expected::NextRequest);
        }
        // Its own idle timeout applies.
        (guard, (version == Version::HTTP_2).then(|| self.begin_quiet()))
    }

    /// Returns whether the connection has switched to another protocol than HTTP.
    pub(crate) fn is_tunnel(&self) -> bool {
        self.0.is_tunnel.load(Ordering::Relaxed)
    }

    /// Records that an HTTP/2 response has nothing to send until the value is dropped.
    fn begin_quiet(&self) -> QuietResponse {
        self.lock().quiet_responses += 1;
        QuietResponse(self.clone())
    }

    /// Waits until the connection no longer stays open.
    pub(crate) async fn ending(&self) {
        loop {
            let ending = self.0.ending.notified();
            if self.lock().stage > Stage::Open {
                return;
            }
            ending.await;
        }
    }

    /// Waits until the connection is idle. Must be polled by the task of the connection, after the
    /// connection.
    pub(crate) async fn became_idle(&self) {
        while !self.lock().is_idle() {
            self.0.became_idle.notified().await;
        }
    }

    /// Records that the close has come to this stage.
    pub(crate) fn begin_stage(&self, stage: Stage) {
        self.lock().stage = stage;
        self.0.ending.notify_waiters();
    }

    /// Returns whether further requests are refused.
    pub(crate) fn refuses_requests(&self) -> bool {
        self.lock().stage == Stage::RefusesRequests
    }

    /// Sets the client's fault for which the connection is closed. The first one wins, but a slow
    /// client overrides every other fault: the socket must then drop its unsent bytes.
    pub(crate) fn set_fault(&self, fault: CloseReason) {
        let mut state = self.lock();
        if state.fault.is_none() || fault.is_slow_client() {
            state.fault = Some(fault);
        }
    }

    /// Returns the client's fault for which the connection is closed.
    pub(crate) fn fault(&self) -> Option<CloseReason> {
        self.lock().fault
    }

    /// Returns whether the socket must be reset: because the client was too slow, or because a
    /// response ended early. Without a reset the system would keep the unsent bytes for a client
    /// that does not read them, and a client that reads to the end of the connection (RFC 9112,
    /// section 6.3) would take a part of the response for the whole.
    pub(crate) fn requires_reset(&self) -> bool {
        self.fault().is_some_and(CloseReason::is_slow_client)
            || self.0.is_response_broken.load(Ordering::Relaxed)
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
    /// Returns how many HTTP/2 responses wait for the client to read them.
    fn unread_responses(&self) -> usize {
        self.open_responses.len().saturating_sub(self.quiet_responses)
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
}

impl ResponseGuard {
    /// Records that the response has nothing to send until the value is dropped; `None` over HTTP/1,
    /// whose socket shows what its client is waited for.
    pub(crate) fn begin_quiet(&self) -> Option<QuietResponse> {
        (self.version == Version::HTTP_2).then(|| self.connection.begin_quiet())
    }

    /// Returns whether this response is the last one of its connection.
    pub(crate) fn is_last(&self) -> bool {
        self.connection.lock().stage >= Stage::LastResponse
    }

    /// Records that the response ends early. hyper then closes an HTTP/1 connection, and resets the
    /// stream of an HTTP/2 one.
    pub(crate) fn break_response(&self) {
        if self.version < Version::HTTP_2 {
            let is_broken = &self.connection.0.is_response_broken;
            is_broken.store(true, Ordering::Relaxed);
        }
    }
}

/// An HTTP/2 response has nothing to send until this is dropped.
#[derive(Debug)]
pub(crate) struct QuietResponse(ConnectionState);

impl Drop for QuietResponse {
    fn drop(&mut self) {
        self.0.lock().quiet_responses -= 1;
    }
}

impl Drop for ResponseGuard {
    fn drop(&mut self) {
        self.connection.update(|state| {
            state.requests -= 1;
            state.inactive_since = poll::now();
        });
    }
}
