//! A stream whose bytes are inspected, and may be rejected, before hyper reads them.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What an [`Inspector`] says about received bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// hyper may read them.
    Accept,
    /// The request head is invalid from the byte at this index on.
    RejectHead(usize),
    /// The request body is invalid from the byte at this index on.
    RejectBody(usize),
}

/// Inspects the bytes of a connection.
pub(crate) trait Inspector {
    /// Inspects received bytes.
    ///
    /// # Errors
    ///
    /// The connection must be closed.
    fn received(&mut self, bytes: &[u8]) -> io::Result<Verdict>;

    /// hyper waits for bytes from the client.
    fn read_pending(&mut self);

    /// Inspects sent bytes.
    fn sent(&mut self, bytes: &[u8]);

    /// Whether sent bytes wait for more, see [`WriteHold`](super::WriteHold).
    fn holds_writes(&self) -> bool {
        false
    }
}

/// What hyper reads instead of the rest of an invalid head. It responds to the NUL with 400 and
/// closes the connection.
const INVALID_HEAD: &[u8] = b"\0\r\n\r\n";

/// A stream whose bytes are inspected above TLS.
pub(crate) struct InspectedStream<S, I> {
    stream: S,
    inspector: I,
    /// After a rejection, what hyper has yet to read instead of the stream.
    replacement: Option<&'static [u8]>,
}

impl<S, I> InspectedStream<S, I> {
    /// Inspects the bytes of `stream`.
    pub(crate) fn new(stream: S, inspector: I) -> Self {
        Self {
            stream,
            inspector,
            replacement: None,
        }
    }
}

/// Moves as many bytes as fit into the buffer.
fn fill(buffer: &mut ReadBuf<'_>, bytes: &mut &'static [u8]) {
    let (now, later) = bytes.split_at(bytes.len().min(buffer.remaining()));
    buffer.put_slice(now);
    *bytes = later;
}

impl<S: AsyncRead + Unpin, I: Inspector + Unpin> AsyncRead for InspectedStream<S, I> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(rest) = &mut this.replacement {
            // Once it is empty, hyper sees the end of the stream.
            fill(buffer, rest);
            return Poll::Ready(Ok(()));
        }
        let start = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) => {}
            Poll::Pending => {
                this.inspector.read_pending();
                return Poll::Pending;
            }
            failed @ Poll::Ready(Err(_)) => return failed,
        }
        let (at, mut rest) = match this.inspector.received(&buffer.filled()[start..])? {
            Verdict::Accept => return Poll::Ready(Ok(())),
            Verdict::RejectHead(at) => (at, INVALID_HEAD),
            // An incomplete body fails by itself.
            Verdict::RejectBody(at) => (at, &b""[..]),
        };
        buffer.set_filled(start + at);
        fill(buffer, &mut rest);
        this.replacement = Some(rest);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, I: Inspector + Unpin> AsyncWrite for InspectedStream<S, I> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = written {
            this.inspector.sent(&bytes[..count]);
        }
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
        if let Poll::Ready(Ok(mut left)) = written {
            for slice in bytes {
                let count = left.min(slice.len());
                this.inspector.sent(&slice[..count]);
                left -= count;
            }
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.inspector.holds_writes() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
