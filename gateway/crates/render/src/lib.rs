//! Server rendering: renders the shell and a section as one React tree in a sandboxed worker process.
//!
//! A failed render is not an error for visitors: the document is sent without HTML, and the browser renders it.

mod circuit_breaker;
mod engine;
pub mod metrics;
mod outcome;
mod page;
mod pool;
mod process;
mod protocol;
mod queries;
mod request;
mod results;
mod site_url;
mod slot;
mod trial;
mod worker;

pub use outcome::{NotRendered, RenderOutcome, Rendered};
pub use page::{Breadcrumb, RenderedContent, RenderedPage};
pub use queries::QuerySource;
pub use request::RenderRequest;
pub use results::{Lifetime, ResultsId};
pub use trial::TrialResults;
pub use worker::main as worker;

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use colonnade_diagnostics::Diagnostics;
use colonnade_memory::Pressure;
use colonnade_model::release::SHELL;
use colonnade_store::Store;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::query::UnusableResult;
use colonnade_web::request_scope;

use crate::metrics::RenderMetrics;
use engine::{Engine, PreparedRender};
use page::Output;
use pool::{RenderFailure, RenderTask};
use protocol::FailureCause;
use queries::Queries;
use request::{Argument, CacheKey};
use results::Results;

/// Renders and caches pages.
pub struct Renderer {
    /// `None` if server rendering is disabled.
    engine: Option<Arc<Engine>>,
    queries: Arc<dyn QuerySource>,
    deadline: Duration,
    query_deadline: Duration,
    warms_cache: bool,
    diagnostics: Arc<Diagnostics>,
    /// `site` in render requests, without the date.
    site_facts: Value,
    coalescer: RequestCoalescer<(CacheKey, Date), Result<Output, NotRendered>>,
}

/// What a page is rendered with, in addition to its request.
#[derive(Clone, Copy, Default)]
struct Input<'a> {
    /// The result of a form post.
    form: Option<&'a Value>,
    /// The results of its queries, if it has any.
    results: Option<&'a Results>,
}

impl Renderer {
    /// Starts the workers, unless server rendering is disabled. `queries` fetches the queries of pages.
    pub fn start(
        settings: colonnade_config::RenderSettings,
        site_facts: Value,
        queries: Arc<dyn QuerySource>,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        let engine = || Arc::new(Engine::start(settings, metrics, Arc::clone(&diagnostics)));
        Self {
            engine: settings.enabled.then(engine),
            queries,
            deadline: settings.deadline,
            query_deadline: settings.query_deadline,
            warms_cache: settings.warm_cache,
            diagnostics,
            site_facts,
            coalescer: RequestCoalescer::default(),
        }
    }

    /// Exposes the metrics of a section before its first render.
    pub fn expose_metrics(&self, section: &str) {
        if let Some(engine) = &self.engine {
            engine.metrics.expose(section);
        }
    }

