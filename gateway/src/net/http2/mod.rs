//! What HTTP/2 needs besides hyper: deadlines, and limits on what costs a client nothing (RFC 9113, 10.5).

mod frames;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod fuzz;

use std::collections::HashSet;
use std::io;

use hyper::server::conn::http2::Builder;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use super::tap::{Heard, Observer};
use super::watch::{Expected, Watch};
use crate::allowance::Allowance;
use crate::config::Limits;
use crate::metrics::Ended;
pub(super) use frames::PREFACE;
use frames::{Frame, Frames, Kind};

/// The windows of HTTP/2 (RFC 9113, 6.9.1): no body that visitors send is larger than a few KiB.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// For so many bytes of answers a client may open a window once. By less it lets hardly more come than the frame around it.
const WINDOW: u64 = 256;

/// What an answer counts besides its bytes: many a client opens its window and that of the connection after the shortest, too.
const ANSWER: u64 = 2 * WINDOW;

/// What serves HTTP/2 within these limits.
pub(super) fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    let resets = usize::try_from(limits.resets).unwrap_or(usize::MAX);
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(limits.head_bytes)
        .max_pending_accept_reset_streams(resets)
        .max_local_error_reset_streams(resets);
    builder
}

/// Follows the frames of a connection.
///
/// hyper answers every PING and every SETTINGS, and looks at every PRIORITY, every empty DATA and every answer to what it
/// never sent, as often as they come; for every window that opens it looks for what waits, and sends a frame of it, though it be
/// of one byte.
/// Requests that are taken back it counts only while they wait to be looked at.
pub(super) struct Http2 {
    received: Frames,
    sent: Frames,
    control: Allowance,
    resets: Allowance,
    /// The PING and SETTINGS that were sent and not answered.
    owed: u32,
    /// The bytes of answers for which no window was opened yet.
    sent_since: u64,
    /// The streams whose answer has begun and not ended: at most as many as a client may have.
    begun: HashSet<u32>,
    watch: Watch,
}

impl Http2 {
    pub(super) fn new(watch: Watch) -> Self {
        let (limits, now) = (watch.limits(), Instant::now());
        Self {
            received: Frames::after(PREFACE.len()),
            sent: Frames::after(0),
            control: Allowance::new(limits.control_frames, now),
            resets: Allowance::new(limits.resets, now),
            owed: 0,
            sent_since: 0,
            begun: HashSet::new(),
            watch,
        }
    }
}

impl Observer for Http2 {
    fn read(&mut self, bytes: &[u8]) -> io::Result<Heard> {
        let Self {
            received,
            control,
            resets,
            owed,
            sent_since,
            begun,
            watch,
            ..
        } = self;
        let mut fault = None;
        let mut was_asked = false;
        received.take(bytes, |frame| {
            match frame.kind {
                Kind::Headers => was_asked = true,
                Kind::Reset => {
                    if begun.remove(&frame.stream) && begun.is_empty() {
                        watch.answered(0, 0);
                    }
                    if !resets.take(Instant::now()) {
                        fault = Some(Ended::Resets);
                    }
                }
                _ => {}
            }
            if carries_nothing(frame, owed, sent_since) && !control.take(Instant::now()) {
                fault = Some(Ended::Flood);
            }
        });
        if let Some(fault) = fault {
            watch.blame(fault);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        if was_asked {
            // A new request: what was quiet is no more, even if it is followed by nothing.
            watch.expect(Expected::Head);
        }
        match (received.in_head(), received.has_begun()) {
            (true, _) => watch.expect(Expected::Head),
            (false, true) => watch.expect(Expected::Request),
            (false, false) => {}
        }
        watch.read(bytes.len());
        Ok(Heard::Fine)
    }

    fn wait_to_read(&mut self) {
        self.watch.wait_to_read();
    }

    fn wrote(&mut self, bytes: &[u8]) {
        let (begun, owed, sent_since) = (&mut self.begun, &mut self.owed, &mut self.sent_since);
        let mut answered = None;
        self.sent.take(bytes, |frame| match frame.kind {
            Kind::Headers | Kind::Data | Kind::Reset => {
                *sent_since += match frame.kind {
                    Kind::Headers => ANSWER,
                    Kind::Data => frame.length as u64,
                    _ => 0,
                };
                if frame.kind != Kind::Reset && !frame.ends_stream() {
                    begun.insert(frame.stream);
                } else {
                    begun.remove(&frame.stream);
                }
                *answered.get_or_insert(0) += frame.length;
            }
            Kind::Ping | Kind::Settings if !frame.is_acknowledgement() => *owed += 1,
            _ => {}
        });
        if let Some(bytes) = answered {
            self.watch.answered(bytes, begun.len());
        }
    }
}

/// Whether a frame says nothing about any request, or what need not be said so often. `owed` is how many answers to PING and
/// SETTINGS are, `sent_since` the bytes of answers for which no window was opened yet.
fn carries_nothing(frame: Frame, owed: &mut u32, sent_since: &mut u64) -> bool {
    match frame.kind {
        Kind::Ping | Kind::Settings if frame.is_acknowledgement() && *owed > 0 => {
            *owed -= 1;
            false
        }
        Kind::WindowUpdate if *sent_since >= WINDOW => {
            *sent_since -= WINDOW;
            false
        }
        // That no more is wanted is said once, or twice.
        Kind::Ping | Kind::Settings | Kind::Priority | Kind::WindowUpdate | Kind::GoAway | Kind::Unknown => {
            true
        }
        Kind::Data => frame.is_empty() && !frame.ends_stream(),
        Kind::Headers | Kind::Continuation | Kind::Reset => false,
    }
}
