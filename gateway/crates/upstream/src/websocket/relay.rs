//! Relays a WebSocket between its client and the upstream.
//!
//! Its bytes pass as they are: only the two ends understand what extensions do to frames, such as
//! compression, and a message of any size takes one buffer. A WebSocket library would unmask, check
//! and assemble each message. The gateway only follows the headers of frames, to know between which
//! bytes it may send a Close frame of its own.

use std::io;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use colonnade_config::Upstream;
use parking_lot::Mutex;
use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, copy, sink, split,
};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::stream::StreamEnd;
use crate::websocket::frames::Frames;

/// The size of the buffer of each direction, in bytes.
const BUFFER: usize = 8 * 1024;

/// How long both ends may take to close.
const MAX_CLOSE: Duration = Duration::from_secs(3);

/// A Close frame with the code 1001, Going Away (RFC 6455, section 7.4.1).
const GOING_AWAY: [u8; 4] = [0x88, 2, 0x03, 0xe9];

/// One direction.
struct Direction<R, W> {
    reader: ReadHalf<R>,
    writer: WriteHalf<W>,
    buffer: Box<[u8]>,
    /// The bytes in the buffer that are not sent.
    unsent: Range<usize>,
    /// The frames that are sent.
    frames: Frames,
    /// Whether its frames are masked, as those of clients.
    is_masked: bool,
}

/// Which end of a direction has closed, or failed.
enum Closed {
    Sender,
    Receiver,
}

/// Relays until the WebSocket ends, and closes both ends. `received` was already received of the
/// upstream. `ending` is the end of the client's connection.
pub(super) async fn relay<C, U>(
    client: C,
    (upstream, received): (U, Bytes),
    settings: &Upstream,
    ending: impl Future<Output = ()>,
) -> StreamEnd
where
    C: AsyncRead + AsyncWrite,
    U: AsyncRead + AsyncWrite,
{
    let (client_reader, client_writer) = split(client);
    let (upstream_reader, upstream_writer) = split(upstream);
    let mut up = Direction::new(client_reader, upstream_writer, true);
    let mut down = Direction::new(upstream_reader, client_writer, false);
    down.start_with(&received);
    let active_at = Mutex::new(Instant::now());
    let end = tokio::select! {
        closed = up.relay(&active_at) => match closed {
            Closed::Sender => StreamEnd::ClientClosed,
            Closed::Receiver => StreamEnd::UpstreamClosed,
        },
        closed = down.relay(&active_at) => match closed {
            Closed::Sender => StreamEnd::UpstreamClosed,
            Closed::Receiver => StreamEnd::ClientClosed,
        },
        () = ending => StreamEnd::GoingAway,
        () = idle(&active_at, settings.stream_idle_timeout) => StreamEnd::IdleTimeout,
        () = sleep(settings.stream_total_timeout) => StreamEnd::TotalTimeout,
    };
    let is_closed = matches!(end, StreamEnd::ClientClosed | StreamEnd::UpstreamClosed);
    let close = async { tokio::join!(up.close(!is_closed), down.close(!is_closed)) };
    // What either end does not read in time is lost.
    let _ = timeout(MAX_CLOSE, close).await;
    end
}

/// Waits until nothing has been received for this long.
async fn idle(active_at: &Mutex<Instant>, limit: Duration) {
    loop {
        let ends_at = *active_at.lock() + limit;
        if Instant::now() >= ends_at {
            return;
        }
        sleep_until(ends_at).await;
    }
}

impl<R: AsyncRead, W: AsyncWrite> Direction<R, W> {
    fn new(reader: ReadHalf<R>, writer: WriteHalf<W>, is_masked: bool) -> Self {
        Self {
            reader,
            writer,
            buffer: vec![0; BUFFER].into(),
            unsent: 0..0,
            frames: Frames::default(),
            is_masked,
        }
    }

    /// Begins with these bytes.
    fn start_with(&mut self, received: &[u8]) {
        let mut buffer = received.to_vec();
        buffer.resize(received.len().max(BUFFER), 0);
        self.buffer = buffer.into();
        self.unsent = 0..received.len();
    }

    /// Relays until one end has closed. May be dropped at any time.
    async fn relay(&mut self, active_at: &Mutex<Instant>) -> Closed {
        loop {
            while !self.unsent.is_empty() {
                if self.send(usize::MAX).await.is_err() {
                    return Closed::Receiver;
                }
            }
            match self.receive().await {
                Ok(()) if !self.unsent.is_empty() => *active_at.lock() = Instant::now(),
                _ => return Closed::Sender,
            }
        }
    }

    /// Receives into the empty buffer, which is empty after the end.
    async fn receive(&mut self) -> io::Result<()> {
        let count = self.reader.read(&mut self.buffer).await?;
        self.unsent = 0..count;
        Ok(())
    }

    /// Sends up to `max` bytes of the buffer.
    async fn send(&mut self, max: usize) -> io::Result<()> {
        let bytes = &self.buffer[self.unsent.clone()];
        let count = self.writer.write(&bytes[..bytes.len().min(max)]).await?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.frames.feed(&bytes[..count]);
        self.unsent.start += count;
        if self.unsent.is_empty() {
            self.writer.flush().await?;
        }
        Ok(())
    }

    /// Closes this direction, with a Close frame if the gateway ends it. Then waits until the sender
    /// has closed, because a socket that is closed with unread bytes may lose those in flight.
    async fn close(&mut self, with_frame: bool) -> io::Result<()> {
        if with_frame && !self.frames.has_closed() {
            self.end_frame().await?;
            self.writer.write_all(&going_away(self.is_masked)).await?;
        }
        self.writer.shutdown().await?;
        copy(&mut self.reader, &mut sink()).await?;
        Ok(())
    }

    /// Sends the rest of the frame that is being sent.
    async fn end_frame(&mut self) -> io::Result<()> {
        while self.frames.rest() > 0 {
            if self.unsent.is_empty() {
                self.receive().await?;
            }
            self.send(self.frames.rest()).await?;
        }
        Ok(())
    }
}

/// A Close frame, which is masked if a client sends it.
fn going_away(is_masked: bool) -> Vec<u8> {
    let [opcode, length, payload @ ..] = GOING_AWAY;
    if !is_masked {
        return GOING_AWAY.to_vec();
    }
    let mask: [u8; 4] = rand::random();
    let payload = [payload[0] ^ mask[0], payload[1] ^ mask[1]];
    [&[opcode, 0x80 | length], &mask[..], &payload].concat()
}
