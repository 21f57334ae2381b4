//! Requests for documents, and documents as the cache keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use http::{HeaderValue, StatusCode};
use jiff::civil::Date;
use serde_json::value::RawValue;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use colonnade_model::pattern::RequestPath;
use colonnade_model::policy::Policy;
use colonnade_model::search::with_search;
use colonnade_render::{ExtensionOutcomes, RenderRequest, Validity, Why};
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;
use colonnade_web::encoded_content::EncodedContent;

use crate::content_security_policy::DocumentPolicy;
use crate::deployment_selection::{Caching, DeploymentSelection};
use crate::document::SiteView;
use crate::resolved_page::sections;

/// A request for a document on the current date.
#[derive(Debug, Clone)]
pub struct DocumentRequest {
    /// The key of the document in the cache.
    pub(super) key: DocumentKey,
    /// The deployment that the visitor sees.
    pub(super) deployment: Arc<LoadedDeployment>,
    /// What it contains of the configuration.
    pub(super) site: Arc<SiteView>,
    pub(super) is_preview: bool,
    /// Who may cache the document.
    pub(super) caching: Caching,
    /// The page; `None` if no page matches the path.
    pub(super) page: Option<Arc<PageManifest>>,
    /// The client; `None` if the gateway warms its cache.
    client: Option<ClientKey>,
}

/// The page that a request is for.
#[derive(Debug, Clone)]
pub(crate) struct RequestedPage<'a> {
    /// The page of the selected deployment that matches the path.
    pub(crate) page: &'a Arc<PageManifest>,
    /// The path.
    pub(crate) path: &'a RequestPath,
    /// The canonical query.
    pub(crate) search: String,
}

/// What a document depends on, in addition to the results of its page's queries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentKey {
    deployment: Arc<str>,
    /// How many of its releases are loaded. A release that is repaired later raises it, which
    /// invalidates older entries.
    releases: usize,
    /// The canonical path with the canonical query; `None` for all paths without a page.
    pub(super) path: Option<String>,
    /// Whether the path has a query that no release lists. Visitors can make up any number of them.
    pub(super) is_made_up: bool,
    /// The revision of what it contains of the configuration.
    site: u64,
    /// The revision of the rules for extensions.
    rules: u64,
    /// The day in the boot payload.
    pub(super) day: Date,
}

impl DocumentRequest {
    /// A request for a page, or for a path without one.
    pub(super) fn new(
        site: Arc<SiteView>,
        selection: &DeploymentSelection,
        requested: Option<RequestedPage<'_>>,
        client: Option<ClientKey>,
    ) -> Self {
        let deployment = Arc::clone(&selection.deployment);
        let page = requested.as_ref().map(|requested| Arc::clone(requested.page));
        let path = requested.map(|RequestedPage { path, search, .. }| with_search(path.canonical(), &search));
        let release = page
            .as_ref()
            .and_then(|page| deployment.release(&page.section.name));
        let is_listed = |path: &str| release.is_some_and(|release| release.names(path));
        let is_made_up = path
            .as_deref()
            .is_some_and(|path| path.contains('?') && !is_listed(path));
        Self {
            key: DocumentKey {
                deployment: Arc::clone(&deployment.name),
                releases: deployment.releases.len(),
                path,
                is_made_up,
                site: site.values.revision(),
                rules: deployment.rules.revision(),
                day: colonnade_clock::today(),
            },
            site,
            deployment,
            is_preview: selection.is_preview(),
            caching: selection.caching(),
            page,
            client,
        }
    }

    /// The canonical path to render, with the canonical query. The not-found page is the same for all paths.
    pub(super) fn path(&self) -> &str {
        self.key.path.as_deref().unwrap_or("/")
    }

    pub(super) fn render_request(&self) -> RenderRequest<'_> {
        RenderRequest {
            deployment: &self.deployment,
            page: self.page.as_deref(),
            path: self.path(),
            site: &self.site.values,
            day: self.key.day,
            client: self.client,
            started_at: Instant::now(),
            is_preview: self.is_preview,
        }
    }

    /// The configuration of the page's section, and of the sections that fill extension points of the
    /// page or the shell, by name.
    pub(super) fn configs(&self) -> BTreeMap<&str, &RawValue> {
        let config = |name| Some((name, &**self.site.values.configs.get(name)?));
        self.sections().filter_map(config).collect()
    }

    /// What the document may do in addition to the strict default.
    pub(super) fn policy(&self) -> Policy {
        self.site.values.policy.of(self.sections())
    }

    /// What it permits, for the shell.
    pub(super) fn permissions(&self) -> Vec<String> {
        self.site.values.policy.permissions(self.sections())
    }

    /// The names of its sections.
    fn sections(&self) -> impl Iterator<Item = &str> {
        let sections = sections(&self.deployment, self.page.as_deref());
        sections.map(|section| section.name.as_str())
    }

    /// Whether another client requests it than the only one that may use a document.
    pub(super) fn is_excluded_by(&self, validity: &Validity) -> bool {
        validity.client.is_some_and(|client| self.client != Some(client))
    }
}

impl DocumentKey {
    /// The bytes that the cache needs for the key. It stores the key twice, and clients choose the
    /// path's length.
    pub(super) fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.as_ref().map_or(0, String::len))
    }
}

/// A document in all codings, or a redirect.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) status: StatusCode,
    pub(super) content: Content,
    /// How long and by whom it may be used.
    pub(super) validity: Validity,
    /// Why it has no rendered HTML, if it has none.
    pub(super) why: Option<Why>,
    /// What became of the extensions of its page.
    pub(super) extensions: ExtensionOutcomes,
    /// How often visitors requested it, since a document of its key is cached.
    pub(super) requests: Arc<AtomicU64>,
    /// Held while it is refreshed.
    refresh: Arc<Mutex<()>>,
}

/// The content of a document.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// HTML with its Content Security Policy.
    Html {
        policy: DocumentPolicy,
        html: EncodedContent,
    },
    /// A redirect to this path of the site.
    Redirect(HeaderValue),
}

impl Document {
    pub(super) fn new(status: StatusCode, content: Content, validity: Validity) -> Self {
        Self {
            status,
            content,
            validity,
            why: None,
            extensions: ExtensionOutcomes::default(),
            requests: Arc::default(),
            refresh: Arc::default(),
        }
    }

    /// The guard of a refresh, to be held while it runs; `None` while another refresh does.
    pub(super) fn start_refresh(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.refresh).try_lock_owned().ok()
    }

    /// Its bytes in memory.
    pub(super) fn weight(&self) -> usize {
        match &self.content {
            Content::Html { html, .. } => html.weight(),
            Content::Redirect(location) => location.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use http::{HeaderValue, StatusCode};

    use colonnade_render::Validity;

    use super::{Content, Document};

    #[test]
    fn refresh_that_panics_allows_the_next_one() {
        let content = Content::Redirect(HeaderValue::from_static("/"));
        let document = Document::new(StatusCode::TEMPORARY_REDIRECT, content, Validity::default());
        let refresh = document.start_refresh().expect("no refresh in progress");
        assert!(document.start_refresh().is_none());
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _refresh = refresh;
            panic!("while it refreshes");
        }));
        assert!(panic.is_err());
        assert!(document.start_refresh().is_some());
    }
}
