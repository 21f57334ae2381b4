//! Runs jobs on the workers, caches their output, and records their outcomes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::civil::Date;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use colonnade_config::RenderSettings;
use colonnade_diagnostics::{Diagnostics, ErrorSource, ObservedError, SectionRequest};
use colonnade_memory::Pressure;
use colonnade_model::release::PointReference;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::call_span::{CallEnd, Callee};
use colonnade_web::client::ClientKey;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::request_scope;
use colonnade_web::response::RequestKind;

use crate::circuit_breaker::RenderCircuitBreaker;
use crate::history::ExtensionHistory;
use crate::job::{Job, Subject};
use crate::metrics::RenderMetrics;
use crate::page::Output;
use crate::queries::QuerySource;
use crate::request::{CacheKey, DatedKey};
use crate::site_values::SiteValues;
use crate::why::{Failure, Why};
use crate::workers::Workers;

/// The part of the cache for unlisted paths with a query: one of this many.
const SEARCH_SHARE: usize = 4;

/// What renders pages and extensions. It outlives a request: a job goes on when the client that requested it has
/// left.
pub(super) struct Engine {
    pub(super) settings: RenderSettings,
    /// The values of renders that no visitor requests.
    pub(super) site: ArcSwap<SiteValues>,
    pub(super) queries: Arc<dyn QuerySource>,
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) metrics: RenderMetrics,
    pub(super) workers: Workers,
    /// The jobs of visitors. Each outcome has the client whose request was the first.
    pub(super) coalescer: RequestCoalescer<DatedKey, (Result<Output, Why>, Option<ClientKey>)>,
    cache: ByteCache<CacheKey, CachedOutput>,
    /// The outputs of paths with a query that no release lists. Visitors can make up any number of
    /// them, so they evict no others.
    searches: ByteCache<CacheKey, CachedOutput>,
    pub(super) breaker: RenderCircuitBreaker,
    pub(super) history: ExtensionHistory,
    /// The keys of postponed jobs.
    postponed: Mutex<HashSet<DatedKey>>,
}

/// A cached page or extension, or the queries of one.
#[derive(Debug)]
pub(super) struct CachedOutput {
    /// In place of its queries, whatever their results are: an extension that fails is not rendered
    /// again until this time.
    output: Result<Output, Instant>,
    /// The only date on which it is valid; `None` if it does not depend on the date.
    day: Option<Date>,
}

/// A job that runs. Dropping it ends that it is postponed, also if it panics.
struct StartedJob {
    engine: Arc<Engine>,
    job: Arc<Job>,
}

impl Drop for StartedJob {
    fn drop(&mut self) {
        if let Some(key) = &self.job.cache_key
            && self.job.is_postponed()
        {
            self.engine.postponed.lock().remove(key);
        }
    }
}

impl Engine {
    /// Starts the workers.
    pub(super) fn start(
        settings: RenderSettings,
        site: Arc<SiteValues>,
        queries: Arc<dyn QuerySource>,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        Self {
            settings,
            site: ArcSwap::new(site),
            queries,
            diagnostics,
            metrics: metrics.clone(),
            workers: Workers::start(settings, metrics),
            coalescer: RequestCoalescer::default(),
            cache: ByteCache::new(settings.cache_bytes - settings.cache_bytes / SEARCH_SHARE),
            searches: ByteCache::new(settings.cache_bytes / SEARCH_SHARE),
            breaker: RenderCircuitBreaker::new(
                settings.breaker_failure_threshold,
                settings.breaker_open,
                metrics.circuits.clone(),
            ),
            history: ExtensionHistory::default(),
            postponed: Mutex::default(),
        }
    }

    /// Whether a page or an extension may be rendered now. If not, counts why.
    pub(super) fn admit(&self, subject: &Subject, key: Option<&DatedKey>) -> Result<(), Why> {
        let why = if Pressure::is_high() {
            Why::MemoryShort
        } else if self.refused_until(subject, key).is_some() {
            Why::CircuitOpen
        } else {
            return Ok(());
        };
        self.count_failure(subject, why, None);
        Err(why)
    }

