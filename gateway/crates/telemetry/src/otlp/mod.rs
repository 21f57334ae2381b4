//! The export to a collector by OTLP.
//!
//! A thread of its own sends spans, metrics and lines of the log, so that requests never wait for the
//! collector. What is not exported in time is lost; see [`ExportQueue`].

mod client;
mod log_record;
mod metrics;

use std::io;
use std::iter;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::logs::v1::{ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::metrics::v1::{ResourceMetrics, ScopeMetrics};
use opentelemetry_proto::tonic::resource::v1::Resource as ResourceMessage;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::EnvResourceDetector;
use prometheus_client::registry::Registry;
use prost::Message;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use colonnade_config::{OtlpSignal, TelemetrySettings};

use crate::export_queue::{EndedSpans, ExportQueue, OtlpMetrics, SCOPE, SPAN_BATCH};
use crate::log::Log;
use crate::spans::Tracer;
use client::{Client, ClientError, TIMEOUT};
use metrics::Period;

/// The number of log records in a message. Collectors accept messages of up to 4 MiB over gRPC.
const RECORD_BATCH: usize = 1000;

/// The number of metrics in a message.
const METRIC_BATCH: usize = 32;

/// Exports telemetry, if there is a collector, until it is dropped. Dropping it exports the rest,
/// unless the collector is slow.
#[must_use]
pub struct Exporter(Option<Running>);

struct Running {
    tracer: Option<Tracer>,
    /// Dropped to stop the thread.
    stop: Option<oneshot::Sender<()>>,
    /// Closed once the thread has stopped.
    stopped: mpsc::Receiver<()>,
}

/// The exporter cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum OtlpError {
    /// The collector cannot be called.
    #[error("cannot export by OTLP: {0}")]
    Client(#[from] ClientError),
    /// The thread cannot be started.
    #[error("cannot start the thread of the exporter: {0}")]
    Thread(#[from] io::Error),
}

/// What the thread exports.
struct Worker {
    client: Client,
    queue: Arc<ExportQueue>,
    otlp_metrics: OtlpMetrics,
    /// If metrics are exported.
    registry: Option<Arc<Registry>>,
    resource: ResourceAttributesWithSchema,
    interval: Duration,
    /// When the process started, in nanoseconds since the Unix epoch.
    start: u64,
}

impl Exporter {
    /// Starts to export what the settings name to the collector, if there is one.
    pub fn start(
        telemetry: &TelemetrySettings,
        log: &Log,
        registry: &Arc<Registry>,
        metrics: OtlpMetrics,
    ) -> Result<Self, OtlpError> {
        let Some(collector) = &telemetry.otlp_endpoint else {
            return Ok(Self::none());
        };
        let queue = Arc::new(ExportQueue::new(metrics.clone()));
        for signal in &telemetry.otlp_signals {
            metrics.start(*signal);
        }
        let exports = |signal| telemetry.otlp_signals.contains(&signal);
        if exports(OtlpSignal::Logs) {
            log.export_to(Arc::clone(&queue));
        }
        let ended = exports(OtlpSignal::Traces).then(|| EndedSpans(Arc::clone(&queue)));
        let worker = Worker {
            client: Client::new(collector.as_str(), telemetry)?,
            queue,
            otlp_metrics: metrics,
            registry: exports(OtlpSignal::Metrics).then(|| Arc::clone(registry)),
            resource: (&resource()).into(),
            interval: telemetry.otlp_interval,
            start: unix_nanos(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (stop, stopping) = oneshot::channel();
        let (running, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new().name("otlp".to_owned());
        thread.spawn(move || {
            runtime.block_on(worker.run(stopping));
            drop(running);
        })?;
        Ok(Self(Some(Running {
            tracer: ended.map(|ended| Tracer::new(telemetry.trace_sample_percent, ended)),
            stop: Some(stop),
            stopped,
        })))
    }

    /// Exports nothing.
    pub fn none() -> Self {
        Self(None)
    }

    pub(super) fn tracer(&self) -> Option<Tracer> {
        self.0.as_ref()?.tracer.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.stopped.recv_timeout(TIMEOUT);
    }
}

/// What sends everything: this process. The attributes in `OTEL_RESOURCE_ATTRIBUTES` take precedence.
fn resource() -> Resource {
    let instance = format!("{:032x}", rand::random::<u128>());
    Resource::builder_empty()
        .with_service_name("colonnade-gateway")
        .with_attributes([
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", instance),
        ])
        .with_detector(Box::new(EnvResourceDetector::new()))
        .build()
}

fn unix_nanos() -> u64 {
    let now = colonnade_clock::precise().as_nanosecond();
    now.try_into().unwrap_or_default()
}

impl Worker {
    /// Exports in each interval, and earlier if there is much, until `stop` is dropped.
    async fn run(self, mut stop: oneshot::Receiver<()>) {
        let mut ticks = interval_at(Instant::now() + self.interval, self.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let (is_due, is_last) = tokio::select! {
                _ = ticks.tick() => (true, false),
                () = self.queue.has_batch.notified() => (false, false),
                _ = &mut stop => (true, true),
            };
            let registry = self.registry.as_ref().filter(|_| is_due);
            // Together, so that a slow export of one signal does not delay the others.
            tokio::join!(
                self.export_spans(),
                self.export_metrics(registry),
                self.export_lines()
            );
            if is_last {
                return;
            }
        }
    }

    async fn export_spans(&self) {
        let spans = self.queue.take_spans().into_iter();
        let messages = batches(spans, SPAN_BATCH).map(|batch| {
            let count = batch.len();
            let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
            (ExportTraceServiceRequest { resource_spans }, count)
        });
        self.send(OtlpSignal::Traces, messages).await;
    }

    async fn export_metrics(&self, registry: Option<&Arc<Registry>>) {
        let Some(registry) = registry else {
            return;
        };
        let period = Period {
            start: self.start,
            end: unix_nanos(),
        };
        let metrics = metrics::metrics(registry, period).into_iter();
        let messages = batches(metrics, METRIC_BATCH).map(|batch| {
            let count = batch.iter().map(metrics::point_count).sum();
            let resource_metrics = vec![ResourceMetrics {
                resource: Some(self.resource()),
                scope_metrics: vec![ScopeMetrics {
                    scope: Some(scope()),
                    metrics: batch,
                    ..ScopeMetrics::default()
                }],
                ..ResourceMetrics::default()
            }];
            (ExportMetricsServiceRequest { resource_metrics }, count)
        });
        self.send(OtlpSignal::Metrics, messages).await;
    }

    async fn export_lines(&self) {
        let lines = self.queue.take_lines();
        let lines = lines.split_inclusive(|byte| *byte == b'\n');
        let messages = batches(lines.filter_map(log_record::log_record), RECORD_BATCH).map(|batch| {
            let count = batch.len();
            let resource_logs = vec![ResourceLogs {
                resource: Some(self.resource()),
                scope_logs: vec![ScopeLogs {
                    scope: Some(scope()),
                    log_records: batch,
                    ..ScopeLogs::default()
                }],
                ..ResourceLogs::default()
            }];
            (ExportLogsServiceRequest { resource_logs }, count)
        });
        self.send(OtlpSignal::Logs, messages).await;
    }

    /// Sends messages, each with the number of its items, until one fails. The rest is dropped: each
    /// one would wait for a collector that is down.
    async fn send<M: Message>(&self, signal: OtlpSignal, messages: impl Iterator<Item = (M, usize)>) {
        let mut has_failed = false;
        for (message, count) in messages {
            let count = count as u64;
            let sent = if has_failed {
                Ok(count)
            } else {
                self.client.send(signal, &message).await
            };
            let dropped = sent.unwrap_or_else(|error| {
                has_failed = true;
                self.otlp_metrics.failed(signal);
                let error = error.to_string();
                tracing::warn!(event = "otlp_export_failed", signal = signal.name(), error);
                count
            });
            self.otlp_metrics.dropped(signal, dropped);
        }
    }

    fn resource(&self) -> ResourceMessage {
        ResourceMessage {
            attributes: self.resource.attributes.0.clone(),
            ..ResourceMessage::default()
        }
    }
}

fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: SCOPE.to_owned(),
        ..InstrumentationScope::default()
    }
}

/// Divides items into batches of this length; the last one may be shorter.
fn batches<T>(mut items: impl Iterator<Item = T>, length: usize) -> impl Iterator<Item = Vec<T>> {
    iter::from_fn(move || {
        let batch: Vec<T> = items.by_ref().take(length).collect();
        (!batch.is_empty()).then_some(batch)
    })
}
