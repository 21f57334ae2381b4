//! The body of an answer, which is under way until hyper has no more use for it.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use super::watch::Answering;

/// A body whose connection is not idle.
pub(crate) struct Answer<B> {
    body: B,
    #[expect(dead_code, reason = "it is given back with the body")]
    answering: Answering,
}

impl<B> Answer<B> {
    pub(super) fn new(body: B, answering: Answering) -> Self {
        Self { body, answering }
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
