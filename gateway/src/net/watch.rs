//! The deadlines of one connection.
//!
//! hyper has none for who reads slowly, none for HTTP/2, and one knob for two in HTTP/1; it does not even look at a
//! connection that it waits for no more. So the wrappers around the socket note here what the client does, and the
//! connection's own task, which is woken by everything that happens to it, keeps the deadlines.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker, ready};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::idle::Idle;
use super::pace::Pace;
use crate::config::Limits;
use crate::metrics::Ended;

/// What the client is expected to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// The first byte of the first request.
    First,
    /// A request, or nothing more.
    Request,
    /// The rest of a request's head.
    Head,
    /// The rest of a request's body.
    Body,
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing was asked for long, or it has lived long enough: what is under way is finished.
    Retire(Ended),
    /// The client does not do its part.
    Abandon(Ended),
}

/// What is known of a connection.
#[derive(Debug, Clone)]
pub(super) struct Watch(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    state: Mutex<State>,
    /// Where the connection stands while it is idle.
    idle: Arc<Idle>,
    /// It is to leave its place to another.
    dismissed: Arc<Notify>,
    /// It has fallen idle.
    rested: Notify,
    /// The client has said something.
    is_heard: AtomicBool,
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and none excludes another"
)]
struct State {
    limits: Limits,
    over: Instant,
    expected: Expected,
    /// Waiting for bytes of what is expected.
    read: Pace,
    /// Waiting for the socket to take more.
    write: Pace,
    /// Waiting for an HTTP/2 client to let begun answers go on.
    owed: Pace,
    /// HTTP/2 answers that have begun and not ended.
    begun: usize,
    /// HTTP/2 bodies of which more is waited for.
    bodies: usize,
    /// Requests of which the gateway has not made the answer yet.
    answering: usize,
    quiet_since: Instant,
    /// What the client did wrong, and the connection ends for.
    fault: Option<Ended>,
    is_leaving: bool,
    is_closed: bool,
    /// Where it stands among those that are idle.
    place: Option<u64>,
    has_ended: bool,
    /// Others are to have its place.
    is_displaced: bool,
    /// The task that waits for the end.
    waker: Option<Waker>,
}

/// Held while an answer is under way.
#[derive(Debug)]
pub(super) struct Answering(Watch);

/// Held while the connection lasts.
#[derive(Debug)]
pub(super) struct Lasting(Watch);

impl Watch {
    /// A connection that begins now, and is noted in `idle` whenever nothing is under way on it, until what comes back
    /// besides is dropped.
    pub(super) fn new(limits: Limits, idle: Arc<Idle>) -> (Self, Lasting) {
        let now = Instant::now();
        let state = State {
            limits,
            over: now + limits.life,
            expected: Expected::First,
            read: Pace::default(),
            write: Pace::default(),
            owed: Pace::default(),
            begun: 0,
            bodies: 0,
            answering: 0,
            quiet_since: now,
            fault: None,
            is_leaving: false,
            is_closed: false,
            place: None,
            has_ended: false,
            is_displaced: false,
            waker: None,
        };
        let watch = Self(Arc::new(Watched {
            state: Mutex::new(state),
            idle,
            dismissed: Arc::default(),
            rested: Notify::new(),
            is_heard: AtomicBool::new(false),
        }));
        watch.change(|_| {});
        (watch.clone(), Lasting(watch))
    }

    /// The limits that stood when the connection began.
    pub(super) fn limits(&self) -> Limits {
        self.lock().limits
    }

    /// The client may begin: what came before, such as a TLS handshake, has deadlines of its own.
    pub(super) fn begin(&self) {
        self.lock().quiet_since = Instant::now();
    }

    /// The client has said something.
    pub(super) fn hear(&self) {
        self.0.is_heard.store(true, Ordering::Relaxed);
    }

    /// Whether the client has said anything.
    pub(super) fn is_heard(&self) -> bool {
        self.0.is_heard.load(Ordering::Relaxed)
    }

    /// Something else is expected of the client.
    pub(super) fn expect(&self, expected: Expected) {
        self.change(|state| {
            if state.expected != expected {
                state.expected = expected;
                state.read = Pace::default();
                state.quiet_since = Instant::now();
            }
        });
    }

