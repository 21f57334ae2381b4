//! The socket itself, with a note of when it takes no more, and an end that loses no answer.
//!
//! It stands below TLS, where what a client has really taken is seen.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::linger::{Linger, Rest, discard};
use super::watch::Watch;

/// A socket of which is noted what comes and goes.
pub(super) struct Meter {
    stream: TcpStream,
    watch: Watch,
    /// It is the client that speaks, and no proxy before it.
    is_client: bool,
    /// The client has said its last.
    is_over: bool,
    /// Once the gateway has, too, and the client is heard out.
    linger: Option<Linger>,
}

impl Meter {
    pub(super) fn new(stream: TcpStream, watch: Watch) -> Self {
        Self {
            stream,
            watch,
            is_client: false,
            is_over: false,
            linger: None,
        }
    }

    /// What is read from now on is the client's, which has said something before if it `has_begun`.
    pub(super) fn introduce(&mut self, has_begun: bool) {
        self.is_client = true;
        if has_begun {
            self.watch.hear();
        }
    }

    /// The socket itself.
    pub(super) fn get_mut(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Whether the client may be in the middle of saying something.
    fn may_go_on(&mut self, cx: &mut Context<'_>) -> bool {
        !self.is_over
            && match discard(&mut self.stream, cx) {
                Poll::Ready(rest) => rest == Rest::Some,
                Poll::Pending => self.watch.is_being_told(),
            }
    }

    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => self.watch.wait_to_write(),
            Poll::Ready(Ok(bytes)) => self.watch.wrote(*bytes),
            Poll::Ready(Err(_)) => {}
        }
        written
    }
}

impl AsyncRead for Meter {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let has_more = buffer.filled().len() > before;
        self.is_over = read.is_ready() && !has_more;
        if has_more && self.is_client {
            self.watch.hear();
        }
        read
    }
}

impl AsyncWrite for Meter {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.may_go_on(cx) {
                return Poll::Ready(Ok(()));
            }
            this.watch.disregard();
        }
        let linger = this.linger.get_or_insert_with(Linger::begin);
        linger.poll(&mut this.stream, cx).map(Ok)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        // What somebody does not read, the system would go on to keep for them.
        if self.watch.is_abandoned() {
            let _ = self.stream.set_zero_linger();
        }
    }
}
