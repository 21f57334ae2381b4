//! HTTP/1: hyper's configuration, and an inspector that follows the requests and rejects ambiguous
//! framing.

mod framing;
mod tunnel;

use std::io;

use hyper::server::conn::http1::Builder;
use hyper_util::rt::TokioTimer;

use crate::Limits;
use crate::io::{Inspector, Verdict};
use crate::metrics::CloseReason;
use crate::state::{ConnectionState, Expected};
use framing::{Framing, FramingError, Part};
pub(crate) use tunnel::WithTunnel;

/// hyper's default for the maximum number of header fields.
const HYPER_MAX_HEADERS: usize = 100;

/// Returns a builder of HTTP/1 connections with these limits.
pub(crate) fn builder(limits: &Limits) -> Builder {
    let mut builder = Builder::new();
    let max_header_bytes = usize::try_from(limits.max_header_bytes).unwrap_or(usize::MAX);
    builder
        .timer(TokioTimer::new())
        // The connection state enforces this timeout, and distinguishes it from the keep-alive
        // timeout.
        .header_read_timeout(None)
        // The first limits an incomplete head, the second a complete one.
        .max_buf_size(max_header_bytes)
        .max_header_size(max_header_bytes);
    // With an explicit limit, even its default, hyper allocates that many headers for each request.
    if limits.max_header_fields != HYPER_MAX_HEADERS {
        builder.max_headers(limits.max_header_fields);
    }
    builder
}

/// Follows the requests of an HTTP/1 connection.
pub(crate) struct Http1Inspector {
    framing: Framing,
    state: ConnectionState,
}

impl Http1Inspector {
    /// Creates the inspector of a connection.
    pub(crate) fn new(state: ConnectionState) -> Self {
        Self {
            framing: Framing::default(),
            state,
        }
    }
}

impl Inspector for Http1Inspector {
    fn received(&mut self, bytes: &[u8]) -> io::Result<Verdict> {
        if self.state.is_tunnel() {
            return Ok(Verdict::Accept);
        }
        let verdict = match self.framing.feed(bytes) {
            Ok(()) => Verdict::Accept,
            Err(FramingError::Head(at)) => Verdict::RejectHead(at),
            // hyper has already accepted the head, so only the rest can be rejected. Earlier
            // requests still get responses.
            Err(FramingError::Body(at)) => {
                self.state.set_fault(CloseReason::ProtocolError);
                Verdict::RejectBody(at)
            }
        };
        match self.framing.part() {
            // The client is in the middle of the invalid request.
            _ if verdict != Verdict::Accept => self.state.expect(Expected::Body),
            Part::Between if !self.framing.has_begun() => {}
            Part::Between => self.state.expect(Expected::NextRequest),
            Part::Head => self.state.expect(Expected::Head),
            Part::Body => self.state.expect(Expected::Body),
        }
        self.state.received(bytes.len());
        Ok(verdict)
    }

    fn read_pending(&mut self) {
        self.state.read_pending();
    }

    fn sent(&mut self, _: &[u8]) {}
}
