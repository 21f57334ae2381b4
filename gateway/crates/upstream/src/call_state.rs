//! What the parts of one call share: the time that the upstream has left, and the fault that ended
//! the call.
//!
//! Only the upstream's own time counts. While the gateway waits for the client to send or to read,
//! the clock stands still: a slow client must not count as a failure of the upstream.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::Context;
use std::time::Duration;

use colonnade_admission::{Waiter, Yield};
use colonnade_clock::poll;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a response that is read at once may wait for its client. After it, the call waits for
/// its client.
const PATIENCE: Duration = Duration::from_millis(100);

/// How long a client may leave a response waiting before the call yields as a last resort.
const MAX_STALL: Duration = Duration::from_millis(1500);

/// The maximum number of informational responses (1xx) before the response.
const MAX_INFORMATIONAL: u32 = 16;

/// Why a call must end before there is a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFault {
    /// The upstream took too long.
    #[error("the response did not arrive in time")]
    TimedOut,
    /// The upstream sent too many informational responses.
    #[error("more than {MAX_INFORMATIONAL} informational responses")]
    InformationalFlood,
    /// The client's body is over the limit.
    #[error("the request is over the limit")]
    RequestTooLarge {
        /// The limit.
        max_bytes: usize,
    },
    /// The client's body is incomplete.
    #[error("the request is incomplete")]
    RequestBroken,
    /// The call waited for its client, and yielded its permit to another client.
    #[error("another client needed the permit")]
    Preempted,
}

/// A response in progress, which can be ended from outside: a response that its client does not
/// read is not polled.
pub(crate) trait Interrupt: Send + Sync {
    /// Ends the call, which has yielded.
    fn interrupt(&self);
}

/// A call yields, if it waits for its client.
pub(crate) struct WaitingCall(pub(crate) Arc<CallState>);

impl Yield for WaitingCall {
    fn yield_to(&self, waiter: Waiter) -> bool {
        self.0.yield_to(waiter)
    }
}

/// The state of one call.
#[derive(Debug)]
pub(crate) struct CallState {
    clock: Mutex<Clock>,
    changed: Notify,
}

#[derive(Debug)]
struct Clock {
    deadline: Instant,
    /// Since when the gateway waits for the client to send.
    paused_at: Option<Instant>,
    /// Since when the client has not asked for more of the response.
    unread_since: Option<Instant>,
    /// The response, once it has started.
    response: Option<Weak<dyn Interrupt>>,
    informational: u32,
    /// Whether the client's body is being sent.
    is_uploading: bool,
    fault: Option<CallFault>,
}

impl CallState {
    /// Starts the clock at this time.
    pub(crate) fn new(started_at: Instant, timeout: Duration) -> Self {
        Self {
            clock: Mutex::new(Clock {
                deadline: started_at + timeout,
                paused_at: None,
                unread_since: None,
                response: None,
                informational: 0,
                is_uploading: false,
                fault: None,
            }),
            changed: Notify::new(),
        }
    }

    /// The gateway waits for the client to send.
    pub(crate) fn pause(&self) {
        self.clock.lock().paused_at.get_or_insert_with(poll::now);
    }

    /// The gateway waits for the upstream again.
    pub(crate) fn resume(&self) {
        let mut clock = self.clock.lock();
        if let Some(paused_at) = clock.paused_at.take() {
            clock.deadline += poll::now().duration_since(paused_at);
        }
    }

    /// The client's body will be sent.
    pub(crate) fn begin_upload(&self) {
        self.clock.lock().is_uploading = true;
    }

    /// Nothing more of the client's body will be sent: it is complete or has failed, or the
    /// upstream does not read it.
    pub(crate) fn end_upload(&self) {
        self.resume();
        self.clock.lock().is_uploading = false;
    }

    /// Returns whether the client's body is being sent.
    pub(crate) fn is_uploading(&self) -> bool {
        self.clock.lock().is_uploading
    }

    /// Counts an informational response.
    pub(crate) fn informational_received(&self) {
        let mut clock = self.clock.lock();
        clock.informational += 1;
        let is_flood = clock.informational > MAX_INFORMATIONAL;
        drop(clock);
        if is_flood {
            self.fail(CallFault::InformationalFlood);
        }
    }

