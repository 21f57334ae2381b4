//! One attempt to render a page or an extension: from the cache, or by a worker, with the results of
//! its queries.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::SetOnce;
use tokio::time::{Instant, sleep_until};

use colonnade_diagnostics::SectionRequest;
use colonnade_model::release::{SHELL, ServerModules};
use colonnade_store::Store;
use colonnade_store::loaded::LoadedRelease;
use colonnade_web::query::UnusableResult;
use colonnade_web::response::RequestKind;

use crate::engine::Engine;
use crate::extension::RequestedExtension;
use crate::job::{EXTENSION_SHARE, Job, Subject};
use crate::page::{Content, Output};
use crate::queries::Queries;
use crate::request::{Argument, CacheKey, CircuitKey, DatedKey, Input, KeyPart, ReleasePair, RenderRequest};
use crate::results::Results;
use crate::validity::{Lifetime, Validity};
use crate::why::{Failure, Why};

/// An attempt to render the page of a request, or an extension of it.
pub(super) struct Attempt<'a> {
    pub(super) engine: &'a Arc<Engine>,
    store: &'a Store,
    pub(super) request: RenderRequest<'a>,
    extension: Option<RequestedExtension<'a>>,
    shell: &'a LoadedRelease,
    /// `None` for the shell's not-found page.
    section: Option<&'a LoadedRelease>,
    /// The document waits no longer.
    deadline: Instant,
}

impl<'a> Attempt<'a> {
    /// An attempt; `None` if the browser always renders the page or the extension, because a release
    /// has no server modules.
    pub(super) fn new(
        engine: &'a Arc<Engine>,
        store: &'a Store,
        request: RenderRequest<'a>,
        extension: Option<RequestedExtension<'a>>,
    ) -> Option<Self> {
        let renderable = |name: &str| {
            let release = request.deployment.release(name)?;
            (!release.modules.is_empty()).then_some(&**release)
        };
        let page = request.page.map(|page| &page.section);
        let section = extension.map_or(page, |extension| Some(&extension.manifest.section));
        let mut attempt = Self {
            engine,
            store,
            request,
            extension,
            shell: renderable(SHELL)?,
            section: match section {
                Some(section) => Some(renderable(&section.name)?),
                None => None,
            },
            deadline: Instant::now(),
        };
        attempt.deadline += attempt.time();
        if extension.is_some() {
            // What other extensions do to the workers costs it none of its own time.
            attempt.deadline = attempt
                .deadline
                .max(request.started_at + engine.settings.deadline);
        }
        Some(attempt)
    }

    /// How long the document waits while a worker runs a job.
    fn time(&self) -> Duration {
        let settings = &self.engine.settings;
        match self.extension {
            Some(_) => (settings.deadline + settings.query_deadline) / EXTENSION_SHARE,
            None => settings.deadline,
        }
    }

