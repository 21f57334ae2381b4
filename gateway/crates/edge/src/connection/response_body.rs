//! The body of a response, which is in progress until hyper drops it.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use crate::state::{QuietResponse, ResponseGuard};

/// A body that keeps its connection from being idle.
pub(crate) struct TrackedBody<B> {
    body: B,
    guard: ResponseGuard,
    /// While the body has nothing to send, although its client would read it.
    quiet: Option<QuietResponse>,
}

impl<B> TrackedBody<B> {
    /// Keeps `guard` until the body is dropped.
    pub(super) fn new(body: B, guard: ResponseGuard) -> Self {
        Self {
            body,
            guard,
            quiet: None,
        }
    }
}

impl<B: Body + Unpin> Body for TrackedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if frame.is_ready() {
            self.quiet = None;
        } else if self.quiet.is_none() {
            self.quiet = self.guard.begin_quiet();
        }
        if let Poll::Ready(Some(Err(_))) = &frame {
            self.guard.break_response();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
