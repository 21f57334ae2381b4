//! The minimum data rate of an HTTP/2 request body.
//!
//! Over HTTP/1 the [connection state](crate::state) enforces it, because a connection carries one
//! body at a time. Over HTTP/2 the progress of one request says nothing about another. The timer of
//! a body runs only while its reader waits for data, so the gateway's own work does not count.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use colonnade_clock::poll;
use colonnade_web::body::BodyDeadline;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::state::{ConnectionState, StallTimer};

/// The timeout of one body.
#[derive(Debug, Clone)]
pub(super) struct BodyTimeout(Arc<Mutex<BodyTimerState>>);

#[derive(Debug)]
struct BodyTimerState {
    timer: StallTimer,
    connection: ConnectionState,
    has_expired: bool,
    /// The task that reads the body.
    reader: Option<Waker>,
}

impl BodyTimeout {
    /// Creates the timeout of a body of this connection.
    pub(super) fn new(connection: ConnectionState) -> Self {
        Self(Arc::new(Mutex::new(BodyTimerState {
            timer: StallTimer::default(),
            connection,
            has_expired: false,
            reader: None,
        })))
    }

    /// Waits until the timeout expires. Must be polled after the reader of the body.
    pub(super) async fn expired(self) {
        let mut sleep = pin!(sleep_until(Instant::now()));
        poll_fn(|cx| {
            loop {
                let (now, deadline) = (poll::refresh(), self.deadline());
                if deadline.is_some_and(|deadline| now >= deadline) {
                    self.expire();
                    return Poll::Ready(());
                }
                // Without a deadline, checks again after the shortest time in which one can pass.
                let next =
                    deadline.unwrap_or_else(|| now + self.0.lock().connection.limits().min_rate_window);
                sleep.as_mut().reset(next);
                ready!(sleep.as_mut().poll(cx));
            }
        })
        .await;
    }

    /// Marks the timeout as expired and wakes the reader, which may run in another task.
    fn expire(&self) {
        let mut state = self.0.lock();
        state.has_expired = true;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let state = self.0.lock();
        state.timer.deadline(state.connection.limits().min_rate_window)
    }
}

impl BodyDeadline for BodyTimeout {
    fn poll_expired(&self, cx: &Context<'_>) -> bool {
        let mut state = self.0.lock();
        if !state.timer.is_waiting() {
            state.connection.body_pending();
        }
        state.timer.wait();
        state.reader = Some(cx.waker().clone());
        state.has_expired
    }

    fn data_received(&self, bytes: usize) {
        let mut state = self.0.lock();
        let min_bytes = state.connection.limits().min_rate_bytes;
        state.end_wait();
        state.timer.moved(bytes, min_bytes);
    }

    fn end(&self) {
        let mut state = self.0.lock();
        state.end_wait();
        state.timer = StallTimer::default();
    }
}

impl BodyTimerState {
    fn end_wait(&self) {
        if self.timer.is_waiting() {
            self.connection.body_resumed();
        }
    }
}
