//! Traces: one span a request, sent to a collector by OTLP over HTTP.
//!
//! A span tells what the request's event does, and nothing more. It continues the trace that a known proxy names in
//! `traceparent` (W3C Trace Context); a stranger's is not looked at, or anybody could have everything traced.

use std::time::Duration;

use http::Request;
use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
    Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};

use super::Event;
use crate::config::Telemetry;
use crate::reply::ByProxy;

/// How long the collector may take. Spans that it does not take in time are lost, and nobody waits for it.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Where spans go, if anywhere.
pub(crate) struct Traces(Option<SdkTracerProvider>);

/// Makes spans.
#[derive(Clone)]
pub(super) struct Tracer(SdkTracer);

/// The span of a request.
pub(super) struct Span(opentelemetry_sdk::trace::Span);

/// Traces cannot be sent.
#[derive(Debug, thiserror::Error)]
#[error("traces cannot be sent: {0}")]
pub(crate) struct TracesError(Box<dyn std::error::Error + Send + Sync>);

impl Traces {
    /// Sends spans to the collector that is configured. Not to be called within the runtime: the client brings its own.
    pub(crate) fn new(telemetry: &Telemetry) -> Result<Self, TracesError> {
        let Some(collector) = &telemetry.collector else {
            return Ok(Self::none());
        };
        let mut client = reqwest::blocking::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT);
        if collector.scheme() == "http" {
            // No TLS, no certificates.
            client = client.tls_certs_only([]);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client.build().map_err(|error| TracesError(error.into()))?)
            .with_endpoint(format!("{}/v1/traces", collector.as_str().trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| TracesError(error.into()))?;
        let share = Sampler::TraceIdRatioBased(f64::from(telemetry.trace_percent) / 100.0);
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

    /// Sends none.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(super) fn tracer(&self) -> Option<Tracer> {
        let provider = self.0.as_ref()?;
        Some(Tracer(provider.tracer("gateway")))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // What is left is sent, unless the collector is gone.
        if let Some(provider) = &self.0 {
            let _ = provider.shutdown_with_timeout(TIMEOUT);
        }
    }
}

impl Tracer {
    /// Begins the span of a request.
    pub(super) fn begin<B>(&self, request: &Request<B>) -> Span {
        let Self(tracer) = self;
        let parent = parent(request).map_or_else(Context::new, |parent| {
            Context::new().with_remote_span_context(parent)
        });
        let span = tracer.span_builder("request").with_kind(SpanKind::Server);
        Span(tracer.build_with_context(span, &parent))
    }
}

impl Span {
    /// Tells what became of the request.
    pub(super) fn end(self, event: &Event) {
        let Self(mut span) = self;
        span.update_name(format!("{} {}", event.method, event.route));
        span.set_attributes([
            KeyValue::new("http.request.method", event.method),
            KeyValue::new("http.route", event.route.clone()),
            KeyValue::new("http.response.status_code", i64::from(event.status)),
            KeyValue::new(
                "http.response.body.size",
                i64::try_from(event.bytes).unwrap_or(i64::MAX),
            ),
            KeyValue::new(
                "colonnade.request_id",
                event.id.to_str().unwrap_or_default().to_owned(),
            ),
        ]);
        if let Some(number) = event.deployment.and_then(|number| i64::try_from(number).ok()) {
            span.set_attribute(KeyValue::new("colonnade.deployment", number));
        }
        if event.status >= 500 {
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// The span of a known proxy that this request belongs to: `00-<trace>-<span>-<flags>`, all in lower-case hexadecimal.
fn parent<B>(request: &Request<B>) -> Option<SpanContext> {
    request.extensions().get::<ByProxy>()?;
    let mut values = request.headers().get_all("traceparent").iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let value = value.to_str().ok()?;
    let parts: Vec<&str> = value.split('-').collect();
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
