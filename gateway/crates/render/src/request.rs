//! Render requests, and the cache keys of their pages.

use std::sync::Arc;

use jiff::civil::Date;

use colonnade_model::release::{ReleaseId, SHELL, ServerModules};
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;

use crate::engine::RequestedPage;
use crate::pool::RenderFailure;
use crate::protocol::FailureCause;

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
    /// See [`RenderRequest::is_named`].
    pub(super) is_named: bool,
}

/// What the content of a rendered page depends on, in addition to the date. The configuration never changes while the
/// process runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    shell: ReleaseId,
    section: Option<ReleaseId>,
    path: String,
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
        })
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
    fn is_named(&self) -> bool {
        let Some(page) = self.page else {
            return true;
        };
        let release = self.deployment.release(&page.section.name);
        page.pattern == self.path || release.is_some_and(|release| release.names(self.path))
    }

    /// The requested page; `None` if the deployment lacks one of its releases.
    pub(super) fn requested_page(&self) -> Option<RequestedPage> {
        Some(RequestedPage {
            client: self.client,
            circuit: CircuitKey {
                releases: self.releases()?,
                is_named: self.is_named(),
            },
            pattern: self.page.map(|page| page.pattern.clone()),
        })
    }

    /// The server modules of a release of the deployment; `None` if it has none.
    pub(super) async fn server_modules(
        &self,
        store: &dyn Store,
        name: &str,
    ) -> Result<Option<Arc<ServerModules>>, RenderFailure> {
        let Some(release) = self.deployment.release(name) else {
            return Ok(None);
        };
        let modules = release.server_modules(store).await;
        modules.map_err(|error| RenderFailure::new(FailureCause::StoreError, &error.to_string()))
    }
}
