//! Jobs of render workers: a page or an extension to render with everything that it needs, and what
//! comes of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::SetOnce;
use tokio::time::Instant;

use colonnade_config::RenderSettings;
use colonnade_model::release::{ReleaseId, ServerModules};
use colonnade_web::client::ClientKey;

use crate::request::{CircuitKey, DatedKey};
use crate::validity::Digest;

/// The most bytes of a rendered page with its data, as JSON.
const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// The most bytes of a rendered extension with its data, as JSON.
const MAX_EXTENSION_BYTES: usize = 256 * 1024;

/// An extension gets the time of a page divided by this: however many of them fail, a document takes
/// at most a fifth longer than it takes without failures.
pub(super) const EXTENSION_SHARE: u32 = 5;

/// The least budget of an extension that no document waits for. One that needs more starts anew
/// behind those that wait for a worker.
pub(super) const FIRST_TRY: Duration = Duration::from_millis(25);

/// A job: to render a page or an extension, or to evaluate its queries.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// What it renders.
    pub(super) subject: Subject,
    /// The shell's modules.
    pub(super) shell: Arc<ServerModules>,
    /// The section's modules; `None` for the shell's not-found page.
    pub(super) section: Option<Arc<ServerModules>>,
    /// The argument of the shell's `render` function, as JSON.
    pub(super) argument: String,
    /// Whether the argument contains what a visitor typed. Then the worker ends with the job.
    pub(super) has_personal_data: bool,
    /// The CPU time after which an extension starts anew with more; `None` if it has all of its time.
    pub(super) budget: Option<Duration>,
    /// Set if no document waits for it, because it is an extension that has used up its budget, or has
    /// just exceeded a limit. It must not hold up others.
    pub(super) postponed: SetOnce<()>,
    /// The key under which the output is cached, and the date of the request; `None` if it is for
    /// one client only.
    pub(super) cache_key: Option<DatedKey>,
    /// When a worker with its modules started it.
    pub(super) started_at: SetOnce<Instant>,
}

/// The page or the extension of a job.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The client that requested it; `None` for the gateway itself.
    pub(super) client: Option<ClientKey>,
    /// The releases that render it, the point of an extension, and whether the releases list the
    /// path.
    pub(super) circuit: CircuitKey,
    /// The digest of the props of an extension.
    pub(super) props: Option<Digest>,
    /// The pattern of a page; `None` for the not-found page and for extensions.
    pub(super) pattern: Option<String>,
}

/// What a worker returns of a successful job.
#[derive(Debug)]
pub(super) struct JobOutput {
    /// The return value of `render`, as JSON.
    pub(super) json: Vec<u8>,
    /// The CPU time of the job.
    pub(super) cpu_time: Duration,
}

impl Job {
    /// Whether it goes into the queue of listed paths. A form result does not: it costs a worker
    /// process.
    pub(super) fn is_listed(&self) -> bool {
        self.subject.circuit.is_listed && !self.has_personal_data
    }

    /// Whether it may return queries: it is rendered without their results and without a form.
    pub(super) fn may_have_queries(&self) -> bool {
        let key = self.cache_key.as_ref();
        key.is_some_and(|(key, _)| key.results.is_none())
    }

    /// The most bytes that `render` may return, as JSON.
    pub(super) fn max_bytes(&self) -> usize {
        if self.subject.is_extension() {
            MAX_EXTENSION_BYTES
        } else {
            MAX_PAGE_BYTES
        }
    }

    /// Whether no document waits for it.
    pub(super) fn is_postponed(&self) -> bool {
        self.postponed.initialized()
    }

    /// Lets no document wait for it, because its budget is used up. Returns the job to start in its
    /// place, with all of its CPU time.
    pub(super) fn postpone(&self) -> Self {
        // It may be set already.
        let _ = self.postponed.set(());
        Self {
            budget: None,
            ..self.clone()
        }
    }

    /// Whether it ends when its budget is used up, before its limit.
    pub(super) fn has_budget(&self, settings: &RenderSettings) -> bool {
        self.cpu_limit(settings) < self.max_cpu_time(settings)
    }

    /// The CPU time after which it is interrupted.
    pub(super) fn cpu_limit(&self, settings: &RenderSettings) -> Duration {
        let max = self.max_cpu_time(settings);
        self.budget.map_or(max, |budget| budget.min(max))
    }

    /// The CPU time that it may use at most.
    fn max_cpu_time(&self, settings: &RenderSettings) -> Duration {
        if self.subject.is_extension() {
            settings.cpu_limit / EXTENSION_SHARE
        } else {
            settings.cpu_limit
        }
    }
}

impl Subject {
    /// The release of its section.
    pub(super) fn section(&self) -> &ReleaseId {
        &self.circuit.releases.section
    }
    /// Whether it is an extension.
    pub(super) fn is_extension(&self) -> bool {
        self.circuit.point.is_some()
    }
}
