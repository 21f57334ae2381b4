//! Documents: the HTML page around every page of every section.
//!
//! A document contains nothing of the request, so it is composed and compressed once per deployment, path and day, and
//! then served from memory like a file.

mod boot;
mod composer;
mod content_security_policy;
mod html;
mod inline_style;
#[cfg(test)]
mod tests;

pub use boot::{Form, SiteFacts};

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::civil::Date;

use colonnade_config::Config;
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::{Warm, Warming};
use colonnade_render::{RenderOutcome, RenderRequest, Renderer};
use colonnade_store::Store;
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::client::ClientKey;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::request_scope;
use colonnade_web::response::{
    HTML, NO_CACHE, NO_STORE, RenderFailed, Response, conditional_response, response,
};

use crate::deployment_selection::DeploymentSelection;
use crate::metrics::DocumentMetrics;
use composer::{Composer, Composition};
pub(crate) use content_security_policy::worker_policy;

/// The most bytes of cached documents.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

const REPORTING_ENDPOINTS: HeaderName = HeaderName::from_static("reporting-endpoints");

/// Composes and caches documents.
pub struct Documents {
    composer: Arc<Composer>,
    renderer: Arc<Renderer>,
    cache: ByteCache<DocumentKey, ComposedDocument>,
    compositions: RequestCoalescer<DocumentKey, Arc<ComposedDocument>>,
    metrics: DocumentMetrics,
}

/// Who may cache a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentCaching {
    /// Any cache, after revalidation.
    Public,
    /// Only the visitor's browser, after revalidation: other visitors may see another deployment.
    Private,
    /// No cache.
    Never,
}

/// What a composed document depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct DocumentKey {
    deployment: u64,
    /// The number of its releases that are available. It only rises, until it is complete.
    releases: usize,
    /// The canonical path; `None` for all paths without a page.
    path: Option<String>,
    /// The day in the boot payload.
    day: Date,
}

impl DocumentKey {
    /// Returns the bytes that the cache needs for the key. It stores the key twice, and clients choose the path's length.
    fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.as_ref().map_or(0, String::len))
    }
}

/// A document in all codings.
#[derive(Debug)]
struct ComposedDocument {
    status: StatusCode,
    /// Whether the document is complete. If its render failed, a later one may succeed, so it is not cached.
    is_complete: bool,
    /// The client whose render was rejected.
    rejected_client: Option<ClientKey>,
    render_failed: Option<RenderFailed>,
    policy: HeaderValue,
    content: EncodedContent,
}

/// A request for a document.
#[derive(Clone, Copy)]
pub struct DocumentRequest<'a> {
    /// The store with the releases.
    pub store: &'a dyn Store,
    /// The deployment that the visitor sees.
    pub selection: &'a DeploymentSelection<'a>,
    /// The page; `None` if no page matches the path.
    pub page: Option<&'a Arc<PageManifest>>,
    /// The requested path.
    pub path: Option<&'a RequestPath>,
    /// The client; `None` if the gateway warms its cache.
    pub client: Option<ClientKey>,
}

impl Documents {
    /// Creates the documents of the site that this configuration describes.
    pub fn new(config: &Config, renderer: Arc<Renderer>, metrics: DocumentMetrics) -> Self {
        Self {
            composer: Arc::new(Composer::new(config)),
            renderer,
            cache: ByteCache::new(CACHE_BYTES),
            compositions: RequestCoalescer::default(),
            metrics,
        }
    }

