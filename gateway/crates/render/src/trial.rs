//! Rendering without a visitor's request: trial renders of a deployment, and warming the cache.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::SetOnce;
use tokio::time::{Instant, timeout};

use colonnade_diagnostics::{LogEntryKind, NewLogEntry, SectionLog, TrialAction};
use colonnade_model::release::{Examples, ReleaseId, SHELL};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease, PageManifest};
use colonnade_store::{Store, StoreError};

use crate::attempt::Attempt;
use crate::examples::TrialExtension;
use crate::extend;
use crate::extension::RequestedExtension;
use crate::page::Output;
use crate::problem::{MAX_PROBLEMS, Problem, TrialKey, not_tried};
use crate::renderer::Renderer;
use crate::request::{DatedKey, Input, ReleasePair, RenderRequest};
use crate::requested::{RequestedPaths, RequestedRenders};
use crate::results::Results;
use crate::section_examples::SectionExample;
use crate::site_values::SiteValues;
use crate::why::{Failure, Why};

/// How long a trial render may be queued. No visitor waits for it.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a trial render may take in total. Longer than a render may run, even if no worker can
/// be started.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What the section log has of the failure of a requested path: a path, and an error at it, may
/// contain what a visitor typed.
const REQUESTED_PATH_FAILS: &str = "a path that visitors request fails; the response to the change names it";

/// What needs no further trial.
#[derive(Debug, Default)]
pub struct TrialResults(HashSet<TrialKey>);

impl TrialResults {
    /// Adds all pages and extensions of a deployment.
    pub fn add(&mut self, deployment: &LoadedDeployment) {
        self.0.extend(all_of(deployment));
    }

    /// Whether all pages and extensions of a deployment were added.
    pub fn covers(&self, deployment: &LoadedDeployment) -> bool {
        all_of(deployment).all(|tried| self.0.contains(&tried))
    }

    fn covers_page(&self, deployment: &LoadedDeployment, page: Option<&PageManifest>) -> bool {
        let name = page.map_or(SHELL, |page| &page.section.name);
        ReleasePair::of(deployment, name).is_none_or(|pair| self.0.contains(&(pair, None)))
    }

    fn covers_extension(&self, extension: TrialExtension<'_>) -> bool {
        extension.tried().is_none_or(|tried| self.0.contains(&tried))
    }
}

/// Each release of a deployment with its shell, and with each release whose points it fills.
fn all_of(deployment: &LoadedDeployment) -> impl Iterator<Item = TrialKey> {
    let names = deployment.releases.iter().map(|release| &release.id.name);
    let pages = names.filter_map(|name| Some((ReleasePair::of(deployment, name)?, None)));
    pages.chain(TrialExtension::all_of(deployment).filter_map(TrialExtension::tried))
}

/// A deployment whose pages and extensions are tried.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// What it is tried for.
    pub action: TrialAction,
    /// The deployment.
    pub deployment: &'a LoadedDeployment,
    /// The live deployment.
    pub live: Option<&'a LoadedDeployment>,
    /// What needs no further trial.
    pub tried: &'a TrialResults,
    /// The paths that visitors request, the most requested first.
    pub requested: &'a [String],
    /// Whether one of them may become a redirect, or not found.
    pub accepts_status_changes: bool,
}

/// What a trial has found.
#[derive(Debug, Default)]
pub struct TrialReport {
    /// One problem per page and extension that fails, but did not before; empty if the deployment can
    /// go live.
    pub problems: Vec<String>,
    /// The requested paths that were rendered.
    pub requested: RequestedRenders,
}

