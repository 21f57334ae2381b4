//! Documents: the HTML page around every page of every section.
//!
//! A document contains nothing of the request, so it is composed and compressed once per
//! deployment, path and day, and then served from memory like a file. If its page has queries, it
//! is used only while their results are fresh, and once more while it is refreshed.

mod boot;
mod cache;
mod compose;
mod extended_page;
mod html;
mod inline_style;
mod metrics;
mod preview_banner;
mod response;
mod site_view;
#[cfg(test)]
mod tests;
mod types;
mod warm;

pub use boot::Form;
pub use metrics::DocumentMetrics;
pub use site_view::SiteView;
pub use types::DocumentRequest;
pub(crate) use types::RequestedPage;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arc_swap::ArcSwap;
use http::{HeaderMap, StatusCode};

use colonnade_config::Config;
use colonnade_render::{Lifetime, Rendered, Renderer, Why};
use colonnade_store::Store;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::client::ClientKey;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::response::Response;

use crate::deployment_selection::{Caching, DeploymentSelection};
use compose::CommonParts;
use response::Responses;
use types::{Content, Document, DocumentKey};

/// The most bytes of cached documents.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// How many of them are of paths with a query.
const SEARCH_CACHE_BYTES: usize = CACHE_BYTES / 4;

/// Composes and caches documents.
pub struct Documents {
    common: Arc<CommonParts>,
    /// What they contain of the configuration, which a reload replaces.
    site: ArcSwap<SiteView>,
    responses: Responses,
    /// The store with the releases.
    store: Arc<Store>,
    renderer: Arc<Renderer>,
    cache: ByteCache<DocumentKey, Document>,
    /// The documents of paths with a query that no release lists. They evict no others.
    searches: ByteCache<DocumentKey, Document>,
    compositions: RequestCoalescer<DocumentKey, Arc<Document>>,
    metrics: DocumentMetrics,
}

impl Documents {
    /// The documents of the site that this configuration describes.
    pub fn new(
        config: &Config,
        site: SiteView,
        store: Arc<Store>,
        renderer: Arc<Renderer>,
        metrics: DocumentMetrics,
    ) -> Self {
        let common = CommonParts::new(config);
        Self {
            responses: Responses::new(&common.policy),
            common: Arc::new(common),
            site: ArcSwap::from_pointee(site),
            store,
            renderer,
            cache: ByteCache::new(CACHE_BYTES - SEARCH_CACHE_BYTES),
            searches: ByteCache::new(SEARCH_CACHE_BYTES),
            compositions: RequestCoalescer::default(),
            metrics,
        }
    }

    /// What documents contain of the configuration now.
    pub(crate) fn site(&self) -> Arc<SiteView> {
        self.site.load_full()
    }

    /// Replaces what documents contain of the configuration. Returns whether the values that
    /// sections read changed: then no cached document is used.
    pub(crate) fn reload(&self, config: &Config) -> bool {
        let before = self.site();
        let site = before.reloaded(config);
        let is_changed = !Arc::ptr_eq(&before.values, &site.values);
        self.renderer.replace_site(Arc::clone(&site.values));
        self.site.store(Arc::new(site));
        is_changed
    }

    /// A request for a page, or for a path without one.
    pub(crate) fn request(
        &self,
        selection: &DeploymentSelection,
        requested: Option<RequestedPage<'_>>,
        client: Option<ClientKey>,
    ) -> DocumentRequest {
        DocumentRequest::new(self.site(), selection, requested, client)
    }

    /// The cache of a document.
    fn cache(&self, key: &DocumentKey) -> &ByteCache<DocumentKey, Document> {
        if key.is_made_up {
            &self.searches
        } else {
            &self.cache
        }
    }

    /// Halves the caches while memory is short.
    pub(crate) fn shrink_caches(&self) {
        self.cache.shrink();
        self.searches.shrink();
        self.renderer.shrink_cache();
    }

    /// Responds with the document of a page, or the not-found document.
    pub async fn respond(self: &Arc<Self>, headers: &HeaderMap, request: &DocumentRequest) -> Response {
        if request.is_preview {
            let document = Box::pin(async {
                let rendered = self.renderer.render(&self.store, request.render_request());
                self.compose_uncached(request, rendered.await, None).await
            });
            return self.responses.respond(headers, &document.await, request.caching);
        }
        let document = self.get(request).await;
        document.requests.fetch_add(1, Ordering::Relaxed);
        self.responses.respond(headers, &document, request.caching)
    }

    /// Responds to a rejected form post with the form's page. The response is never cached.
    pub(crate) async fn respond_to_form(
        &self,
        request: &DocumentRequest,
        status: StatusCode,
        form: Form,
    ) -> Response {
        // A cross-origin post gets no server rendering, which is expensive.
        let rendered = if request.page.is_some() && status != StatusCode::FORBIDDEN {
            let form = serde_json::to_value(&form).unwrap_or_default();
            let rendered = self
                .renderer
                .render_form_result(&self.store, request.render_request(), &form);
            Box::pin(rendered).await
        } else {
            Rendered::in_browser(Why::BrowserOnly, None)
        };
        let mut document = self.compose_uncached(request, rendered, Some(form)).await;
        document.status = match document.content {
            // With 307, browsers would post the form to the page that the redirect names.
            Content::Redirect(_) => StatusCode::SEE_OTHER,
            Content::Html { .. } => status,
        };
        let headers = HeaderMap::new();
        self.responses.respond(&headers, &document, Caching::Never)
    }

    /// Composes a document for one response.
    async fn compose_uncached(
        &self,
        request: &DocumentRequest,
        mut rendered: Rendered,
        form: Option<Form>,
    ) -> Document {
        rendered.validity.lifetime = Lifetime::Once;
        self.common.compose(&self.store, request, rendered, form).await
    }
}
