//! Rendering without a visitor's request: trial renders of a deployment, and warming the cache.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::timeout;

use colonnade_model::release::SHELL;
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};

use super::pool::RenderFailure;
use super::protocol::FailureCause;
use super::request::{CacheKey, ReleasePair};
use super::{RenderRequest, Renderer};

/// How long a trial render may be queued. No visitor waits for it.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a trial render may take in total. Longer than a render may run, even if no worker can be started.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The number of failed pages after which a trial stops: each may block a worker for its whole CPU time.
const MAX_PROBLEMS: usize = 10;

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
        store: &dyn Store,
        deployment: &LoadedDeployment,
        live: Option<&LoadedDeployment>,
        tried: &TrialResults,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let examples = deployment.example_paths().map(|(page, path)| (Some(page), path));
        for (page, path) in examples.chain([(None, "/")]) {
            if tried.covers_page(deployment, page) {
                continue;
            }
            let request = RenderRequest::without_client(deployment, page, path);
            let Err(failure) = self.render_if_uncached(store, request).await else {
                continue;
            };
            if self.fails_in(store, live, request).await {
                continue;
            }
            problems.push(describe(request, &failure));
            if problems.len() == MAX_PROBLEMS {
                problems.push("further pages were not tried".to_owned());
                break;
            }
        }
        problems
    }

    /// Renders all named paths that are not cached, one at a time, unless warming is disabled.
    pub async fn warm_cache(&self, store: &dyn Store, deployment: &LoadedDeployment) {
        if !self.warms_cache() {
            return;
        }
        for (page, path) in deployment.named_paths() {
            let request = RenderRequest::without_client(deployment, Some(page), path);
            self.render(store, request).await;
        }
    }

    /// Whether a page also fails in another deployment that has the same release of its section.
    async fn fails_in(
        &self,
        store: &dyn Store,
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

    /// Renders and caches a page, unless it is cached.
    async fn render_if_uncached(
        &self,
        store: &dyn Store,
        request: RenderRequest<'_>,
    ) -> Result<(), RenderFailure> {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return Ok(());
        };
        if engine.cached(&key, request.day).is_some() {
            return Ok(());
        }
        let cache_key = Some((key, request.day));
        let Some(render) = self.prepare_render(store, request, None, cache_key).await? else {
            return Ok(());
        };
        match timeout(TIMEOUT, engine.render_and_cache(render, QUEUE_TIMEOUT, true)).await {
            Ok(outcome) => outcome.map(drop),
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
