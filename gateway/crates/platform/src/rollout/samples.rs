//! What this gateway measured of the visitors on one side of a rollout.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use colonnade_model::canary::{ClientSet, FailureCounts, TrackCounts};
use colonnade_model::secret::Secret;
use colonnade_render::Why;

use crate::signature;

/// The maximum number of clients that are counted per group, far more than a decision needs.
const MAX_CLIENTS: usize = 100_000;

/// The maximum number of requests of one client that count per step, so that one client cannot
/// decide.
const MAX_REQUESTS_PER_CLIENT: u8 = 20;

/// The maximum number of paths that are known to fail.
const MAX_FAILED_PATHS: usize = 10_000;

/// The leading bits of a latency that are kept: it is rounded down by at most 1/16.
const LATENCY_BITS: u32 = 5;

/// How the gateway responded to a request for a document or page data.
#[derive(Debug, Clone, Copy)]
pub struct Measurement<'a> {
    /// Whether the status is 5xx.
    pub is_server_error: bool,
    /// The page, if the path belongs to one.
    pub page: Option<PageHash>,
    /// Why the browser must render the page; `None` if it was rendered, or needs no render.
    pub not_rendered: Option<Why>,
    /// The extensions of the page that candidates change.
    pub extensions: &'a [ExtensionRender],
    /// The time until the response began.
    pub latency: Duration,
}

/// How an extension of a document was rendered.
#[derive(Debug, Clone)]
pub struct ExtensionRender {
    /// The candidates that change it.
    pub candidates: Vec<u64>,
    /// The extension, with the path of the page.
    pub place: PageHash,
    /// Why the document lacks it; `None` if it was rendered, or needs no render.
    pub not_rendered: Option<Why>,
}

/// The hashes that identify a page or an extension, and a path that shows it.
#[derive(Debug, Clone, Copy)]
pub struct PageHash {
    /// The hash of the section, and of the pattern or the point.
    pub pattern: u64,
    /// The hash of the path and, for an extension, of `pattern`.
    pub path: u64,
}

/// A client, by the hash of its network, and the key of the rollout that counts it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client<'a> {
    pub(super) hash: u64,
    pub(super) key: &'a Secret,
}

/// Clients that are told apart.
#[derive(Debug, Default)]
struct Clients {
    hashes: HashSet<u64>,
    set: ClientSet,
}

/// Views and client error reports since the current step began.
#[derive(Debug, Default)]
pub(super) struct Views {
    documents: u64,
    clients: Clients,
    failed: Clients,
}

/// Requests since the current step began.
#[derive(Debug, Default)]
pub(super) struct Requests {
    count: u64,
    server_errors: Failures,
    render_failures: Failures,
    /// The tried renders of each page and extension.
    pages: HashMap<u64, PageRenders>,
    /// The paths whose last tried render failed.
    failed_paths: HashSet<u64>,
    /// The counted requests by client.
    clients: HashMap<u64, ClientRequests>,
    client_set: ClientSet,
    /// The number of requests by rounded latency in microseconds.
    latencies: BTreeMap<u64, u64>,
}

/// The requests of one client.
#[derive(Debug)]
struct ClientRequests {
    count: u8,
    /// The hash in a [`ClientSet`].
    shared_hash: u64,
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
struct Failures {
    count: u64,
    clients: Clients,
}

impl Client<'_> {
    /// The hash that all gateways compute. It needs the key of the rollout.
    fn shared_hash(self) -> u64 {
        signature::hash(self.key, &self.hash.to_be_bytes())
    }
}

impl Clients {
    fn insert(&mut self, client: Client<'_>) {
        if self.hashes.insert(client.hash) {
            self.set.insert_new(client.shared_hash());
        }
    }
}

impl Views {
    /// Counts a document that was sent to a client.
    pub(super) fn record(&mut self, client: Client<'_>) {
        self.documents += 1;
        if self.clients.hashes.len() < MAX_CLIENTS {
            self.clients.insert(client);
        }
    }

