//! Rendering without a visitor's request: trial renders of a deployment, and warming the cache.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use colonnade_diagnostics::{LogEntryKind, NewLogEntry, SectionLog, TrialAction};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};

use crate::attempt::{Attempt, Input};
use crate::extension::RequestedExtension;
use crate::page::Output;
use crate::request::ReleasePair;
use crate::results::Results;
use crate::site_values::SiteValues;
use crate::why::{Failure, Why};
use crate::{RenderRequest, Renderer};

/// How long a trial render may be queued. No visitor waits for it.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a trial render may take in total. Longer than a render may run, even if no worker can
/// be started.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The number of failed pages after which a trial stops: each may block a worker for its whole CPU
/// time.
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

/// A deployment whose pages are tried.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// What it is tried for.
    pub action: TrialAction,
    /// The deployment.
    pub deployment: &'a LoadedDeployment,
    /// The live deployment.
    pub live: Option<&'a LoadedDeployment>,
    /// The pairs that need no further trial.
    pub tried: &'a TrialResults,
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

    /// Renders and caches an example of each page that names paths, and the shell's not-found page,
    /// except those that `tried` covers. Returns one problem per page that fails, but not for pages
    /// that also fail in `live`.
    pub async fn trial_render(&self, store: &Store, trial: Trial<'_>) -> Vec<String> {
        let Trial {
            action,
            deployment,
            live,
            tried,
        } = trial;
        let Some(engine) = &self.engine else {
            return Vec::new();
        };
        let examples: Vec<_> = deployment
            .example_paths()
            .map(|(page, path)| (Some(page), path))
            .chain([(None, "/")])
            .filter(|(page, _)| !tried.covers_page(deployment, *page))
            .collect();
        let site = engine.site.load_full();
        let requests = examples
            .iter()
            .map(|(page, path)| RenderRequest::without_client(deployment, *page, path, &site));
        let log = TrialLog::start(&engine.diagnostics.log, action, requests.clone());
        let mut problems = Vec::new();
        for request in requests {
            if let Err(failure) = self.render_if_uncached(store, request).await
                && !self.fails_in(store, live, request).await
            {
                let section = request.releases().map(|releases| releases.section);
                problems.push((section, describe(request, &failure)));
            }
            if problems.len() == MAX_PROBLEMS {
                problems.push((None, NOT_TRIED.to_owned()));
                break;
            }
        }
        log.finish(&problems);
        problems.into_iter().map(|(_, problem)| problem).collect()
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
        for extension in content
            .iter()
            .flat_map(|content| RequestedExtension::all_of(request, content))
        {
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
        let outcome = self.render_if_uncached(store, request).await;
        outcome.is_err_and(|failure| failure.why.blames_release())
    }

    /// Renders and caches a page, unless it is cached, with the results of its queries. If a query
    /// fails, so may the render: whether a release can be deployed does not depend on upstreams.
    async fn render_if_uncached(&self, store: &Store, request: RenderRequest<'_>) -> Result<(), Failure> {
        let Some(mut attempt) = self.attempt(store, request) else {
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
    async fn trial_output(&self, results: Option<&Results>) -> Result<Output, Failure> {
        let key = self.key(results);
        if let Some(output) = self.engine.cached(&key, self.request.day) {
            return Ok(output);
        }
        let input = Input { form: None, results };
        let job = Arc::new(self.job(input, Some((key, self.request.day))).await?);
        let output = timeout(TIMEOUT, self.engine.render_and_cache(&job, QUEUE_TIMEOUT)).await;
        output.unwrap_or_else(|_| {
            let message = "the render timed out; try again";
            Err(Failure::new(Why::WorkerUnresponsive, message))
        })
    }
}

impl<'a> RenderRequest<'a> {
    /// A request of the gateway itself, for the current date.
    fn without_client(
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
    fn start<'r>(
        log: &'a SectionLog,
        action: TrialAction,
        requests: impl Iterator<Item = RenderRequest<'r>>,
    ) -> Self {
        let pairs = requests.filter_map(|request| request.releases());
        let releases = pairs.map(|pair| pair.section).collect();
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

    /// Records the problems of each release, and those that concern all (`None`).
    fn finish(self, problems: &[(Option<ReleaseId>, String)]) {
        for release in &self.releases {
            let own = problems.iter();
            let own = own.filter(|(of, _)| of.as_ref().is_none_or(|of| of == release));
            let own: Vec<_> = own.map(|(_, problem)| problem.clone()).collect();
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

fn describe(request: RenderRequest<'_>, Failure { message, .. }: &Failure) -> String {
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
