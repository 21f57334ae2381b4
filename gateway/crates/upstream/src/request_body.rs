//! The body of a request to an upstream.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use colonnade_web::body::RequestBody;
use http_body::{Body, Frame, SizeHint};

use crate::call_state::{CallFault, CallState};

/// The client's body, or none.
pub(crate) enum OutgoingBody {
    /// No body.
    Empty,
    /// The client's body. Trailers are dropped.
    Client {
        body: RequestBody,
        /// The number of bytes that may still come.
        remaining: usize,
        state: Arc<CallState>,
    },
}

/// The client's body cannot be forwarded. The state of the call says why.
#[derive(Debug, thiserror::Error)]
#[error("the client's body cannot be forwarded")]
pub(crate) struct ClientBodyError;

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = ClientBodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ClientBodyError>>> {
        let Self::Client {
            body,
            remaining,
            state,
        } = &mut *self
        else {
            return Poll::Ready(None);
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
                    return fail(CallFault::RequestTooLarge);
                };
                *remaining = left;
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Client { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
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
