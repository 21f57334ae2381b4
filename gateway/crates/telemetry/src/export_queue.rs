//! What waits for its export: spans, and lines of the log.
//!
//! Adding to the queue never waits. If the collector is too slow and the queue is full, what is added
//! is dropped and counted.

use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};
use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tokio::sync::Notify;

use colonnade_config::OtlpSignal;
use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;

/// The instrumentation scope of all that is exported.
pub(super) const SCOPE: &str = "gateway";

/// The number of spans that are exported at once.
pub(super) const SPAN_BATCH: usize = 512;

/// The maximum number of spans.
const MAX_SPANS: usize = 4 * SPAN_BATCH;

/// The bytes of lines that are exported without waiting for the interval.
const LINES_BATCH: usize = 512 * 1024;

/// The maximum number of bytes of lines.
const MAX_LINES: usize = 8 * LINES_BATCH;

/// What waits for its export.
#[derive(Debug)]
pub(super) struct ExportQueue {
    spans: Mutex<Vec<SpanData>>,
    /// Each one with its end.
    lines: Mutex<Vec<u8>>,
    /// There is enough for an export.
    pub(super) has_batch: Notify,
    metrics: OtlpMetrics,
}

/// The metrics of the export.
#[derive(Debug, Clone, Default)]
pub struct OtlpMetrics {
    dropped: Family<Labels<1>, Counter>,
    failed_exports: Family<Labels<1>, Counter>,
}

/// Passes the spans that have ended to the queue.
#[derive(Debug)]
pub(super) struct EndedSpans(pub(super) Arc<ExportQueue>);

impl OtlpMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "otlp_dropped": self.dropped, "Spans, log lines and data points that the collector did not get";
            "otlp_failed_exports": self.failed_exports, "Exports that failed";
        }
    }

    /// Exposes the metrics of a signal.
    pub(super) fn start(&self, signal: OtlpSignal) {
        self.dropped(signal, 0);
        drop(self.failed_exports.get_or_create(&label(signal)));
    }

    /// Counts what was dropped.
    pub(super) fn dropped(&self, signal: OtlpSignal, count: u64) {
        self.dropped.get_or_create(&label(signal)).inc_by(count);
    }

    /// Counts a failed export.
    pub(super) fn failed(&self, signal: OtlpSignal) {
        self.failed_exports.get_or_create(&label(signal)).inc();
    }
}

fn label(signal: OtlpSignal) -> Labels<1> {
    [("signal", signal.name())]
}

impl ExportQueue {
    /// Creates an empty queue.
    pub(super) fn new(metrics: OtlpMetrics) -> Self {
        Self {
            spans: Mutex::default(),
            lines: Mutex::default(),
            has_batch: Notify::new(),
            metrics,
        }
    }

    /// Adds a line with its end, or drops it.
    pub(super) fn add_line(&self, line: &[u8]) {
        let mut lines = self.lines.lock();
        let before = lines.len();
        if before + line.len() > MAX_LINES {
            return self.metrics.dropped(OtlpSignal::Logs, 1);
        }
        lines.extend_from_slice(line);
        if before < LINES_BATCH && lines.len() >= LINES_BATCH {
            self.has_batch.notify_one();
        }
    }

    /// Adds a span, or drops it.
    fn add_span(&self, span: SpanData) {
        let mut spans = self.spans.lock();
        if spans.len() == MAX_SPANS {
            return self.metrics.dropped(OtlpSignal::Traces, 1);
        }
        spans.push(span);
        if spans.len() == SPAN_BATCH {
            self.has_batch.notify_one();
        }
    }

    /// Takes all lines.
    pub(super) fn take_lines(&self) -> Vec<u8> {
        take(&mut *self.lines.lock())
    }

    /// Takes all spans.
    pub(super) fn take_spans(&self) -> Vec<SpanData> {
        take(&mut *self.spans.lock())
    }
}

impl SpanProcessor for EndedSpans {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        self.0.add_span(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ExportQueue, LINES_BATCH, MAX_LINES, OtlpMetrics, OtlpSignal, label};

    #[tokio::test]
    async fn full_queue_drops_lines_and_counts_them() {
        let metrics = OtlpMetrics::default();
        let queue = ExportQueue::new(metrics.clone());
        let line = vec![b'x'; LINES_BATCH / 4];
        for _ in 0..MAX_LINES / line.len() + 3 {
            queue.add_line(&line);
        }
        let dropped = metrics.dropped.get_or_create(&label(OtlpSignal::Logs)).get();
        assert_eq!(dropped, 3);
        // The export did not wait for the interval.
        queue.has_batch.notified().await;
        assert_eq!(queue.take_lines().len(), MAX_LINES);
        queue.add_line(&line);
        assert_eq!(queue.take_lines(), line);
    }
}