    /// Responds with the document of a page, or the not-found document.
    pub async fn respond(&self, headers: &HeaderMap, request: DocumentRequest<'_>) -> Response {
        let selection = request.selection;
        let day = colonnade_clock::today();
        if selection.is_preview() {
            let path = request.canonical_path();
            let render_request = request.render_request(&path, day);
            let render = Box::pin(self.renderer.render(request.store, render_request)).await;
            let status = request.status(&render);
            return Box::pin(self.respond_uncached(request, status, render, None, day)).await;
        }
        let document = self.composed(request, day).await;
        let representation = document.content.preferred(headers).clone();
        let caching = if document.is_complete {
            selection.caching()
        } else {
            DocumentCaching::Never
        };
        let document_headers = self.headers(document.policy.clone(), caching);
        if document.status == StatusCode::OK && caching != DocumentCaching::Never {
            return conditional_response(headers, &HTML, document_headers, representation);
        }
        // Preconditions apply to 200 responses only (RFC 9110, section 13.2.1), so a 404 has no validator.
        let mut response = conditional_response(&HeaderMap::new(), &HTML, document_headers, representation);
        *response.status_mut() = document.status;
        response.headers_mut().remove(ETAG);
        document
            .render_failed
            .map(|failed| response.extensions_mut().insert(failed));
        response
    }

    /// Responds to a rejected form post with the form's page. The response is never cached.
    pub async fn respond_to_form(
        &self,
        request: DocumentRequest<'_>,
        status: StatusCode,
        form: Form,
    ) -> Response {
        let day = colonnade_clock::today();
        let render = match request.page {
            // A cross-origin post gets no server rendering, which is expensive.
            Some(_) if status != StatusCode::FORBIDDEN => {
                let render_request = request.render_request(&form.page, day);
                let form = serde_json::to_value(&form).unwrap_or_default();
                let render = self
                    .renderer
                    .render_form_result(request.store, render_request, &form);
                Box::pin(render).await
            }
            _ => RenderOutcome::BrowserOnly,
        };
        self.respond_uncached(request, status, render, Some(form), day)
            .await
    }

    /// Returns a document from the cache, or composes it.
    async fn composed(&self, request: DocumentRequest<'_>, day: Date) -> Arc<ComposedDocument> {
        let key = DocumentKey {
            deployment: request.selection.deployment.number(),
            releases: request.selection.deployment.releases.len(),
            path: request.page.map(|_| request.canonical_path()),
            day,
        };
        if let Some(document) = self.cache.get(&key) {
            return document;
        }
        loop {
            // Boxed, because it is much larger than the state of a cache hit.
            let composition = self.compose_and_cache(&key, request);
            let document = Box::pin(self.compositions.run(&key, composition)).await;
            // A shared composition can be that of another client whose render was rejected. Then this client tries
            // again.
            if document
                .rejected_client
                .is_none_or(|client| request.client == Some(client))
            {
                return document;
            }
        }
    }

    async fn compose_and_cache(
        &self,
        key: &DocumentKey,
        request: DocumentRequest<'_>,
    ) -> Arc<ComposedDocument> {
        // A composition that ended just before this one may have cached the document.
        if let Some(document) = self.cache.get(key) {
            return document;
        }
        let path = request.canonical_path();
        let render = self
            .renderer
            .render(request.store, request.render_request(&path, key.day))
            .await;
        let render_failed = match render {
            RenderOutcome::Failed => Some(RenderFailed::Failed),
            RenderOutcome::CircuitOpen => Some(RenderFailed::CircuitOpen),
            RenderOutcome::Unavailable => Some(RenderFailed::Unavailable),
            RenderOutcome::Rendered(_) | RenderOutcome::BrowserOnly | RenderOutcome::QueueFull(_) => None,
        };
        let rejected_client = render.rejected_client();
        let is_complete = render_failed.is_none() && rejected_client.is_none();
        let status = request.status(&render);
        let (policy, compose) = self.prepare(request, render, None, key.day).await;
        let content = if is_complete {
            EncodedContent::compress(compose).await
        } else {
            // A document that is not cached is not worth compressing, and needs no validator.
            EncodedContent::without_validator(request_scope::run_blocking(compose).await.into())
        };
        let document = Arc::new(ComposedDocument {
            status,
            is_complete,
            rejected_client,
            render_failed,
            policy,
            content,
        });
        self.metrics.record_cache_miss();
        if is_complete {
            let weight = document.content.weight() + key.weight();
            self.cache.put(key.clone(), Arc::clone(&document), weight);
        }
        document
    }

