//! The body of an upstream's response, on its way to the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use colonnade_clock::poll;
use colonnade_web::body::BrokenBody;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::call_state::CallState;
use crate::client::describe;
use crate::connection::ConnectionBody;
use crate::error::UpstreamError;
use crate::outcome::Outcome;
use crate::record::CallRecord;

/// A body within its limits. It fails, so that the client's connection is reset, if the upstream's connection fails or takes
/// too long, or if the body is too large. Trailers are dropped.
pub(crate) struct UpstreamBody {
    incoming: ConnectionBody,
    /// The number of bytes that may still come.
    remaining: usize,
    state: Arc<CallState>,
    /// Since when the client has not asked for more. That time does not count.
    idle_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether the response is one to HEAD, so that its length is not that of the body.
    is_head: bool,
    /// `None` once the body has ended.
    record: Option<CallRecord>,
}

impl UpstreamBody {
    /// Creates the body of a response.
    pub(crate) fn new(
        incoming: ConnectionBody,
        max_bytes: usize,
        state: Arc<CallState>,
        is_head: bool,
        record: CallRecord,
    ) -> Self {
        Self {
            incoming,
            remaining: max_bytes,
            state,
            idle_since: None,
            timer: None,
            is_head,
            record: Some(record),
        }
    }

    fn fail(&mut self, outcome: Outcome, error: &str) -> BrokenBody {
        if let Some(record) = self.record.take() {
            record.fail(outcome, error);
        }
        BrokenBody(outcome.name())
    }

    /// The connection has failed: because of the upstream, or because the rest of the client's body cannot be forwarded.
    fn interrupt(&mut self, error: &hyper::Error) -> BrokenBody {
        let Some(fault) = self.state.fault() else {
            return self.fail(Outcome::Broken, &describe(error));
        };
        let outcome = UpstreamError::from(fault).outcome();
        if let Some(record) = self.record.take() {
            record.end(outcome);
        }
        BrokenBody(outcome.name())
    }

    fn succeed(&mut self) {
        if let Some(record) = self.record.take() {
            record.succeed();
        }
    }

    /// Returns whether the upstream has taken too long; otherwise wakes the task when it has.
    fn poll_expired(&mut self, cx: &mut Context<'_>) -> bool {
        // It moves while the gateway waits for the rest of the client's body.
        let deadline = self.state.deadline();
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx).is_ready()
    }
}

impl Body for UpstreamBody {
    type Data = Bytes;
    type Error = BrokenBody;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenBody>>> {
        let this = self.get_mut();
        if let Some(idle_since) = this.idle_since.take() {
            this.state.extend(poll::now().duration_since(idle_since));
        }
        loop {
            let frame = match Pin::new(&mut this.incoming).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => frame,
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(Some(Err(this.interrupt(&error))));
                }
                Poll::Ready(None) => {
                    this.succeed();
                    return Poll::Ready(None);
                }
                Poll::Pending if this.poll_expired(cx) => {
                    let error = this.fail(Outcome::TimedOut, "the response did not end in time");
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Pending => return Poll::Pending,
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let Some(left) = this.remaining.checked_sub(data.len()) else {
                let error = this.fail(Outcome::ResponseTooLarge, "the response is over the limit");
                return Poll::Ready(Some(Err(error)));
            };
            this.remaining = left;
            // Nobody asks for more than the last frame.
            if !this.incoming.is_end_stream() {
                this.idle_since = Some(poll::now());
            }
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.is_head {
            return SizeHint::default();
        }
        self.incoming.size_hint()
    }
}

impl Drop for UpstreamBody {
    fn drop(&mut self) {
        // Nobody polls a body that has ended.
        if self.incoming.is_end_stream() {
            self.succeed();
        }
    }
}
