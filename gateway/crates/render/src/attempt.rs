//! One attempt to render a page: from the cache, or by a worker, with the results of the page's
//! queries.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use colonnade_model::release::{SHELL, ServerModules};
use colonnade_store::Store;
use colonnade_store::loaded::LoadedRelease;
use colonnade_web::query::UnusableResult;
use colonnade_web::request_scope;

use crate::engine::Engine;
use crate::job::{Job, RequestedPage};
use crate::page::{Output, Rendered};
use crate::queries::Queries;
use crate::request::{Argument, CacheKey, CircuitKey, DatedKey, ReleasePair, RenderRequest};
use crate::results::Results;
use crate::validity::{Lifetime, Validity};
use crate::why::{Failure, Why};

/// What a page is rendered with, in addition to its request.
#[derive(Clone, Copy, Default)]
pub(super) struct Input<'a> {
    /// The result of a form post.
    pub(super) form: Option<&'a Value>,
    /// The results of its queries, if it has any.
    pub(super) results: Option<&'a Results>,
}

/// An attempt to render the page of a request.
pub(super) struct Attempt<'a> {
    pub(super) engine: &'a Arc<Engine>,
    store: &'a Store,
    pub(super) request: RenderRequest<'a>,
    shell: &'a LoadedRelease,
    /// `None` for the shell's not-found page.
    section: Option<&'a LoadedRelease>,
    /// Until then the document waits.
    deadline: Instant,
}

impl<'a> Attempt<'a> {
    /// An attempt; `None` if the browser always renders the page, because a release has no server
    /// modules.
    pub(super) fn new(engine: &'a Arc<Engine>, store: &'a Store, request: RenderRequest<'a>) -> Option<Self> {
        let renderable = |name: &str| {
            let release = request.deployment.release(name)?;
            (!release.modules.is_empty()).then_some(&**release)
        };
        Some(Self {
            engine,
            store,
            request,
            shell: renderable(SHELL)?,
            section: match request.page {
                Some(page) => Some(renderable(&page.section.name)?),
                None => None,
            },
            deadline: Instant::now() + engine.settings.deadline,
        })
    }

    /// The page, from the cache if possible. If it has queries, a worker evaluates them first,
    /// unless they are cached. Then their results are fetched, and the page is rendered with them,
    /// unless it is cached with the same results.
    pub(super) async fn page(mut self) -> Result<Rendered, Why> {
        let output = self.output(None).await?;
        let Output::Queries(queries) = output else {
            return self.rendered(output, None);
        };
        let results = self.fetch(queries).await;
        let output = if results.validity.client.is_some() {
            // A result that depends on the limits of one client is not shared with others.
            let input = Input {
                form: None,
                results: Some(&results),
            };
            let output = self.render(input, None).await;
            output.map_err(|_| Why::ClientLimited)?
        } else {
            self.output(Some(&results)).await?
        };
        self.rendered(output, Some(results))
    }

    /// The page with the result of a form post. It is not cached. The queries are evaluated without
    /// the form: what a visitor typed never gets into a path, or into a cache.
    pub(super) async fn form_result(mut self, form: &Value) -> Result<Rendered, Why> {
        let results = match self.output(None).await? {
            Output::Page { .. } => None,
            Output::Queries(queries) => Some(self.fetch(queries).await),
        };
        self.deadline = Instant::now() + self.engine.settings.deadline;
        let input = Input {
            form: Some(form),
            results: results.as_ref(),
        };
        let output = self.render(input, None).await?;
        self.rendered(output, results)
    }

    /// The output of one job, from the cache if possible: without results it may be queries.
    /// Concurrent attempts for the same output share one job.
    pub(super) async fn output(&self, results: Option<&Results>) -> Result<Output, Why> {
        let key = self.key(results);
        if let Some(output) = self.engine.cached(&key, self.request.day) {
            return Ok(output);
        }
        let key = (key, self.request.day);
        let client = self.request.client;
        let input = Input { form: None, results };
        loop {
            let work = async { (self.render(input, Some(key.clone())).await, client) };
            match self.engine.coalescer.run(&key, work).await {
                // The job of another client was shared, and the queue had no place for it: retry
                // for this client.
                (Err(why), other) if why.is_of_client() && other != client => {}
                (output, _) => return output,
            }
        }
    }