    /// Whether the client has begun to say something, and not ended.
    pub(super) fn is_being_told(&self) -> bool {
        let state = self.lock();
        matches!(state.expected, Expected::Head | Expected::Body) || state.bodies > 0
    }

    /// The last answer is given: what the client goes on to say is thrown away, and nothing more is under way.
    pub(super) fn disregard(&self) {
        self.expect(Expected::Request);
    }

    /// The client is waited for to send something.
    pub(super) fn wait_to_read(&self) {
        self.lock().read.wait(Instant::now());
    }

    /// The client has sent something of what is expected.
    pub(super) fn read(&self, bytes: usize) {
        let mut state = self.lock();
        // A head has a deadline as a whole, however it is sent.
        let enough = match state.expected {
            Expected::Body => state.limits.progress_bytes,
            _ => u64::MAX,
        };
        state.read.moved(bytes, enough, Instant::now());
    }

    /// The client is waited for to take something.
    pub(super) fn wait_to_write(&self) {
        self.change(|state| state.write.wait(Instant::now()));
    }

    /// The client has taken something.
    pub(super) fn wrote(&self, bytes: usize) {
        self.change(|state| {
            let (enough, now) = (state.limits.progress_bytes, Instant::now());
            if state.write.is_waiting() {
                state.quiet_since = now;
            }
            state.write.moved(bytes, enough, now);
        });
    }

    /// So much of the answers was sent, and how many of them are left that only wait for the client's leave. Each holds
    /// as much as one on a connection of its own would, so the client is to make as much progress for each.
    pub(super) fn answered(&self, bytes: usize, left: usize) {
        self.change(|state| {
            let enough = state.limits.progress_bytes.saturating_mul(left as u64);
            let now = Instant::now();
            state.quiet_since = now;
            state.begun = left;
            if left > 0 {
                state.owed.moved(bytes, enough, now);
                state.owed.wait(now);
            } else {
                state.owed = Pace::default();
            }
        });
    }

    /// More of an HTTP/2 body is waited for.
    pub(super) fn wait_for_body(&self) {
        self.lock().bodies += 1;
    }

    /// No more of it is.
    pub(super) fn had_body(&self) {
        self.lock().bodies -= 1;
    }

    /// How many requests there are that only wait for the client, to take their answer or to send their body.
    pub(super) fn waiting(&self) -> usize {
        let state = self.lock();
        let asks = state.expected == Expected::Body && state.read.is_waiting();
        let takes = state.begun == 0 && state.write.is_waiting();
        state.begun + state.bodies + usize::from(asks || takes)
    }

    /// Ends the connection at once, so that others have its place.
    pub(super) fn displace(&self) {
        let mut state = self.lock();
        state.is_displaced = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    /// What tells this connection from every other, for as long as anybody knows of it.
    pub(super) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The gateway begins an answer.
    pub(super) fn answer(&self) -> Answering {
        self.change(|state| state.answering += 1);
        Answering(self.clone())
    }

    /// Waits until the connection is to end. To be polled in the task that polls the connection, after it.
    pub(super) async fn end(&self) -> End {
        tokio::select! {
            biased;
            () = self.dismissed() => End::Abandon(Ended::Crowded),
            end = self.late() => end,
        }
    }

    /// Waits until the connection is to leave its place to another. Who was asked something just before stays.
    pub(super) async fn dismissed(&self) {
        loop {
            self.0.dismissed.notified().await;
            if self.lock().is_idle() {
                return;
            }
            self.0.idle.decline();
        }
    }

    /// Waits until nothing is under way. To be polled in the task that polls the connection, after it.
    pub(super) async fn rested(&self) {
        while !self.lock().is_idle() {
            self.0.rested.notified().await;
        }
    }

    /// Waits for a deadline.
    fn late(&self) -> impl Future<Output = End> {
        let watch = self.clone();
        async move {
            let mut sleep = pin!(sleep_until(watch.lock().over));
            poll_fn(|cx| {
                loop {
                    let (deadline, end) = watch.deadline(cx);
                    // An alarm that is too early costs one look; setting it anew for each request would cost more.
                    if deadline < sleep.deadline() {
                        sleep.as_mut().reset(deadline);
                    }
                    ready!(sleep.as_mut().poll(cx));
                    if Instant::now() >= deadline {
                        if let End::Abandon(cause) = end {
                            watch.blame(cause);
                        }
                        return Poll::Ready(end);
                    }
                    sleep.as_mut().reset(deadline);
                }
            })
            .await
        }
    }

    /// Waits until the client does not do its part, however long it takes to let the rest go on.
    pub(super) async fn abandoned(&self) {
        loop {
            if let End::Abandon(_) = self.end().await {
                return;
            }
            self.lock().never_retire();
        }
    }

    /// The next answer is to be the last, and say so.
    pub(super) fn leave(&self) {
        self.lock().is_leaving = true;
    }

    /// From now on nothing more may be asked.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
    }

