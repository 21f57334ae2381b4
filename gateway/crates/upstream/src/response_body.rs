//! The body of an upstream's response, on its way to the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use colonnade_web::body::BrokenBody;
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Sleep;

use crate::call_state::{CallState, Interrupt};
use crate::connection::Connection;
use crate::connection_body::ConnectionBody;
use crate::endpoint::EndpointPermit;
use crate::error::{UpstreamError, describe};
use crate::event_stream::EventStream;
use crate::outcome::Outcome;
use crate::record::CallRecord;

/// A body within its limits. It fails, so that the client's connection is reset, if the upstream's
/// connection fails or takes too long, or if the body is too large. Trailers are dropped.
pub(crate) struct UpstreamBody {
    response: Arc<ResponseSlot>,
    /// The number of bytes that may still come.
    remaining: usize,
    state: Arc<CallState>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether the response is one to HEAD, so that its length is not that of the body.
    is_head: bool,
    /// Set for server-sent events, which have limits of their own.
    stream: Option<EventStream>,
    /// What a stream still holds of its call.
    pub(crate) endpoint: Option<EndpointPermit>,
}

/// What a call in its response holds. Empty once it has yielded, even if its client does not read.
pub(crate) struct ResponseSlot(Mutex<Option<ResponseInProgress>>);

struct ResponseInProgress {
    incoming: ConnectionBody,
    /// `None` once the body has ended.
    record: Option<CallRecord>,
    /// Wakes the task that waits for the upstream.
    waker: Option<Waker>,
}

impl Interrupt for ResponseSlot {
    fn interrupt(&self) {
        let mut slot = self.0.lock();
        let preempted = slot.take_if(|response| response.record.is_some());
        drop(slot);
        let Some(ResponseInProgress { record, waker, .. }) = preempted else {
            return;
        };
        if let Some(record) = record {
            record.end(Outcome::Preempted);
        }
        // The client may have started to read meanwhile.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl ResponseInProgress {
    fn fail(&mut self, outcome: Outcome, error: &str) -> BrokenBody {
        if let Some(record) = self.record.take() {
            record.fail(outcome, error);
        }
        BrokenBody(outcome.name())
    }

    /// The connection has failed: because of the upstream, or because the rest of the client's body
    /// cannot be forwarded.
    fn interrupt(&mut self, state: &CallState, error: &hyper::Error) -> BrokenBody {
        let Some(fault) = state.fault() else {
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
}

impl UpstreamBody {
    /// Creates the body of a response.
    pub(crate) fn new(
        incoming: ConnectionBody,
        max_bytes: usize,
        state: Arc<CallState>,
        is_head: bool,
    ) -> Self {
        let response = Arc::new(ResponseSlot(Mutex::new(Some(ResponseInProgress {
            incoming,
            record: None,
            waker: None,
        }))));
        Self {
            response,
            remaining: max_bytes,
            state,
            timer: None,
            is_head,
            stream: None,
            endpoint: None,
        }
    }

    /// Continues as a stream.
    pub(crate) fn stream(&mut self, stream: EventStream) {
        stream.extend(&self.state);
        self.stream = Some(stream);
    }

    /// Takes the connection of a response that switches the protocol.
    pub(crate) fn take_connection(&self) -> Option<Box<Connection>> {
        self.response.0.lock().take()?.incoming.into_connection()
    }

    /// Whether it is a stream, with a permit of its own.
    pub(crate) fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Records its end as that of the call.
    pub(crate) fn record(&mut self, record: CallRecord) {
        if let Some(response) = &mut *self.response.0.lock() {
            response.record = Some(record);
        }
        if !self.state.begin_response(&self.response) {
            self.response.interrupt();
        }
    }
}

/// The upstream has ended the body, or its connection has failed.
fn close(stream: &mut Option<EventStream>) {
    if let Some(stream) = stream {
        stream.close();
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
        this.state.read();
        if let Some(stream) = &mut this.stream
            && stream.poll_ended(&this.state, &mut this.timer, cx).is_ready()
        {
            return Poll::Ready(None);
        }
        let mut slot = this.response.0.lock();
        let Some(response) = &mut *slot else {
            return Poll::Ready(Some(Err(BrokenBody(Outcome::Preempted.name()))));
        };
        loop {
            let frame = match Pin::new(&mut response.incoming).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => frame,
                Poll::Ready(Some(Err(error))) => {
                    close(&mut this.stream);
                    return Poll::Ready(Some(Err(response.interrupt(&this.state, &error))));
                }
                Poll::Ready(None) => {
                    close(&mut this.stream);
                    response.succeed();
                    return Poll::Ready(None);
                }
                Poll::Pending if this.state.poll_expired(&mut this.timer, cx) => {
                    let error = response.fail(Outcome::TimedOut, "the response did not end in time");
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Pending => {
                    response.waker = Some(cx.waker().clone());
                    return Poll::Pending;
                }
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if let Some(stream) = &this.stream {
                stream.extend(&this.state);
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
            let Some(left) = this.remaining.checked_sub(data.len()) else {
                let error = response.fail(Outcome::ResponseTooLarge, "the response is over the limit");
                return Poll::Ready(Some(Err(error)));
            };
            this.remaining = left;
            // No poll follows the last frame.
            if !response.incoming.is_end_stream() {
                this.state.offer();
            }
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
    }

    fn is_end_stream(&self) -> bool {
        let slot = self.response.0.lock();
        slot.as_ref()
            .is_some_and(|response| response.incoming.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        if self.is_head {
            return SizeHint::default();
        }
        let slot = self.response.0.lock();
        let incoming = slot.as_ref().map(|response| response.incoming.size_hint());
        incoming.unwrap_or_default()
    }
}

impl Drop for UpstreamBody {
    fn drop(&mut self) {
        // A body that has ended is not polled again.
        if let Some(response) = &mut *self.response.0.lock()
            && response.incoming.is_end_stream()
        {
            response.succeed();
        }
    }
}
