//! Server rendering: renders the shell and a section as one React tree in a sandboxed worker process.
//!
//! A failed render is not an error for visitors: the document is sent without HTML, and the browser renders it.

mod circuit_breaker;
mod engine;
pub mod metrics;
mod page;
mod pool;
mod process;
mod protocol;
mod request;
mod slot;
mod trial;
mod worker;

pub use page::{Breadcrumb, RenderedPage};
pub use request::RenderRequest;
pub use trial::TrialResults;
pub use worker::main as worker;

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use serde_json::{Value, json};
use tokio::time::timeout;

use colonnade_diagnostics::Diagnostics;
use colonnade_model::release::SHELL;
use colonnade_store::Store;
use colonnade_web::client::ClientKey;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::request_scope;

use crate::metrics::RenderMetrics;
use engine::{Engine, PreparedRender};
use pool::{RenderFailure, RenderTask};
use protocol::FailureCause;
use request::CacheKey;

/// The outcome of a render request.
#[derive(Debug, Clone)]
pub enum RenderOutcome {
    /// The page.
    Rendered(Arc<RenderedPage>),
    /// Server rendering is disabled, or a release has no server modules. The browser always renders the page.
    BrowserOnly,
    /// The render failed. The next one may succeed.
    Failed,
    /// The page was not rendered, because the circuit breaker is open.
    CircuitOpen,
    /// The page was not rendered, whatever its releases do: no worker rendered it.
    Unavailable,
    /// The queue is full, and the network of this client holds no less than others. Other clients may have a place.
    QueueFull(ClientKey),
}

impl RenderOutcome {
    /// The client whose request was rejected.
    pub fn rejected_client(&self) -> Option<ClientKey> {
        match self {
            Self::QueueFull(client) => Some(*client),
            Self::Rendered(_) | Self::BrowserOnly | Self::Failed | Self::CircuitOpen | Self::Unavailable => {
                None
            }
        }
    }
}

/// Renders and caches pages.
pub struct Renderer {
    /// `None` if server rendering is disabled.
    engine: Option<Arc<Engine>>,
    deadline: Duration,
    warms_cache: bool,
    diagnostics: Arc<Diagnostics>,
    /// `site` in render requests, without the date.
    site_facts: Value,
    coalescer: RequestCoalescer<(CacheKey, Date), RenderOutcome>,
}

impl Renderer {
    /// Starts the workers, unless server rendering is disabled.
    pub fn start(
        settings: colonnade_config::RenderSettings,
        site_facts: Value,
        metrics: &RenderMetrics,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        let engine = || Arc::new(Engine::start(settings, metrics, Arc::clone(&diagnostics)));
        Self {
            engine: settings.enabled.then(engine),
            deadline: settings.deadline,
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

    /// A rendered page, from the cache if possible. Concurrent requests for the same page share one render.
    pub async fn render(&self, store: &dyn Store, request: RenderRequest<'_>) -> RenderOutcome {
        let (Some(key), Some(engine)) = (CacheKey::of(request), &self.engine) else {
            return RenderOutcome::BrowserOnly;
        };
        if let Some(page) = engine.cached(&key, request.day) {
            return RenderOutcome::Rendered(page);
        }
        let key = (key, request.day);
        loop {
            let work = self.render_uncached(engine, store, request, None, Some(key.clone()));
            let outcome = self.coalescer.run(&key, work).await;
            let rejected = outcome.rejected_client();
            // Retry if the queue had no place for another client, whose render is shared.
            if rejected.is_none_or(|client| request.client == Some(client)) {
                return outcome;
            }
        }
    }

    /// A page rendered with the result of a form post. It is not cached.
    pub async fn render_form_result(
        &self,
        store: &dyn Store,
        request: RenderRequest<'_>,
        form: &Value,
    ) -> RenderOutcome {
        let Some(engine) = &self.engine else {
            return RenderOutcome::BrowserOnly;
        };
        self.render_uncached(engine, store, request, Some(form), None)
            .await
    }

    async fn render_uncached(
        &self,
        engine: &Arc<Engine>,
        store: &dyn Store,
        request: RenderRequest<'_>,
        form: Option<&Value>,
        cache_key: Option<(CacheKey, Date)>,
    ) -> RenderOutcome {
        let Some(page) = request.requested_page() else {
            return RenderOutcome::BrowserOnly;
        };
        if engine.breaker.is_open(&page.circuit) {
            engine.count_failure(&page, FailureCause::CircuitOpen, None);
            return RenderOutcome::CircuitOpen;
        }
        let render = match self.prepare_render(store, request, form, cache_key).await {
            Ok(Some(render)) => render,
            Ok(None) => return RenderOutcome::BrowserOnly,
            Err(failure) => {
                engine.record_failure(&page, &failure);
                return RenderOutcome::Failed;
            }
        };
        // In a task of its own: if the client leaves, the page is still cached and the outcome recorded.
        let mut work = request_scope::spawn(Arc::clone(engine).render(render, self.deadline));
        match timeout(self.deadline, &mut work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => RenderOutcome::Failed,
            Err(_) => {
                engine.record_late(page, work);
                RenderOutcome::Failed
            }
        }
    }

    /// Collects everything a render needs; `None` if a release has no server modules.
    async fn prepare_render(
        &self,
        store: &dyn Store,
        request: RenderRequest<'_>,
        form: Option<&Value>,
        cache_key: Option<(CacheKey, Date)>,
    ) -> Result<Option<PreparedRender>, RenderFailure> {
        let Some(shell) = request.server_modules(store, SHELL).await? else {
            return Ok(None);
        };
        let section = match request.page {
            Some(page) => match request.server_modules(store, &page.section.name).await? {
                Some(modules) => Some(modules),
                None => return Ok(None),
            },
            None => None,
        };
        let Some(requested_page) = request.requested_page() else {
            return Ok(None);
        };
        let page = request
            .page
            .map(|page| json!({ "section": page.section.name, "pattern": page.pattern }));
        let mut site = self.site_facts.clone();
        site["today"] = json!(request.day.to_string());
        let mut argument = json!({ "path": request.path, "page": page, "site": site });
        if let Some(form) = form {
            argument["form"] = form.clone();
        }
        Ok(Some(PreparedRender {
            page: requested_page,
            task: RenderTask {
                shell,
                section,
                request: argument,
                has_personal_data: form.is_some(),
            },
            cache_key,
        }))
    }
}
