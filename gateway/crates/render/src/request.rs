//! Render requests, and the keys of their pages and extensions.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use colonnade_model::pattern::Pattern;
use colonnade_model::release::{self, PointReference, ReleaseId, SHELL};
use colonnade_model::search::split_search;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;

use crate::extension::RequestedExtension;
use crate::results::Results;
use crate::site_values::SiteValues;
use crate::validity::Digest;

/// One page to render.
#[derive(Clone, Copy)]
pub struct RenderRequest<'a> {
    /// The deployment whose releases render it.
    pub deployment: &'a LoadedDeployment,
    /// The page; `None` for the shell's not-found page.
    pub page: Option<&'a PageManifest>,
    /// The canonical path, with the canonical query if there is one.
    pub path: &'a str,
    /// What the page reads of the configuration.
    pub site: &'a SiteValues,
    /// The current date, which the page reads as `site.today`.
    pub day: Date,
    /// The client that requested it; `None` for the gateway's own renders.
    pub client: Option<ClientKey>,
    /// The time from which its document waits.
    pub started_at: Instant,
    /// Whether it is for a preview, whose document waits for extensions that the gateway has not rendered.
    pub is_preview: bool,
}

/// What a page or an extension is rendered with, in addition to its request.
#[derive(Clone, Copy, Default)]
pub(super) struct Input<'a> {
    /// The result of a form post.
    pub(super) form: Option<&'a Value>,
    /// The results of its queries, if it has any.
    pub(super) results: Option<&'a Results>,
}

/// The two releases that render a page or an extension together. The shell's not-found page is the pair of the
/// shell with itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReleasePair {
    pub(super) shell: ReleaseId,
    pub(super) section: ReleaseId,
}

/// The key of a circuit breaker. Each extension has its own. Paths that no release lists get a separate breaker, so that
/// visitors cannot open the breaker of real pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CircuitKey {
    pub(super) releases: ReleasePair,
    /// The point of an extension; `None` for pages.
    pub(super) point: Option<PointReference>,
    /// Whether a release lists the path (see [`RenderRequest::is_listed`]), and no limit of the client rejected
    /// a result.
    pub(super) is_listed: bool,
}

/// What the queries or the content of a page or an extension depend on, in addition to the date.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    pub(super) releases: ReleasePair,
    pub(super) part: KeyPart,
    /// The revision of what it reads of the configuration.
    pub(super) site: u64,
    /// The links that sections contribute to the navigation.
    pub(super) navigation: release::Digest,
    /// The results of its queries; `None` without queries, and for the queries themselves.
    pub(super) results: Option<Digest>,
    /// Whether visitors can make up the query of the path. Such keys share a part of the cache.
    pub(super) is_made_up: bool,
}

/// What is rendered, in a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum KeyPart {
    /// The page at a path, with its query.
    Page(String),
    /// The extension of a point, with the digest of its props: pages that pass the same share it.
    Extension(PointReference, Digest),
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
    /// The key of the queries.
    pub(super) fn of_queries(&self) -> Self {
        Self {
            results: None,
            ..self.clone()
        }
    }

    /// Its size in bytes, twice: the cache has two copies. Clients choose how long paths are.
    pub(super) fn weight(&self) -> usize {
        let length = match &self.part {
            KeyPart::Page(path) => path.len(),
            KeyPart::Extension(point, _) => point.as_str().len(),
        };
        2 * (size_of::<Self>() + length)
    }
}

impl RenderRequest<'_> {
    /// The releases that render the page; `None` if the deployment lacks one.
    pub(super) fn releases(&self) -> Option<ReleasePair> {
        let section = self.page.map_or(SHELL, |page| &page.section.name);
        ReleasePair::of(self.deployment, section)
    }

    /// The path, for messages. One that no release lists can contain personal data.
    pub(crate) fn named_path(&self) -> &str {
        if self.is_listed() {
            self.path
        } else {
            "a requested path"
        }
    }

    /// Whether a release lists the path, or the page has no other: visitors cannot make it up. True
    /// for the not-found page, which is the same for all paths.
    pub(super) fn is_listed(&self) -> bool {
        let Some(page) = self.page else {
            return true;
        };
        let release = self.deployment.release(&page.section.name);
        let is_only = page.pattern == self.path && Pattern::is_static(self.path);
        is_only || release.is_some_and(|release| release.names(self.path))
    }
}

impl<'a> RenderRequest<'a> {
    /// The extension points of the page and of the shell.
    pub(crate) fn points(self) -> impl Iterator<Item = &'a PointReference> {
        let own = self.page.into_iter().flat_map(|page| &page.points);
        own.chain(&self.deployment.frame.points)
    }

    /// Whether any section fills a point of the page or the shell.
    pub(crate) fn has_extensions(self) -> bool {
        let deployment = self.deployment;
        self.points()
            .any(|point| !deployment.extensions(point).is_empty())
    }
}

/// The argument of the shell's `render` function.
#[derive(Serialize)]
pub(super) struct Argument<'a> {
    #[serde(flatten)]
    subject: ArgumentSubject<'a>,
    site: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ArgumentSubject<'a> {
    Page {
        path: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        search: &'a str,
        page: Option<ArgumentPage<'a>>,
    },
    Extension {
        extension: ArgumentExtension<'a>,
    },
}

#[derive(Serialize)]
struct ArgumentPage<'a> {
    section: &'a str,
    pattern: &'a str,
}

#[derive(Serialize)]
struct ArgumentExtension<'a> {
    section: &'a str,
    point: &'a PointReference,
    props: &'a RawValue,
}

impl<'a> ArgumentSubject<'a> {
    /// The extension or, without one, the page of a request. And the name of its section.
    fn new(request: RenderRequest<'a>, extension: Option<RequestedExtension<'a>>) -> (Self, Option<&'a str>) {
        if let Some(RequestedExtension { manifest, props, .. }) = extension {
            let section = &*manifest.section.name;
            let (point, props) = (&manifest.point, &*props.json);
            let extension = ArgumentExtension {
                section,
                point,
                props,
            };
            return (Self::Extension { extension }, Some(section));
        }
        let page = request.page.map(|page| ArgumentPage {
            section: &page.section.name,
            pattern: &page.pattern,
        });
        let section = request.page.map(|page| &*page.section.name);
        let (path, search) = split_search(request.path);
        (Self::Page { path, search, page }, section)
    }
}

impl<'a> Argument<'a> {
    pub(super) fn new(
        request: RenderRequest<'a>,
        extension: Option<RequestedExtension<'a>>,
        input: Input<'a>,
    ) -> Self {
        let (subject, section) = ArgumentSubject::new(request, extension);
        let config = section.and_then(|section| request.site.configs.get(section));
        Self {
            subject,
            site: request.site.site_of(request.deployment, request.day),
            config: config.map(|config| &**config),
            form: input.form,
            results: input.results.map(|results| &*results.json),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys of the argument are strings")
    }
}
