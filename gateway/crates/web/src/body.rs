//! Request and response bodies.

mod read;
mod response;

use std::fmt::Debug;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

pub use read::{ReadBodyError, next_chunk, read_to_end};
pub use response::{BrokenBody, ResponseBody};

/// A streamed request body, with an optional deadline. `None` for an empty one, which most requests
/// have: each future that passes it on stays small.
#[derive(Debug)]
pub struct RequestBody(Option<Box<Content>>);

#[derive(Debug)]
struct Content {
    incoming: Incoming,
    deadline: Option<Box<dyn BodyDeadline>>,
}

/// A deadline that depends on the progress of a body.
pub trait BodyDeadline: Debug + Send + Sync {
    /// Called when the reader waits for more data. Returns whether the deadline has passed;
    /// otherwise wakes the task when it passes.
    fn poll_expired(&self, cx: &Context<'_>) -> bool;

    /// Called for each frame, with its number of data bytes.
    fn data_received(&self, bytes: usize);

    /// Called when the body has ended or failed, or is dropped.
    fn end(&self);
}

/// Why a body is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection failed, or its framing is broken.
    #[error(transparent)]
    Broken(#[from] hyper::Error),
    /// The deadline has passed.
    #[error("the body arrived too slowly")]
    TimedOut,
}

impl RequestBody {
    /// Creates a body without a deadline.
    pub fn new(incoming: Incoming) -> Self {
        Self::of(incoming, None)
    }

    /// Creates a body with a deadline.
    pub fn with_deadline(incoming: Incoming, deadline: impl BodyDeadline + 'static) -> Self {
        Self::of(incoming, Some(Box::new(deadline)))
    }

    fn of(incoming: Incoming, deadline: Option<Box<dyn BodyDeadline>>) -> Self {
        let has_content = !incoming.is_end_stream();
        Self(has_content.then(|| Box::new(Content { incoming, deadline })))
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let Some(content) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(&mut content.incoming)
            .poll_frame(cx)
            .map_err(BodyError::from);
        if let Some(deadline) = &content.deadline {
            match &frame {
                Poll::Pending if deadline.poll_expired(cx) => {
                    return Poll::Ready(Some(Err(BodyError::TimedOut)));
                }
                Poll::Pending => {}
                Poll::Ready(Some(Ok(frame))) => {
                    deadline.data_received(frame.data_ref().map_or(0, Bytes::len));
                }
                Poll::Ready(_) => deadline.end(),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.0
            .as_ref()
            .is_none_or(|content| content.incoming.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let content = self.0.as_ref();
        content.map_or(SizeHint::with_exact(0), |content| content.incoming.size_hint())
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        if let Some(deadline) = &self.deadline {
            deadline.end();
        }
    }
}
