//! The log: JSON lines on standard output, one event a request, and never anything personal in it.

mod log;
#[cfg(feature = "otlp")]
mod otlp;
mod request_id;

use std::borrow::Cow;
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::panic;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response};
use http_body::{Body, Frame, SizeHint};
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Serialize, Serializer};
use tokio::time::Instant;
use tower::Service;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::clock;
use crate::config::Telemetry;
use crate::content::Content;
use crate::metrics::RequestMetrics;
use crate::reply::{FromDeployment, Held, Peer, REQUEST_ID, Reply, RequestId, Route};
use crate::stack::Next;
pub(crate) use log::{Log, Writing};
#[cfg(feature = "otlp")]
pub(crate) use otlp::{Traces, TracesError};

/// Traces, of which this build makes none.
#[cfg(not(feature = "otlp"))]
pub(crate) struct Traces;

#[cfg(not(feature = "otlp"))]
impl Traces {
    /// None, as ever.
    pub(crate) fn none() -> Self {
        Self
    }
}

/// What is logged for a request whose client left before there was an answer; no such status is ever sent.
const CLIENT_LEFT: u16 = 499;

/// Starts the log, which is written for as long as what this returns is kept.
///
/// Only events of the gateway's own are written, and nothing changes that: libraries log what strangers send, as often as
/// they send it.
pub(crate) fn start() -> io::Result<Writing> {
    let log = Log::default();
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_writer(log.clone())
        // Where the log cannot be written, complaining elsewhere about each line would not help.
        .log_internal_errors(false);
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), Level::INFO);
    tracing_subscriber::registry().with(own).with(lines).init();
    tell_of_panics();
    log.written_to(io::stdout())
}

/// Logs where a panic happened. What it says may quote what a visitor sent.
fn tell_of_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(event = "panic", place);
    }));
}

/// What is told of the requests of a listener, and to whom.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Telling>);

struct Telling {
    log: Log,
    metrics: RequestMetrics,
    /// Whether events name the visitor's address.
    addresses: bool,
    #[cfg(feature = "otlp")]
    tracer: Option<otlp::Tracer>,
}

impl Recorder {
    /// Tells what the configuration says.
    pub(crate) fn new(telemetry: &Telemetry, log: &Log, metrics: RequestMetrics, traces: &Traces) -> Self {
        #[cfg(not(feature = "otlp"))]
        let Traces = traces;
        Self(Arc::new(Telling {
            log: log.clone(),
            metrics,
            addresses: telemetry.addresses,
            #[cfg(feature = "otlp")]
            tracer: traces.tracer(),
        }))
    }

    /// The event of a request that has come just now.
    fn event<B>(self, request: &Request<B>, id: &RequestId) -> Event {
        let RequestId(id) = id;
        let address = request.extensions().get().map(|Peer(address)| *address);
        Event {
            #[cfg(feature = "otlp")]
            span: self.0.tracer.as_ref().map(|tracer| tracer.begin(request)),
            id: id.clone(),
            method: method(request.method()),
            route: Cow::Borrowed(""),
            status: CLIENT_LEFT,
            bytes: 0,
            deployment: None,
            address: address.filter(|_| self.0.addresses),
            start: Instant::now(),
            recorder: self,
        }
    }
}

/// Gives a request its id and logs one event for it, when its answer is sent or given up.
pub(crate) async fn record<S, B>(
    mut request: Request<B>,
    next: Next<S>,
    recorder: Recorder,
) -> Response<Recorded>
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let id = request_id::of(&request);
    let mut event = recorder.event(&request, &id);
    request.extensions_mut().insert(id.clone());
    let mut reply = next.run(request).await;
    let RequestId(mut id) = id;
    // Never indexed (RFC 7541, 6.2.3), else each would push headers that come again out of the table (4.4).
    id.set_sensitive(true);
    reply.headers_mut().insert(REQUEST_ID, id);
    event.status = reply.status().as_u16();
    if let Some(Route(route)) = reply.extensions_mut().remove() {
        event.route = route;
    }
    event.deployment = reply.extensions().get().map(|FromDeployment(number)| *number);
    let held = reply.extensions_mut().remove();
    reply.map(|body| Recorded { body, event, held })
}

/// A body that knows how much of it was sent, to a slice.
pub(crate) struct Recorded {
    body: Content,
    event: Event,
    held: Option<Held>,
}

/// The last slice of a body, with what is held until hyper has no more use for it: it is written, or never will be.
struct Last {
    slice: Bytes,
    #[expect(dead_code, reason = "it is given back with the slice")]
    held: Held,
}

impl AsRef<[u8]> for Last {
    fn as_ref(&self) -> &[u8] {
        &self.slice
    }
}

/// The event of one request, logged when it is dropped.
struct Event {
    recorder: Recorder,
    #[cfg(feature = "otlp")]
    span: Option<otlp::Span>,
    id: HeaderValue,
    method: &'static str,
    route: Cow<'static, str>,
    status: u16,
    bytes: u64,
    deployment: Option<u64>,
    /// The visitor's, where events are to name it.
    address: Option<IpAddr>,
    start: Instant,
}

impl Body for Recorded {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
        {
            self.event.bytes += data.len() as u64;
        }
        if self.body.is_end_stream()
            && let Some(held) = self.held.take()
        {
            let last = |slice| Bytes::from_owner(Last { slice, held });
            return frame.map_ok(|frame| frame.map_data(last));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let duration = self.start.elapsed();
        self.recorder
            .0
            .metrics
            .answered(&self.route, self.status, duration);
        #[cfg(feature = "otlp")]
        if let Some(span) = self.span.take() {
            span.end(self);
        }
        self.recorder.0.log.add(&Line {
            timestamp: Now,
            level: "INFO",
            event: "request",
            method: self.method,
            route: &self.route,
            status: self.status,
            bytes: self.bytes,
            duration_ms: milliseconds(duration),
            deployment: self.deployment,
            request_id: self.id.to_str().unwrap_or_default(),
            address: self.address,
        });
    }
}

/// The line of one request, as the log's other lines are. It is written without `tracing`, whose way there takes several
/// times as long: no other event is as frequent.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: Now,
    level: &'static str,
    event: &'static str,
    method: &'static str,
    route: &'a str,
    status: u16,
    bytes: u64,
    duration_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment: Option<u64>,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
}

/// The moment in which it is written, to the microsecond.
struct Now;

impl Serialize for Now {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        serializer.serialize_str(&PRINTER.timestamp_to_string(&clock::precise()))
    }
}

/// To three digits behind the point.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

/// A method's name, if it is one of HTTP's own: others are words of the client's choosing.
fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => "OTHER",
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::panic::{self, catch_unwind};
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing_subscriber::fmt::MakeWriter;

    use super::tell_of_panics;

    /// A log that is kept.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Kept {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn a_panic_is_logged_by_its_place_and_not_by_its_words() {
        let kept = Kept::default();
        let log = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_writer(kept.clone())
            .finish();
        let before = panic::take_hook();
        tell_of_panics();
        let caught = tracing::subscriber::with_default(log, || {
            catch_unwind(|| assert_eq!("marked@visitor.example", "marked-password", "marked"))
        });
        panic::set_hook(before);
        assert!(caught.is_err());
        let log = String::from_utf8(kept.0.lock().clone()).expect("text");
        assert!(
            log.contains("\"event\":\"panic\"") && log.contains("telemetry/mod.rs:"),
            "{log}"
        );
        assert!(!log.contains("marked"), "{log}");
    }
}