    /// Ends the call. The first fault wins.
    pub(crate) fn fail(&self, fault: CallFault) {
        self.clock.lock().fault.get_or_insert(fault);
        self.changed.notify_one();
    }

    /// The fault that has ended the call.
    pub(crate) fn fault(&self) -> Option<CallFault> {
        self.clock.lock().fault
    }

    /// The time at which the upstream has taken too long, if the gateway does not wait for the
    /// client from now on.
    pub(crate) fn deadline(&self) -> Instant {
        let clock = self.clock.lock();
        let paused = clock
            .paused_at
            .map(|paused_at| poll::refresh().duration_since(paused_at));
        clock.deadline + paused.unwrap_or_default()
    }

    /// Sets the time at which the upstream has taken too long.
    pub(crate) fn set_deadline(&self, deadline: Instant) {
        self.clock.lock().deadline = deadline;
    }

    /// Returns whether the upstream has taken too long; otherwise wakes the task when it has.
    pub(crate) fn poll_expired(&self, timer: &mut Option<Pin<Box<Sleep>>>, cx: &mut Context<'_>) -> bool {
        // It moves while the gateway waits for the rest of the client's body.
        let deadline = self.deadline();
        let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx).is_ready()
    }

    /// The response begins, and the client should ask for it. Returns false if the call has yielded
    /// meanwhile.
    pub(crate) fn begin_response<R: Interrupt + 'static>(&self, response: &Arc<R>) -> bool {
        let mut clock = self.clock.lock();
        let response = Arc::downgrade(response);
        clock.response = Some(response);
        clock.unread_since = Some(poll::now());
        clock.fault != Some(CallFault::Preempted)
    }

    /// The client has got a part of the response, and should ask for more.
    pub(crate) fn offer(&self) {
        self.clock.lock().unread_since = Some(poll::now());
    }

    /// The client asks for more of the response.
    pub(crate) fn read(&self) {
        let mut clock = self.clock.lock();
        if let Some(since) = clock.unread_since.take() {
            clock.deadline += poll::now().duration_since(since);
        }
    }

    /// Asks the call to end, so that another client gets its permit.
    fn yield_to(&self, waiter: Waiter) -> bool {
        let mut clock = self.clock.lock();
        if !clock.yields_to(waiter) {
            return false;
        }
        clock.fault.get_or_insert(CallFault::Preempted);
        let response = clock.response.as_ref().and_then(Weak::upgrade);
        drop(clock);
        self.changed.notify_one();
        if let Some(response) = response {
            // In a task, because the pool is locked now, and the response releases the permit.
            tokio::spawn(async move { response.interrupt() });
        }
        true
    }

    /// Waits until the call must end. It does so without tokio's cooperative budget: an upstream
    /// that never pauses makes the call use up the budget, after which a timer would always look
    /// pending.
    pub(crate) fn failed(&self) -> impl Future<Output = CallFault> {
        unconstrained(self.wait_for_fault())
    }

    async fn wait_for_fault(&self) -> CallFault {
        loop {
            let next = {
                let clock = self.clock.lock();
                if let Some(fault) = clock.fault {
                    return fault;
                }
                let now = poll::refresh();
                let left = clock
                    .deadline
                    .checked_duration_since(clock.paused_at.unwrap_or(now));
                match left.filter(|left| !left.is_zero()) {
                    // The clock cannot run out before then, even if it is paused and goes on at
                    // once.
                    Some(left) => now + left,
                    None => return CallFault::TimedOut,
                }
            };
            tokio::select! {
                () = sleep_until(next) => {}
                () = self.changed.notified() => {}
            }
        }
    }
}

