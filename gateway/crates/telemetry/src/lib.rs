//! Logs, request metrics and traces, and their export by OTLP.
//!
//! The log consists of JSON lines on standard output. Each request is one event: timestamp,
//! listener, method, route name, status, bytes sent, duration, deployment and request ID. Events
//! contain no personal data: no path, no query, no header and no body. They contain the client's IP
//! address only if `telemetry.log_client_ip` is set, or `log_admin_client_ip` for the admin listener,
//! and a template of the path only if `telemetry.log_path_templates` is.

mod event_limiter;
mod export_queue;
mod log;
mod log_line;
pub mod metrics;
mod otlp;
mod path_template;
mod request_id;
mod request_line;
mod spans;

use std::io;
use std::mem::take;
use std::net::IpAddr;
use std::panic;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use colonnade_clock::poll;
use http::{HeaderValue, Method};
use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use colonnade_config::{LoggedRequests, TelemetrySettings};
use colonnade_diagnostics::{Diagnostics, SectionRequest};
use colonnade_web::body::{BrokenBody, ResponseBody};
use colonnade_web::health::is_health_path;
use colonnade_web::request::Head;
use colonnade_web::request_scope::{self, RequestScope};
use colonnade_web::response::{REQUEST_ID, RequestId, RequestKind, Response, ServedBy};

use crate::log_line::LogLine;
use crate::metrics::ListenerRequestMetrics;
use crate::path_template::path_template;
use crate::request_line::RequestLine;

pub use export_queue::OtlpMetrics;
pub use log::{Log, LogWriter};
pub use otlp::{Exporter, OtlpError};

/// The logged status of a request whose client closed the connection before the response. It is
/// never sent.
const CLIENT_CLOSED: u16 = 499;

/// Starts the log and installs the panic hook. The log is written until the returned guard is
/// dropped.
///
/// Only events of the gateway's own crates are logged, and this is not configurable: events of
/// libraries may contain data that clients sent.
pub fn start() -> io::Result<LogWriter> {
    let log = Log::default();
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .event_format(LogLine::new(log.clone()))
        .with_writer(log.clone())
        // Do not report failed writes to standard error.
        .log_internal_errors(false);
    // A target matches every module path with this prefix: `gateway` and all crates named
    // `colonnade_…`.
    let own = Targets::new()
        .with_target("gateway", Level::INFO)
        .with_target("colonnade", Level::INFO);
    tracing_subscriber::registry().with(own).with(lines).init();
    log_panics();
    log.write_to(io::stdout())
}

/// Logs the location of panics. Their messages are not logged: they may contain data that clients
/// sent.
fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(event = "panic", location);
    }));
}

/// Records the requests of one listener: as log events, metrics and spans.
#[derive(Clone)]
pub struct Recorder(Arc<RecorderState>);

struct RecorderState {
    log: Log,
    metrics: ListenerRequestMetrics,
    /// Whether events contain the client's IP address.
    log_client_ip: bool,
    /// Whether health checks are logged.
    log_health_checks: bool,
    /// Which requests are logged.
    log_requests: LoggedRequests,
    /// The percentage of requests without a server error that are logged.
    log_requests_percent: u8,
    /// Whether events have templates of paths.
    log_path_templates: bool,
    tracer: Option<spans::Tracer>,
    /// Where requests for pages are counted.
    diagnostics: Arc<Diagnostics>,
}

impl Recorder {
    /// Creates a recorder for one listener.
    pub fn new(
        telemetry: &TelemetrySettings,
        log: &Log,
        metrics: ListenerRequestMetrics,
        exporter: &Exporter,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        Self(Arc::new(RecorderState {
            log: log.clone(),
            log_client_ip: telemetry.logs_client_ip(metrics.listener()),
            metrics,
            log_health_checks: telemetry.log_health_checks,
            log_requests: telemetry.log_requests,
            log_requests_percent: telemetry.log_requests_percent,
            log_path_templates: telemetry.log_path_templates,
            tracer: exporter.tracer(),
            diagnostics,
        }))
    }

    /// Starts to record a request, and gives it its ID.
    pub fn start(&self, head: &Head) -> Recording {
        let RequestId(id) = request_id::request_id(head);
        Recording(Box::new(Event {
            span: self
                .0
                .tracer
                .as_ref()
                .map(|tracer| Box::new(tracer.start_span(head))),
            id,
            method: method(&head.method),
            response: None,
            bytes: 0,
            client_ip: self.0.log_client_ip.then_some(head.client.address),
            path: self.0.log_path_templates.then(|| path_template(head.uri.path())),
            // One poll serves many streams of an HTTP/2 connection.
            start: poll::refresh(),
            recorder: self.clone(),
        }))
    }
}

impl RecorderState {
    /// Whether a request is logged.
    fn logs(&self, kind: RequestKind, status: u16) -> bool {
        if kind == RequestKind::Health && !self.log_health_checks {
            return false;
        }
        match self.log_requests {
            LoggedRequests::None => false,
            _ if is_server_error(status) => true,
            LoggedRequests::Errors => false,
            LoggedRequests::All => {
                let percent = self.log_requests_percent;
                percent == 100 || rand::random_range(0..100) < percent
            }
        }
    }
}