/// What one step of a trial renders.
#[derive(Clone, Copy)]
enum Step<'a> {
    Page(RenderRequest<'a>),
    Extension(TrialExtension<'a>),
    Example(SectionExample<'a>),
}

impl<'a> Trial<'a> {
    /// The examples of each release whose pages are tried.
    async fn examples(self, store: &Store) -> Vec<(&'a LoadedRelease, Result<Examples, StoreError>)> {
        let Self {
            deployment, tried, ..
        } = self;
        let mut examples = Vec::new();
        for release in &deployment.releases {
            let pair = ReleasePair::of(deployment, &release.id.name);
            if pair.is_some_and(|pair| !tried.0.contains(&(pair, None))) {
                examples.push((&**release, release.examples(store).await));
            }
        }
        examples
    }

    /// Renders an example of each page that names paths, then the shell's not-found page, then each
    /// extension, then the examples of sections.
    fn steps(
        self,
        site: &'a SiteValues,
        examples: &'a [(&'a LoadedRelease, Result<Examples, StoreError>)],
    ) -> Vec<Step<'a>> {
        let Self {
            deployment,
            live,
            tried,
            ..
        } = self;
        let paths = deployment.example_paths();
        let paths = paths.map(|(page, path)| (Some(page), path)).chain([(None, "/")]);
        let pages = paths.filter(|(page, _)| !tried.covers_page(deployment, *page));
        let pages =
            pages.map(|(page, path)| Step::Page(RenderRequest::without_client(deployment, page, path, site)));
        let extensions = TrialExtension::all_of(deployment);
        let extensions =
            extensions.filter(|extension| extension.is_tried(live) && !tried.covers_extension(*extension));
        let examples = examples
            .iter()
            .filter_map(|(release, examples)| Some((release, examples.as_ref().ok()?)));
        let examples = examples.flat_map(|(release, examples)| SectionExample::all_of(release, examples));
        let steps = pages.chain(extensions.map(Step::Extension));
        steps.chain(examples.map(Step::Example)).collect()
    }

    /// The releases whose trial the requested paths are part of: those that are new.
    fn requested_releases(self) -> impl Iterator<Item = ReleaseId> {
        let is_live = move |id: &ReleaseId| {
            let live = self.live.and_then(|live| live.release(&id.name));
            live.is_some_and(|live| live.id == *id)
        };
        let all = self.deployment.releases.iter().map(|release| &release.id);
        let new = all.filter(move |id| !self.requested.is_empty() && !is_live(id));
        new.cloned()
    }

    /// The releases whose trial a step is part of.
    fn releases(self, step: Step<'_>) -> Vec<ReleaseId> {
        match step {
            Step::Page(request) => request.releases().map(|pair| pair.section).into_iter().collect(),
            Step::Extension(extension) => extension.releases(self.live).cloned().collect(),
            Step::Example(example) => vec![example.section.clone()],
        }
    }
}

/// The problem of a release whose examples cannot be read.
fn unreadable((release, examples): &(&LoadedRelease, Result<Examples, StoreError>)) -> Option<Problem> {
    let error = examples.as_ref().err()?;
    Some(Problem {
        releases: vec![release.id.clone()],
        text: format!("the examples of {} cannot be read: {error}", release.id),
    })
}

impl Renderer {
    /// Whether server rendering is enabled.
    pub fn is_enabled(&self) -> bool {
        self.engine.is_some()
    }

    /// Whether pages are rendered before they are requested.
    pub fn warms_cache(&self) -> bool {
        self.engine
            .as_ref()
            .is_some_and(|engine| engine.settings.warm_cache)
    }

    /// Renders and caches an example of each page that names paths, the shell's not-found page, and
    /// each extension with the examples of its point, except what `tried` covers. If nothing fails
    /// that did not in `live`, renders the requested paths in both.
    pub async fn trial_render(&self, store: &Store, trial: Trial<'_>) -> TrialReport {
        let Some(engine) = &self.engine else {
            return TrialReport::default();
        };
        let site = engine.site.load_full();
        let examples = trial.examples(store).await;
        let steps = trial.steps(&site, &examples);
        let releases = steps.iter().flat_map(|step| trial.releases(*step));
        let releases = releases.chain(trial.requested_releases()).collect();
        let log = TrialLog::start(&engine.diagnostics.log, trial.action, releases);
        let mut problems: Vec<_> = examples.iter().filter_map(unreadable).collect();
        let mut untried = steps.len();
        for step in steps {
            untried -= 1;
            problems.extend(match step {
                Step::Page(request) => self.page_problem(store, trial, request).await,
                Step::Extension(extension) => {
                    self.extension_problem(store, extension, trial.live, &site).await
                }
                Step::Example(example) => {
                    let sets = (trial.deployment, trial.live);
                    let failure = self.example_failure(store, example, sets, &site).await;
                    failure.map(|failure| Problem {
                        releases: trial.releases(step),
                        text: example.describe(&failure),
                    })
                }
            });
            if problems.len() >= MAX_PROBLEMS && untried > 0 {
                problems.push(Problem {
                    releases: Vec::new(),
                    text: not_tried(untried),
                });
                break;
            }
        }
        let mut texts: Vec<_> = problems.iter().map(|problem| problem.text.clone()).collect();
        let mut requested = RequestedRenders::default();
        if let (true, Some(before)) = (problems.is_empty(), trial.live) {
            let paths = RequestedPaths {
                before,
                after: trial.deployment,
                paths: trial.requested,
                accepts_status_changes: trial.accepts_status_changes,
            };
            let (rendered, failures) = self.try_requested(store, paths, &site).await;
            requested = rendered;
            let more = failures.len().saturating_sub(MAX_PROBLEMS);
            for (releases, text) in failures.into_iter().take(MAX_PROBLEMS) {
                texts.push(text);
                problems.push(Problem {
                    releases,
                    text: REQUESTED_PATH_FAILS.to_owned(),
                });
            }
            if more > 0 {
                texts.push(format!("and {more} more"));
            }
        }
        log.finish(&problems);
        TrialReport {
            problems: texts,
            requested,
        }
    }

