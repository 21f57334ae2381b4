//! Traces: one span per request, and one per render, store operation and call of an upstream that it
//! waits for.
//!
//! A span contains the same data as the log event of the request. It continues the trace in the
//! `traceparent` header (W3C Trace Context) of a trusted proxy. The header of any other peer is
//! ignored, so that clients cannot force sampling.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http::HeaderValue;
use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
    Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider, SpanProcessor};

use colonnade_web::call_span::{CallEnd, CallSpan, CallSpans, Callee, StartCallSpan};
use colonnade_web::request::Head;

use crate::export_queue::SCOPE;
use crate::request_line::RequestLine;

/// Creates spans.
#[derive(Clone)]
pub(super) struct Tracer(SdkTracer);

/// The span of a request.
pub(super) struct Span(opentelemetry_sdk::trace::Span);

/// The most spans of a request's calls. Some requests of operators read thousands of releases.
const MAX_CALLS: u32 = 100;

/// Starts the spans of a request's calls.
struct Calls {
    tracer: Tracer,
    parent: SpanContext,
    started: AtomicU32,
}

impl Tracer {
    /// Creates a tracer of this percentage of the requests, unless a trusted proxy decides. `exporter`
    /// gets the spans that have ended.
    pub(super) fn new(sample_percent: u8, exporter: impl SpanProcessor + 'static) -> Self {
        let share = Sampler::TraceIdRatioBased(f64::from(sample_percent) / 100.0);
        let provider = SdkTracerProvider::builder()
            .with_span_processor(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(share)))
            .build();
        Self(provider.tracer(SCOPE))
    }

    /// Starts the span of a request.
    pub(super) fn start_span(&self, head: &Head) -> Span {
        let Self(tracer) = self;
        let parent = parent(head).map_or_else(Context::new, |parent| {
            Context::new().with_remote_span_context(parent)
        });
        let span = tracer.span_builder("request").with_kind(SpanKind::Server);
        Span(tracer.build_with_context(span, &parent))
    }
}

impl StartCallSpan for Calls {
    fn start(&self, callee: Callee<'_>) -> Option<Box<dyn CallSpan>> {
        if self.started.fetch_add(1, Ordering::Relaxed) >= MAX_CALLS {
            return None;
        }
        let Tracer(tracer) = &self.tracer;
        let parent = Context::new().with_remote_span_context(self.parent.clone());
        let (verb, key, name, kind) = match callee {
            Callee::Upstream(name) => ("call", "colonnade.upstream", name, SpanKind::Client),
            Callee::Render(section) => ("render", "colonnade.section", section, SpanKind::Internal),
            Callee::Store(operation) => (
                "store",
                "colonnade.store_operation",
                operation,
                SpanKind::Internal,
            ),
        };
        let span = tracer
            .span_builder(format!("{verb} {name}"))
            .with_kind(kind)
            .with_attributes([KeyValue::new(key, name.to_owned())]);
        Some(Box::new(Span(tracer.build_with_context(span, &parent))))
    }
}

impl CallSpan for Span {
    fn traceparent(&self) -> HeaderValue {
        let context = self.0.span_context();
        let (trace, span) = (context.trace_id(), context.span_id());
        let text = format!("00-{trace}-{span}-{:02x}", context.trace_flags().to_u8());
        // Hexadecimal digits are valid in a header.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }

    fn end(self: Box<Self>, end: CallEnd) {
        let Self(mut span) = *self;
        span.set_attribute(KeyValue::new("colonnade.outcome", end.outcome));
        if end.retries > 0 {
            let retries = i64::from(end.retries);
            span.set_attribute(KeyValue::new("http.request.resend_count", retries));
        }
        if let Some(status) = end.status {
            span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        }
        if end.is_error {
            span.set_status(Status::error(end.outcome));
        }
        span.end();
    }
}

impl Span {
    /// Starts the spans of the calls that the request makes.
    pub(super) fn calls(&self, tracer: &Tracer) -> CallSpans {
        CallSpans(Arc::new(Calls {
            tracer: tracer.clone(),
            parent: self.0.span_context().clone(),
            started: AtomicU32::new(0),
        }))
    }

    /// Ends the span with the data of the request's event.
    pub(super) fn end_request(self, request: &RequestLine<'_>) {
        let Self(mut span) = self;
        span.update_name(format!("{} {}", request.method, request.route));
        span.set_attributes([
            KeyValue::new("http.request.method", request.method),
            KeyValue::new("http.route", request.route.to_owned()),
            KeyValue::new("http.response.status_code", i64::from(request.status)),
            KeyValue::new(
                "http.response.body.size",
                i64::try_from(request.bytes).unwrap_or(i64::MAX),
            ),
            KeyValue::new("colonnade.request_id", request.request_id.to_owned()),
        ]);
        if let Some(set) = request.deployment {
            span.set_attribute(KeyValue::new("colonnade.deployment", set.to_string()));
        }
        if request.status >= 500 {
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// The parent span from the `traceparent` header of a trusted proxy: `00-<trace>-<span>-<flags>`,
/// in lower-case hexadecimal.
fn parent(head: &Head) -> Option<SpanContext> {
    let mut values = head.headers.get_all("traceparent").iter();
    let (true, Some(value), None) = (head.client.is_proxied, values.next(), values.next()) else {
        return None;
    };
    let value = value.to_str().ok()?;
    let parts: Vec<&str> = value.splitn(5, '-').collect();
    let ["00", trace, span, flags] = parts[..] else {
        return None;
    };
    let is_hex = |text: &str, length| {
        text.len() == length
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    if !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let context = SpanContext::new(
        TraceId::from_hex(trace).ok()?,
        SpanId::from_hex(span).ok()?,
        TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED,
        true,
        TraceState::NONE,
    );
    context.is_valid().then_some(context)
}
