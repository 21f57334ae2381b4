//! Rendering on the server: the shell and a section in one React tree, in a child process without rights.
//!
//! A render that fails, for whatever reason, is no error: the document goes out without it, and the browser renders.

mod breaker;
mod pool;
mod protocol;
mod worker;

pub(crate) use protocol::Modules;
pub(crate) use worker::main as worker;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::clock;
use crate::config;
use crate::deployment::{PageAnswer, Set};
use crate::flight::Flights;
use crate::release::SHELL;
use crate::store::{ReleaseId, Store};
use breaker::Breaker;
use pool::{Failure, Pool, Task};
use protocol::Cause;

/// How long a page may take that is tried out: nobody waits for it but whoever deploys.
const TRIAL_PATIENCE: Duration = Duration::from_secs(10);

/// A page as the shell rendered it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered {
    /// 200, or 404 where the section says that there is no such thing.
    pub(crate) status: u16,
    /// What the document's head says.
    pub(crate) head: Head,
    /// What the shell goes on from in the browser.
    pub(crate) view: Value,
    /// What stands in the document's root.
    pub(crate) html: String,
    /// Whether it depends on the day.
    reads_today: bool,
}

/// A page's head, as data.
#[derive(Debug, Deserialize)]
pub(crate) struct Head {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    /// A path on this site.
    pub(crate) canonical: Option<String>,
    pub(crate) robots: Option<String>,
    pub(crate) keywords: Option<String>,
    pub(crate) social: Option<Social>,
    pub(crate) breadcrumbs: Option<Vec<Breadcrumb>>,
}

/// How a page shows where it is shared.
#[derive(Debug, Deserialize)]
pub(crate) struct Social {
    pub(crate) title: String,
    pub(crate) description: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// A path on this site.
    pub(crate) url: String,
}

/// One step of the trail to a page.
#[derive(Debug, Deserialize)]
pub(crate) struct Breadcrumb {
    pub(crate) label: String,
    /// A path on this site.
    pub(crate) path: String,
}

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
    failures: Mutex<HashMap<(String, Cause), u64>>,
}

impl Renderer {
    /// Starts the workers.
    pub(crate) fn start(settings: config::Render, facts: Value) -> Self {
        Self {
            pool: settings.enabled.then(|| Pool::start(settings)),
            patience: settings.deadline,
            facts,
            bodies: Cache::new(settings.cache),
            flights: Flights::default(),
            breaker: Breaker::new(settings.failures, settings.rest),
            failures: Mutex::default(),
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

    /// Renders every page that names an example path, and says which cannot be. What is rendered is kept.
    pub(crate) async fn try_out(&self, store: &dyn Store, set: &Set) -> Vec<String> {
        let mut problems = Vec::new();
        for (page, path) in set.examples() {
            let wanted = Wanted {
                set,
                page: Some(page),
                path,
            };
            let Some(key) = Key::of(wanted) else {
                continue;
            };
            if self.kept(&key).is_some() {
                continue;
            }
            let day = clock::today();
            match self.attempt(store, wanted, None, TRIAL_PATIENCE).await {
                Ok(Some(rendered)) => self.keep(key, rendered, day),
                Ok(None) => {}
                Err(failure) if failure.cause == Cause::Busy => {}
                Err(failure) => problems.push(format!(
                    "the page {} of {}@{} cannot be rendered at {path}: {}",
                    page.pattern, page.section.name, page.section.version, failure.message
                )),
            }
        }
        problems
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
            self.count(&release, Cause::Resting);
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
                let count = self.count(&release, failure.cause);
                // Its message may quote anything, a visitor's address among it.
                let cause = failure.cause;
                tracing::warn!(event = "render_failed", release = %release, cause = ?cause, count, rests);
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

    fn count(&self, release: &str, cause: Cause) -> u64 {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry((release.to_owned(), cause)).or_default();
        *count += 1;
        *count
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
    /// Whose page it is.
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
