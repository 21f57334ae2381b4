//! The log line of a request, in the format of all other events.
//!
//! It is written without `tracing` and without a serializer, which take several times as long: no
//! other event is as frequent.

use std::cell::Cell;
use std::io::Write as _;
use std::net::IpAddr;
use std::time::Duration;

use colonnade_model::deployment::SetName;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

/// What the line says of a request.
pub(super) struct RequestLine<'a> {
    pub(super) listener: &'static str,
    pub(super) method: &'static str,
    pub(super) route: &'a str,
    pub(super) status: u16,
    /// The bytes of the body that were sent.
    pub(super) bytes: u64,
    pub(super) duration: Duration,
    pub(super) deployment: Option<&'a SetName>,
    pub(super) upstream: Option<&'a str>,
    pub(super) request_id: &'a str,
    pub(super) client_ip: Option<IpAddr>,
    /// The template of the path.
    pub(super) path: Option<&'a str>,
}

impl RequestLine<'_> {
    /// Appends the line, without its end, to `line`. No value has a character that JSON escapes:
    /// the configuration and releases permit none in the names of upstreams and routes, and the
    /// gateway none in request IDs.
    pub(super) fn write(&self, line: &mut Vec<u8>) {
        text(line, "{\"timestamp\":\"");
        timestamp(line, colonnade_clock::precise());
        text(line, "\",\"level\":\"");
        text(line, if self.status >= 500 { "ERROR" } else { "INFO" });
        text(line, "\",\"event\":\"request\",\"listener\":\"");
        text(line, self.listener);
        text(line, "\",\"method\":\"");
        text(line, self.method);
        text(line, "\",\"route\":\"");
        text(line, self.route);
        if let Some(path) = self.path {
            text(line, "\",\"path\":\"");
            text(line, path);
        }
        text(line, "\",\"status\":");
        integer(line, self.status);
        text(line, ",\"bytes\":");
        integer(line, self.bytes);
        text(line, ",\"duration_ms\":");
        milliseconds(line, self.duration);
        if let Some(deployment) = self.deployment {
            text(line, ",\"deployment\":\"");
            integer(line, deployment.live());
            for candidate in deployment.candidates() {
                text(line, ".");
                integer(line, *candidate);
            }
            text(line, "\"");
        }
        if let Some(upstream) = self.upstream {
            text(line, ",\"upstream\":\"");
            text(line, upstream);
            text(line, "\"");
        }
        text(line, ",\"request_id\":\"");
        text(line, self.request_id);
        text(line, "\"");
        if let Some(client_ip) = self.client_ip {
            // Writing to memory cannot fail.
            let _ = write!(line, ",\"client_ip\":\"{client_ip}\"");
        }
        text(line, "}");
    }
}

fn text(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}

fn integer(line: &mut Vec<u8>, value: impl itoa::Integer) {
    text(line, itoa::Buffer::new().format(value));
}

/// Milliseconds with three decimal places.
fn milliseconds(line: &mut Vec<u8>, duration: Duration) {
    let rounded = duration + Duration::from_nanos(500);
    integer(line, rounded.as_millis());
    decimals::<3>(line, rounded.subsec_micros() % 1000);
}

/// A decimal point and this many digits.
fn decimals<const DIGITS: usize>(line: &mut Vec<u8>, mut value: u32) {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789"[(value % 10) as usize];
        value /= 10;
    }
    text(line, ".");
    line.extend_from_slice(&digits);
}

/// A time in UTC with microseconds (RFC 3339).
fn timestamp(line: &mut Vec<u8>, time: Timestamp) {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(0));
    thread_local! {
        /// The last second that was formatted, without its time zone. Formatting takes much longer
        /// than the rest of the line.
        static LAST: Cell<(i64, [u8; 19])> = const { Cell::new((i64::MIN, [0; 19])) };
    }
    let (mut second, mut formatted) = LAST.get();
    if second != time.as_second() {
        second = time.as_second();
        let text = PRINTER.timestamp_to_string(&time);
        formatted.copy_from_slice(&text.as_bytes()[..19]);
        LAST.set((second, formatted));
    }
    line.extend_from_slice(&formatted);
    decimals::<6>(line, time.subsec_microsecond().unsigned_abs());
    text(line, "Z");
}