    async fn page_problem(
        &self,
        store: &Store,
        trial: Trial<'_>,
        request: RenderRequest<'_>,
    ) -> Option<Problem> {
        let failure = self.render_if_uncached(store, request, None).await.err()?;
        let is_new = !self.fails_in(store, trial.live, request).await;
        is_new.then(|| Problem {
            releases: trial.releases(Step::Page(request)),
            text: request.describe(&failure),
        })
    }

    /// Renders all listed paths ahead, one at a time, unless warming is disabled.
    pub async fn warm_cache(&self, store: &Store, deployment: &LoadedDeployment) {
        let Some(engine) = self.engine.as_ref().filter(|engine| engine.settings.warm_cache) else {
            return;
        };
        let site = engine.site.load_full();
        for (page, path) in deployment.named_paths() {
            let request = RenderRequest::without_client(deployment, Some(page), path, &site);
            self.render_ahead(store, request).await;
        }
    }

    /// Renders a page that no visitor has requested, and its extensions, into the cache. Of what has
    /// queries it evaluates only these, so that a deploy does not send the queries of all pages to
    /// the upstreams at once. Returns whether the page or an extension has queries.
    pub async fn render_ahead(&self, store: &Store, request: RenderRequest<'_>) -> bool {
        let Some(attempt) = self.attempt(store, request) else {
            return false;
        };
        let content = match attempt.output(None).await {
            Ok(Output::Queries(_)) => return true,
            Ok(output) => output.into_html(),
            Err(_) => None,
        };
        let mut has_queries = false;
        let extensions = content.iter();
        for extension in extensions.flat_map(|content| extend::requested(request, content)) {
            if let Some(attempt) = Attempt::new(attempt.engine, store, request, Some(extension)) {
                has_queries |= matches!(attempt.output(None).await, Ok(Output::Queries(_)));
            }
        }
        has_queries
    }

    /// Whether a page also fails in another deployment that has the same release of its section.
    async fn fails_in(
        &self,
        store: &Store,
        other: Option<&LoadedDeployment>,
        request: RenderRequest<'_>,
    ) -> bool {
        let (Some(deployment), Some(page)) = (other, request.page) else {
            return false;
        };
        let release = deployment.release(&page.section.name);
        if release.is_none_or(|release| release.id.version != page.section.version) {
            return false;
        }
        let request = RenderRequest {
            deployment,
            ..request
        };
        let outcome = self.render_if_uncached(store, request, None).await;
        outcome.is_err_and(|failure| failure.why.blames_release())
    }

    /// Renders and caches a page or its extension, unless it is cached, with the results of its
    /// queries. If a query fails, so may the render: whether a release can be deployed does not depend
    /// on upstreams.
    pub(crate) async fn render_if_uncached(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
        extension: Option<RequestedExtension<'_>>,
    ) -> Result<(), Failure> {
        let engine = self.engine.as_ref();
        let attempt = engine.and_then(|engine| Attempt::new(engine, store, request, extension));
        let Some(mut attempt) = attempt else {
            return Ok(());
        };
        let Output::Queries(queries) = attempt.trial_output(None).await? else {
            return Ok(());
        };
        let results = attempt.fetch(queries).await;
        match attempt.trial_output(Some(&results)).await {
            Err(failure) if results.validity.may_cache() || !failure.why.blames_release() => Err(failure),
            _ => Ok(()),
        }
    }
}

