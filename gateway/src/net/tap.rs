//! What goes to and from hyper, with an observer who may refuse it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What an observer says of bytes that were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// They may pass.
    Fine,
    /// The head they belong to is none from this byte on.
    NoRequest(usize),
    /// The body they belong to is none from this byte on.
    NoMore(usize),
}

/// Follows a conversation.
pub(super) trait Observer {
    /// These bytes were read. With an error the connection ends.
    fn read(&mut self, bytes: &[u8]) -> io::Result<Heard>;

    /// There is nothing to read yet.
    fn wait_to_read(&mut self);

    /// These bytes were taken to be sent.
    fn wrote(&mut self, bytes: &[u8]);
}

/// What hyper reads in place of a head that it must not believe: it answers 400 to a NUL, and closes.
const NO_REQUEST: &[u8] = b"\0\r\n\r\n";

/// A stream whose bytes are observed as they are before encryption.
pub(super) struct Tap<S, O> {
    stream: S,
    observer: O,
    /// Once something is refused, what is left of what hyper reads in its place.
    refusal: Option<&'static [u8]>,
}

impl<S, O> Tap<S, O> {
    pub(super) fn new(stream: S, observer: O) -> Self {
        Self {
            stream,
            observer,
            refusal: None,
        }
    }
}

/// Puts in as much as there is room for.
fn fill(buffer: &mut ReadBuf<'_>, bytes: &mut &'static [u8]) {
    let (now, later) = bytes.split_at(bytes.len().min(buffer.remaining()));
    buffer.put_slice(now);
    *bytes = later;
}

impl<S: AsyncRead + Unpin, O: Observer + Unpin> AsyncRead for Tap<S, O> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(rest) = &mut this.refusal {
            // After it nothing more is read: to hyper the client has left.
            fill(buffer, rest);
            return Poll::Ready(Ok(()));
        }
        let start = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) => {}
            Poll::Pending => {
                this.observer.wait_to_read();
                return Poll::Pending;
            }
            failed @ Poll::Ready(Err(_)) => return failed,
        }
        let (at, mut rest) = match this.observer.read(&buffer.filled()[start..])? {
            Heard::Fine => return Poll::Ready(Ok(())),
            Heard::NoRequest(at) => (at, NO_REQUEST),
            // A body that stays unfinished is enough of a refusal.
            Heard::NoMore(at) => (at, &b""[..]),
        };
        buffer.set_filled(start + at);
        fill(buffer, &mut rest);
        this.refusal = Some(rest);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, O: Observer + Unpin> AsyncWrite for Tap<S, O> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = written {
            this.observer.wrote(&bytes[..count]);
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
                this.observer.wrote(&slice[..count]);
                left -= count;
            }
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
