//! The body of a request, and how long its client takes to send it.
//!
//! Over HTTP/1 the [watch](super::watch) keeps the deadline, since a connection sends one body at a time. Over HTTP/2 a
//! connection on which other requests move, or PINGs come, says nothing about the one whose body does not. There the clock
//! runs while whoever reads the body has nothing to read, so the gateway's own work counts for nobody.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::pace::Pace;
use super::watch::Watch;

/// The body of a request as it arrives.
#[derive(Debug)]
pub(crate) struct RequestBody {
    incoming: Incoming,
    /// Where its client's progress is noted, if it has a deadline of its own.
    progress: Option<Progress>,
}

/// How the client gets on with one body.
#[derive(Debug, Clone)]
pub(super) struct Progress(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    pace: Pace,
    /// That of its connection.
    watch: Watch,
    has_ceased: bool,
    /// Whoever waits for more of the body.
    reader: Option<Waker>,
}

/// Why there is no more of a body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error(transparent)]
    Broken(#[from] hyper::Error),
    #[error("the body came too slowly")]
    Slow,
}

impl RequestBody {
    /// A body for which the connection's own deadline is enough.
    pub(super) fn new(incoming: Incoming) -> Self {
        Self {
            incoming,
            progress: None,
        }
    }

    /// A body with a deadline of its own, which [`Progress::ceased`] keeps.
    pub(super) fn watched(incoming: Incoming, watch: Watch) -> (Self, Progress) {
        let progress = Progress(Arc::new(Mutex::new(State {
            pace: Pace::default(),
            watch,
            has_ceased: false,
            reader: None,
        })));
        let body = Self {
            incoming,
            progress: Some(progress.clone()),
        };
        (body, progress)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = Pin::new(&mut self.incoming)
            .poll_frame(cx)
            .map_err(BodyError::from);
        if let Some(progress) = &self.progress {
            match &frame {
                Poll::Pending if progress.wait(cx) => return Poll::Ready(Some(Err(BodyError::Slow))),
                Poll::Pending => {}
                Poll::Ready(Some(Ok(frame))) => progress.moved(frame.data_ref().map_or(0, Bytes::len)),
                Poll::Ready(_) => progress.end(),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        // Nobody waits for the rest any more.
        if let Some(progress) = &self.progress {
            progress.end();
        }
    }
}

impl Progress {
    /// Waits until the client does not do its part. To be polled after whatever reads the body.
    pub(super) async fn ceased(self) {
        let mut sleep = pin!(sleep_until(Instant::now()));
        poll_fn(|cx| {
            loop {
                let (now, deadline) = (Instant::now(), self.deadline());
                if deadline.is_some_and(|deadline| now >= deadline) {
                    self.cease();
                    return Poll::Ready(());
                }
                // Where nothing is waited for, something may be by then.
                let next = deadline.unwrap_or_else(|| now + self.0.lock().watch.limits().progress);
                sleep.as_mut().reset(next);
                ready!(sleep.as_mut().poll(cx));
            }
        })
        .await;
    }

    /// More is waited for. `true` if that is over.
    fn wait(&self, cx: &Context<'_>) -> bool {
        let mut state = self.0.lock();
        if !state.pace.is_waiting() {
            state.watch.wait_for_body();
        }
        state.pace.wait(Instant::now());
        state.reader = Some(cx.waker().clone());
        state.has_ceased
    }

    /// Nothing more is waited for: who reads in a task of its own is to hear of it.
    fn cease(&self) {
        let mut state = self.0.lock();
        state.has_ceased = true;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    fn moved(&self, bytes: usize) {
        let mut state = self.0.lock();
        let enough = state.watch.limits().progress_bytes;
        state.had();
        state.pace.moved(bytes, enough, Instant::now());
    }

    fn end(&self) {
        let mut state = self.0.lock();
        state.had();
        state.pace = Pace::default();
    }

    fn deadline(&self) -> Option<Instant> {
        let state = self.0.lock();
        state.pace.deadline(state.watch.limits().progress)
    }
}

impl State {
    /// The client is waited for no more, if it was.
    fn had(&self) {
        if self.pace.is_waiting() {
            self.watch.had_body();
        }
    }
}
