//! Rendering on the server: the shell and a section in one React tree, in a child process without rights.
//!
//! A render that fails, for whatever reason, is no error: the document goes out without it, and the browser renders.

mod breaker;
mod page;
mod pool;
mod protocol;
mod queue;
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
use tokio::time::timeout;

use crate::cache::Cache;
use crate::config;
use crate::deployment::{PageAnswer, Set};
use crate::flight::Flights;
use crate::metrics::RenderMetrics;
use crate::net::Client;
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
    /// It was not tried, because this client has too many waiting: another may well have it rendered.
    Refused(Client),
}

impl Body {
    /// The client whose refusal it is.
    pub(crate) fn refused(&self) -> Option<Client> {
        match self {
            Self::Refused(client) => Some(*client),
            Self::Rendered(_) | Self::Browser | Self::Failed => None,
        }
    }
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
    /// The day that is `site.today`.
    pub(crate) day: Date,
    /// Who asked for it; the gateway itself where nobody did.
    pub(crate) client: Option<Client>,
}

/// Renders pages and keeps what was rendered.
pub(crate) struct Renderer {
    /// None where rendering is switched off.
    engine: Option<Arc<Engine>>,
    patience: Duration,
    warms: bool,
    /// What the site says about itself, without the day.
    facts: Value,
    flights: Flights<(Key, Date), Body>,
}

/// What goes on rendering also when whoever asked has left.
struct Engine {
    pool: Pool,
    bodies: Cache<Key, Kept>,
    breaker: Breaker,
    metrics: RenderMetrics,
}

/// A page for the engine to render, with everything it takes.
struct Commission {
    client: Option<Client>,
    task: Task,
    section: String,
    release: String,
    pair: String,
    /// How it is kept; None if it answers a form post.
    keep: Option<(Key, Date)>,
}

impl Renderer {
    /// Starts the workers.
    pub(crate) fn start(settings: config::Render, facts: Value, metrics: &RenderMetrics) -> Self {
        let engine = || {
            Arc::new(Engine {
                pool: Pool::start(settings, metrics),
                bodies: Cache::new(settings.cache),
                breaker: Breaker::new(settings.failures, settings.rest),
                metrics: metrics.clone(),
            })
        };
        Self {
            engine: settings.enabled.then(engine),
            patience: settings.deadline,
            warms: settings.warm,
            facts,
            flights: Flights::default(),
        }
    }

    /// A rendered page, from what is kept or made now.
    pub(crate) async fn body(&self, store: &dyn Store, wanted: Wanted<'_>) -> Body {
        let (Some(key), Some(engine)) = (Key::of(wanted), &self.engine) else {
            return Body::Browser;
        };
        if let Some(kept) = engine.kept(&key, wanted.day) {
            return Body::Rendered(kept);
        }
        let key = (key, wanted.day);
        loop {
            let work = self.render(engine, store, wanted, None, Some(key.clone()));
            let body = self.flights.run(&key, work).await;
            // Somebody else asked for it first, and took the refusal for all: now it may be for this client.
            if body.refused().is_none_or(|client| wanted.client == Some(client)) {
                return body;
            }
        }
    }

    /// A page rendered with the answer to a form post, which is kept nowhere.
    pub(crate) async fn once(&self, store: &dyn Store, wanted: Wanted<'_>, form: &Value) -> Body {
        match &self.engine {
            Some(engine) => self.render(engine, store, wanted, Some(form), None).await,
            None => Body::Browser,
        }
    }

    async fn render(
        &self,
        engine: &Arc<Engine>,
        store: &dyn Store,
        wanted: Wanted<'_>,
        form: Option<&Value>,
        keep: Option<(Key, Date)>,
    ) -> Body {
        if engine.breaker.rests(&wanted.pair()) {
            engine.metrics.failed(wanted.section(), Cause::Resting.name());
            return Body::Failed;
        }
        let commission = match self.commission(store, wanted, form, keep).await {
            Ok(Some(commission)) => commission,
            Ok(None) => return Body::Browser,
            Err(failure) => {
                engine.failed(wanted.section(), &wanted.release(), None, &failure);
                return Body::Failed;
            }
        };
        // Whether anybody still waits or not: what is rendered is kept for the next, and what fails is counted.
        let work = tokio::spawn(Arc::clone(engine).answer(commission, self.patience));
        match timeout(self.patience, work).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => Body::Failed,
            Err(_) => {
                engine.metrics.failed(wanted.section(), Cause::Late.name());
                Body::Failed
            }
        }
    }

    /// Everything it takes to render a page; `None` where its releases bring nothing to render it with.
    async fn commission(
        &self,
        store: &dyn Store,
        wanted: Wanted<'_>,
        form: Option<&Value>,
        keep: Option<(Key, Date)>,
    ) -> Result<Option<Commission>, Failure> {
        let Some(shell) = wanted.sources(store, SHELL).await? else {
            return Ok(None);
        };
        let section = match wanted.page {
            Some(page) => match wanted.sources(store, &page.section.name).await? {
                Some(sources) => Some(sources),
                None => return Ok(None),
            },
            None => None,
        };
        let page = wanted
            .page
            .map(|page| json!({ "section": page.section.name, "pattern": page.pattern }));
        let mut site = self.facts.clone();
        site["today"] = json!(wanted.day.to_string());
        let mut request = json!({ "path": wanted.path, "page": page, "site": site });
        if let Some(form) = form {
            request["form"] = form.clone();
        }
        let task = Task {
            shell,
            section,
            request,
        };
        Ok(Some(Commission {
            client: wanted.client,
            task,
            section: wanted.section().to_owned(),
            release: wanted.release(),
            pair: wanted.pair(),
            keep,
        }))
    }
}

