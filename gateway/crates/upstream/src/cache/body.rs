//! The body of a response that passes the cache.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::cache::budget::Reservation;
use crate::cache::fetch::Interrupted;

/// The body of a response: stored bytes, or the upstream's body.
#[derive(Debug)]
pub struct CacheBody<B: Body>(Source<B>);

#[derive(Debug)]
enum Source<B: Body> {
    Stored(Bytes),
    /// Read from the upstream as fast as the client reads.
    Upstream(B),
    /// Read from the upstream by the task that stores it.
    Receiving {
        parts: UnboundedReceiver<Part<B>>,
        /// The remaining length, if it is known.
        remaining: Option<u64>,
    },
    Ended,
}

/// What the task that stores a body sends to the body's reader. It never waits for the reader: the
/// reservation bounds what is in between.
#[derive(Debug)]
pub(super) enum Part<B: Body> {
    Data(Bytes, Reservation),
    /// The body is not stored after all: the reader reads on by itself, beginning with these bytes.
    Rest(Bytes, B),
    Failed(B::Error),
    End,
}

impl<B: Body> CacheBody<B> {
    pub(super) fn stored(bytes: Bytes) -> Self {
        Self(Source::Stored(bytes))
    }

    pub(crate) fn upstream(body: B) -> Self {
        Self(Source::Upstream(body))
    }

    pub(super) fn receiving(parts: UnboundedReceiver<Part<B>>, length: Option<u64>) -> Self {
        Self(Source::Receiving {
            parts,
            remaining: length,
        })
    }

    /// The bytes, if the whole body is in memory.
    pub fn bytes(&self) -> Option<&Bytes> {
        match &self.0 {
            Source::Stored(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<B: Body<Data = Bytes, Error: From<Interrupted>> + Unpin> Body for CacheBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let source = &mut self.0;
        let (data, next) = match source {
            Source::Upstream(body) => return Pin::new(body).poll_frame(cx),
            Source::Ended => return Poll::Ready(None),
            Source::Stored(bytes) if bytes.is_empty() => return Poll::Ready(None),
            Source::Stored(bytes) => (std::mem::take(bytes), None),
            Source::Receiving { parts, remaining } => match ready!(parts.poll_recv(cx)) {
                Some(Part::Data(data, reservation)) => {
                    drop(reservation);
                    *remaining = remaining.map(|length| length.saturating_sub(data.len() as u64));
                    (data, None)
                }
                Some(Part::Rest(data, body)) => (data, Some(Source::Upstream(body))),
                Some(Part::End) => {
                    *source = Source::Ended;
                    return Poll::Ready(None);
                }
                Some(Part::Failed(error)) => {
                    *source = Source::Ended;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    *source = Source::Ended;
                    return Poll::Ready(Some(Err(Interrupted.into())));
                }
            },
        };
        if let Some(next) = next {
            *source = next;
        }
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Source::Stored(bytes) => bytes.is_empty(),
            Source::Upstream(body) => body.is_end_stream(),
            Source::Receiving { .. } => false,
            Source::Ended => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Stored(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Source::Upstream(body) => body.size_hint(),
            Source::Receiving { remaining, .. } => {
                remaining.map_or_else(SizeHint::default, SizeHint::with_exact)
            }
            Source::Ended => SizeHint::with_exact(0),
        }
    }
}
