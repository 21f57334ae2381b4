//! The log line of a request, in the format of all other events.
//!
//! It is written without `tracing` and without a serializer, which take several times as long: no other event is as frequent.

use std::io::Write as _;
use std::net::IpAddr;
use std::time::Duration;

use jiff::fmt::temporal::DateTimePrinter;
use serde::Serialize;

/// What the line says of a request.
pub(super) struct RequestLine<'a> {
    pub(super) listener: &'static str,
    pub(super) method: &'static str,
    pub(super) route: &'a str,
    pub(super) status: u16,
    /// The bytes of the body that were sent.
    pub(super) bytes: u64,
    pub(super) duration: Duration,
    pub(super) deployment: Option<u64>,
    pub(super) upstream: Option<&'a str>,
    pub(super) request_id: &'a str,
    pub(super) client_ip: Option<IpAddr>,
}

impl RequestLine<'_> {
    /// Appends the line, without its end, to `line`. The names of listeners and methods, and request IDs have no characters that
    /// JSON escapes.
    pub(super) fn write(&self, line: &mut Vec<u8>) {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        text(line, "{\"timestamp\":\"");
        // Writing to memory cannot fail, here and below.
        let _ = PRINTER.print_timestamp(&colonnade_clock::precise(), &mut *line);
        text(
            line,
            "\",\"level\":\"INFO\",\"event\":\"request\",\"listener\":\"",
        );
        text(line, self.listener);
        text(line, "\",\"method\":\"");
        text(line, self.method);
        text(line, "\",\"route\":");
        json(line, self.route);
        text(line, ",\"status\":");
        json(line, &self.status);
        text(line, ",\"bytes\":");
        json(line, &self.bytes);
        text(line, ",\"duration_ms\":");
        json(line, &milliseconds(self.duration));
        if let Some(deployment) = &self.deployment {
            text(line, ",\"deployment\":");
            json(line, deployment);
        }
        if let Some(upstream) = self.upstream {
            text(line, ",\"upstream\":");
            json(line, upstream);
        }
        text(line, ",\"request_id\":\"");
        text(line, self.request_id);
        text(line, "\"");
        if let Some(client_ip) = self.client_ip {
            let _ = write!(line, ",\"client_ip\":\"{client_ip}\"");
        }
        text(line, "}");
    }
}

fn text(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}

fn json(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = serde_json::to_writer(line, value);
}

/// Milliseconds with three decimal places.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
