//! Renders pages with their extensions.

use std::sync::Arc;

use serde_json::Value;

use colonnade_config::RenderSettings;
use colonnade_diagnostics::Diagnostics;
use colonnade_model::release::{PointReference, ReleaseId};
use colonnade_store::Store;

use crate::attempt::Attempt;
use crate::engine::Engine;
use crate::extend;
use crate::history::RenderStatistics;
use crate::metrics::RenderMetrics;
use crate::page::{Page, Rendered};
use crate::queries::QuerySource;
use crate::request::RenderRequest;
use crate::site_values::SiteValues;
use crate::validity::Validity;
use crate::why::Why;

/// Renders and caches pages.
pub struct Renderer {
    /// `None` if server rendering is disabled.
    pub(super) engine: Option<Arc<Engine>>,
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

    /// What was counted of the extension of a release so far.
    pub fn statistics(&self, section: &ReleaseId, point: &PointReference) -> RenderStatistics {
        let engine = self.engine.as_ref();
        engine.map_or_else(RenderStatistics::default, |engine| {
            engine.history.statistics(section, point)
        })
    }

    /// Whether pages are rendered in the browser although server rendering is enabled, because no
    /// worker starts and responds.
    pub fn is_degraded(&self) -> bool {
        let engine = self.engine.as_ref();
        engine.is_some_and(|engine| !engine.workers.are_available())
    }

    /// The render workers that start and respond, and how many are configured; `None` if server
    /// rendering is disabled.
    pub fn workers(&self) -> Option<(usize, usize)> {
        self.engine.as_ref().map(|engine| engine.workers.count())
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
                extend::extend(engine, store, request, rendered, &content).await
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
                extend::extend(engine, store, request, rendered, &content).await
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
    pub(super) fn attempt<'a>(&'a self, store: &'a Store, request: RenderRequest<'a>) -> Option<Attempt<'a>> {
        Attempt::new(self.engine.as_ref()?, store, request, None)
    }
}
