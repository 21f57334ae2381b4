//! Render requests, and the keys of their pages.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;

use crate::results::Results;
use crate::site_values::SiteValues;
use crate::validity::ResultsDigest;

/// One page to render.
#[derive(Clone, Copy)]
pub struct RenderRequest<'a> {
    /// The deployment whose releases render it.
    pub deployment: &'a LoadedDeployment,
    /// The page; `None` for the shell's not-found page.
    pub page: Option<&'a PageManifest>,
    /// The canonical path.
    pub path: &'a str,
    /// What the page reads of the configuration.
    pub site: &'a SiteValues,
    /// The current date, which the page reads as `site.today`.
    pub day: Date,
    /// The client that requested it; `None` for the gateway's own renders.
    pub client: Option<ClientKey>,
}

/// The two releases that render a page together. The shell's not-found page is the pair of the
/// shell with itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReleasePair {
    pub(super) shell: ReleaseId,
    pub(super) section: ReleaseId,
}

/// The key of a circuit breaker. Paths that no release lists get a separate breaker, so that
/// visitors cannot open the breaker of real pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CircuitKey {
    pub(super) releases: ReleasePair,
    /// See [`RenderRequest::is_listed`] and [`crate::attempt::Attempt::requested_page`].
    pub(super) is_listed: bool,
}

/// What the queries or the content of a page depend on, in addition to the date.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    pub(super) releases: ReleasePair,
    pub(super) path: String,
    /// The revision of what it reads of the configuration.
    pub(super) site: u64,
    /// The results of the page's queries; `None` for a page without queries, and for the queries
    /// themselves.
    pub(super) results: Option<ResultsDigest>,
}

/// A cache key, and the date of the page.
pub(super) type DatedKey = (CacheKey, Date);

impl ReleasePair {
    /// The pair of a section of the deployment; `None` if the deployment has no such section or no
    /// shell.
    pub(super) fn of(deployment: &LoadedDeployment, section: &str) -> Option<Self> {
        Some(Self {
            shell: deployment.release(SHELL)?.id.clone(),
            section: deployment.release(section)?.id.clone(),
        })
    }
}

impl CacheKey {
    /// Its size in bytes, twice: the cache has two copies. Clients choose how long paths are.
    pub(super) fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.len())
    }
}

impl RenderRequest<'_> {
    /// The releases that render the page; `None` if the deployment lacks one.
    pub(super) fn releases(&self) -> Option<ReleasePair> {
        let section = self.page.map_or(SHELL, |page| &page.section.name);
        ReleasePair::of(self.deployment, section)
    }

    /// Whether a release lists the path, or the page has no other: visitors cannot make it up. True
    /// for the not-found page, which is the same for all paths.
    pub(super) fn is_listed(&self) -> bool {
        let Some(page) = self.page else {
            return true;
        };
        let release = self.deployment.release(&page.section.name);
        page.pattern == self.path || release.is_some_and(|release| release.names(self.path))
    }
}

/// The argument of the shell's `render` function.
#[derive(Serialize)]
pub(super) struct Argument<'a> {
    path: &'a str,
    page: Option<ArgumentPage<'a>>,
    site: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
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
    pub(super) fn new(
        request: RenderRequest<'a>,
        form: Option<&'a Value>,
        results: Option<&'a Results>,
    ) -> Self {
        let mut site = request.site.site.clone();
        let config = request
            .page
            .and_then(|page| request.site.configs.get(&page.section.name));
        site["today"] = json!(request.day.to_string());
        Self {
            path: request.path,
            page: request.page.map(|page| ArgumentPage {
                section: &page.section.name,
                pattern: &page.pattern,
            }),
            site,
            config: config.map(|config| &**config),
            form,
            results: results.map(|results| &*results.json),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys of the argument are strings")
    }
}
