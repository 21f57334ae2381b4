//! Server rendering: renders the shell and a section as one React tree in a sandboxed worker process.
//!
//! A failed render is not an error for visitors: the document is sent without HTML, and the browser renders it.

mod attempt;
mod circuit_breaker;
mod engine;
mod job;
pub mod metrics;
mod page;
mod process;
mod protocol;
mod queries;
mod request;
mod results;
mod site_url;
mod trial;
mod validity;
mod why;
mod worker;
mod workers;

pub use page::{Breadcrumb, Page, PageContent, Rendered};
pub use queries::QuerySource;
pub use request::RenderRequest;
pub use trial::TrialResults;
pub use validity::{Lifetime, Validity};
pub use why::Why;
pub use worker::main as worker;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use colonnade_diagnostics::Diagnostics;
use colonnade_store::Store;
use colonnade_web::client::ClientKey;
use colonnade_web::coalesce::RequestCoalescer;

use crate::metrics::RenderMetrics;
use attempt::Attempt;
use engine::Engine;
use page::Output;
use request::DatedKey;

/// Renders and caches pages.
pub struct Renderer {
    /// `None` if server rendering is disabled.
    engine: Option<Arc<Engine>>,
    queries: Arc<dyn QuerySource>,
    deadline: Duration,
    query_deadline: Duration,
    warms_cache: bool,
    diagnostics: Arc<Diagnostics>,
    /// `site` in render requests, without the date.
    site_facts: Value,
    /// The jobs of visitors. Each outcome has the client whose request was the first.
    coalescer: RequestCoalescer<DatedKey, (Result<Output, Why>, Option<ClientKey>)>,
}

impl Renderer {
    /// Starts the workers, unless server rendering is disabled. `queries` fetches the queries of pages.
    pub fn start(
        settings: colonnade_config::RenderSettings,
        site_facts: Value,
        queries: Arc<dyn QuerySource>,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        let engine = || Arc::new(Engine::start(settings, metrics, Arc::clone(&diagnostics)));
        Self {
            engine: settings.enabled.then(engine),
            queries,
            deadline: settings.deadline,
            query_deadline: settings.query_deadline,
            warms_cache: settings.warm_cache,
            diagnostics,
            site_facts,
            coalescer: RequestCoalescer::default(),
        }
    }

    /// Exposes the metrics of a section before its first render.
    pub fn expose_metrics(&self, section: &str) {
        if let Some(engine) = &self.engine {
            engine.metrics.expose(section);
        }
    }

    /// Whether pages are rendered in the browser although server rendering is enabled, because no worker starts and responds.
    pub fn is_degraded(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| !engine.is_available())
    }

    /// Halves the cache while memory is short.
    pub fn shrink_cache(&self) {
        if let Some(engine) = &self.engine {
            engine.shrink_cache();
        }
    }

    /// The page of a request, from the cache if possible. Concurrent requests for the same page share one render.
    pub async fn render(&self, store: &Store, request: RenderRequest<'_>) -> Rendered {
        match Attempt::new(self, store, request) {
            Some(attempt) => Rendered::or_browser(attempt.page().await, request.client),
            None => Rendered::BROWSER_ONLY,
        }
    }

    /// A page rendered with the result of a form post. It is not cached.
    pub async fn render_form_result(
        &self,
        store: &Store,
        request: RenderRequest<'_>,
        form: &Value,
    ) -> Rendered {
        match Attempt::new(self, store, request) {
            Some(attempt) => Rendered::or_browser(attempt.form_result(form).await, request.client),
            None => Rendered::BROWSER_ONLY,
        }
    }

    /// Whether the results of queries that a page was rendered with are neither purged nor invalidated.
    pub fn is_current(&self, validity: &Validity) -> bool {
        let mut revisions = validity.results.iter().flat_map(|results| &*results.revisions);
        revisions.all(|revision| self.queries.is_current(*revision))
    }
}
