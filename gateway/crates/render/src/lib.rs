//! Server rendering: renders the shell and a section as one React tree in a sandboxed worker
//! process, and the extensions of a page each on its own.
//!
//! A failed render is not an error for visitors: the document is sent without HTML, and the browser
//! renders it.

mod attempt;
mod circuit_breaker;
mod engine;
mod examples;
mod extension;
mod extension_html;
mod job;
pub mod metrics;
mod navigation;
mod page;
mod process;
mod protocol;
mod queries;
mod request;
mod requested;
mod results;
mod section_examples;
mod site_url;
mod site_values;
mod trial;
mod validity;
mod why;
mod worker;
mod workers;

pub use extension::{
    ExtensionContent, ExtensionOutcome, ExtensionOutcomes, PlacedExtension, PlacedExtensions,
};
pub use metrics::RenderStatistics;
pub use navigation::NavigationLink;
pub use page::{Alternate, Breadcrumb, Page, PageContent, PageHead, Rendered};
pub use queries::QuerySource;
pub use request::RenderRequest;
pub use requested::RequestedRenders;
pub use site_values::{SectionConfig, SiteValues};
pub use trial::{Trial, TrialReport, TrialResults};
pub use validity::{Lifetime, Validity};
pub use why::Why;
pub use worker::main as worker;

use std::sync::Arc;

use serde_json::Value;

use colonnade_config::RenderSettings;
use colonnade_diagnostics::Diagnostics;
use colonnade_model::release::PointReference;
use colonnade_store::Store;
use colonnade_store::loaded::LoadedRelease;

use crate::metrics::RenderMetrics;
use attempt::Attempt;
use engine::Engine;

/// Renders and caches pages.
pub struct Renderer {
    /// `None` if server rendering is disabled.
    engine: Option<Arc<Engine>>,
}

impl Renderer {
    /// Starts the workers, unless server rendering is disabled. `site` is for the renders that no
    /// visitor requests; `queries` fetches the queries of pages.
    pub fn start(
        settings: RenderSettings,
        site: Arc<SiteValues>,
        queries: Arc<dyn QuerySource>,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        let engine = || Engine::start(settings, site, queries, metrics, diagnostics);
        Self {
            engine: settings.enabled.then(engine).map(Arc::new),
        }
    }

    /// Replaces the values of the renders that no visitor requests.
    pub fn replace_site(&self, site: Arc<SiteValues>) {
        if let Some(engine) = &self.engine {
            engine.site.store(site);
        }
    }

    /// Exposes the metrics of a release's section and extensions before their first render.
    pub fn expose_metrics(&self, release: &LoadedRelease) {
        if let Some(engine) = &self.engine {
            engine.metrics.expose(&release.id.name, release.filled_points());
        }
    }

    /// What was counted of an extension so far.
    pub fn statistics(&self, section: &str, point: &PointReference) -> RenderStatistics {
        let engine = self.engine.as_ref();
        engine.map_or_else(RenderStatistics::default, |engine| {
            engine.metrics.statistics(section, point)
        })
    }

    /// Whether pages are rendered in the browser although server rendering is enabled, because no
    /// worker starts and responds.
    pub fn is_degraded(&self) -> bool {
        let engine = self.engine.as_ref();
        engine.is_some_and(|engine| !engine.workers.are_available())
    }

    /// Halves the cache while memory is short.
    pub fn shrink_cache(&self) {
        if let Some(engine) = &self.engine {
            engine.shrink_caches();
        }
    }

    /// The page of a request with its extensions, from the cache if possible. Concurrent requests
    /// for the same page share one render.
    pub async fn render(&self, store: &Store, request: RenderRequest<'_>) -> Rendered {
        let rendered = self.page(store, request).await;
        match (&self.engine, &rendered.page) {
            (Some(engine), Page::Html(content)) => {
                let content = Arc::clone(content);
                extension::extend(engine, store, request, rendered, &content).await
            }
            _ => rendered,
        }
    }

    /// A page rendered with the result of a form post. It is not cached. Its extensions are those of
    /// the page without the form: the props of a page with the form may contain what a visitor
    /// typed.
    pub async fn render_form_result(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
        form: &Value,
    ) -> Rendered {
        let form_result = async {
            let mut attempt = self.attempt(store, request).ok_or(Why::BrowserOnly)?;
            attempt.form_result(form).await
        };
        let usual = async {
            if !request.has_extensions() {
                return None;
            }
            match self.page(store, request).await.page {
                Page::Html(content) => Some(content),
                _ => None,
            }
        };
        let (rendered, usual) = tokio::join!(form_result, usual);
        let rendered = Rendered::new(rendered, request.client);
        match (&self.engine, usual) {
            (Some(engine), Some(content)) if matches!(rendered.page, Page::Html(_)) => {
                extension::extend(engine, store, request, rendered, &content).await
            }
            _ => rendered,
        }
    }

    /// The page of a request without its extensions.
    async fn page(&self, store: &Store, request: RenderRequest<'_>) -> Rendered {
        let rendered = match self.attempt(store, request) {
            Some(mut attempt) => attempt.content().await,
            None => Err(Why::BrowserOnly),
        };
        Rendered::new(rendered, request.client)
    }

    /// Whether the results of queries that a page was rendered with are neither purged nor
    /// invalidated.
    pub fn is_current(&self, validity: &Validity) -> bool {
        let mut revisions = validity.revisions.iter();
        self.engine
            .as_ref()
            .is_none_or(|engine| revisions.all(|revision| engine.queries.is_current(*revision)))
    }

    /// An attempt to render a page; `None` if the browser always renders it: server rendering is
    /// disabled, or a release has no server modules.
    fn attempt<'a>(&'a self, store: &'a Store, request: RenderRequest<'a>) -> Option<Attempt<'a>> {
        Attempt::new(self.engine.as_ref()?, store, request, None)
    }
}
