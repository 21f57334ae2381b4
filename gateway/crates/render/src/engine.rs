//! Runs renders on the worker pool, caches their pages, and records their outcomes.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use tokio::task::JoinHandle;

use colonnade_diagnostics::{Diagnostics, ErrorClass, ErrorSource, ObservedError};
use colonnade_model::release::ReleaseId;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;

use crate::NotRendered;
use crate::circuit_breaker::RenderCircuitBreaker;
use crate::metrics::RenderMetrics;
use crate::page::Output;
use crate::pool::{RenderFailure, RenderTask, WorkerPool};
use crate::protocol::FailureCause;
use crate::request::{CacheKey, CircuitKey};

/// The part of the renderer that outlives a request: a render goes on when the client that requested it has left.
pub(super) struct Engine {
    pub(super) breaker: RenderCircuitBreaker,
    pub(super) metrics: RenderMetrics,
    diagnostics: Arc<Diagnostics>,
    pool: WorkerPool,
    cache: ByteCache<CacheKey, CachedOutput>,
}

/// A render with everything it needs.
pub(super) struct PreparedRender {
    pub(super) page: RequestedPage,
    pub(super) task: RenderTask,
    /// Whether the page may have queries: it is rendered without results and without a form.
    pub(super) may_have_queries: bool,
    /// The cache key and the date of the page; `None` for the result of a form post, which is not cached.
    pub(super) cache_key: Option<(CacheKey, Date)>,
}

/// The page of a render.
#[derive(Debug, Clone)]
pub(super) struct RequestedPage {
    /// The client that requested the page; `None` for the gateway itself.
    pub(super) client: Option<ClientKey>,
    /// The releases that render the page, and whether they name its path.
    pub(super) circuit: CircuitKey,
    /// The pattern of the page; `None` for the not-found page.
    pub(super) pattern: Option<String>,
}

/// A cached page, or the queries of one.
#[derive(Debug)]
struct CachedOutput {
    output: Output,
    /// The only date on which it is valid; `None` if it does not depend on the date.
    day: Option<Date>,
}

impl Engine {
    /// Starts the workers.
    pub(super) fn start(
        settings: colonnade_config::RenderSettings,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        Self {
            breaker: RenderCircuitBreaker::new(
                settings.breaker_failure_threshold,
                settings.breaker_open,
                metrics.circuits.clone(),
            ),
            metrics: metrics.clone(),
            diagnostics,
            pool: WorkerPool::start(settings, metrics),
            cache: ByteCache::new(settings.cache_bytes),
        }
    }

    /// False while no worker starts and responds.
    pub(super) fn is_available(&self) -> bool {
        self.pool.is_available()
    }

    /// Halves the cache while memory is short.
    pub(super) fn shrink_cache(&self) {
        self.cache.shrink();
    }

    /// Renders a requested page and records the outcome.
    pub(super) async fn render(
        self: Arc<Self>,
        render: PreparedRender,
        queue_timeout: Duration,
    ) -> Result<Output, NotRendered> {
        let page = render.page.clone();
        match self.render_and_cache(render, queue_timeout).await {
            Ok(output) => {
                // The render of a page with queries may still fail: only its success closes the circuit.
                if matches!(output, Output::Content { .. }) {
                    self.breaker.record_success(&page.circuit);
                }
                Ok(output)
            }
            Err(failure) => {
                self.record_failure(&page, &failure);
                Err(match page.client {
                    Some(client) if failure.cause == FailureCause::QueueFull => {
                        NotRendered::ClientLimited(client)
                    }
                    _ if failure.cause.is_release_fault() => NotRendered::Failed,
                    _ => NotRendered::Unavailable,
                })
            }
        }
    }

    /// Counts and logs a failure. The circuit breaker counts it if the releases may be the reason.
    pub(super) fn record_failure(&self, page: &RequestedPage, failure: &RenderFailure) {
        let circuit_open = failure.cause.is_release_fault() && self.breaker.record_failure(&page.circuit);
        let cause = failure.cause.label();
        let section = page.section();
        let count = self.count_failure(page, failure.cause, failure.class.clone());
        // Not its message, which may contain personal data such as the requested path.
        tracing::warn!(event = "render_failed", release = %section, cause, count, circuit_open);
    }

