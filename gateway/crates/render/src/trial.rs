//! Rendering without a visitor's request: trial renders of a deployment, and warming the cache.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use colonnade_diagnostics::{LogEntryKind, NewLogEntry, SectionLog, TrialAction};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};

use super::engine::Engine;
use super::page::Output;
use super::pool::RenderFailure;
use super::protocol::FailureCause;
use super::request::{CacheKey, ReleasePair};
use super::results::Results;
use super::{Input, RenderRequest, Renderer};

/// How long a trial render may be queued. No visitor waits for it.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a trial render may take in total. Longer than a render may run, even if no worker can be started.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The number of failed pages after which a trial stops: each may block a worker for its whole CPU time.
const MAX_PROBLEMS: usize = 10;

/// The problem of a trial that stops at [`MAX_PROBLEMS`].
const NOT_TRIED: &str = "further pages were not tried";

/// The pairs of a shell release and a section release that need no further trial.
#[derive(Debug, Default)]
pub struct TrialResults(HashSet<ReleasePair>);

impl TrialResults {
    /// Adds all pairs of a deployment.
    pub fn add(&mut self, deployment: &LoadedDeployment) {
        self.0.extend(pairs(deployment));
    }

    /// Whether all pairs of a deployment were added.
    pub fn covers(&self, deployment: &LoadedDeployment) -> bool {
        pairs(deployment).all(|pair| self.0.contains(&pair))
    }

    fn covers_page(&self, deployment: &LoadedDeployment, page: Option<&PageManifest>) -> bool {
        let name = page.map_or(SHELL, |page| &page.section.name);
        ReleasePair::of(deployment, name).is_none_or(|pair| self.0.contains(&pair))
    }
}

/// Each release of a deployment paired with its shell.
fn pairs(deployment: &LoadedDeployment) -> impl Iterator<Item = ReleasePair> {
    let names = deployment.releases.iter().map(|release| &release.id.name);
    names.filter_map(|name| ReleasePair::of(deployment, name))
}

impl Renderer {
    /// Whether server rendering is enabled.
    pub fn is_enabled(&self) -> bool {
        self.engine.is_some()
    }

    /// Whether pages are rendered before they are requested.
    pub fn warms_cache(&self) -> bool {
        self.is_enabled() && self.warms_cache
    }

    /// Renders and caches an example of each page that names paths, and the shell's not-found page, except those that
    /// `tried` covers. Returns one problem per page that fails, but not for pages that also fail in `live`.
    pub async fn trial_render(
        &self,
        action: TrialAction,
        store: &Store,
        deployment: &LoadedDeployment,
        live: Option<&LoadedDeployment>,
        tried: &TrialResults,
    ) -> Vec<String> {
        let examples: Vec<_> = deployment
            .example_paths()
            .map(|(page, path)| (Some(page), path))
            .chain([(None, "/")])
            .filter(|(page, _)| !tried.covers_page(deployment, *page))
            .collect();
        let requests = examples
            .iter()
            .map(|(page, path)| RenderRequest::without_client(deployment, *page, path));
        let mut trials = Trials::start(&self.diagnostics.log, action, requests.clone());
        let mut problems = Vec::new();
        for request in requests {
            let Err(failure) = self.render_if_uncached(store, request).await else {
                continue;
            };
            if self.fails_in(store, live, request).await {
                continue;
            }
            let problem = describe(request, &failure);
            trials.fail(request, &problem);
            problems.push(problem);
            if problems.len() == MAX_PROBLEMS {
                problems.push(NOT_TRIED.to_owned());
                trials.stop();
                break;
            }
        }
        trials.finish();
        problems
    }

    /// Renders all listed paths ahead, one at a time, unless warming is disabled.
    pub async fn warm_cache(&self, store: &Store, deployment: &LoadedDeployment) {
        if !self.warms_cache() {
            return;
        }
        for (page, path) in deployment.named_paths() {
            let request = RenderRequest::without_client(deployment, Some(page), path);
            self.render_ahead(store, request).await;
        }
    }