fn is_server_error(status: u16) -> bool {
    status >= 500
}

/// The recording of a request that has no response yet. If it is dropped, the client has closed the
/// connection.
pub struct Recording(Box<Event>);

impl Recording {
    /// Waits for the response as a part of this request.
    pub fn within(
        &self,
        response: Pin<&mut impl Future<Output = Response>>,
    ) -> impl Future<Output = Response> {
        let Self(event) = self;
        let spans = event.recorder.0.tracer.as_ref().zip(event.span.as_ref());
        let scope = RequestScope {
            id: RequestId(event.id.clone()),
            spans: spans.map(|(tracer, span)| span.calls(tracer)),
        };
        request_scope::within(scope, response)
    }

    /// Adds the request ID to the response, and records the request once the response is sent or
    /// dropped.
    pub fn finish(self, mut response: Response) -> http::Response<RecordedBody> {
        let Self(mut event) = self;
        let mut id = event.id.clone();
        // Never indexed (RFC 7541, section 6.2.3): unique values would evict reusable headers from
        // the dynamic table.
        id.set_sensitive(true);
        response.headers_mut().insert(REQUEST_ID, id);
        let mut head = http::Response::new(());
        *head.status_mut() = response.status();
        *head.headers_mut() = take(response.headers_mut());
        *head.extensions_mut() = take(response.extensions_mut());
        event.response = Some(response);
        head.map(|()| RecordedBody(event))
    }
}

/// A response body that counts the bytes handed to the connection.
pub struct RecordedBody(Box<Event>);

/// The event of one request, logged when it is dropped.
struct Event {
    recorder: Recorder,
    /// Boxed, because it is large, and few requests are traced.
    span: Option<Box<spans::Span>>,
    id: HeaderValue,
    method: &'static str,
    /// Without its header, which is sent; `None` if the client closed the connection before it.
    response: Option<Response>,
    bytes: u64,
    /// The client's IP address, if events contain it.
    client_ip: Option<IpAddr>,
    /// The template of the path, if events contain it.
    path: Option<String>,
    start: Instant,
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = BrokenBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenBody>>> {
        let Self(event) = &mut *self;
        let Some(response) = &mut event.response else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(response.body_mut()).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
        {
            event.bytes += data.len() as u64;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.0.body().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.body().map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Event {
    fn body(&self) -> Option<&ResponseBody> {
        self.response.as_deref().map(http::Response::body)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // Most requests end in the poll in which they begin.
        let duration = poll::refresh().duration_since(self.start);
        let span = self.span.take();
        let unserved = ServedBy::default();
        let served_by = self.body().map_or(&unserved, |body| &body.served_by);
        let status = self
            .response
            .as_ref()
            .map_or(CLIENT_CLOSED, |response| response.status().as_u16());
        // Empty if the client closed the connection before the response.
        let route = served_by.route.as_deref().unwrap_or_default();
        let RecorderState {
            metrics,
            diagnostics,
            log,
            ..
        } = &*self.recorder.0;
        let kind = if is_health_path(route) {
            RequestKind::Health
        } else {
            served_by.kind
        };
        metrics.record(kind, route, (status, duration), served_by.track);
        if let Some(section) = &served_by.section {
            let request = SectionRequest {
                kind,
                side: served_by.rollout_side,
                is_error: is_server_error(status),
                duration,
            };
            diagnostics.metrics.count(section, request);
            if let Some(track) = served_by.track {
                diagnostics
                    .traffic
                    .record_request(section, track, status, duration);
            }
        }
        let line = RequestLine {
            listener: metrics.listener(),
            method: self.method,
            route,
            status,
            bytes: self.bytes,
            duration,
            deployment: served_by.deployment.as_ref(),
            upstream: served_by.upstream.as_deref(),
            request_id: self.id.to_str().unwrap_or_default(),
            client_ip: self.client_ip,
            path: self.path.as_deref().filter(|_| served_by.section.is_none()),
        };
        if let Some(span) = span {
            span.end_request(&line);
        }
        if self.recorder.0.logs(kind, status) {
            log.add(|buffer| line.write(buffer));
        }
    }
}

/// The name of a standard method, or `OTHER`: clients can send any other name.
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

    use super::log_panics;

    /// A log in memory.
    #[derive(Clone, Default)]
    struct MemoryLog(Arc<Mutex<Vec<u8>>>);

    impl io::Write for MemoryLog {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for MemoryLog {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn panic_event_has_location_but_no_message() {
        let memory = MemoryLog::default();
        let log = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_writer(memory.clone())
            .finish();
        let before = panic::take_hook();
        log_panics();
        let caught = tracing::subscriber::with_default(log, || {
            catch_unwind(|| assert_eq!("marked@visitor.example", "marked-password", "marked"))
        });
        panic::set_hook(before);
        assert!(caught.is_err());
        let log = String::from_utf8(memory.0.lock().clone()).expect("text");
        assert!(
            log.contains("\"event\":\"panic\"") && log.contains("telemetry/src/lib.rs:"),
            "{log}"
        );
        assert!(!log.contains("marked"), "{log}");
    }
}