    /// Until when nothing is rendered, because it has failed: the circuit is open, or the cache says
    /// that the extension fails.
    pub(super) fn refused_until(&self, subject: &Subject, key: Option<&DatedKey>) -> Option<Instant> {
        let failure = || {
            let (key, day) = key?;
            let key = key.of_queries();
            let cached = self.cache_of(&key).get(&key);
            let cached = cached.filter(|cached| cached.is_valid_on(*day))?;
            cached.output.as_ref().err().copied()
        };
        let until = self
            .metrics
            .circuits
            .open_until(&subject.circuit)
            .or_else(failure)?;
        (Instant::now() < until).then_some(until)
    }

    /// Whether there is a postponed job for a key.
    pub(super) fn has_postponed(&self, key: Option<&DatedKey>) -> bool {
        key.is_some_and(|key| self.postponed.lock().contains(key))
    }

    /// Starts a job in a task of its own: if the client leaves, the output is still cached and the
    /// outcome recorded.
    pub(super) fn start_job(
        self: &Arc<Self>,
        job: Arc<Job>,
        queue_timeout: Duration,
    ) -> JoinHandle<Result<Output, Why>> {
        if job.is_postponed() {
            self.postponed.lock().extend(job.cache_key.clone());
        }
        let started = StartedJob {
            engine: Arc::clone(self),
            job,
        };
        request_scope::spawn(async move { started.engine.render(&started.job, queue_timeout).await })
    }

    /// Runs a job and records the outcome.
    async fn render(&self, job: &Arc<Job>, queue_timeout: Duration) -> Result<Output, Why> {
        let span = request_scope::start_span(Callee::Render(&job.subject.section().name));
        let mut rendered = self.render_and_cache(job, queue_timeout).await;
        let is_interrupted = rendered
            .as_ref()
            .is_err_and(|failure| failure.why == Why::CpuLimit);
        if is_interrupted && job.has_budget(&self.settings) {
            self.history.suspect(&job.subject.circuit);
            self.postponed.lock().extend(job.cache_key.clone());
            rendered = self
                .render_and_cache(&Arc::new(job.postpone()), queue_timeout)
                .await;
        }
        if let Some(span) = span {
            span.end(CallEnd {
                outcome: match &rendered {
                    Ok(Output::Content { .. }) => "rendered",
                    Ok(Output::Queries(_)) => "queries",
                    Err(failure) => failure.why.label(),
                },
                is_error: rendered.is_err(),
                ..CallEnd::default()
            });
        }
        match rendered {
            Ok(output) => {
                // The render with the results of the queries may still fail: only its success closes
                // the circuit.
                if let Output::Content { .. } = output {
                    self.breaker.record_success(&job.subject.circuit);
                }
                Ok(output)
            }
            // No other worker was free. The document without the extension is counted.
            Err(failure) if job.is_postponed() && failure.why == Why::QueueFull => Err(failure.why),
            Err(failure) => {
                self.record_failure(&job.subject, &failure);
                if let Some((key, day)) = &job.cache_key
                    && job.subject.is_extension()
                    && failure.why.blames_release()
                {
                    if failure.why != Why::Exception {
                        self.history.suspect(&job.subject.circuit);
                    }
                    let until = Instant::now() + self.settings.breaker_open;
                    self.put(key.of_queries(), Err(until), Some(*day));
                }
                Err(failure.why)
            }
        }
    }

    /// Counts and logs a failure. The circuit breaker counts it if the releases may be the reason.
    pub(super) fn record_failure(&self, subject: &Subject, failure: &Failure) {
        let circuit_open =
            failure.why.blames_release() && self.breaker.record_failure(&subject.circuit, subject.props);
        let (section, cause) = (subject.section(), failure.why.label());
        let point = subject.circuit.point.as_ref().map(PointReference::as_str);
        let count = self.count_failure(subject, failure.why, Some(failure));
        // Not its message, which may contain personal data such as the requested path.
        tracing::warn!(event = "render_failed", release = %section, extension_point = point, cause, count, circuit_open);
    }