impl Engine {
    /// Renders a page that somebody asked for, and says how it went.
    async fn answer(self: Arc<Self>, commission: Commission, patience: Duration) -> Body {
        let (section, release, pair) = (
            commission.section.clone(),
            commission.release.clone(),
            commission.pair.clone(),
        );
        let client = commission.client;
        match self.carry_out(commission, patience, false).await {
            Ok(rendered) => {
                if self.breaker.succeeded(&pair) {
                    self.metrics.rests(&section, false);
                }
                Body::Rendered(rendered)
            }
            Err(failure) => {
                self.failed(&section, &release, Some(&pair), &failure);
                let refused = client.filter(|_| failure.cause == Cause::ClientBusy);
                refused.map_or(Body::Failed, Body::Refused)
            }
        }
    }

    /// Counts and logs a failure. A full queue is the fault of nobody in particular, nor is the store.
    fn failed(&self, section: &str, release: &str, pair: Option<&str>, failure: &Failure) {
        let rests = failure.cause.is_own() && pair.is_some_and(|pair| self.breaker.failed(pair));
        if rests {
            self.metrics.rests(section, true);
        }
        let cause = failure.cause.name();
        let count = self.metrics.failed(section, cause);
        // Its message may quote anything, a visitor's address among it.
        tracing::warn!(event = "render_failed", release, cause, count, rests);
    }

    /// Renders a page, and keeps it if it is to be kept.
    async fn carry_out(
        &self,
        commission: Commission,
        patience: Duration,
        waits: bool,
    ) -> Result<Arc<Rendered>, Failure> {
        let Commission { client, task, .. } = commission;
        let done = self.pool.render(client, task, patience, waits).await?;
        let rendered: Rendered = serde_json::from_slice(&done.page).map_err(|error| {
            Failure::new(Cause::Threw, &format!("render returned something else: {error}"))
        })?;
        if !matches!(rendered.status, 200 | 404) {
            let message = format!("render returned the status {}", rendered.status);
            return Err(Failure::new(Cause::Threw, &message));
        }
        self.metrics.rendered(&commission.section, done.cpu);
        let rendered = Arc::new(rendered);
        if let Some((key, day)) = commission.keep {
            self.keep(key, &rendered, day);
        }
        Ok(rendered)
    }

    /// Keeps what was rendered on a day.
    fn keep(&self, key: Key, rendered: &Arc<Rendered>, day: Date) {
        let day = rendered.reads_today.then_some(day);
        let weight = rendered.html.len() + rendered.view.get().len() + key.weight();
        let rendered = Arc::clone(rendered);
        self.bodies.put(key, Arc::new(Kept { rendered, day }), weight);
    }

    fn kept(&self, key: &Key, today: Date) -> Option<Arc<Rendered>> {
        let kept = self.bodies.get(key)?;
        kept.is_good_on(today).then(|| Arc::clone(&kept.rendered))
    }
}

impl Kept {
    fn is_good_on(&self, today: Date) -> bool {
        self.day.is_none_or(|day| day == today)
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

    /// The bytes it takes: the cache has it twice. Paths are as long as whoever asks makes them.
    fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.len())
    }
}

impl Wanted<'_> {
    /// The name of the section whose page it is; the shell's for its own.
    fn section(&self) -> &str {
        self.page.map_or(SHELL, |page| &page.section.name)
    }

    /// The release whose page it is, with the shell it is rendered in: either may be at fault.
    fn pair(&self) -> String {
        let shell = self.set.release(SHELL);
        let shell = shell.map(|shell| shell.id.to_string()).unwrap_or_default();
        format!("{} in {shell}", self.release())
    }

    /// The server modules of a release of the set; `None` if it has none.
    async fn sources(&self, store: &dyn Store, name: &str) -> Result<Option<Arc<Modules>>, Failure> {
        let Some(release) = self.set.release(name) else {
            return Ok(None);
        };
        let sources = release.sources(store).await;
        sources.map_err(|error| Failure::new(Cause::Store, &error.to_string()))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::{Date, date};

    use super::{Kept, Rendered};

    const PAGE: &str =
        r#"{ "status": 200, "head": { "title": "" }, "view": {}, "html": "", "readsToday": false }"#;
    const TODAY: Date = date(2026, 2, 28);

    fn kept(day: Option<Date>) -> Kept {
        let rendered: Rendered = serde_json::from_str(PAGE).unwrap();
        Kept {
            rendered: Arc::new(rendered),
            day,
        }
    }

    #[test]
    fn a_page_that_reads_the_day_is_good_on_that_day_alone() {
        let tomorrow = TODAY.tomorrow().unwrap();
        assert!(kept(Some(TODAY)).is_good_on(TODAY));
        assert!(!kept(Some(TODAY)).is_good_on(tomorrow));
        assert!(kept(None).is_good_on(tomorrow));
    }
}