    /// The content, from the cache if possible. If it has queries, a worker evaluates them first,
    /// unless they are cached. Then their results are fetched, and the content is rendered with
    /// them, unless it is cached with the same results.
    pub(super) async fn content(&mut self) -> Result<(Content, Validity), Why> {
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
    pub(super) async fn form_result(&mut self, form: &Value) -> Result<(Content, Validity), Why> {
        let results = match self.output(None).await? {
            Output::Content { .. } => None,
            Output::Queries(queries) => Some(self.fetch(queries).await),
        };
        self.deadline = Instant::now() + self.time();
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
        let subject = self.subject(input.results);
        self.engine.admit(&subject, cache_key.as_ref())?;
        if !self.request.is_preview && self.engine.has_postponed(cache_key.as_ref()) {
            self.engine.metrics.record_failure(&subject, Why::Postponed);
            return Err(Why::Postponed);
        }
        let mut job = match self.job(input, cache_key).await {
            Ok(job) => job,
            Err(failure) => {
                self.engine.record_failure(&subject, &failure);
                return Err(failure.why);
            }
        };
        if let Some(RequestedExtension { manifest, share, .. }) = self.extension {
            let (history, settings) = (&self.engine.history, &self.engine.settings);
            // One that is not known is tried in advance: its modules alone may take a fifth of the page's time.
            let is_known = history.statistics(subject.section(), &manifest.point).renders > 0;
            let budget = history.budget(&subject.circuit, share);
            let budget = if self.request.is_preview && !is_known {
                budget.map(|_| share)
            } else {
                budget.filter(|_| is_known || !settings.warm_cache)
            };
            job.postponed = SetOnce::new_with(budget.is_none().then_some(()));
            job.budget = Some(budget.unwrap_or_else(|| history.postponed_budget(&subject.circuit)));
        }
        let job = Arc::new(job);
        let queue_timeout = self.deadline.saturating_duration_since(Instant::now());
        let mut work = self.engine.start_job(Arc::clone(&job), queue_timeout);
        tokio::select! {
            biased;
            outcome = &mut work => outcome.unwrap_or(Err(Why::NoWorker)),
            why = self.late(&job) => {
                self.engine.record_late(subject, why, work);
                Err(why)
            }
        }
    }

    /// Waits until a document no longer waits for a job. The release is to blame if the job is late, and
    /// has run for at least half of its time. An extension does not wait while each worker is
    /// replaced because of one.
    async fn late(&self, job: &Job) -> Why {
        let late = async {
            let started_at = tokio::select! {
                biased;
                started_at = job.started_at.wait() => started_at,
                () = self.engine.workers.are_replaced(), if self.extension.is_some() => return Why::QueueFull,
                () = sleep_until(self.deadline) => return Why::QueueFull,
            };
            sleep_until(self.deadline.min(*started_at + self.time())).await;
            if started_at.elapsed() < self.time() / 2 {
                Why::QueueFull
            } else {
                Why::DeadlineExceeded
            }
        };
        tokio::select! {
            biased;
            () = job.postponed.wait() => Why::Postponed,
            why = late => why,
        }
    }

    /// A job with everything it needs.
    pub(super) async fn job(&self, input: Input<'_>, cache_key: Option<DatedKey>) -> Result<Job, Failure> {
        let shell = self.modules(self.shell).await?;
        let section = match self.section {
            Some(section) => Some(self.modules(section).await?),
            None => None,
        };
        Ok(Job {
            subject: self.subject(input.results),
            shell,
            section,
            argument: Argument::new(self.request, self.extension, input).to_json(),
            has_personal_data: input.form.is_some(),
            budget: None,
            postponed: SetOnce::new(),
            cache_key,
            started_at: SetOnce::new(),
        })
    }

    async fn modules(&self, release: &LoadedRelease) -> Result<Arc<ServerModules>, Failure> {
        let failure = |message: &str| Failure::new(Why::StoreError, message);
        let modules = release.server_modules(self.store).await;
        let modules = modules.map_err(|error| failure(&error.to_string()))?;
        modules.ok_or_else(|| failure("the release has no server modules"))
    }

    /// Fetches the results of the queries. Those of a page have a time limit of their own, so the
    /// deadline moves by this time. Those of an extension have half of its time; once one is late, no
    /// document waits for them as long as it would not render an extension that fails.
    pub(super) async fn fetch(&mut self, queries: Arc<Queries>) -> Results {
        let (source, deadline) = (&self.engine.queries, self.engine.settings.query_deadline);
        let (is_extension, started_at) = (self.extension.is_some(), Instant::now());
        let deadline = if is_extension {
            deadline.min(self.time() / 2)
        } else {
            deadline
        };
        let results = if is_extension && queries.are_late() {
            Results::without_waiting(source, queries).await
        } else {
            Results::fetch(source, queries, self.request.client, deadline).await
        };
        if !is_extension {
            self.deadline += started_at.elapsed();
        } else if !results.late.is_empty() {
            let until = Instant::now() + self.engine.settings.breaker_open;
            results.queries.record_late(until);
        }
        let section = &self.section.unwrap_or(self.shell).id.name;
        for index in 0..results.queries.iter().count() {
            let query = SectionRequest::of_work(RequestKind::Query, index < results.failed);
            self.engine.diagnostics.metrics.count(section, query);
        }
        self.record_unusable(&results, &results.late, UnusableResult::Late);
        self.record_unusable(&results, &results.too_large, UnusableResult::TooLargeTogether);
        results
    }

    /// The content that a job returned, and how long it may be used. Records which results do not
    /// fit their schema.
    fn rendered(&self, output: Output, results: Option<Results>) -> Result<(Content, Validity), Why> {
        let Output::Content { content, invalid } = output else {
            // The engine rejects it.
            return Err(Why::Exception);
        };
        let Some(results) = results else {
            return Ok((content, Validity::default()));
        };
        self.record_unusable(&results, &invalid, UnusableResult::SchemaMismatch);
        let mut validity = results.validity;
        if !invalid.is_empty() {
            validity.lifetime = Lifetime::Once;
        }
        Ok((content, validity))
    }

    /// How long a document may be used without the content, which is not rendered for this reason. As
    /// long as nothing renders it, the next attempt has the same outcome.
    pub(super) fn validity_without_html(&self, why: Why) -> Validity {
        let validity = Validity::without_html(why, self.request.client);
        let key = (self.key(None), self.request.day);
        match self.engine.refused_until(&self.subject(None), Some(&key)) {
            Some(fresh_until) if why.blames_release() || why == Why::CircuitOpen => Validity {
                lifetime: Lifetime::Until {
                    fresh_until,
                    stale_until: fresh_until + self.engine.settings.breaker_open,
                },
                ..Validity::default()
            },
            _ => validity,
        }
    }

    /// Records that the release cannot use the results with these names.
    fn record_unusable(&self, results: &Results, names: &BTreeSet<String>, reason: UnusableResult) {
        let release = &self.section.unwrap_or(self.shell).id;
        for path in names.iter().filter_map(|name| results.queries.path(name)) {
            self.engine.queries.record_unusable(path, release, reason);
        }
    }

    /// The key of the content that is rendered with these results, or of its queries.
    pub(super) fn key(&self, results: Option<&Results>) -> CacheKey {
        let extension = self.extension.map(|extension| {
            let point = extension.manifest.point.clone();
            KeyPart::Extension(point, extension.digest())
        });
        CacheKey {
            releases: self.releases(),
            part: extension.unwrap_or_else(|| KeyPart::Page(self.request.path.to_owned())),
            site: self.request.site.revision(),
            navigation: self.request.deployment.navigation.digest,
            results: results.and_then(|results| results.validity.results),
            is_made_up: self.request.path.contains('?') && !self.request.is_listed(),
        }
    }

    /// What is rendered. A result that the limits of a client rejected makes it a subject that anyone
    /// can make fail, as an unlisted path does.
    fn subject(&self, results: Option<&Results>) -> Subject {
        let is_rejected = results.is_some_and(|results| results.validity.client.is_some());
        let page = self.request.page.filter(|_| self.extension.is_none());
        Subject {
            client: self.request.client,
            circuit: CircuitKey {
                releases: self.releases(),
                point: self.extension.map(|extension| extension.manifest.point.clone()),
                is_listed: self.request.is_listed() && !is_rejected,
            },
            props: self.extension.map(RequestedExtension::digest),
            pattern: page.map(|page| page.pattern.clone()),
        }
    }

    fn releases(&self) -> ReleasePair {
        ReleasePair {
            shell: self.shell.id.clone(),
            section: self.section.unwrap_or(self.shell).id.clone(),
        }
    }
}
