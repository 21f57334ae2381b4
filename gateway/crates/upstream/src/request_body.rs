//! The body of a request to an upstream.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use colonnade_web::body::{RequestBody, read_to_end};
use http_body::{Body, Frame, SizeHint};

use crate::call_state::{CallFault, CallState};
use crate::error::UpstreamError;

/// The maximum size of a body that is received before the call begins, in bytes. A slow client then
/// keeps nothing of the upstream busy.
const MAX_SMALL_BYTES: usize = 64 * 1024;

/// How long a small body may take. The minimum data rate of clients ends slower ones long before.
const MAX_RECEIVE: Duration = Duration::from_hours(1);

/// The body of a client's request, before the call begins.
pub(crate) enum Upload {
    /// No body.
    Empty,
    /// A small body.
    Received(Bytes),
    /// A body that is large, or whose size is not known.
    Streamed(RequestBody),
}

impl Upload {
    /// Receives a small body. Another one is left to be streamed.
    pub(crate) async fn receive(body: Option<RequestBody>) -> Result<Self, UpstreamError> {
        let Some(body) = body else {
            return Ok(Self::Empty);
        };
        let size = body.size_hint().exact();
        if size.is_none_or(|size| size > MAX_SMALL_BYTES as u64) {
            return Ok(Self::Streamed(body));
        }
        // Boxed, because its future is large, and most requests have no body.
        let bytes = Box::pin(read_to_end(body, MAX_SMALL_BYTES, MAX_RECEIVE)).await;
        let bytes = bytes.map_err(|_| UpstreamError::RequestBroken)?;
        Ok(Self::Received(bytes.into()))
    }
}

/// The client's body, or none.
pub(crate) enum OutgoingBody {
    /// No body.
    Empty,
    /// A small body; `None` once it is sent.
    Received(Option<Bytes>),
    /// The client's body. Trailers are dropped.
    Client {
        body: RequestBody,
        /// The number of bytes that may come, and that may still come.
        max_bytes: usize,
        remaining: usize,
        state: Arc<CallState>,
    },
}

/// The client's body cannot be forwarded. The state of the call says why.
#[derive(Debug, thiserror::Error)]
#[error("the client's body cannot be forwarded")]
pub(crate) struct ClientBodyError;

impl OutgoingBody {
    /// The body of a call, which streams at most `max_bytes`.
    pub(crate) fn new(upload: Upload, max_bytes: usize, state: &Arc<CallState>) -> Self {
        match upload {
            Upload::Empty => Self::Empty,
            Upload::Received(bytes) => Self::Received(Some(bytes)),
            Upload::Streamed(body) => {
                state.begin_upload();
                Self::Client {
                    body,
                    max_bytes,
                    remaining: max_bytes,
                    state: Arc::clone(state),
                }
            }
        }
    }
}

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = ClientBodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ClientBodyError>>> {
        let (body, max_bytes, remaining, state) = match &mut *self {
            Self::Empty => return Poll::Ready(None),
            Self::Received(bytes) => return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Client {
                body,
                max_bytes,
                remaining,
                state,
            } => (body, *max_bytes, remaining, state),
        };
        let fail = |fault| {
            state.fail(fault);
            Poll::Ready(Some(Err(ClientBodyError)))
        };
        loop {
            let frame = Pin::new(&mut *body).poll_frame(cx);
            match &frame {
                Poll::Pending => {
                    state.pause();
                    return Poll::Pending;
                }
                Poll::Ready(_) => state.resume(),
            }
            let Poll::Ready(Some(frame)) = frame else {
                return Poll::Ready(None);
            };
            let Ok(frame) = frame else {
                return fail(CallFault::RequestBroken);
            };
            if let Ok(data) = frame.into_data() {
                let Some(left) = remaining.checked_sub(data.len()) else {
                    return fail(CallFault::RequestTooLarge { max_bytes });
                };
                *remaining = left;
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Received(bytes) => bytes.is_none(),
            Self::Client { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Received(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Client { body, .. } => body.size_hint(),
        }
    }
}

impl Drop for OutgoingBody {
    fn drop(&mut self) {
        if let Self::Client { state, .. } = self {
            state.end_upload();
        }
    }
}
