//! Composes the document of a rendered page.

use std::sync::Arc;

use http::{HeaderValue, StatusCode};

use colonnade_config::Config;
use colonnade_render::{Page, PageContent, PlacedExtensions, Rendered};
use colonnade_store::Store;
use colonnade_store::loaded::InlineStyle;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::request_scope;

use crate::content_security_policy::ContentSecurityPolicy;
use crate::document::boot::{Boot, ErrorReportSettings, Form};
use crate::document::extended_page::ExtendedPage;
use crate::document::html::DocumentTemplate;
use crate::document::types::{Content, Document};
use crate::document::{DocumentRequest, inline_style, preview_banner};
use crate::resolved_page::{ResolvedPage, extensions};

/// What all documents of a site have in common.
pub(super) struct CommonParts {
    origin: String,
    error_reports: ErrorReportSettings,
    pub(super) policy: ContentSecurityPolicy,
}

impl CommonParts {
    /// Of the site that this configuration describes.
    pub(super) fn new(config: &Config) -> Self {
        Self {
            origin: config.site.origin.as_str().to_owned(),
            error_reports: ErrorReportSettings {
                sample_percent: config.rollout.report_sample_percent,
            },
            policy: ContentSecurityPolicy::new(config),
        }
    }

    /// The HTML of a document. Without `content` the browser renders the page. Takes milliseconds
    /// if the page is large.
    fn html(
        &self,
        request: &DocumentRequest,
        content: Option<(&PageContent, &PlacedExtensions)>,
        styles: &[Arc<InlineStyle>],
        form: Option<&Form>,
    ) -> String {
        let (deployment, page) = (&request.deployment, request.page.as_deref());
        let extended = content.map(|(content, extensions)| ExtendedPage::new(&content.html, extensions));
        let content = content.map(|(content, _)| content);
        let extensions = |points| {
            let mut extensions = extensions(deployment, points);
            if let Some(extended) = &extended {
                extended.describe(&mut extensions);
            }
            extensions
        };
        let language = content.and_then(|content| content.head.language.as_ref());
        let boot = Boot {
            deployment: &deployment.name,
            site: request.site.values.site_of(deployment, request.key.day),
            configs: request.configs(),
            page: page
                .map(|page| ResolvedPage::with_extensions(&deployment.frame, page, extensions(&page.points))),
            extensions: extensions(&deployment.frame.points),
            policy: request.permissions(),
            reports: &self.error_reports,
            social_image: deployment.frame.social_image.as_ref(),
            view: content.map(|content| &*content.view),
            form,
        };
        let template = DocumentTemplate {
            brand: &request.site.brand,
            origin: &self.origin,
            language: language.unwrap_or(&request.site.language),
            frame: &deployment.frame,
            boot: &boot,
            content,
            body: extended.as_ref().map_or("", |extended| &extended.html),
            styles,
            is_preview: request.is_preview,
            is_indexable: request.page.is_some() && deployment.is_indexable(request.path()),
        };
        template.html()
    }

    /// Composes the document of a page. `form` is the rejected form, if the document responds to a
    /// form post.
    pub(super) async fn compose(
        self: &Arc<Self>,
        store: &Store,
        request: &DocumentRequest,
        rendered: Rendered,
        form: Option<Form>,
    ) -> Document {
        let Rendered {
            page,
            extensions,
            validity,
            outcomes,
        } = rendered;
        let (content, why) = match page {
            Page::Html(content) => (Some(content), None),
            Page::Browser(why) => (None, Some(why)),
            Page::Redirect(path) => {
                // The renderer has checked that it is ASCII without control characters.
                let location = HeaderValue::from_str(&path).unwrap_or(HeaderValue::from_static("/"));
                let status = StatusCode::TEMPORARY_REDIRECT;
                return Document::new(status, Content::Redirect(location), validity);
            }
        };
        let is_found = content
            .as_ref()
            .map_or(request.page.is_some(), |content| content.status != 404);
        let status = if is_found {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        let styles = match content {
            Some(_) => {
                let (deployment, page) = (&request.deployment, request.page.as_ref());
                inline_style::load(store, deployment, page, &extensions).await
            }
            // Styles are inlined for the first paint of a rendered page. Without one there is
            // nothing to paint.
            None => Vec::new(),
        };
        let banner = request.is_preview.then(preview_banner::csp_hash);
        let hashes = styles.iter().map(|style| style.csp_hash.as_str()).chain(banner);
        let policy = self.policy.of_document(&request.policy(), hashes);
        let (site, request) = (Arc::clone(self), request.clone());
        let write = move || {
            let content = content.as_deref().map(|content| (content, &extensions));
            site.html(&request, content, &styles, form.as_ref())
        };
        let html = if validity.may_cache() {
            EncodedContent::compress(write).await
        } else {
            // A document that is not cached is not worth compressing, and needs no validator.
            EncodedContent::without_validator(request_scope::run_blocking(write).await.into())
        };
        let mut document = Document::new(status, Content::Html { policy, html }, validity);
        document.why = why;
        document.extensions = outcomes;
        document
    }
}
