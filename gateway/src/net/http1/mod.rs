//! What HTTP/1 needs besides hyper: knowing what a client is sending, and refusing what is told in two ways.

mod framing;

use std::io;

use hyper::server::conn::http1::Builder;
use hyper_util::rt::TokioTimer;

use super::tap::{Heard, Observer};
use super::watch::{Expected, Watch};
use crate::config::Limits;
use crate::metrics::Ended;
use framing::{Broken, Framing, Part};

/// The most header fields hyper takes by itself.
const HYPERS_HEADERS: usize = 100;

/// What serves HTTP/1 within these limits.
pub(super) fn builder(limits: &Limits) -> Builder {
    let mut builder = Builder::new();
    let head = usize::try_from(limits.head_bytes).unwrap_or(usize::MAX);
    builder
        .timer(TokioTimer::new())
        // The watch keeps this deadline, and tells it from that for an idle connection.
        .header_read_timeout(None)
        // The first bounds what is kept of an unfinished head, the second a finished one.
        .max_buf_size(head)
        .max_header_size(head);
    // Told of a limit, hyper clears room for so many of each request, also of its own.
    if limits.headers != HYPERS_HEADERS {
        builder.max_headers(limits.headers);
    }
    builder
}

/// Follows what an HTTP/1 client sends.
pub(super) struct Http1 {
    framing: Framing,
    watch: Watch,
}

impl Http1 {
    pub(super) fn new(watch: Watch) -> Self {
        Self {
            framing: Framing::default(),
            watch,
        }
    }
}

impl Observer for Http1 {
    fn read(&mut self, bytes: &[u8]) -> io::Result<Heard> {
        let heard = match self.framing.take(bytes) {
            Ok(()) => Heard::Fine,
            Err(Broken::Head(at)) => Heard::NoRequest(at),
            // The head was believed already; all that can be done is to believe nothing more. Requests before it are
            // answered.
            Err(Broken::Body(at)) => {
                self.watch.blame(Ended::Malformed);
                Heard::NoMore(at)
            }
        };
        match self.framing.part() {
            // Whatever it was to be, its client is in the middle of it.
            _ if heard != Heard::Fine => self.watch.expect(Expected::Body),
            Part::Between if !self.framing.has_begun() => {}
            Part::Between => self.watch.expect(Expected::Request),
            Part::Head => self.watch.expect(Expected::Head),
            Part::Body => self.watch.expect(Expected::Body),
        }
        self.watch.read(bytes.len());
        Ok(heard)
    }

    fn wait_to_read(&mut self) {
        self.watch.wait_to_read();
    }

    fn wrote(&mut self, _: &[u8]) {}
}
