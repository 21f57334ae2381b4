//! Traces: one span per request and one per call of an upstream, exported to a collector by OTLP
//! over HTTP.
//!
//! A span contains the same data as the log event of the request. It continues the trace in the
//! `traceparent` header (W3C Trace Context) of a trusted proxy. The header of any other peer is
//! ignored, so that clients cannot force sampling.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::request::Parts;
use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
    Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};

use colonnade_config::TelemetrySettings;
use colonnade_web::call_span::{CallSpan, CallSpans, StartCallSpan};
use colonnade_web::client::FromTrustedProxy;

use crate::request_line::RequestLine;

/// The timeout of an export. Spans that are not exported in time are lost; requests never wait for
/// the export.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The exporter of spans, if traces are enabled.
pub struct Traces(Option<SdkTracerProvider>);

/// Creates spans.
#[derive(Clone)]
pub(super) struct Tracer(SdkTracer);

/// The span of a request.
pub(super) struct Span(opentelemetry_sdk::trace::Span);

/// Starts the spans of a request's calls.
struct Calls {
    tracer: Tracer,
    parent: SpanContext,
}

/// The exporter cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("cannot export traces: {0}")]
pub struct TracesError(Box<dyn std::error::Error + Send + Sync>);

impl Traces {
    /// Creates the exporter for the configured endpoint, if any. Must not be called inside the
    /// Tokio runtime: the blocking client starts its own.
    pub fn new(telemetry: &TelemetrySettings) -> Result<Self, TracesError> {
        let Some(collector) = &telemetry.otlp_endpoint else {
            return Ok(Self::none());
        };
        let mut client = reqwest::blocking::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT);
        if collector.scheme() == "http" {
            // Plain HTTP needs no certificates.
            client = client.tls_certs_only([]);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client.build().map_err(|error| TracesError(error.into()))?)
            .with_endpoint(format!("{}/v1/traces", collector.as_str().trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| TracesError(error.into()))?;
        let share = Sampler::TraceIdRatioBased(f64::from(telemetry.trace_sample_percent) / 100.0);
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(share)))
            .with_resource(
                Resource::builder_empty()
                    .with_service_name("colonnade-gateway")
                    .build(),
            )
            .build();
        Ok(Self(Some(provider)))
    }

    /// Disables traces.
    pub fn none() -> Self {
        Self(None)
    }

    pub(super) fn tracer(&self) -> Option<Tracer> {
        let provider = self.0.as_ref()?;
        Some(Tracer(provider.tracer("gateway")))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Exports the remaining spans. There is nothing to do if the collector is unreachable.
        if let Some(provider) = &self.0 {
            let _ = provider.shutdown_with_timeout(TIMEOUT);
        }
    }
}

impl Tracer {
    /// Starts the span of a request.
    pub(super) fn start_span(&self, head: &Parts) -> Span {
        let Self(tracer) = self;
        let parent = parent(head).map_or_else(Context::new, |parent| {
            Context::new().with_remote_span_context(parent)
        });
        let span = tracer.span_builder("request").with_kind(SpanKind::Server);
        Span(tracer.build_with_context(span, &parent))
    }
}

impl StartCallSpan for Calls {
    fn start(&self, upstream: &str) -> Box<dyn CallSpan> {
        let Tracer(tracer) = &self.tracer;
        let parent = Context::new().with_remote_span_context(self.parent.clone());
        let span = tracer
            .span_builder(format!("call {upstream}"))
            .with_kind(SpanKind::Client)
            .with_attributes([KeyValue::new("colonnade.upstream", upstream.to_owned())]);
        Box::new(Span(tracer.build_with_context(span, &parent)))
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

    fn end(self: Box<Self>, outcome: &'static str, status: Option<u16>, retries: u32, is_error: bool) {
        let Self(mut span) = *self;
        span.set_attributes([
            KeyValue::new("colonnade.outcome", outcome),
            KeyValue::new("http.request.resend_count", i64::from(retries)),
        ]);
        if let Some(status) = status {
            span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        }
        if is_error {
            span.set_status(Status::error(outcome));
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
fn parent(head: &Parts) -> Option<SpanContext> {
    head.extensions.get::<FromTrustedProxy>()?;
    let mut values = head.headers.get_all("traceparent").iter();
    let (Some(value), None) = (values.next(), values.next()) else {
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
