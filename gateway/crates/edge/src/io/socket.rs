//! The TCP socket of a connection, which records the client's progress and ends with a lingering
//! close.
//!
//! It sits below TLS, where the bytes show what the client has really read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::lingering_close::{Discarded, LingerTimer, discard};
use crate::state::ConnectionState;

/// A socket that reports its progress to the state of its connection.
pub(crate) struct MonitoredSocket {
    stream: TcpStream,
    state: ConnectionState,
    /// Whether the bytes come from the client, not from a proxy's PROXY header.
    is_client: bool,
    /// Whether the client has closed its half.
    is_read_closed: bool,
    /// The lingering close, once the gateway has closed its half.
    linger: Option<LingerTimer>,
}

impl MonitoredSocket {
    /// Wraps the socket of a connection.
    pub(crate) fn new(stream: TcpStream, state: ConnectionState) -> Self {
        Self {
            stream,
            state,
            is_client: false,
            is_read_closed: false,
            linger: None,
        }
    }

    /// Marks the end of the PROXY header: all further bytes come from the client. `has_data` says
    /// whether some were already read.
    pub(crate) fn begin_client_data(&mut self, has_data: bool) {
        self.is_client = true;
        if has_data {
            self.state.mark_received();
        }
    }

    /// Returns the socket itself.
    pub(crate) fn get_mut(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Returns whether the client may still be sending a request.
    fn may_receive_more(&mut self, cx: &mut Context<'_>) -> bool {
        !self.is_read_closed
            && match discard(&mut self.stream, cx) {
                Poll::Ready(discarded) => discarded == Discarded::Some,
                Poll::Pending => self.state.is_receiving_request(),
            }
    }

    fn record_write(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => self.state.write_pending(),
            Poll::Ready(Ok(bytes)) => self.state.written(*bytes),
            Poll::Ready(Err(_)) => {}
        }
        written
    }
}

impl AsyncRead for MonitoredSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let has_data = buffer.filled().len() > before;
        self.is_read_closed = read.is_ready() && !has_data;
        if has_data && self.is_client {
            self.state.mark_received();
        }
        read
    }
}

impl AsyncWrite for MonitoredSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // No waker is needed: the task polls the connection again when the hold ends.
        if self.state.write_hold().holds_bytes() {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.record_write(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // As in `poll_write`.
        if self.state.write_hold().holds_bytes() {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.record_write(written)
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
            if !this.may_receive_more(cx) {
                return Poll::Ready(Ok(()));
            }
            this.state.ignore_input();
        }
        let linger = this.linger.get_or_insert_with(LingerTimer::start);
        linger.poll(&mut this.stream, cx).map(Ok)
    }
}

impl Drop for MonitoredSocket {
    fn drop(&mut self) {
        if self.state.requires_reset() {
            let _ = self.stream.set_zero_linger();
        }
    }
}
