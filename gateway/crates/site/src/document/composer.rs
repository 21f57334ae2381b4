//! Composes documents from the pages of renders.

use std::sync::Arc;

use jiff::civil::Date;

use colonnade_config::Config;
use colonnade_render::RenderedPage;
use colonnade_store::loaded::{InlineStyle, LoadedDeployment, PageManifest};

use super::boot::{Boot, ErrorReportSettings, Form, SiteFacts};
use super::content_security_policy::ContentSecurityPolicy;
use super::html::DocumentTemplate;

/// Composes the documents of one site.
pub(super) struct Composer {
    facts: SiteFacts,
    error_reports: ErrorReportSettings,
    pub(super) policy: ContentSecurityPolicy,
}

/// What a document is composed of.
pub(super) struct Composition {
    pub(super) deployment: Arc<LoadedDeployment>,
    /// The page; `None` for the not-found document.
    pub(super) page: Option<Arc<PageManifest>>,
    /// The canonical path.
    pub(super) path: String,
    /// The page as a worker rendered it; `None` if the browser renders it.
    pub(super) rendered: Option<Arc<RenderedPage>>,
    pub(super) styles: Vec<Arc<InlineStyle>>,
    /// The rejected form, if the document responds to a form post.
    pub(super) form: Option<Form>,
    pub(super) day: Date,
    pub(super) is_preview: bool,
}

impl Composer {
    /// Creates the composer of the site that this configuration describes.
    pub(super) fn new(config: &Config) -> Self {
        Self {
            facts: SiteFacts::new(config),
            error_reports: ErrorReportSettings {
                sample_percent: config.rollout.report_sample_percent,
            },
            policy: ContentSecurityPolicy::new(config),
        }
    }

    /// Returns the HTML of a document. Takes milliseconds if the page is large.
    pub(super) fn compose(&self, composition: &Composition) -> String {
        let Composition { deployment, page, .. } = composition;
        let rendered = composition.rendered.as_deref();
        let boot = Boot {
            deployment: deployment.number(),
            site: self.facts.on(&composition.day.to_string()),
            page: page.as_deref(),
            slots: &deployment.slots,
            reports: &self.error_reports,
            social_image: deployment.frame.social_image.as_ref(),
            view: rendered.map(|rendered| &*rendered.view),
            form: composition.form.as_ref(),
        };
        let document = DocumentTemplate {
            brand: &self.facts.brand,
            origin: &self.facts.origin,
            frame: &deployment.frame,
            boot: &boot,
            rendered,
            styles: &composition.styles,
            is_preview: composition.is_preview,
            is_indexable: page.is_some() && deployment.is_indexable(&composition.path),
        };
        document.compose()
    }
}