impl Attempt<'_> {
    /// The output of one job, from the cache if possible. No circuit breaker counts a failure.
    pub(crate) async fn trial_output(&self, results: Option<&Results>) -> Result<Output, Failure> {
        let key = self.key(results);
        if let Some(output) = self.engine.cached(&key, self.request.day) {
            return Ok(output);
        }
        self.run_trial(results, Some((key, self.request.day))).await
    }

    /// Renders an extension, with the results of its queries, while a worker is free, because no document
    /// waits for it. The outcome is recorded as that of a document.
    pub(crate) async fn try_postponed(mut self) {
        if let Ok(Output::Queries(queries)) = self.render_postponed(None).await {
            let results = self.fetch(queries).await;
            // The engine records what comes of it.
            let _ = self.render_postponed(Some(&results)).await;
        }
    }

    async fn render_postponed(&self, results: Option<&Results>) -> Result<Output, Why> {
        let key = (self.key(results), self.request.day);
        let job = self.job(Input { form: None, results }, Some(key)).await;
        let mut job = job.map_err(|failure| failure.why)?;
        self.engine.admit(&job.subject, job.cache_key.as_ref())?;
        job.postponed = SetOnce::new_with(Some(()));
        job.budget = Some(self.engine.history.postponed_budget(&job.subject.circuit));
        let work = self.engine.start_job(Arc::new(job), QUEUE_TIMEOUT);
        work.await.unwrap_or(Err(Why::NoWorker))
    }

    /// Renders with results that no upstream has sent, so the output is not cached.
    pub(crate) async fn try_results(&self, results: &Results) -> Result<(), Failure> {
        self.run_trial(Some(results), None).await.map(|_| ())
    }

    async fn run_trial(
        &self,
        results: Option<&Results>,
        cache_key: Option<DatedKey>,
    ) -> Result<Output, Failure> {
        let input = Input { form: None, results };
        let job = Arc::new(self.job(input, cache_key).await?);
        let output = timeout(TIMEOUT, self.engine.render_and_cache(&job, QUEUE_TIMEOUT)).await;
        output.unwrap_or_else(|_| {
            let message = "the render timed out; try again";
            Err(Failure::new(Why::WorkerUnresponsive, message))
        })
    }
}

impl<'a> RenderRequest<'a> {
    /// A request of the gateway itself, for the current date.
    pub(crate) fn without_client(
        deployment: &'a LoadedDeployment,
        page: Option<&'a PageManifest>,
        path: &'a str,
        site: &'a SiteValues,
    ) -> Self {
        Self {
            deployment,
            page,
            path,
            site,
            day: colonnade_clock::today(),
            client: None,
            started_at: Instant::now(),
            is_preview: false,
        }
    }

    /// Describes why its page fails.
    pub(crate) fn describe(self, Failure { message, .. }: &Failure) -> String {
        let release = self.releases().map(|releases| releases.section.to_string());
        let release = release.unwrap_or_default();
        match self.page {
            Some(page) => format!(
                "rendering {} (page {} of {release}) failed: {message}",
                self.named_path(),
                page.pattern
            ),
            None => format!("rendering the not-found page of {release} failed: {message}"),
        }
    }
}

/// Logs the trial renders of each release.
struct TrialLog<'a> {
    log: &'a SectionLog,
    action: TrialAction,
    releases: BTreeSet<ReleaseId>,
}

impl<'a> TrialLog<'a> {
    fn start(log: &'a SectionLog, action: TrialAction, releases: BTreeSet<ReleaseId>) -> Self {
        let log = Self {
            log,
            action,
            releases,
        };
        for release in &log.releases {
            log.record(LogEntryKind::TrialStarted, release, Vec::new());
        }
        log
    }

    /// Records the problems of each release, and those that concern all.
    fn finish(self, problems: &[Problem]) {
        for release in &self.releases {
            let own = problems.iter();
            let own = own.filter(|problem| problem.releases.is_empty() || problem.releases.contains(release));
            let own: Vec<_> = own.map(|problem| problem.text.clone()).collect();
            let kind = if own.is_empty() {
                LogEntryKind::TrialPassed
            } else {
                LogEntryKind::TrialFailed
            };
            self.record(kind, release, own);
        }
    }

    fn record(&self, kind: LogEntryKind, release: &ReleaseId, problems: Vec<String>) {
        self.log.record(NewLogEntry {
            action: Some(self.action),
            problems,
            ..NewLogEntry::of_release(kind, release.clone())
        });
    }
}
