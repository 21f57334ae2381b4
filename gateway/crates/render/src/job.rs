//! Jobs of render workers: a page to render with everything that it needs, and what comes of it.

use std::sync::Arc;
use std::time::Duration;

use colonnade_model::release::{ReleaseId, ServerModules};
use colonnade_web::client::ClientKey;

use crate::request::{CircuitKey, DatedKey};

/// A job: to render a page, or to evaluate its queries.
#[derive(Debug)]
pub(super) struct Job {
    /// The page.
    pub(super) page: RequestedPage,
    /// The shell's modules.
    pub(super) shell: Arc<ServerModules>,
    /// The section's modules; `None` for the shell's not-found page.
    pub(super) section: Option<Arc<ServerModules>>,
    /// The argument of the shell's `render` function, as JSON.
    pub(super) argument: String,
    /// Whether the argument contains what a visitor typed. Then the worker ends with the job.
    pub(super) has_personal_data: bool,
    /// The key under which the output is cached, and the date of the page; `None` if it is for one
    /// client only.
    pub(super) cache_key: Option<DatedKey>,
}

/// The page of a job.
#[derive(Debug, Clone)]
pub(super) struct RequestedPage {
    /// The client that requested the page; `None` for the gateway itself.
    pub(super) client: Option<ClientKey>,
    /// The releases that render the page, and whether they list its path.
    pub(super) circuit: CircuitKey,
    /// The pattern of the page; `None` for the not-found page.
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
        self.page.circuit.is_listed && !self.has_personal_data
    }

    /// Whether the page may have queries: it is rendered without their results and without a form.
    pub(super) fn may_have_queries(&self) -> bool {
        let key = self.cache_key.as_ref();
        key.is_some_and(|(key, _)| key.results.is_none())
    }
}

impl RequestedPage {
    /// The release of the page's section.
    pub(super) fn section(&self) -> &ReleaseId {
        &self.circuit.releases.section
    }
}