    /// Counts a render without which a document went out. If it fails later, the error log counts only
    /// that failure; a render that only waited for a worker is also counted once.
    pub(super) fn record_late(
        self: &Arc<Self>,
        subject: Subject,
        why: Why,
        render: JoinHandle<Result<Output, Why>>,
    ) {
        let has_waited = why == Why::QueueFull;
        if !has_waited {
            self.metrics.record_failure(&subject, why);
        }
        if why == Why::DeadlineExceeded {
            self.history.suspect(&subject.circuit);
        }
        let engine = Arc::clone(self);
        request_scope::spawn(async move {
            if matches!(render.await, Ok(Ok(_))) {
                if has_waited {
                    engine.metrics.record_failure(&subject, why);
                }
                engine.log_failure(&subject, why, None);
            }
        });
    }

    /// Counts a failure in the metrics and, if a visitor requested the page, in the error log.
    /// Returns the number of failures of the section or its extension with this cause so far.
    pub(super) fn count_failure(&self, subject: &Subject, why: Why, thrown: Option<&Failure>) -> u64 {
        self.log_failure(subject, why, thrown);
        self.count_render(subject, true);
        self.metrics.record_failure(subject, why)
    }

    /// Counts a render in the metrics of its section.
    fn count_render(&self, subject: &Subject, is_error: bool) {
        let render = SectionRequest::of_work(RequestKind::Render, is_error);
        self.diagnostics.metrics.count(&subject.section().name, render);
    }

    /// Counts a failure in the error log, if a visitor requested the page.
    fn log_failure(&self, subject: &Subject, why: Why, thrown: Option<&Failure>) {
        if subject.client.is_some() && why.concerns_release() {
            self.diagnostics.errors.record(ObservedError {
                release: subject.section().clone(),
                page: subject.pattern.clone(),
                extension_point: subject.circuit.point.clone(),
                source: ErrorSource::Gateway,
                cause: why.label(),
                class: thrown.and_then(|failure| failure.class.clone()),
                position: thrown.and_then(Failure::position),
            });
        }
    }

    /// Runs a job, and caches its output if it has a cache key.
    pub(super) async fn render_and_cache(
        &self,
        job: &Arc<Job>,
        queue_timeout: Duration,
    ) -> Result<Output, Failure> {
        let done = self.workers.run(Arc::clone(job), queue_timeout).await?;
        let is_extension = job.subject.is_extension();
        let parsed = request_scope::run_blocking(move || Output::parse(&done.json, is_extension)).await;
        let invalid = |message: &str| Failure::new(Why::Exception, message);
        let (output, reads_today) = parsed.map_err(|message| invalid(&message))?;
        let is_content = matches!(output, Output::Content { .. });
        self.history
            .record(&job.subject.circuit, done.cpu_time, is_content);
        match &output {
            Output::Content { .. } => {
                self.metrics.record_success(&job.subject, done.cpu_time);
                self.count_render(&job.subject, false);
            }
            Output::Queries(_) if job.may_have_queries() => self.metrics.record_queries(&job.subject),
            Output::Queries(_) => {
                return Err(invalid("render returned queries, although it had their results"));
            }
        }
        if let Some((key, day)) = &job.cache_key {
            self.put(key.clone(), Ok(output.clone()), reads_today.then_some(*day));
        }
        Ok(output)
    }

    /// Caches what came of a job.
    fn put(&self, key: CacheKey, output: Result<Output, Instant>, day: Option<Date>) {
        let weight = key.weight() + output.as_ref().map_or(0, Output::weight);
        let cache = self.cache_of(&key);
        cache.put(key, Arc::new(CachedOutput { output, day }), weight);
    }

    fn cache_of(&self, key: &CacheKey) -> &ByteCache<CacheKey, CachedOutput> {
        if key.is_made_up {
            &self.searches
        } else {
            &self.cache
        }
    }

    /// Halves the caches while memory is short.
    pub(super) fn shrink_caches(&self) {
        self.cache.shrink();
        self.searches.shrink();
    }

    /// The cached output that is valid on a date.
    pub(super) fn cached(&self, key: &CacheKey, today: Date) -> Option<Output> {
        let cached = self.cache_of(key).get(key)?;
        let output = cached.output.as_ref().ok()?;
        cached.is_valid_on(today).then(|| output.clone())
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
    use crate::page::{Content, Page};

    const TODAY: Date = date(2026, 2, 28);

    fn cached(day: Option<Date>) -> CachedOutput {
        CachedOutput {
            output: Ok(Output::Content {
                content: Content::Page(Page::Redirect(Arc::from("/"))),
                invalid: Arc::default(),
            }),
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
