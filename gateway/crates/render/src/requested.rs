//! Trial renders of the paths that visitors request most, with the releases that they get and with
//! the new ones. Queries have the results that are cached: what lacks one is not tried.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use tokio::time::{Instant, timeout_at};

use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{PointReference, ReleaseId, SHELL};
use colonnade_model::search::{canonical_search, split_search};
use colonnade_store::Store;
use colonnade_store::loaded::LoadedDeployment;

use crate::attempt::Attempt;
use crate::extend;
use crate::extension::{ExtensionContent, RequestedExtension};
use crate::page::{Content, Output, Page, TEMPORARY_REDIRECT};
use crate::renderer::Renderer;
use crate::request::RenderRequest;
use crate::results::Results;
use crate::site_values::SiteValues;
use crate::why::Failure;

/// The most paths of a trial.
const MAX_PATHS: usize = 50;

/// How long a trial may render requested paths. The rest is not tried.
const MAX_TIME: Duration = Duration::from_secs(5);

const OK: u16 = 200;
const NOT_FOUND: u16 = 404;

/// How many requested paths a trial has rendered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestedRenders {
    /// All of them.
    pub rendered: usize,
    /// Those with other HTML than before.
    pub changed: usize,
}

/// The requested paths of a trial.
#[derive(Clone, Copy)]
pub(crate) struct RequestedPaths<'a> {
    /// What visitors get now.
    pub(crate) before: &'a LoadedDeployment,
    /// What they would get.
    pub(crate) after: &'a LoadedDeployment,
    /// The canonical paths, the most requested first.
    pub(crate) paths: &'a [String],
    /// Whether a path may become a redirect, or not found.
    pub(crate) accepts_status_changes: bool,
}

/// A failure that the deploy adds: the release that fails and the new releases of the path, and the
/// message.
pub(crate) type NewFailure = (Vec<ReleaseId>, String);

/// What visitors get at a path.
struct PathOutput {
    /// A rendered page, or a redirect.
    page: Page,
    /// Its extensions, in order.
    extensions: Vec<PointOutput>,
}

struct PointOutput {
    release: ReleaseId,
    point: PointReference,
    /// The content, which is empty if it has nothing to show; `None` if it was not tried.
    output: Option<Result<Option<Arc<ExtensionContent>>, Failure>>,
}

impl<'a> RequestedPaths<'a> {
    /// The requests for each path whose document has other releases after the change, before and
    /// after it.
    fn requests(self, site: &'a SiteValues) -> impl Iterator<Item = [RenderRequest<'a>; 2]> {
        let request = |deployment: &'a LoadedDeployment, path: &'a String| {
            let (pathname, search) = split_search(path);
            let page = deployment.page(&RequestPath::parse(pathname).ok()?);
            // The releases may depend on other parameters.
            if page.is_some_and(|page| canonical_search(&page.search, search).as_deref() != Ok(search)) {
                return None;
            }
            let page = page.map(|page| &**page);
            Some(RenderRequest::without_client(deployment, page, path, site))
        };
        let requests = self.paths.iter().filter_map(move |path| {
            let before = request(self.before, path)?;
            let after = request(self.after, path)?;
            // A section that a deploy removes takes its pages along.
            self.after.release(&before.page?.section.name)?;
            (releases(before) != releases(after)).then_some([before, after])
        });
        requests.take(MAX_PATHS)
    }
}