    async fn respond_uncached(
        &self,
        request: DocumentRequest<'_>,
        status: StatusCode,
        render: RenderOutcome,
        form: Option<Form>,
        day: Date,
    ) -> Response {
        let (policy, compose) = self.prepare(request, render, form, day).await;
        let html = request_scope::run_blocking(compose).await;
        let mut response = response(status, HTML, html);
        let headers = self.headers(policy, DocumentCaching::Never);
        response.headers_mut().extend(headers);
        response
    }

    /// Returns the Content Security Policy of a document, and what composes its HTML.
    async fn prepare(
        &self,
        request: DocumentRequest<'_>,
        render: RenderOutcome,
        form: Option<Form>,
        day: Date,
    ) -> (HeaderValue, impl FnOnce() -> String + Send + use<>) {
        let deployment = request.selection.deployment;
        let rendered = match render {
            RenderOutcome::Rendered(rendered) => Some(rendered),
            _ => None,
        };
        // Styles are inlined for the first paint of a server-rendered page. Without one there is nothing to paint.
        let styles = match rendered {
            Some(_) => inline_style::load(request.store, deployment, request.page).await,
            None => Vec::new(),
        };
        let policy = self.composer.policy.header(&styles);
        let composer = Arc::clone(&self.composer);
        let composition = Composition {
            deployment: Arc::clone(deployment),
            page: request.page.cloned(),
            path: request.canonical_path(),
            rendered,
            styles,
            form,
            day,
            is_preview: request.selection.is_preview(),
        };
        (policy, move || composer.compose(&composition))
    }

    /// Returns the headers of a document.
    fn headers(&self, policy: HeaderValue, caching: DocumentCaching) -> HeaderMap {
        let (cache_control, vary) = match caching {
            DocumentCaching::Public => (NO_CACHE, "Accept-Encoding"),
            DocumentCaching::Private => (
                HeaderValue::from_static("private, no-cache"),
                "Accept-Encoding, Cookie",
            ),
            DocumentCaching::Never => (NO_STORE, "Accept-Encoding, Cookie"),
        };
        let mut headers = HeaderMap::from_iter([
            (CONTENT_SECURITY_POLICY, policy),
            (CACHE_CONTROL, cache_control),
            (VARY, HeaderValue::from_static(vary)),
        ]);
        let endpoints = self.composer.policy.reporting_endpoints();
        headers.extend(endpoints.map(|endpoints| (REPORTING_ENDPOINTS, endpoints)));
        headers
    }
}

impl<'a> DocumentRequest<'a> {
    /// Returns the canonical path to render. The not-found page is the same for all paths.
    fn canonical_path(&self) -> String {
        let path = self.path.filter(|_| self.page.is_some());
        path.map_or("/".to_owned(), RequestPath::canonical)
    }

    fn render_request(&self, path: &'a str, day: Date) -> RenderRequest<'a> {
        RenderRequest {
            deployment: self.selection.deployment,
            page: self.page.map(|page| &**page),
            path,
            day,
            client: self.client,
        }
    }

    fn status(&self, render: &RenderOutcome) -> StatusCode {
        let is_not_found = match render {
            RenderOutcome::Rendered(rendered) => rendered.status == 404,
            _ => self.page.is_none(),
        };
        if is_not_found {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        }
    }
}

impl Warm for Documents {
    fn warm<'a>(&'a self, store: &'a dyn Store, deployment: &'a Arc<LoadedDeployment>) -> Warming<'a> {
        Box::pin(async move {
            if !self.renderer.warms_cache() {
                return;
            }
            let selection = DeploymentSelection::live(deployment);
            for (_, path) in deployment.named_paths() {
                let Ok(path) = RequestPath::parse(path) else {
                    continue;
                };
                let request = DocumentRequest {
                    store,
                    selection: &selection,
                    page: deployment.page(&path),
                    path: Some(&path),
                    client: None,
                };
                self.composed(request, colonnade_clock::today()).await;
            }
        })
    }
}
