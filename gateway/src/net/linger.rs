//! The end of a connection whose client may still be sending.
//!
//! A socket that is closed with something unread, or for which more comes, is reset by the system, and many a client's
//! system then throws away what was not read of the last answer. So after that answer only the gateway's own half is
//! closed, and what still comes is read and thrown away, for a while.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

use super::asked;

/// How long a client is heard after its last answer: enough for that to reach it, and its own end to come back.
const LONGEST: Duration = Duration::from_secs(2);

/// What a connection too many is told in the clear. Where TLS is spoken, saying it would cost a handshake.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// What came of a client that is not listened to any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Something, which was thrown away.
    Some,
    /// Nothing more will come.
    Over,
}

/// A client that is heard out.
pub(super) struct Linger(Pin<Box<Sleep>>);

impl Linger {
    /// From now on.
    pub(super) fn begin() -> Self {
        Self(Box::pin(sleep(LONGEST)))
    }

    /// Throws away what comes. Ready when nothing more will, or it takes too long.
    pub(super) fn poll(&mut self, stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match discard(stream, cx) {
                // The alarm has no turn while something comes.
                Poll::Ready(Rest::Some) if Instant::now() < self.0.deadline() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return self.0.as_mut().poll(cx),
            }
        }
    }
}

/// Throws away what has come.
pub(super) fn discard(stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<Rest> {
    let mut bytes = [0; 8192];
    let mut buffer = ReadBuf::new(&mut bytes);
    Pin::new(stream)
        .poll_read(cx, &mut buffer)
        .map(|outcome| match outcome {
            Ok(()) if !buffer.filled().is_empty() => Rest::Some,
            _ => Rest::Over,
        })
}

/// Says good-bye to connections too many. Of those only so many are heard out at a time: others are closed at once, so
/// that they cannot pile up.
#[derive(Clone)]
pub(super) struct Farewells {
    places: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

/// Held while such a connection is heard out.
pub(super) struct Farewell {
    #[expect(dead_code, reason = "it is given back at the end")]
    place: OwnedSemaphorePermit,
    stop: watch::Receiver<bool>,
}

impl Farewells {
    /// So many at a time, until the gateway is told to stop.
    pub(super) fn new(most: usize, stop: watch::Receiver<bool>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(most)),
            stop,
        }
    }

    /// Tells a connection to come back later, if that can be done without waiting. What comes back, if anything, is to
    /// hear it out before it is closed.
    pub(super) fn say(&self, stream: &TcpStream) -> Option<Farewell> {
        // Not as the runtime writes, which first waits to hear that it may.
        rustix::io::write(stream, TOO_MANY).ok()?;
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Farewell {
            place,
            stop: self.stop.clone(),
        })
    }
}

impl Farewell {
    /// Hears it out.
    pub(super) async fn hear_out(mut self, stream: &mut TcpStream) {
        if stream.shutdown().await.is_err() {
            return;
        }
        let mut linger = Linger::begin();
        tokio::select! {
            () = poll_fn(|cx| linger.poll(stream, cx)) => {}
            // The end of the process does not wait for who was refused.
            () = asked(&mut self.stop) => {}
        }
    }
}