/// The new releases that decide what visitors get at a path after a change: that of the section that
/// had its page first.
fn new_releases(requests: [RenderRequest<'_>; 2]) -> Vec<ReleaseId> {
    let [before, after] = requests.map(|request| request.deployment);
    let pages = requests.iter().filter_map(|request| request.page);
    let pages = pages.map(|page| &*page.section.name);
    let all = requests.into_iter().flat_map(releases).map(|(name, _)| name);
    let mut new = Vec::new();
    for release in pages.chain(all).filter_map(|name| after.release(name)) {
        let id = &release.id;
        let is_live = before.release(&id.name).is_some_and(|live| live.id == *id);
        if !is_live && !new.contains(id) {
            new.push(id.clone());
        }
    }
    new
}

/// The failure of a release. Its text names the new ones if it is none of them.
fn new_failure(release: ReleaseId, new: &[ReleaseId], text: String) -> NewFailure {
    let mut releases = new.to_vec();
    if releases.contains(&release) {
        return (releases, text);
    }
    let names: Vec<_> = releases.iter().map(ToString::to_string).collect();
    let text = match names.join(", ") {
        names if names.is_empty() => text,
        names => format!("with {names}, {text}"),
    };
    releases.push(release);
    (releases, text)
}

/// The path of a request with its page, for messages.
fn name_of(request: RenderRequest<'_>) -> String {
    let pattern = request.page.map_or("", |page| &page.pattern);
    format!("{} (page {pattern})", request.named_path())
}

/// The names and versions of the releases that a document can have a part of.
fn releases(request: RenderRequest<'_>) -> Vec<(&str, &str)> {
    let deployment = request.deployment;
    let shell = deployment.release(SHELL).map(|shell| (SHELL, &*shell.id.version));
    let extensions = request.points().flat_map(|point| deployment.extensions(point));
    let sections = request.page.map(|page| &page.section).into_iter();
    let sections = sections.chain(extensions.map(|extension| &extension.section));
    let sections = sections.map(|section| (&*section.name, &*section.version));
    shell.into_iter().chain(sections).collect()
}

impl Renderer {
    /// Renders the most requested paths that a change concerns, with the releases before and after it.
    pub(crate) async fn try_requested(
        &self,
        store: &Store,
        requested: RequestedPaths<'_>,
        site: &SiteValues,
    ) -> (RequestedRenders, Vec<NewFailure>) {
        let workers = self.engine.as_ref().map_or(1, |engine| engine.settings.workers);
        // Half of the workers is left to visitors.
        let concurrency = (workers / 2).max(1);
        let trials: Vec<_> = requested
            .requests(site)
            .map(|requests| self.try_path(store, requests, requested.accepts_status_changes))
            .collect();
        let mut trials = stream::iter(trials).buffered(concurrency);
        let deadline = Instant::now() + MAX_TIME;
        let mut renders = RequestedRenders::default();
        let mut failures = Vec::new();
        while let Ok(Some(tried)) = timeout_at(deadline, trials.next()).await {
            if let Some((is_changed, new)) = tried {
                renders.rendered += 1;
                renders.changed += usize::from(is_changed);
                // Several paths that are not named can have the same message.
                for failure in new {
                    if !failures.contains(&failure) {
                        failures.push(failure);
                    }
                }
            }
        }
        (renders, failures)
    }

    /// Whether a path has other HTML after the change, and what fails that did not before it. `None`
    /// if the path was not tried.
    async fn try_path(
        &self,
        store: &Store,
        [before, after]: [RenderRequest<'_>; 2],
        accepts_status_changes: bool,
    ) -> Option<(bool, Vec<NewFailure>)> {
        let new = self.path_output(store, after).await;
        let old = self.path_output(store, before).await;
        let releases = new_releases([before, after]);
        match (new, old) {
            (Ok(Some(new)), Ok(Some(old))) => {
                let status = new.new_status(&old, before, &releases);
                let status = status.filter(|_| !accepts_status_changes);
                let failures = status.into_iter().chain(new.failures(&old, before, &releases));
                Some((!new.equals(&old), failures.collect()))
            }
            (Err(failure), old) if failure.why.blames_release() => {
                let is_new = !old.is_err_and(|failure| failure.why.blames_release());
                let section = after.releases()?.section;
                let failure = is_new.then(|| new_failure(section, &releases, after.describe(&failure)));
                Some((false, failure.into_iter().collect()))
            }
            _ => None,
        }
    }

    /// What visitors get for a request; `None` if the browser renders the page, or a result of its
    /// queries is not cached.
    async fn path_output(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
    ) -> Result<Option<PathOutput>, Failure> {
        let Some(attempt) = self.attempt(store, request) else {
            return Ok(None);
        };
        let Some(Content::Page(page)) = attempt.with_cached_results().await? else {
            return Ok(None);
        };
        let mut extensions = Vec::new();
        if let Page::Html(content) = &page {
            for extension in extend::requested(request, content) {
                let attempt = Attempt::new(attempt.engine, store, request, Some(extension));
                extensions.push(PointOutput::new(extension, attempt).await);
            }
        }
        Ok(Some(PathOutput { page, extensions }))
    }
}

impl Attempt<'_> {
    /// The content, rendered with the cached results of its queries; `None` if one is not cached. No
    /// circuit breaker counts a failure.
    async fn with_cached_results(&self) -> Result<Option<Content>, Failure> {
        let output = match self.trial_output(None).await? {
            Output::Queries(queries) => match Results::cached(&self.engine.queries, queries).await {
                Some(results) => self.trial_output(Some(&results)).await?,
                None => return Ok(None),
            },
            output @ Output::Content { .. } => output,
        };
        Ok(match output {
            Output::Content { content, .. } => Some(content),
            Output::Queries(_) => None,
        })
    }
}

impl PointOutput {
    async fn new(extension: RequestedExtension<'_>, attempt: Option<Attempt<'_>>) -> Self {
        let section = &extension.manifest.section;
        let content = match attempt {
            Some(attempt) => attempt.with_cached_results().await.transpose(),
            None => None,
        };
        let html = |content| match content {
            Content::Extension(content) => content,
            // The output of an extension is never a page.
            Content::Page(_) => None,
        };
        Self {
            release: ReleaseId {
                name: section.name.clone(),
                version: section.version.clone(),
            },
            point: extension.manifest.point.clone(),
            output: content.map(|content| content.map(html)),
        }
    }

    /// Whether both are of the same section and point.
    fn is_same(&self, other: &Self) -> bool {
        (&self.release.name, &self.point) == (&other.release.name, &other.point)
    }

    /// Why its release fails, if it does.
    fn failure(&self) -> Option<&Failure> {
        let failure = self.output.as_ref()?.as_ref().err();
        failure.filter(|failure| failure.why.blames_release())
    }

    fn html(&self) -> Option<&str> {
        let content = self.output.as_ref()?.as_ref().ok()?.as_ref();
        content.map(|content| &*content.html)
    }

    /// Whether both have the same HTML, as far as they were tried.
    fn equals(&self, other: &Self) -> bool {
        let is_tried = self.output.is_some() && other.output.is_some();
        self.is_same(other) && (!is_tried || self.html() == other.html())
    }
}

impl PathOutput {
    fn status(&self) -> u16 {
        match &self.page {
            Page::Html(content) => content.status,
            Page::Redirect(_) => TEMPORARY_REDIRECT,
            // The browser says so once it has rendered the page.
            Page::Browser(_) => OK,
        }
    }

    /// Whether visitors get the same HTML.
    fn equals(&self, other: &Self) -> bool {
        let is_page_equal = match (&self.page, &other.page) {
            (Page::Html(one), Page::Html(other)) => (one.status, &one.html) == (other.status, &other.html),
            (Page::Redirect(one), Page::Redirect(other)) => one == other,
            _ => false,
        };
        let mut extensions = self.extensions.iter().zip(&other.extensions);
        is_page_equal
            && self.extensions.len() == other.extensions.len()
            && extensions.all(|(one, other)| one.equals(other))
    }

    /// The status of a path that has become a redirect, or not found.
    fn new_status(&self, old: &Self, before: RenderRequest<'_>, new: &[ReleaseId]) -> Option<NewFailure> {
        let (status, was) = (self.status(), old.status());
        if status == was || status == OK || was == NOT_FOUND {
            return None;
        }
        let (path, release) = (name_of(before), new.first()?);
        let text = format!(
            "{path} has the status {status} with {release}, and {was} with the live releases; \
             `acceptStatusChanges` accepts this (`colonnade deploy --accept-status-changes`)"
        );
        Some((new.to_vec(), text))
    }

    /// The extensions that fail in the response, and not in the one to this request before.
    fn failures(&self, other: &Self, before: RenderRequest<'_>, new: &[ReleaseId]) -> Vec<NewFailure> {
        let path = name_of(before);
        let failed = self.extensions.iter().filter_map(|extension| {
            let failure = extension.failure()?;
            let before = other.extensions.iter().find(|before| before.is_same(extension));
            let is_new = before.is_none_or(|before| before.failure().is_none());
            let PointOutput { release, point, .. } = extension;
            let message = &failure.message;
            is_new.then(|| {
                let text =
                    format!("rendering `{point}` (extension of {release}) for {path} failed: {message}");
                new_failure(release.clone(), new, text)
            })
        });
        failed.collect()
    }
}
