//! HTTP/2: hyper's configuration, and an inspector that follows the frames and limits those that
//! cost a client nothing (RFC 9113, section 10.5).

mod frames;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod streams;

use std::io;

use colonnade_clock::poll;
use hyper::server::conn::http2::Builder;
use hyper_util::rt::TokioTimer;

use crate::Limits;
use crate::io::{Inspector, Verdict};
use crate::metrics::CloseReason;
use crate::new_streams::StreamExecutor;
use crate::state::{ConnectionState, Expected};
use colonnade_web::rate_limiter::RateLimiter;
pub(crate) use frames::PREFACE;
use frames::{Frame, FrameParser, Kind};
pub(crate) use streams::WithStreams;

/// The flow-control window of a stream (RFC 9113, section 6.9.1). Request bodies from visitors are
/// a few KiB. A full window applies backpressure to a client that sends faster than the gateway
/// reads.
const STREAM_WINDOW: u32 = 64 * 1024;

/// The flow-control window of a connection.
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The client may send one `WINDOW_UPDATE` per this many bytes sent. A smaller increment hardly
/// pays for the frame around it.
const BYTES_PER_WINDOW_UPDATE: u64 = 256;

/// What each response adds to its bytes: after even the shortest response, many clients update the
/// windows of the stream and of the connection.
const BYTES_PER_RESPONSE: u64 = 2 * BYTES_PER_WINDOW_UPDATE;

/// Returns a builder of an HTTP/2 connection with these limits.
pub(crate) fn builder(limits: &Limits, executor: StreamExecutor) -> Builder<StreamExecutor> {
    let mut builder = Builder::new(executor);
    let max_resets = usize::try_from(limits.http2_max_resets_per_minute).unwrap_or(usize::MAX);
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(limits.http2_max_concurrent_streams)
        .max_header_list_size(limits.max_header_bytes)
        .max_pending_accept_reset_streams(max_resets)
        .max_local_error_reset_streams(max_resets);
    builder
}

/// Follows the frames of an HTTP/2 connection and closes it after a flood of control frames or
/// stream resets.
///
/// hyper responds to every PING and SETTINGS, and processes every PRIORITY, empty DATA and
/// unsolicited ACK, without a limit. On every `WINDOW_UPDATE` it sends a frame of pending data,
/// even of one byte. It counts stream resets only while the request waits to be accepted.
pub(crate) struct Http2Inspector {
    received: FrameParser,
    sent: FrameParser,
    control_frames: RateLimiter,
    resets: RateLimiter,
    /// The number of PING and SETTINGS frames that were sent and not acknowledged.
    pending_acks: u32,
    /// The sent bytes for which the client may still send `WINDOW_UPDATE` frames.
    window_update_bytes: u64,
    state: ConnectionState,
}

impl Http2Inspector {
    /// Creates the inspector of a connection.
    pub(crate) fn new(state: ConnectionState) -> Self {
        let (limits, now) = (state.limits(), poll::now());
        Self {
            received: FrameParser::after(PREFACE.len()),
            sent: FrameParser::after(0),
            control_frames: RateLimiter::new(limits.http2_max_control_frames_per_minute, now),
            resets: RateLimiter::new(limits.http2_max_resets_per_minute, now),
            pending_acks: 0,
            window_update_bytes: 0,
            state,
        }
    }
}

impl Inspector for Http2Inspector {
    fn received(&mut self, bytes: &[u8]) -> io::Result<Verdict> {
        let Self {
            received,
            control_frames,
            resets,
            pending_acks,
            window_update_bytes,
            state,
            ..
        } = self;
        let mut fault = None;
        let mut has_headers = false;
        received.feed(bytes, |frame| {
            match frame.kind {
                Kind::Headers => has_headers = true,
                Kind::RstStream => {
                    state.response_reset(frame.stream);
                    if !resets.try_acquire(poll::now()) {
                        fault = Some(CloseReason::RapidReset);
                    }
                }
                _ => {}
            }
            if is_control(frame, pending_acks, window_update_bytes)
                && !control_frames.try_acquire(poll::now())
            {
                fault = Some(CloseReason::ControlFrameFlood);
            }
        });
        if let Some(fault) = fault {
            state.set_fault(fault);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        if has_headers {
            // Restarts the keep-alive timeout, even if the field block ends in the same bytes.
            state.expect(Expected::Head);
        }
        match (received.in_field_block(), received.has_begun()) {
            (true, _) => state.expect(Expected::Head),
            (false, true) => state.expect(Expected::NextRequest),
            (false, false) => {}
        }
        state.received(bytes.len());
        Ok(Verdict::Accept)
    }

    fn read_pending(&mut self) {
        self.state.read_pending();
    }

    fn sent(&mut self, bytes: &[u8]) {
        let Self {
            sent,
            pending_acks,
            window_update_bytes,
            state,
            ..
        } = self;
        sent.feed(bytes, |frame| match frame.kind {
            Kind::Headers | Kind::Data | Kind::RstStream => {
                *window_update_bytes += match frame.kind {
                    Kind::Headers => BYTES_PER_RESPONSE,
                    Kind::Data => frame.length as u64,
                    _ => 0,
                };
                let is_open = frame.kind != Kind::RstStream && !frame.ends_stream();
                state.response_sent(frame.stream, frame.length, is_open);
            }
            Kind::Ping | Kind::Settings if !frame.is_ack() => *pending_acks += 1,
            _ => {}
        });
    }

    fn holds_writes(&self) -> bool {
        self.state.write_hold().is_held()
    }
}

/// Returns whether a frame counts as a control frame: one that carries nothing for a request, or
/// that is sent more often than needed. A solicited ACK is removed from `pending_acks`, and a
/// justified `WINDOW_UPDATE` from `window_update_bytes`.
fn is_control(frame: Frame, pending_acks: &mut u32, window_update_bytes: &mut u64) -> bool {
    match frame.kind {
        Kind::Ping | Kind::Settings if frame.is_ack() && *pending_acks > 0 => {
            *pending_acks -= 1;
            false
        }
        Kind::WindowUpdate if *window_update_bytes >= BYTES_PER_WINDOW_UPDATE => {
            *window_update_bytes -= BYTES_PER_WINDOW_UPDATE;
            false
        }
        // A client needs to send GOAWAY only once or twice.
        Kind::Ping | Kind::Settings | Kind::Priority | Kind::WindowUpdate | Kind::GoAway | Kind::Unknown => {
            true
        }
        Kind::Data => frame.is_empty() && !frame.ends_stream(),
        Kind::Headers | Kind::Continuation | Kind::RstStream => false,
    }
}