impl Clock {
    /// The rule for requests in the table of `docs/edge.md`.
    fn yields_to(&self, waiter: Waiter) -> bool {
        // A client that sends may also wait for the rest of a response that has begun.
        let has_response = self
            .response
            .as_ref()
            .is_some_and(|response| response.strong_count() > 0);
        let waits_to_send = self.paused_at.is_some() && (!has_response || self.unread_since.is_some());
        let unread = self.unread_since.map(|since| poll::now().duration_since(since));
        let has_waited = |limit| unread.is_some_and(|unread| unread >= limit);
        match waiter {
            Waiter::HoldsLess => waits_to_send || has_waited(PATIENCE),
            Waiter::HoldsNoLess { is_last_resort } => {
                waits_to_send || (is_last_resort && has_waited(MAX_STALL))
            }
            Waiter::IsSameClient => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future as _, poll_fn};
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::Poll;
    use std::time::Duration;

    use tokio::task::coop::{consume_budget, has_budget_remaining};
    use tokio::time::{Instant, advance};

    use colonnade_admission::Waiter;

    use super::{CallFault, CallState, Interrupt, MAX_INFORMATIONAL, MAX_STALL, PATIENCE};

    struct Response;

    impl Interrupt for Response {
        fn interrupt(&self) {}
    }

    #[tokio::test(start_paused = true)]
    async fn time_spent_waiting_for_client_does_not_count() {
        let start = Instant::now();
        let call = CallState::new(start, Duration::from_secs(10));
        advance(Duration::from_secs(4)).await;
        call.pause();
        let (fault, ()) = tokio::join!(call.failed(), async {
            advance(Duration::from_secs(100)).await;
            call.resume();
        });
        assert_eq!(fault, CallFault::TimedOut);
        assert_eq!(start.elapsed(), Duration::from_secs(110));
    }

    #[tokio::test(start_paused = true)]
    async fn call_yields_only_while_it_waits_for_its_client() {
        let waiters = [
            Waiter::HoldsLess,
            Waiter::HoldsNoLess { is_last_resort: true },
            Waiter::HoldsNoLess {
                is_last_resort: false,
            },
            Waiter::IsSameClient,
        ];
        // Whether the client is to send, whether the response has begun, since when the client is
        // to read, and to which waiters the call yields.
        for (sends, responds, unread, expected) in [
            (false, false, None, [false; 4]),
            (true, false, None, [true, true, true, false]),
            (false, true, Some(PATIENCE / 2), [false; 4]),
            (false, true, Some(PATIENCE), [true, false, false, false]),
            (false, true, Some(MAX_STALL), [true, true, false, false]),
            // The client sends and waits for the upstream's response.
            (true, true, None, [false; 4]),
            (true, true, Some(PATIENCE / 2), [true, true, true, false]),
        ] {
            let response = responds.then(|| Arc::new(Response));
            let answers = waiters.map(|waiter| {
                let call = CallState::new(Instant::now(), Duration::from_secs(10));
                if sends {
                    call.pause();
                }
                if let Some(response) = &response {
                    assert!(call.begin_response(response));
                }
                let now = Instant::now();
                call.clock.lock().unread_since =
                    unread.map(|unread| now.checked_sub(unread).expect("a time"));
                let yields = call.yield_to(waiter);
                assert_eq!(call.fault(), yields.then_some(CallFault::Preempted));
                yields
            });
            assert_eq!(answers, expected, "{sends} {responds} {unread:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn flood_of_informational_responses_ends_call() {
        let call = CallState::new(Instant::now(), Duration::from_secs(10));
        (0..MAX_INFORMATIONAL).for_each(|_| call.informational_received());
        assert_eq!(call.fault(), None);
        call.informational_received();
        assert_eq!(call.failed().await, CallFault::InformationalFlood);
    }

    #[tokio::test(start_paused = true)]
    async fn fault_ends_call_that_used_up_its_cooperative_budget() {
        let call = CallState::new(Instant::now(), Duration::from_secs(10));
        let mut failed = pin!(call.failed());
        poll_fn(|cx| {
            assert!(failed.as_mut().poll(cx).is_pending());
            call.fail(CallFault::InformationalFlood);
            while has_budget_remaining() {
                assert!(pin!(consume_budget()).poll(cx).is_ready());
            }
            assert!(failed.as_mut().poll(cx).is_ready());
            Poll::Ready(())
        })
        .await;
    }
}
