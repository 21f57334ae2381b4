//! Rendering on the server: the shell and a section in one React tree, in a child process without rights.
//!
//! A render that fails, for whatever reason, is no error: the document goes out without it, and the browser renders.

mod breaker;
mod page;
mod pool;
mod protocol;
mod trial;
mod worker;

pub(crate) use page::{Breadcrumb, Rendered};
pub(crate) use protocol::Modules;
pub(crate) use trial::Tried;
pub(crate) use worker::main as worker;

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::clock;
use crate::config;
use crate::deployment::{PageAnswer, Set};
use crate::flight::Flights;
use crate::metrics::RenderMetrics;
use crate::release::SHELL;
use crate::store::{ReleaseId, Store};
use breaker::Breaker;
use pool::{Failure, Pool, Task};
use protocol::Cause;

/// What came of asking for a page to be rendered.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Here it is.
    Rendered(Arc<Rendered>),
    /// The releases bring nothing to render it with: the browser always does.
    Browser,
    /// It failed this time.
    Failed,
}

/// What a rendered page depends on, besides the day. The configuration is the same for as long as the process runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    shell: ReleaseId,
    section: Option<ReleaseId>,
    path: String,
}

/// A page that was rendered, and the day it is good for, if that is one alone.
#[derive(Debug)]
struct Kept {
    rendered: Arc<Rendered>,
    day: Option<Date>,
}

/// One page to be rendered.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) set: &'a Set,
    /// None where no page matches.
    pub(crate) page: Option<&'a PageAnswer>,
    /// The canonical path.
    pub(crate) path: &'a str,
}

/// Renders pages and keeps what was rendered.
pub(crate) struct Renderer {
    /// None where rendering is switched off.
    pool: Option<Pool>,
    patience: Duration,
    /// What the site says about itself, without the day.
    facts: Value,
    bodies: Cache<Key, Kept>,
    flights: Flights<Key, Body>,
    breaker: Breaker,
    metrics: RenderMetrics,
}

impl Renderer {
    /// Starts the workers.
    pub(crate) fn start(settings: config::Render, facts: Value, metrics: RenderMetrics) -> Self {
        Self {
            pool: settings.enabled.then(|| Pool::start(settings, &metrics)),
            patience: settings.deadline,
            facts,
            bodies: Cache::new(settings.cache),
            flights: Flights::default(),
            breaker: Breaker::new(settings.failures, settings.rest),
            metrics,
        }
    }

    /// A rendered page, from what is kept or made now.
    pub(crate) async fn body(&self, store: &dyn Store, wanted: Wanted<'_>) -> Body {
        let (Some(key), Some(_)) = (Key::of(wanted), &self.pool) else {
            return Body::Browser;
        };
        if let Some(kept) = self.kept(&key) {
            return Body::Rendered(kept);
        }
        let work = async {
            let day = clock::today();
            let body = self.render(store, wanted, None).await;
            if let Body::Rendered(rendered) = &body {
                self.keep(key.clone(), Arc::clone(rendered), day);
            }
            body
        };
        self.flights.run(&key, work).await
    }

    /// A page rendered with the answer to a form post, which is kept nowhere.
    pub(crate) async fn once(&self, store: &dyn Store, wanted: Wanted<'_>, form: &Value) -> Body {
        self.render(store, wanted, Some(form)).await
    }

    /// Keeps what was rendered on a day.
    fn keep(&self, key: Key, rendered: Arc<Rendered>, day: Date) {
        let day = rendered.reads_today.then_some(day);
        let weight = rendered.html.len() + rendered.view.to_string().len();
        self.bodies.put(key, Arc::new(Kept { rendered, day }), weight);
    }

    fn kept(&self, key: &Key) -> Option<Arc<Rendered>> {
        let kept = self.bodies.get(key)?;
        let is_good = kept.day.is_none_or(|day| day == clock::today());
        is_good.then(|| Arc::clone(&kept.rendered))
    }

    async fn render(&self, store: &dyn Store, wanted: Wanted<'_>, form: Option<&Value>) -> Body {
        let release = wanted.release();
        if self.breaker.rests(&release) {
            self.metrics.failed(wanted.section(), Cause::Resting.name());
            return Body::Failed;
        }
        match self.attempt(store, wanted, form, self.patience).await {
            Ok(Some(rendered)) => {
                self.breaker.succeeded(&release);
                Body::Rendered(rendered)
            }
            Ok(None) => Body::Browser,
            Err(failure) => {
                // A full queue is nobody's fault in particular.
                let rests = failure.cause != Cause::Busy && self.breaker.failed(&release);
                let cause = failure.cause.name();
                let count = self.metrics.failed(wanted.section(), cause);
                // Its message may quote anything, a visitor's address among it.
                tracing::warn!(event = "render_failed", release = %release, cause, count, rests);
                Body::Failed
            }
        }
    }

    async fn attempt(
        &self,
        store: &dyn Store,
        wanted: Wanted<'_>,
        form: Option<&Value>,
        patience: Duration,
    ) -> Result<Option<Arc<Rendered>>, Failure> {
        let Some(pool) = &self.pool else {
            return Ok(None);
        };
        let Some(task) = self.task(store, wanted, form).await else {
            return Ok(None);
        };
        let done = pool.render(task, patience).await?;
        let cpu = done.cpu;
        let rendered: Rendered = serde_json::from_value(done.value).map_err(|error| Failure {
            cause: Cause::Threw,
            message: format!("render returned something else: {error}"),
        })?;
        if !matches!(rendered.status, 200 | 404) {
            return Err(Failure {
                cause: Cause::Threw,
                message: format!("render returned the status {}", rendered.status),
            });
        }
        self.metrics.rendered(wanted.section(), cpu);
        Ok(Some(Arc::new(rendered)))
    }

    async fn task(&self, store: &dyn Store, wanted: Wanted<'_>, form: Option<&Value>) -> Option<Task> {
        let shell = wanted.set.release(SHELL)?.sources(store).await.ok()??;
        let section = match wanted.page {
            Some(page) => Some(
                wanted
                    .set
                    .release(&page.section.name)?
                    .sources(store)
                    .await
                    .ok()??,
            ),
            None => None,
        };
        let page = wanted
            .page
            .map(|page| json!({ "section": page.section.name, "pattern": page.pattern }));
        let mut site = self.facts.clone();
        site["today"] = json!(clock::today().to_string());
        let mut request = json!({ "path": wanted.path, "page": page, "site": site });
        if let Some(form) = form {
            request["form"] = form.clone();
        }
        Some(Task {
            shell,
            section,
            request,
        })
    }
}

impl Key {
    /// What the page depends on; `None` where its releases bring nothing to render it with.
    fn of(wanted: Wanted<'_>) -> Option<Self> {
        let has_modules = |name: &str| {
            let release = wanted.set.release(name)?;
            (!release.modules.is_empty()).then(|| release.id.clone())
        };
        let section = match wanted.page {
            Some(page) => Some(has_modules(&page.section.name)?),
            None => None,
        };
        Some(Self {
            shell: has_modules(SHELL)?,
            section,
            path: wanted.path.to_owned(),
        })
    }
}

impl Wanted<'_> {
    /// The name of the section whose page it is; the shell's for its own.
    fn section(&self) -> &str {
        self.page.map_or(SHELL, |page| &page.section.name)
    }

    /// The release whose page it is.
    fn release(&self) -> String {
        match self.page {
            Some(page) => format!("{}@{}", page.section.name, page.section.version),
            None => self
                .set
                .release(SHELL)
                .map(|shell| shell.id.to_string())
                .unwrap_or_default(),
        }
    }
}