    /// Renders a page that no visitor has requested into the cache. Of a page with queries it evaluates only these, so that a
    /// deploy does not send the queries of all pages to the upstreams at once. Returns whether the page has queries.
    pub async fn render_ahead(&self, store: &Store, request: RenderRequest<'_>) -> bool {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return false;
        };
        let deadline = Instant::now() + self.deadline;
        let step = self.render_step(engine, store, request, None, &key, deadline);
        matches!(step.await, Ok(Output::Queries(_)))
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
        let outcome = self.render_if_uncached(store, request).await;
        outcome.is_err_and(|failure| failure.cause.is_release_fault())
    }

    /// Renders and caches a page, unless it is cached, with the results of its queries. If a query fails, so may the render:
    /// whether a release can be deployed does not depend on upstreams.
    async fn render_if_uncached(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
    ) -> Result<(), RenderFailure> {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return Ok(());
        };
        let step = self.trial_step(engine, store, request, None, &key);
        let Some(Output::Queries(queries)) = step.await? else {
            return Ok(());
        };
        let results = self.fetch(queries, request).await;
        let key = key.with_results(&results);
        let step = self.trial_step(engine, store, request, Some(&results), &key);
        match step.await {
            Err(failure) if results.are_complete() || !failure.cause.is_release_fault() => Err(failure),
            _ => Ok(()),
        }
    }

    /// The output of one worker job, from the cache if possible; `None` if a release has no server modules.
    async fn trial_step(
        &self,
        engine: &Engine,
        store: &Store,
        request: RenderRequest<'_>,
        results: Option<&Results>,
        key: &CacheKey,
    ) -> Result<Option<Output>, RenderFailure> {
        if let Some(output) = engine.cached(key, request.day) {
            return Ok(Some(output));
        }
        let input = Input { form: None, results };
        let cache_key = Some((key.clone(), request.day));
        let Some(render) = self.prepare_render(store, request, input, cache_key).await? else {
            return Ok(None);
        };
        match timeout(TIMEOUT, engine.render_and_cache(render, QUEUE_TIMEOUT)).await {
            Ok(outcome) => outcome.map(Some),
            Err(_) => Err(RenderFailure::new(
                FailureCause::DeadlineExceeded,
                "the render timed out; try again",
            )),
        }
    }
}

impl<'a> RenderRequest<'a> {
    /// A request of the gateway itself, for the current date.
    fn without_client(
        deployment: &'a LoadedDeployment,
        page: Option<&'a PageManifest>,
        path: &'a str,
    ) -> Self {
        Self {
            deployment,
            page,
            path,
            day: colonnade_clock::today(),
            client: None,
        }
    }
}

/// Logs the trial renders of each release.
struct Trials<'a> {
    log: &'a SectionLog,
    action: TrialAction,
    problems: BTreeMap<ReleaseId, Vec<String>>,
}

impl<'a> Trials<'a> {
    fn start<'r>(
        log: &'a SectionLog,
        action: TrialAction,
        requests: impl Iterator<Item = RenderRequest<'r>>,
    ) -> Self {
        let releases = requests.filter_map(|request| request.releases());
        let problems: BTreeMap<_, _> = releases.map(|pair| (pair.section, Vec::new())).collect();
        let trials = Self {
            log,
            action,
            problems,
        };
        for release in trials.problems.keys() {
            trials.record(LogEntryKind::TrialStarted, release, Vec::new());
        }
        trials
    }

    fn fail(&mut self, request: RenderRequest<'_>, problem: &str) {
        let releases = request.releases();
        if let Some(problems) = releases.and_then(|pair| self.problems.get_mut(&pair.section)) {
            problems.push(problem.to_owned());
        }
    }

    /// Records that not all pages of the releases were tried.
    fn stop(&mut self) {
        for problems in self.problems.values_mut() {
            problems.push(NOT_TRIED.to_owned());
        }
    }

    fn finish(self) {
        for (release, problems) in &self.problems {
            let kind = if problems.is_empty() {
                LogEntryKind::TrialPassed
            } else {
                LogEntryKind::TrialFailed
            };
            self.record(kind, release, problems.clone());
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

fn describe(request: RenderRequest<'_>, failure: &RenderFailure) -> String {
    let RenderFailure { message, .. } = failure;
    let releases = request.releases();
    let release = releases.map(|releases| releases.section.to_string());
    let release = release.unwrap_or_default();
    match request.page {
        Some(page) => format!(
            "rendering {} (page {} of {release}) failed: {message}",
            request.path, page.pattern
        ),
        None => format!("rendering the not-found page of {release} failed: {message}"),
    }
}