    /// Whether pages are rendered in the browser although server rendering is enabled, because no worker starts and responds.
    pub fn is_degraded(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| !engine.is_available())
    }

    /// Halves the cache while memory is short.
    pub fn shrink_cache(&self) {
        if let Some(engine) = &self.engine {
            engine.shrink_cache();
        }
    }

    /// A rendered page, from the cache if possible. Concurrent requests for the same page share one render.
    ///
    /// If the page has queries, a worker evaluates them first, unless they are cached. Their results are fetched, and the page
    /// is rendered with them, unless it is cached with the same results.
    pub async fn render(&self, store: &Store, request: RenderRequest<'_>) -> RenderOutcome {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return Err(NotRendered::BrowserOnly);
        };
        let deadline = Instant::now() + self.deadline;
        let queries = match self
            .render_step(engine, store, request, None, &key, deadline)
            .await?
        {
            Output::Content { content, .. } => return Ok(Rendered::without_queries(content)),
            Output::Queries(queries) => queries,
        };
        let fetch_started = Instant::now();
        let results = self.fetch(queries, request).await;
        // The time of the queries has a limit of its own.
        let deadline = deadline + fetch_started.elapsed();
        let output = if let Some(client) = results.rejected_client {
            // A result that depends on the limits of one client is not shared with others.
            let input = Input {
                form: None,
                results: Some(&results),
            };
            let output = self.render_uncached(engine, store, request, input, None, deadline);
            output.await.map_err(|_| NotRendered::ClientLimited(client))?
        } else {
            let key = key.with_results(&results);
            let step = self.render_step(engine, store, request, Some(&results), &key, deadline);
            step.await?
        };
        self.rendered_with(request, output, results)
    }

    /// Whether the results of queries are neither purged nor invalidated.
    pub fn are_current(&self, results: &ResultsId) -> bool {
        let mut revisions = results.revisions.iter();
        revisions.all(|revision| self.queries.is_current(*revision))
    }

    /// A page rendered with the result of a form post. It is not cached.
    pub async fn render_form_result(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
        form: &Value,
    ) -> RenderOutcome {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return Err(NotRendered::BrowserOnly);
        };
        // The queries are evaluated without the form: what a visitor typed never gets into a path, or into a cache.
        let deadline = Instant::now() + self.deadline;
        let results = match self
            .render_step(engine, store, request, None, &key, deadline)
            .await?
        {
            Output::Content { .. } => None,
            Output::Queries(queries) => Some(self.fetch(queries, request).await),
        };
        let input = Input {
            form: Some(form),
            results: results.as_ref(),
        };
        let deadline = Instant::now() + self.deadline;
        let rendered = self.render_uncached(engine, store, request, input, None, deadline);
        match (rendered.await?, results) {
            (output, Some(results)) => self.rendered_with(request, output, results),
            (Output::Content { content, .. }, None) => Ok(Rendered::without_queries(content)),
            (Output::Queries(_), None) => Err(NotRendered::Failed),
        }
    }

    /// The outcome of a render with the results of a page's queries. Records which ones do not fit the schema of the page.
    fn rendered_with(&self, request: RenderRequest<'_>, output: Output, results: Results) -> RenderOutcome {
        let Output::Content { content, invalid } = output else {
            // The engine rejects it.
            return Err(NotRendered::Failed);
        };
        self.record_unusable(request, &results, invalid.iter(), UnusableResult::SchemaMismatch);
        Ok(Rendered {
            content,
            lifetime: if invalid.is_empty() {
                results.lifetime
            } else {
                Lifetime::Once
            },
            results: Some(results.id),
            rejected_client: results.rejected_client,
        })
    }

    /// Fetches the results of the queries of a requested page.
    async fn fetch(&self, queries: Arc<Queries>, request: RenderRequest<'_>) -> Results {
        let results = Results::fetch(&self.queries, queries, request.client, self.query_deadline).await;
        let late = results.late.iter();
        self.record_unusable(request, &results, late, UnusableResult::Late);
        let too_large = results.too_large.iter();
        self.record_unusable(request, &results, too_large, UnusableResult::TooLargeTogether);
        results
    }

    /// Records that the page cannot use the results with these names.
    fn record_unusable<'a>(
        &self,
        request: RenderRequest<'_>,
        results: &Results,
        names: impl Iterator<Item = &'a String>,
        reason: UnusableResult,
    ) {
        if let Some(releases) = request.releases() {
            for path in names.filter_map(|name| results.queries.path(name)) {
                self.queries.record_unusable(path, &releases.section, reason);
            }
        }
    }

    /// The output of one worker job, from the cache if possible: without results it may be queries.
    async fn render_step(
        &self,
        engine: &Arc<Engine>,
        store: &Store,
        request: RenderRequest<'_>,
        results: Option<&Results>,
        key: &CacheKey,
        deadline: Instant,
    ) -> Result<Output, NotRendered> {
        if let Some(output) = engine.cached(key, request.day) {
            return Ok(output);
        }
        let key = (key.clone(), request.day);
        let input = Input { form: None, results };
        loop {
            let work = self.render_uncached(engine, store, request, input, Some(key.clone()), deadline);
            let outcome = self.coalescer.run(&key, work).await;
            match outcome {
                // Retry if the queue had no place for another client, whose render is shared.
                Err(NotRendered::ClientLimited(client)) if request.client != Some(client) => {}
                outcome => return outcome,
            }
        }
    }

    async fn render_uncached(
        &self,
        engine: &Arc<Engine>,
        store: &Store,
        request: RenderRequest<'_>,
        input: Input<'_>,
        cache_key: Option<(CacheKey, Date)>,
        deadline: Instant,
    ) -> Result<Output, NotRendered> {
        let page = request.requested_page(input.results);
        let page = page.ok_or(NotRendered::BrowserOnly)?;
        if Pressure::is_high() {
            return Err(NotRendered::Unavailable);
        }
        if engine.breaker.is_open(&page.circuit) {
            engine.count_failure(&page, FailureCause::CircuitOpen, None);
            return Err(NotRendered::CircuitOpen);
        }
        let render = match self.prepare_render(store, request, input, cache_key).await {
            Ok(Some(render)) => render,
            Ok(None) => return Err(NotRendered::BrowserOnly),
            Err(failure) => {
                engine.record_failure(&page, &failure);
                return Err(NotRendered::Failed);
            }
        };
        // In a task of its own: if the client leaves, the page is still cached and the outcome recorded.
        let queue_timeout = deadline.saturating_duration_since(Instant::now());
        let mut work = request_scope::spawn(Arc::clone(engine).render(render, queue_timeout));
        match timeout_at(deadline, &mut work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(NotRendered::Failed),
            Err(_) => {
                engine.record_late(page, work);
                Err(NotRendered::Failed)
            }
        }
    }

    /// Collects everything a render needs; `None` if a release has no server modules.
    async fn prepare_render(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
        input: Input<'_>,
        cache_key: Option<(CacheKey, Date)>,
    ) -> Result<Option<PreparedRender>, RenderFailure> {
        let Some(shell) = request.server_modules(store, SHELL).await? else {
            return Ok(None);
        };
        let section = match request.page {
            Some(page) => match request.server_modules(store, &page.section.name).await? {
                Some(modules) => Some(modules),
                None => return Ok(None),
            },
            None => None,
        };
        let Some(page) = request.requested_page(input.results) else {
            return Ok(None);
        };
        let argument = Argument::new(request, &self.site_facts, input.form, input.results);
        Ok(Some(PreparedRender {
            page,
            task: RenderTask {
                shell,
                section,
                request: argument.to_json(),
                has_personal_data: input.form.is_some(),
            },
            may_have_queries: input.form.is_none() && input.results.is_none(),
            cache_key,
        }))
    }
}
