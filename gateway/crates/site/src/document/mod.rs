//! Documents: the HTML page around every page of every section.
//!
//! A document contains nothing of the request, so it is composed and compressed once per deployment, path and day, and
//! then served from memory like a file. If its page has queries, it is used only while their results are fresh, and once more
//! while it is refreshed.

mod boot;
mod cache;
mod composed;
mod composer;
mod content_security_policy;
mod headers;
mod html;
mod inline_style;
mod preview_banner;
mod request;
#[cfg(test)]
mod tests;
mod warm;

pub use boot::{Form, SiteFacts};
pub use request::DocumentRequest;

use std::sync::Arc;

use http::header::{CONTENT_ENCODING, ETAG, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use jiff::civil::Date;

use colonnade_config::Config;
use colonnade_render::{
    Lifetime, NotRendered, RenderOutcome, Rendered, RenderedContent, RenderedPage, Renderer,
};
use colonnade_store::Store;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::request_scope;
use colonnade_web::response::{HTML, RenderFailed, Response, conditional_response, empty, response};
use colonnade_web::security_headers::remove_page_headers;

use crate::metrics::DocumentMetrics;
use composed::{ComposedContent, ComposedDocument, DocumentKey};
use composer::{Composer, Composition};
pub(crate) use content_security_policy::worker_policy;
use headers::DocumentHeaders;

/// The most bytes of cached documents.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Composes and caches documents.
pub struct Documents {
    composer: Arc<Composer>,
    headers: DocumentHeaders,
    /// The store with the releases.
    store: Arc<Store>,
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

impl Documents {
    /// Creates the documents of the site that this configuration describes.
    pub fn new(
        config: &Config,
        store: Arc<Store>,
        renderer: Arc<Renderer>,
        metrics: DocumentMetrics,
    ) -> Self {
        let composer = Composer::new(config);
        Self {
            headers: DocumentHeaders::new(&composer.policy),
            composer: Arc::new(composer),
            store,
            renderer,
            cache: ByteCache::new(CACHE_BYTES),
            compositions: RequestCoalescer::default(),
            metrics,
        }
    }

    /// Halves the caches while memory is short.
    pub(crate) fn shrink_caches(&self) {
        self.cache.shrink();
        self.renderer.shrink_cache();
    }

    /// Responds with the document of a page, or the not-found document.
    pub async fn respond(self: &Arc<Self>, headers: &HeaderMap, request: DocumentRequest<'_>) -> Response {
        let selection = request.selection;
        let day = colonnade_clock::today();
        if selection.is_preview() {
            let path = request.canonical_path();
            let render_request = request.render_request(&path, day);
            let render = Box::pin(self.renderer.render(&self.store, render_request)).await;
            let status = request.status(&render);
            return Box::pin(self.respond_uncached(request, status, render, None, day)).await;
        }
        let document = self.composed(request, day).await;
        let (status, policy, content) = match &document.content {
            ComposedContent::Html {
                status,
                policy,
                content,
            } => (*status, policy, content),
            ComposedContent::Redirect(location) => {
                return redirect(StatusCode::TEMPORARY_REDIRECT, location.clone());
            }
        };
        let representation = content.preferred(headers).clone();
        let caching = match document.lifetime {
            Lifetime::Once => DocumentCaching::Never,
            Lifetime::Unlimited | Lifetime::Until { .. } => selection.caching(),
        };
        let document_headers = self.headers.of(policy.clone(), caching);
        // Preconditions apply to 200 responses only (RFC 9110, section 13.2.1), so a 404 has no validator.
        let has_validator = status == StatusCode::OK && caching != DocumentCaching::Never;
        let none = HeaderMap::new();
        let preconditions = if has_validator { headers } else { &none };
        let mut response = conditional_response(preconditions, &HTML, document_headers, representation);
        response.body_mut().has_security_headers = true;
        if response.status() != StatusCode::OK {
            remove_page_headers(response.headers_mut());
        }
        if !has_validator {
            *response.status_mut() = status;
            response.headers_mut().remove(ETAG);
        }
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
                    .render_form_result(&self.store, render_request, &form);
                Box::pin(render).await
            }
            _ => Err(NotRendered::BrowserOnly),
        };
        self.respond_uncached(request, status, render, Some(form), day)
            .await
    }

    /// Composes a document.
    async fn compose(
        &self,
        request: DocumentRequest<'_>,
        render: RenderOutcome,
        day: Date,
    ) -> ComposedDocument {
        let (lifetime, results, rejected_client) = match &render {
            Ok(rendered) => {
                let results = rendered.results.clone();
                (rendered.lifetime, results, rendered.rejected_client)
            }
            Err(NotRendered::BrowserOnly) => (Lifetime::Unlimited, None, None),
            Err(NotRendered::ClientLimited(client)) => (Lifetime::Once, None, Some(*client)),
            Err(_) => (Lifetime::Once, None, None),
        };
        self.metrics.record_cache_miss();
        let status = request.status(&render);
        let (page, not_rendered) = match render {
            Ok(Rendered { content, .. }) => match content {
                RenderedContent::Redirect(location) => {
                    let content = ComposedContent::Redirect(location_header(&location));
                    return ComposedDocument::new(content, lifetime, results);
                }
                RenderedContent::Page(page) => (Some(page), None),
            },
            Err(reason) => (None, Some(reason)),
        };
        let (policy, compose) = self.prepare(request, page, None, day).await;
        let content = if lifetime == Lifetime::Once {
            // A document that is not cached is not worth compressing, and needs no validator.
            EncodedContent::without_validator(request_scope::run_blocking(compose).await.into())
        } else {
            EncodedContent::compress(compose).await
        };
        let content = ComposedContent::Html {
            status,
            policy,
            content,
        };
        let mut document = ComposedDocument::new(content, lifetime, results);
        document.rejected_client = rejected_client;
        match not_rendered {
            Some(NotRendered::Failed) => document.render_failed = Some(RenderFailed::Failed),
            Some(NotRendered::CircuitOpen) => document.render_failed = Some(RenderFailed::CircuitOpen),
            Some(NotRendered::Unavailable) => document.render_failed = Some(RenderFailed::Unavailable),
            Some(NotRendered::ClientLimited(_) | NotRendered::BrowserOnly) | None => {}
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
        let page = match render {
            Ok(Rendered { content, .. }) => match content {
                RenderedContent::Redirect(location) => {
                    // With 307, browsers would post the form to the page that the redirect names.
                    let status = match form {
                        Some(_) => StatusCode::SEE_OTHER,
                        None => StatusCode::TEMPORARY_REDIRECT,
                    };
                    return redirect(status, location_header(&location));
                }
                RenderedContent::Page(page) => Some(page),
            },
            Err(_) => None,
        };
        let (policy, compose) = self.prepare(request, page, form, day).await;
        let html = request_scope::run_blocking(compose).await;
        let mut response = response(status, HTML, html);
        let headers = response.headers_mut();
        *headers = self.headers.of(policy, DocumentCaching::Never);
        headers.remove(ETAG);
        headers.remove(CONTENT_ENCODING);
        response
    }

    /// Returns the Content Security Policy of a document, and what composes its HTML.
    async fn prepare(
        &self,
        request: DocumentRequest<'_>,
        rendered: Option<Arc<RenderedPage>>,
        form: Option<Form>,
        day: Date,
    ) -> (HeaderValue, impl FnOnce() -> String + Send + use<>) {
        let deployment = request.selection.deployment;
        // Styles are inlined for the first paint of a server-rendered page. Without one there is nothing to paint.
        let styles = match rendered {
            Some(_) => inline_style::load(&self.store, deployment, request.page).await,
            None => Vec::new(),
        };
        let is_preview = request.selection.is_preview();
        let banner = is_preview.then(preview_banner::csp_hash);
        let hashes = styles.iter().map(|style| style.csp_hash.as_str()).chain(banner);
        let policy = self.composer.policy.header(hashes);
        let composer = Arc::clone(&self.composer);
        let composition = Composition {
            deployment: Arc::clone(deployment),
            page: request.page.cloned(),
            path: request.canonical_path(),
            rendered,
            styles,
            form,
            day,
            is_preview,
        };
        (policy, move || composer.compose(&composition))
    }
}

/// Redirects to a path of the site. Nothing caches the response.
fn redirect(status: StatusCode, location: HeaderValue) -> Response {
    let mut response = empty(status);
    response.headers_mut().insert(LOCATION, location);
    response
}

/// The path that a page redirects to. The renderer has checked that it is ASCII without control characters.
fn location_header(path: &str) -> HeaderValue {
    HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"))
}
