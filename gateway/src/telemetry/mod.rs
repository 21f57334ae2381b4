//! The log: JSON lines on standard output, one event a request, and never anything personal in it.

use std::convert::Infallible;
use std::panic;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use tokio::time::Instant;
use tower::Service;
use tracing::Level;

use crate::reply::{FromDeployment, Held, Reply, Route};
use crate::stack::Next;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is logged for a request whose client left before there was an answer; no such status is ever sent.
const CLIENT_LEFT: u16 = 499;

/// Starts the log.
///
/// The level is fixed: below it, the libraries in use would log what the gateway promises not to.
pub(crate) fn start() {
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_max_level(Level::INFO)
        .with_writer(std::io::stdout)
        // Where the log cannot be written, complaining elsewhere about each line would not help.
        .log_internal_errors(false)
        .init();
    // What a panic says may quote what a visitor sent; where it happened cannot.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(event = "panic", place);
    }));
}

/// Gives a request its id and logs one event for it, when its answer is sent or given up.
pub(crate) async fn record<S, B>(request: Request<B>, next: Next<S>) -> Response<Recorded>
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let mut event = Event {
        id: format!("{:032x}", rand::random::<u128>()),
        method: method(request.method()),
        route: String::new(),
        status: CLIENT_LEFT,
        bytes: 0,
        deployment: None,
        start: Instant::now(),
    };
    let mut reply = next.run(request).await;
    if let Ok(id) = HeaderValue::from_str(&event.id) {
        reply.headers_mut().insert(REQUEST_ID, id);
    }
    event.status = reply.status().as_u16();
    if let Some(Route(route)) = reply.extensions_mut().remove() {
        event.route = route;
    }
    event.deployment = reply.extensions().get().map(|FromDeployment(number)| *number);
    let held = reply.extensions_mut().remove();
    reply.map(|body| Recorded { body, event, held })
}

/// A body that knows how much of it was sent.
pub(crate) struct Recorded {
    body: Full<Bytes>,
    event: Event,
    #[expect(dead_code, reason = "it is given back with the body")]
    held: Option<Held>,
}

/// The event of one request, logged when it is dropped.
struct Event {
    id: String,
    method: &'static str,
    route: String,
    status: u16,
    bytes: u64,
    deployment: Option<u64>,
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
        tracing::info!(
            event = "request",
            method = self.method,
            route = self.route,
            status = self.status,
            bytes = self.bytes,
            duration_ms = milliseconds(self.start.elapsed()),
            deployment = self.deployment,
            request_id = self.id,
        );
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