    /// Counts a render that exceeded its document's deadline. The error log has one entry for it: that of its own failure,
    /// if it fails later.
    pub(super) fn record_late(
        self: &Arc<Self>,
        page: RequestedPage,
        render: JoinHandle<Result<Output, NotRendered>>,
    ) {
        let cause = FailureCause::DeadlineExceeded;
        self.metrics.record_failure(&page.section().name, cause.label());
        let engine = Arc::clone(self);
        request_scope::spawn(async move {
            if matches!(render.await, Ok(Ok(_))) {
                engine.log_failure(&page, cause, None);
            }
        });
    }

    /// Counts a failure in the metrics and, if a visitor requested the page, in the error log. Returns the number of
    /// failures of the section with this cause so far.
    pub(super) fn count_failure(
        &self,
        page: &RequestedPage,
        cause: FailureCause,
        class: Option<ErrorClass>,
    ) -> u64 {
        self.log_failure(page, cause, class);
        self.metrics.record_failure(&page.section().name, cause.label())
    }

    /// Counts a failure in the error log, if a visitor requested the page.
    fn log_failure(&self, page: &RequestedPage, cause: FailureCause, class: Option<ErrorClass>) {
        if page.client.is_some() && cause.concerns_release() {
            self.diagnostics.errors.record(ObservedError {
                release: page.section().clone(),
                page: page.pattern.clone(),
                source: ErrorSource::Gateway,
                cause: cause.label(),
                class,
            });
        }
    }

    /// Renders a page or evaluates its queries, and caches the output if it has a cache key.
    pub(super) async fn render_and_cache(
        &self,
        render: PreparedRender,
        queue_timeout: Duration,
    ) -> Result<Output, RenderFailure> {
        let PreparedRender {
            page: requested,
            task,
            may_have_queries,
            cache_key,
        } = render;
        // A form result costs a worker process.
        let is_listed = requested.circuit.is_listed && !task.has_personal_data;
        let rendered = self
            .pool
            .render(requested.client, is_listed, task, queue_timeout)
            .await?;
        let parsed = request_scope::run_blocking(move || Output::parse(&rendered.page)).await;
        let invalid = |message: &str| RenderFailure::new(FailureCause::Exception, message);
        let (output, reads_today) = parsed.map_err(|message| invalid(&message))?;
        let section = &requested.section().name;
        match &output {
            Output::Content { .. } => self.metrics.record_success(section, rendered.cpu_time),
            Output::Queries(_) if may_have_queries => self.metrics.record_queries(section),
            Output::Queries(_) => {
                return Err(invalid("render returned queries, although it had their results"));
            }
        }
        if let Some((key, day)) = cache_key {
            let day = reads_today.then_some(day);
            let weight = output.weight() + key.weight();
            let cached = CachedOutput {
                output: output.clone(),
                day,
            };
            self.cache.put(key, Arc::new(cached), weight);
        }
        Ok(output)
    }

    /// The cached output that is valid on a date.
    pub(super) fn cached(&self, key: &CacheKey, today: Date) -> Option<Output> {
        let cached = self.cache.get(key)?;
        cached.is_valid_on(today).then(|| cached.output.clone())
    }
}

impl RequestedPage {
    /// The release of the page's section.
    fn section(&self) -> &ReleaseId {
        &self.circuit.releases.section
    }
}

impl CachedOutput {
    fn is_valid_on(&self, today: Date) -> bool {
        self.day.is_none_or(|day| day == today)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::{Date, date};

    use super::{CachedOutput, Output};
    use crate::page::RenderedContent;

    const TODAY: Date = date(2026, 2, 28);

    fn cached(day: Option<Date>) -> CachedOutput {
        CachedOutput {
            output: Output::Content {
                content: RenderedContent::Redirect(Arc::from("/")),
                invalid: Arc::default(),
            },
            day,
        }
    }

    #[test]
    fn page_that_reads_date_is_valid_only_on_that_date() {
        let tomorrow = TODAY.tomorrow().unwrap();
        assert!(cached(Some(TODAY)).is_valid_on(TODAY));
        assert!(!cached(Some(TODAY)).is_valid_on(tomorrow));
        assert!(cached(None).is_valid_on(tomorrow));
    }
}
