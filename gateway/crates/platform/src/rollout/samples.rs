//! What this gateway measured of the visitors on one side of a rollout.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use super::sequential_test::Failed;

/// The maximum number of clients that are counted per group, far more than a decision needs.
const MAX_CLIENTS: usize = 100_000;

/// The maximum number of requests of one client that count per step, so that one client cannot decide.
const MAX_REQUESTS_PER_CLIENT: u8 = 20;

/// The maximum number of paths that are known to fail.
const MAX_FAILED_PATHS: usize = 10_000;

/// The leading bits of a latency that are kept: it is rounded down by at most 1/16.
const LATENCY_BITS: u32 = 5;

/// How the gateway responded to a request for a document or page data.
#[derive(Debug, Clone, Copy)]
pub struct Measurement {
    /// Whether the status is 5xx.
    pub is_server_error: bool,
    /// The page, if the path belongs to one.
    pub page: Option<PageHash>,
    /// Whether the page was rendered.
    pub render: PageRender,
    /// The time until the response began.
    pub latency: Duration,
}

/// The hashes that identify a page and a path of it.
#[derive(Debug, Clone, Copy)]
pub struct PageHash {
    /// The hash of the section and the pattern.
    pub pattern: u64,
    /// The hash of the path.
    pub path: u64,
}

/// Whether a page was rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageRender {
    /// It was, or needs no render.
    Done,
    /// The render failed, so that the browser must render the page.
    Failed,
    /// It was not tried, because the circuit breaker is open.
    CircuitOpen,
}

/// Views and client error reports since the current step began.
#[derive(Debug, Default)]
pub(super) struct Views {
    pub(super) documents: u64,
    clients: HashSet<u64>,
    failed: HashSet<u64>,
}

/// Requests since the current step began.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pub(super) count: u64,
    pub(super) server_errors: Failures,
    pub(super) render_failures: Failures,
    /// The tried renders of each page.
    pages: HashMap<u64, PageRenders>,
    /// The paths whose last tried render failed.
    failed_paths: HashSet<u64>,
    /// The counted requests by client.
    clients: HashMap<u64, ClientRequests>,
    /// The number of requests by rounded latency in microseconds.
    latencies: BTreeMap<u64, u64>,
}

/// The requests of one client.
#[derive(Debug, Default)]
struct ClientRequests {
    count: u8,
    /// The longest rounded latency in microseconds.
    slowest: u64,
}

/// The requests for a page whose render was tried, or not needed.
#[derive(Debug, Default)]
struct PageRenders {
    count: u64,
    failed: u64,
}

/// A side of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Live,
    Candidate,
}

/// Failed requests.
#[derive(Debug, Default)]
pub(super) struct Failures {
    count: u64,
    clients: HashSet<u64>,
}

impl Views {
    /// Counts a document that was sent to a client.
    pub(super) fn record(&mut self, client: u64) {
        self.documents += 1;
        if self.clients.len() < MAX_CLIENTS {
            self.clients.insert(client);
        }
    }

    /// Counts a report of a client that was sent a document.
    pub(super) fn record_failure(&mut self, client: u64) {
        if self.clients.contains(&client) {
            self.failed.insert(client);
        }
    }

    /// The clients that reported a failure.
    pub(super) fn failed(&self) -> Failed {
        Failed {
            failed: self.failed.len() as u64,
            of: self.clients.len() as u64,
        }
    }

    /// The percentage of clients with a failure, if only `sample_percent` of failures are reported.
    pub(super) fn failed_percent(&self, report_sample_percent: u8) -> f64 {
        let reported = percent(self.failed.len() as u64, self.clients.len() as u64);
        (reported * 100.0 / f64::from(report_sample_percent)).min(100.0)
    }
}

impl Requests {
    /// Counts a response of one side to a client.
    pub(super) fn record(&mut self, side: Side, client: u64, measurement: Measurement) {
        let Some(is_render_failure) = self.is_render_failure(side, measurement) else {
            return;
        };
        if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&client) {
            return;
        }
        let counted = self.clients.entry(client).or_default();
        if counted.count == MAX_REQUESTS_PER_CLIENT {
            return;
        }
        let latency = rounded(measurement.latency);
        counted.count += 1;
        counted.slowest = counted.slowest.max(latency);
        self.count += 1;
        if measurement.is_server_error {
            self.server_errors.record(client);
        }
        if is_render_failure {
            self.render_failures.record(client);
        }
        *self.latencies.entry(latency).or_default() += 1;
    }

    /// Whether the releases failed to render the page; `None` if that is unknown.
    ///
    /// An open circuit breaker prevents renders of all pages of a section, because some failed. Pages in the cache are served, so
    /// mostly those that fail are missing. In doubt, the live deployment has failed, and the candidate is not judged: it has no
    /// cached pages at first. But a page of it has failed if most of its renders did, or the last one of this path.
    fn is_render_failure(&mut self, side: Side, measurement: Measurement) -> Option<bool> {
        let is_failure = measurement.render != PageRender::Done;
        let Some(page) = measurement.page else {
            return Some(is_failure);
        };
        let renders = self.pages.entry(page.pattern).or_default();
        if measurement.render == PageRender::CircuitOpen {
            let mostly_fails = 2 * renders.failed > renders.count;
            let is_known = side == Side::Live || mostly_fails || self.failed_paths.contains(&page.path);
            return is_known.then_some(true);
        }
        renders.count += 1;
        renders.failed += u64::from(is_failure);
        if !is_failure {
            self.failed_paths.remove(&page.path);
        } else if self.failed_paths.len() < MAX_FAILED_PATHS {
            self.failed_paths.insert(page.path);
        }
        Some(is_failure)
    }

    /// The latency that 99 % of requests do not exceed; `None` without requests.
    pub(super) fn latency_p99(&self) -> Option<Duration> {
        let mut slower = self.count / 100;
        let mut slowest_first = self.latencies.iter().rev();
        let (micros, _) = slowest_first.find(|(_, count)| {
            let is_reached = **count > slower;
            slower = slower.saturating_sub(**count);
            is_reached
        })?;
        Some(Duration::from_micros(*micros))
    }

    /// The number of clients.
    pub(super) fn clients(&self) -> u64 {
        self.clients.len() as u64
    }

    /// The number of clients with a request that took longer than a limit.
    pub(super) fn clients_slower_than(&self, limit: Duration) -> u64 {
        let slowest = self.clients.values().map(|client| client.slowest);
        slowest.filter(|slowest| *slowest > rounded(limit)).count() as u64
    }

    /// The requests that took longer than a limit.
    pub(super) fn slower_than(&self, limit: Duration) -> Failed {
        let slower = self.latencies.range(rounded(limit) + 1..);
        Failed {
            failed: slower.map(|(_, count)| count).sum(),
            of: self.count,
        }
    }
}

impl Failures {
    fn record(&mut self, client: u64) {
        self.count += 1;
        self.clients.insert(client);
    }

    /// The number of clients with a failed request.
    pub(super) fn clients(&self) -> u64 {
        self.clients.len() as u64
    }

    /// These of a number of requests.
    pub(super) fn of(&self, requests: u64) -> Failed {
        Failed {
            failed: self.count,
            of: requests,
        }
    }

    /// The percentage of these requests.
    pub(super) fn percent_of(&self, requests: u64) -> f64 {
        percent(self.count, requests)
    }
}

/// A latency in microseconds, rounded so that there are few different ones.
fn rounded(latency: Duration) -> u64 {
    let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let dropped = (u64::BITS - micros.leading_zeros()).saturating_sub(LATENCY_BITS);
    micros >> dropped << dropped
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}
