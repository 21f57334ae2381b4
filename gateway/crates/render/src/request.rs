//! Render requests, and the cache keys of their pages.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use colonnade_model::release::{ReleaseId, SHELL, ServerModules};
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;

use crate::engine::RequestedPage;
use crate::pool::RenderFailure;
use crate::protocol::FailureCause;
use crate::results::{Results, ResultsDigest};

/// One page to render.
#[derive(Clone, Copy)]
pub struct RenderRequest<'a> {
    /// The deployment whose releases render it.
    pub deployment: &'a LoadedDeployment,
    /// The page; `None` for the shell's not-found page.
    pub page: Option<&'a PageManifest>,
    /// The canonical path.
    pub path: &'a str,
    /// The current date, which the page reads as `site.today`.
    pub day: Date,
    /// The client that requested it; `None` for the gateway's own renders.
    pub client: Option<ClientKey>,
}

/// The two releases that render a page together. The shell's not-found page is the pair of the shell with itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReleasePair {
    pub(super) shell: ReleaseId,
    pub(super) section: ReleaseId,
}

impl ReleasePair {
    /// The pair of a section of the deployment; `None` if the deployment has no such section or no shell.
    pub(super) fn of(deployment: &LoadedDeployment, section: &str) -> Option<Self> {
        Some(Self {
            shell: deployment.release(SHELL)?.id.clone(),
            section: deployment.release(section)?.id.clone(),
        })
    }
}

/// What a circuit breaker belongs to. Invented paths have one of their own: anyone can make a page fail with them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CircuitKey {
    pub(super) releases: ReleasePair,
    /// See [`RenderRequest::is_listed`] and [`RenderRequest::requested_page`].
    pub(super) is_listed: bool,
}

/// What the queries or the content of a page depend on, in addition to the date. The configuration never changes while the
/// process runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    shell: ReleaseId,
    section: Option<ReleaseId>,
    path: String,
    /// The results of the page's queries; `None` for a page without queries, and for the queries themselves.
    results: Option<ResultsDigest>,
}

impl CacheKey {
    /// The key of a request's page; `None` if a release has no server modules.
    pub(super) fn of(request: RenderRequest<'_>) -> Option<Self> {
        let renderable = |name: &str| {
            let release = request.deployment.release(name)?;
            (!release.modules.is_empty()).then(|| release.id.clone())
        };
        let section = match request.page {
            Some(page) => Some(renderable(&page.section.name)?),
            None => None,
        };
        Some(Self {
            shell: renderable(SHELL)?,
            section,
            path: request.path.to_owned(),
            results: None,
        })
    }

    /// The key of the page that is rendered with these results.
    pub(super) fn with_results(&self, results: &Results) -> Self {
        Self {
            results: Some(results.id.digest),
            ..self.clone()
        }
    }

    /// Its size in bytes, twice: the cache has two copies. Clients choose how long paths are.
    pub(super) fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.len())
    }
}

impl RenderRequest<'_> {
    /// The name of the page's section; `shell` for the not-found page.
    pub(super) fn section(&self) -> &str {
        self.page.map_or(SHELL, |page| &page.section.name)
    }

    /// The releases that render the page; `None` if the deployment lacks one.
    pub(super) fn releases(&self) -> Option<ReleasePair> {
        ReleasePair::of(self.deployment, self.section())
    }

    /// Whether a release names the path, or the page has no other: visitors cannot invent it. True for the not-found page,
    /// which is the same for all paths.
    fn is_listed(&self) -> bool {
        let Some(page) = self.page else {
            return true;
        };
        let release = self.deployment.release(&page.section.name);
        page.pattern == self.path || release.is_some_and(|release| release.names(self.path))
    }

    /// The requested page; `None` if the deployment lacks one of its releases. A result that the limits of a client rejected
    /// makes it a page that anyone can make fail, as an unlisted path does.
    pub(super) fn requested_page(&self, results: Option<&Results>) -> Option<RequestedPage> {
        let is_rejected = results.is_some_and(|results| results.rejected_client.is_some());
        Some(RequestedPage {
            client: self.client,
            circuit: CircuitKey {
                releases: self.releases()?,
                is_listed: self.is_listed() && !is_rejected,
            },
            pattern: self.page.map(|page| page.pattern.clone()),
        })
    }

    /// The server modules of a release of the deployment; `None` if it has none.
    pub(super) async fn server_modules(
        &self,
        store: &Store,
        name: &str,
    ) -> Result<Option<Arc<ServerModules>>, RenderFailure> {
        let Some(release) = self.deployment.release(name) else {
            return Ok(None);
        };
        let modules = release.server_modules(store).await;
        modules.map_err(|error| RenderFailure::new(FailureCause::StoreError, &error.to_string()))
    }
}

/// The argument of the shell's `render` function.
#[derive(Serialize)]
pub(super) struct Argument<'a> {
    path: &'a str,
    page: Option<ArgumentPage<'a>>,
    site: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct ArgumentPage<'a> {
    section: &'a str,
    pattern: &'a str,
}

impl<'a> Argument<'a> {
    /// `site_facts` are the facts about the site, without the date.
    pub(super) fn new(
        request: RenderRequest<'a>,
        site_facts: &Value,
        form: Option<&'a Value>,
        results: Option<&'a Results>,
    ) -> Self {
        let mut site = site_facts.clone();
        site["today"] = json!(request.day.to_string());
        Self {
            path: request.path,
            page: request.page.map(|page| ArgumentPage {
                section: &page.section.name,
                pattern: &page.pattern,
            }),
            site,
            form,
            results: results.map(|results| &*results.json),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys of the argument are strings")
    }
}