    /// Renders on a worker, unless the engine refuses. Records failures.
    async fn render(&self, input: Input<'_>, cache_key: Option<DatedKey>) -> Result<Output, Why> {
        let page = self.requested_page(input.results);
        self.engine.admit(&page)?;
        let job = match self.job(input, cache_key).await {
            Ok(job) => Arc::new(job),
            Err(failure) => {
                self.engine.record_failure(&page, &failure);
                return Err(failure.why);
            }
        };
        // In a task of its own: if the client leaves, the page is still cached and the outcome
        // recorded.
        let queue_timeout = self.deadline.saturating_duration_since(Instant::now());
        let mut work = request_scope::spawn(Arc::clone(self.engine).render(job, queue_timeout));
        if let Ok(outcome) = timeout_at(self.deadline, &mut work).await {
            return outcome.unwrap_or(Err(Why::NoWorker));
        }
        self.engine.record_late(page, work);
        Err(Why::DeadlineExceeded)
    }

    /// A job with everything it needs.
    pub(super) async fn job(&self, input: Input<'_>, cache_key: Option<DatedKey>) -> Result<Job, Failure> {
        let shell = self.modules(self.shell).await?;
        let section = match self.section {
            Some(section) => Some(self.modules(section).await?),
            None => None,
        };
        Ok(Job {
            page: self.requested_page(input.results),
            shell,
            section,
            argument: Argument::new(self.request, input.form, input.results).to_json(),
            has_personal_data: input.form.is_some(),
            cache_key,
        })
    }

    async fn modules(&self, release: &LoadedRelease) -> Result<Arc<ServerModules>, Failure> {
        let failure = |message: &str| Failure::new(Why::StoreError, message);
        let modules = release.server_modules(self.store).await;
        let modules = modules.map_err(|error| failure(&error.to_string()))?;
        modules.ok_or_else(|| failure("the release has no server modules"))
    }

    /// Fetches the results of the page's queries. They have a time limit of their own, so the
    /// deadline moves by this time.
    pub(super) async fn fetch(&mut self, queries: Arc<Queries>) -> Results {
        let (source, deadline) = (&self.engine.queries, self.engine.settings.query_deadline);
        let started_at = Instant::now();
        let results = Results::fetch(source, queries, self.request.client, deadline).await;
        self.deadline += started_at.elapsed();
        self.record_unusable(&results, &results.late, UnusableResult::Late);
        self.record_unusable(&results, &results.too_large, UnusableResult::TooLargeTogether);
        results
    }

    /// The page that a job returned, and how long it may be used. Records which results do not fit
    /// the schema of the page.
    fn rendered(&self, output: Output, results: Option<Results>) -> Result<Rendered, Why> {
        let Output::Page { page, invalid } = output else {
            // The engine rejects it.
            return Err(Why::Exception);
        };
        let Some(results) = results else {
            let validity = Validity::default();
            return Ok(Rendered { page, validity });
        };
        self.record_unusable(&results, &invalid, UnusableResult::SchemaMismatch);
        let mut validity = results.validity;
        if !invalid.is_empty() {
            validity.lifetime = Lifetime::Once;
        }
        Ok(Rendered { page, validity })
    }

    /// Records that the page cannot use the results with these names.
    fn record_unusable(&self, results: &Results, names: &BTreeSet<String>, reason: UnusableResult) {
        let release = &self.section.unwrap_or(self.shell).id;
        for path in names.iter().filter_map(|name| results.queries.path(name)) {
            self.engine.queries.record_unusable(path, release, reason);
        }
    }

    /// The key of the page that is rendered with these results, or of its queries.
    pub(super) fn key(&self, results: Option<&Results>) -> CacheKey {
        CacheKey {
            releases: self.releases(),
            path: self.request.path.to_owned(),
            site: self.request.site.revision(),
            results: results.and_then(|results| results.validity.results),
        }
    }

    /// The requested page. A result that the limits of a client rejected makes it a page that
    /// anyone can make fail, as an unlisted path does.
    fn requested_page(&self, results: Option<&Results>) -> RequestedPage {
        let is_rejected = results.is_some_and(|results| results.validity.client.is_some());
        RequestedPage {
            client: self.request.client,
            circuit: CircuitKey {
                releases: self.releases(),
                is_listed: self.request.is_listed() && !is_rejected,
            },
            pattern: self.request.page.map(|page| page.pattern.clone()),
        }
    }

    fn releases(&self) -> ReleasePair {
        ReleasePair {
            shell: self.shell.id.clone(),
            section: self.section.unwrap_or(self.shell).id.clone(),
        }
    }
}