    /// Counts a report of a client that was sent a document.
    pub(super) fn record_failure(&mut self, client: Client<'_>) {
        if self.clients.hashes.contains(&client.hash) {
            self.failed.insert(client);
        }
    }
}

impl Requests {
    /// Counts a response of one side of a candidate's rollout to a client.
    pub(super) fn record(
        &mut self,
        (candidate, side): (u64, Side),
        client: Client<'_>,
        measurement: Measurement<'_>,
    ) {
        let Some(is_render_failure) = self.has_render_failure(candidate, side, measurement) else {
            return;
        };
        if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&client.hash) {
            return;
        }
        let counted = self.clients.entry(client.hash).or_insert_with(|| {
            let shared_hash = client.shared_hash();
            self.client_set.insert_new(shared_hash);
            ClientRequests {
                count: 0,
                shared_hash,
                slowest: 0,
            }
        });
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

    /// Whether the page or an extension that the candidate changes failed to render; `None` if that is
    /// unknown.
    fn has_render_failure(
        &mut self,
        candidate: u64,
        side: Side,
        measurement: Measurement<'_>,
    ) -> Option<bool> {
        let page = self.is_render_failure(side, measurement.page, measurement.not_rendered);
        let extensions = measurement.extensions.iter();
        let extensions = extensions.filter(|extension| extension.candidates.contains(&candidate));
        extensions.fold(page, |result, extension| {
            let is_failure = self.is_render_failure(side, Some(extension.place), extension.not_rendered);
            match (result, is_failure) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }
        })
    }

    /// Whether the releases failed to render a page or an extension; `None` if that is unknown.
    ///
    /// An open circuit breaker prevents renders of all pages of a section, because some failed.
    /// Pages in the cache are served, so mostly those that fail are missing. In doubt, the live
    /// deployment has failed, and the candidate is not judged: it has no cached pages at first. But
    /// a page of it has failed if most of its renders did, or the last one of this path.
    fn is_render_failure(
        &mut self,
        side: Side,
        page: Option<PageHash>,
        not_rendered: Option<Why>,
    ) -> Option<bool> {
        let (is_failure, is_open) = match not_rendered {
            None => (false, false),
            Some(Why::CircuitOpen) => (true, true),
            Some(why) if why.blames_release() => (true, false),
            // A reason of the gateway says nothing about the releases.
            Some(_) => return None,
        };
        let Some(page) = page else {
            return Some(is_failure);
        };
        let renders = self.pages.entry(page.pattern).or_default();
        if is_open {
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

    /// The clients with a request that took longer than a limit.
    pub(super) fn slow_clients(&self, limit: Duration) -> ClientSet {
        let mut slow = ClientSet::default();
        for client in self.clients.values() {
            if client.slowest > rounded(limit) {
                slow.insert_new(client.shared_hash);
            }
        }
        slow
    }
}

/// The counts of one side. The slow clients are not among them, because the limit depends on both
/// sides.
pub(super) fn counts(views: &Views, requests: &Requests) -> TrackCounts {
    TrackCounts {
        documents: views.documents,
        viewers: views.clients.set.clone(),
        failed_viewers: views.failed.set.clone(),
        requests: requests.count,
        clients: requests.client_set.clone(),
        server_errors: requests.server_errors.counts(),
        render_failures: requests.render_failures.counts(),
        slow_clients: ClientSet::default(),
        latencies: requests.latencies.clone(),
    }
}

impl Failures {
    fn record(&mut self, client: Client<'_>) {
        self.count += 1;
        self.clients.insert(client);
    }

    fn counts(&self) -> FailureCounts {
        FailureCounts {
            requests: self.count,
            clients: self.clients.set.clone(),
        }
    }
}

/// A latency in microseconds, rounded so that there are few different ones.
pub(super) fn rounded(latency: Duration) -> u64 {
    let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let dropped = (u64::BITS - micros.leading_zeros()).saturating_sub(LATENCY_BITS);
    micros >> dropped << dropped
}
