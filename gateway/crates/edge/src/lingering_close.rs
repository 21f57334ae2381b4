//! The lingering close of a connection whose client may still be sending (RFC 9112, section 9.6).
//!
//! The system resets a socket that is closed with unread data, or that receives more data
//! afterwards. Many clients then discard the part of the last response that they have not read yet.
//! So the gateway first closes only its own half, and discards what still arrives for a while.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

use crate::shutdown::shutdown_requested;

/// How long a close lingers: enough for the last response to arrive, and for the client's FIN to
/// come back.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// The response to a rejected cleartext connection. With TLS it would cost a handshake.
const SERVICE_UNAVAILABLE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The result of [`discard`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Discarded {
    /// Data was discarded.
    Some,
    /// The client has closed the connection, or it failed.
    Closed,
}

/// The timer of a lingering close.
pub(crate) struct LingerTimer(Pin<Box<Sleep>>);

impl LingerTimer {
    /// Starts the timer.
    pub(crate) fn start() -> Self {
        Self(Box::pin(sleep(LINGER_TIMEOUT)))
    }

    /// Discards incoming data until the client closes the connection or the time is up.
    pub(crate) fn poll(&mut self, stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match discard(stream, cx) {
                // The timer is not polled while data keeps coming.
                Poll::Ready(Discarded::Some) if Instant::now() < self.0.deadline() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return self.0.as_mut().poll(cx),
            }
        }
    }
}

/// Reads data from the socket and discards it.
pub(crate) fn discard(stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<Discarded> {
    let mut bytes = [0; 8192];
    let mut buffer = ReadBuf::new(&mut bytes);
    Pin::new(stream)
        .poll_read(cx, &mut buffer)
        .map(|outcome| match outcome {
            Ok(()) if !buffer.filled().is_empty() => Discarded::Some,
            _ => Discarded::Closed,
        })
}

/// Rejects connections with 503 and a lingering close. Limits the number of lingering closes at a
/// time, so that they cannot pile up; beyond it, connections are closed at once.
#[derive(Clone)]
pub(crate) struct LingeringCloses {
    permits: Arc<Semaphore>,
    shutdown: watch::Receiver<bool>,
}

/// The lingering close of a rejected connection.
pub(crate) struct LingeringClose {
    #[expect(dead_code, reason = "it is released on drop")]
    permit: OwnedSemaphorePermit,
    shutdown: watch::Receiver<bool>,
}

impl LingeringCloses {
    /// Allows `max` lingering closes at a time. All of them end on shutdown.
    pub(crate) fn new(max: usize, shutdown: watch::Receiver<bool>) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(max)),
            shutdown,
        }
    }

    /// Sends 503, if that is possible without waiting. Returns the lingering close to run, if there
    /// is a permit for one.
    pub(crate) fn reject(&self, stream: &TcpStream) -> Option<LingeringClose> {
        // Directly, because tokio would first wait until the socket is writable.
        rustix::io::write(stream, SERVICE_UNAVAILABLE).ok()?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        Some(LingeringClose {
            permit,
            shutdown: self.shutdown.clone(),
        })
    }
}

impl LingeringClose {
    /// Closes the gateway's half of the connection and lingers.
    pub(crate) async fn finish(mut self, stream: &mut TcpStream) {
        if stream.shutdown().await.is_err() {
            return;
        }
        let mut timer = LingerTimer::start();
        tokio::select! {
            () = poll_fn(|cx| timer.poll(stream, cx)) => {}
            // Shutdown does not wait for rejected connections.
            () = shutdown_requested(&mut self.shutdown) => {}
        }
    }
}