    /// Whether nothing more may be asked.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Notes a fault that the connection ends for. The first one counts, but for slowness, which counts whatever was wrong
    /// before: nothing unsent is kept for who is given up.
    pub(super) fn blame(&self, fault: Ended) {
        let mut state = self.lock();
        if state.fault.is_none() || fault.is_slowness() {
            state.fault = Some(fault);
        }
    }

    /// What the client did wrong, and the connection ends for.
    pub(super) fn fault(&self) -> Option<Ended> {
        self.lock().fault
    }

    /// Whether the client did not do its part in time.
    pub(super) fn is_abandoned(&self) -> bool {
        self.fault().is_some_and(Ended::is_slowness)
    }

    /// When the connection is to end, and why; that it is to end sooner wakes whoever asked last.
    fn deadline(&self, cx: &Context<'_>) -> (Instant, End) {
        let mut state = self.lock();
        if !state
            .waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            state.waker = Some(cx.waker().clone());
        }
        state.deadline()
    }

    /// Changes what is known, and notes whether the connection is idle now.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let Watched { idle, dismissed, .. } = &*self.0;
        match (state.is_idle() && !state.has_ended, state.place) {
            (true, None) => {
                state.place = Some(idle.enter(Arc::clone(dismissed)));
                self.0.rested.notify_one();
            }
            (false, Some(place)) => {
                state.place = None;
                idle.remove(place);
            }
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock()
    }
}

impl State {
    fn deadline(&self) -> (Instant, End) {
        if self.is_displaced {
            return (Instant::now(), End::Abandon(Ended::Displaced));
        }
        let limits = &self.limits;
        let expected = match self.expected {
            Expected::First => Some((self.quiet_since + limits.first_byte, Ended::Silent)),
            Expected::Head => self.read.deadline(limits.head).map(|at| (at, Ended::SlowHead)),
            Expected::Body => self
                .read
                .deadline(limits.progress)
                .map(|at| (at, Ended::SlowBody)),
            Expected::Request => None,
        };
        let taken = [&self.write, &self.owed].map(|pace| pace.deadline(limits.progress));
        let taken = taken
            .into_iter()
            .flatten()
            .min()
            .map(|at| (at, Ended::SlowReader));
        let abandon = expected.into_iter().chain(taken).min_by_key(|(at, _)| *at);
        let is_quiet = self.expected == Expected::Request && self.answering == 0 && abandon.is_none();
        let idle = self.quiet_since + limits.idle;
        let retire = if is_quiet && idle < self.over {
            (idle, End::Retire(Ended::Idle))
        } else {
            (self.over, End::Retire(Ended::Life))
        };
        match abandon {
            Some((at, cause)) if at <= retire.0 => (at, End::Abandon(cause)),
            _ => retire,
        }
    }

    /// Whether nothing is being asked, and no answer is under way.
    fn is_idle(&self) -> bool {
        let may_be_asked = matches!(self.expected, Expected::First | Expected::Request);
        let is_waited_for = self.write.is_waiting() || self.owed.is_waiting();
        may_be_asked && self.answering == 0 && !is_waited_for
    }

    /// From now on only what a client fails to do ends the connection.
    fn never_retire(&mut self) {
        let far = std::time::Duration::from_hours(24 * 365);
        self.over += far;
        self.limits.idle = far;
    }
}

impl Answering {
    /// Whether it is to be the last of its connection.
    pub(super) fn is_last(&self) -> bool {
        self.0.lock().is_leaving
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.answering -= 1;
            state.quiet_since = Instant::now();
        });
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        self.0.change(|state| state.has_ended = true);
    }
}
