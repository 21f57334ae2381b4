//! Response bodies.

use std::any::Any;
use std::fmt;
use std::mem::take;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

use crate::served_by::ServedBy;

/// The largest data frame in bytes. hyper drops a body as soon as it has taken the last frame, even
/// if the client has not received it yet. Small frames keep a long body, and its guard, alive until
/// the client has received most of it.
const MAX_FRAME: usize = 32 * 1024;

/// The body of a response: bytes in memory, sent without copying, or a stream of them.
#[derive(Debug, Default)]
pub struct ResponseBody {
    bytes: Bytes,
    /// The bytes of the last frame, if they hold a guard.
    last: Bytes,
    /// Where more bytes come from; `None` if all are in memory.
    stream: Option<Stream>,
    /// The guard of a stream.
    guard: Option<Guard>,
    /// What served the request.
    pub served_by: ServedBy,
    /// Whether the response holds a permit of its own, and none of requests in flight.
    pub has_permit: bool,
    /// Whether the response has its security headers: they were prepared with it.
    pub has_security_headers: bool,
}

/// Why a streamed body ends before its last byte. The connection, or over HTTP/2 the stream, is
/// then reset, so that no client takes the part for the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body ends early: {0}")]
pub struct BrokenBody(pub &'static str);

/// Where the bytes of a streamed body come from.
enum Stream {
    /// A task of the gateway.
    Channel(mpsc::Receiver<Bytes>),
    /// Another body, such as that of an upstream's response.
    Body(Pin<Box<dyn Body<Data = Bytes, Error = BrokenBody> + Send + Sync>>),
}

/// A value that is dropped with the response.
struct Guard(#[expect(dead_code, reason = "held until it is dropped")] Box<dyn Any + Send + Sync>);

/// The last frame of a body with its guard. hyper drops both once the frame is written.
struct LastFrame<G> {
    slice: Bytes,
    #[expect(dead_code, reason = "dropped with the slice")]
    guard: G,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}

impl<G> AsRef<[u8]> for LastFrame<G> {
    fn as_ref(&self) -> &[u8] {
        &self.slice
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl ResponseBody {
    /// Creates a body that forwards `body`. It waits while the client does not read.
    pub fn forwarded(body: impl Body<Data = Bytes, Error = BrokenBody> + Send + Sync + 'static) -> Self {
        Self {
            stream: Some(Stream::Body(Box::pin(body))),
            ..Self::default()
        }
    }

    /// Creates a body that sends what `stream` receives, until its sender is dropped. The sender
    /// waits while the client does not read.
    pub fn streamed(stream: mpsc::Receiver<Bytes>) -> Self {
        Self {
            stream: Some(Stream::Channel(stream)),
            ..Self::default()
        }
    }

    /// Keeps `guard` alive until the last byte is written, or until the response is dropped.
    pub fn hold(&mut self, guard: impl Any + Send + Sync) {
        if self.stream.is_some() {
            self.guard = Some(Guard(Box::new(guard)));
            return;
        }
        let start = self.bytes.len().saturating_sub(1) / MAX_FRAME * MAX_FRAME;
        let slice = self.bytes.split_off(start);
        self.last = Bytes::from_owner(LastFrame { slice, guard });
    }

    /// Removes the bytes and keeps the guard.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.last.clear();
        self.stream = None;
    }
}

impl From<Bytes> for ResponseBody {
    fn from(bytes: Bytes) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BrokenBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenBody>>> {
        match &mut self.stream {
            Some(Stream::Channel(channel)) => {
                return channel.poll_recv(cx).map(|bytes| Some(Ok(Frame::data(bytes?))));
            }
            Some(Stream::Body(body)) => return body.as_mut().poll_frame(cx),
            None => {}
        }
        let frame = if self.bytes.is_empty() {
            take(&mut self.last)
        } else {
            let length = self.bytes.len().min(MAX_FRAME);
            self.bytes.split_to(length)
        };
        Poll::Ready((!frame.is_empty()).then(|| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.stream {
            Some(Stream::Channel(_)) => false,
            Some(Stream::Body(body)) => body.is_end_stream(),
            None => self.bytes.is_empty() && self.last.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.stream {
            Some(Stream::Channel(_)) => SizeHint::default(),
            Some(Stream::Body(body)) => body.size_hint(),
            None => SizeHint::with_exact((self.bytes.len() + self.last.len()) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use bytes::Bytes;
    use http_body::Body as _;

    use super::{MAX_FRAME, ResponseBody};

    /// The frame lengths and the bytes of a body.
    fn frames(mut body: ResponseBody) -> (Vec<usize>, Vec<u8>) {
        let mut cx = Context::from_waker(Waker::noop());
        let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
        let mut remaining = body.size_hint().exact().unwrap();
        while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut cx) {
            let data = frame.unwrap().into_data().unwrap();
            lengths.push(data.len());
            remaining -= data.len() as u64;
            assert_eq!(body.size_hint().exact(), Some(remaining));
            assert_eq!(body.is_end_stream(), remaining == 0);
            bytes.extend_from_slice(&data);
        }
        assert!(body.is_end_stream());
        (lengths, bytes)
    }

    #[test]
    fn body_is_split_into_frames_of_slice_size() {
        for (length, expected) in [
            (0, vec![]),
            (1, vec![1]),
            (MAX_FRAME, vec![MAX_FRAME]),
            (MAX_FRAME + 1, vec![MAX_FRAME, 1]),
            (3 * MAX_FRAME, vec![MAX_FRAME; 3]),
        ] {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            let mut body = ResponseBody::from(Bytes::from(bytes.clone()));
            assert_eq!(frames(body), (expected.clone(), bytes.clone()));
            body = ResponseBody::from(Bytes::from(bytes.clone()));
            body.hold(());
            assert_eq!(frames(body), (expected, bytes));
        }
    }
}
