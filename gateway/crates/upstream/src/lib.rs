//! Upstreams: the backends that serve paths below `/api/`.
//!
//! A request passes the checks of `forward`, gets its headers from `request_headers`, and is sent
//! by `send`: to an `endpoint`, within the limits of the upstream, and again to another endpoint if
//! it may be repeated. `response_headers` decides what of the response visitors get, and
//! `response_body` streams it. `websocket` relays what follows a switch of the protocol; such
//! `streams` have limits of their own. GET and HEAD go through the shared `cache`, most of whose hits need
//! no headers for the upstream. [`Upstreams::query`] does the same for the queries of pages.

mod base_path;
pub mod cache;
mod cached;
mod call_state;
pub mod circuit_breaker;
mod client;
mod connection;
mod connection_body;
mod connection_pool;
mod cookies;
mod endpoint;
mod error;
mod event_stream;
mod failure_window;
mod forward;
mod framing;
mod health;
mod hop_by_hop;
pub mod metrics;
mod observed_stream;
mod outbound;
mod outcome;
mod query;
mod record;
mod request_body;
mod request_headers;
mod resolver;
mod response_body;
mod response_headers;
mod send;
mod stream;
mod streams;
mod target;
mod upstream;
mod websocket;

pub use client::ClientError;
pub use outbound::outbound_client;
pub use resolver::resolve;

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_config::{self as config, Origin, UpstreamCacheSettings};
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::ReleaseId;
use colonnade_web::body::RequestBody;
use colonnade_web::client::ClientKey;
use colonnade_web::problem::{Audience, respond};
use colonnade_web::query::{QueryResult, Revision, UnusableResult};
use colonnade_web::request::Head;
use colonnade_web::response::Response;
use http::StatusCode;
use http::uri::PathAndQuery;
use tokio::task::JoinSet;

use base_path::prefix_segments;
use cache::{CacheLimits, ResponseCache};
use error::UpstreamError;
use metrics::UpstreamMetrics;
use target::Target;
use upstream::Upstream;

/// All upstreams.
#[derive(Default)]
pub struct Upstreams {
    /// Those with the longest prefixes come first.
    all: Vec<Arc<Upstream>>,
    /// The cache that they share.
    cache: Option<Arc<ResponseCache<UpstreamError>>>,
}

impl Upstreams {
    /// Creates the upstreams with these settings, for the site with this origin.
    ///
    /// # Errors
    ///
    /// The system's root certificates cannot be loaded.
    pub fn new(
        upstreams: BTreeMap<String, config::Upstream>,
        cache: UpstreamCacheSettings,
        site: &Origin,
        metrics: &UpstreamMetrics,
    ) -> Result<Self, ClientError> {
        let prefixes = upstreams.values().map(|settings| prefix_segments(&settings.path));
        let mut prefixes: Vec<_> = prefixes.collect();
        // The longest prefix wins.
        prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
        let cache = (cache.size > 0).then(|| {
            let limits = CacheLimits {
                size: cache.size,
                max_response: cache.max_response_bytes,
            };
            ResponseCache::new(limits, prefixes)
        });
        metrics.set_cache(cache.as_deref().map(ResponseCache::budget));
        let upstreams = upstreams.into_iter();
        let upstreams = upstreams
            .map(|(name, settings)| Upstream::new(&name, settings, site.clone(), cache.clone(), metrics));
        let mut all = upstreams.collect::<Result<Vec<_>, _>>()?;
        all.sort_by_key(|upstream| std::cmp::Reverse(upstream.prefix.len()));
        Ok(Self { all, cache })
    }

    /// Whether visitors may open WebSockets to one of them.
    pub fn has_websockets(&self) -> bool {
        self.all.iter().any(|upstream| upstream.settings.websocket)
    }

    /// Forwards a visitor's request below `/api/`. Streams both bodies. `audience` gets the errors.
    pub async fn forward(
        &self,
        head: &Head,
        path: &RequestPath,
        body: RequestBody,
        audience: Audience,
    ) -> Response {
        match self.find(path, head.uri.path_and_query()) {
            Some((upstream, target)) => upstream.forward(head, target, body, audience).await,
            None => respond(&UpstreamError::NotFound, audience),
        }
    }

    /// Requests JSON for a page: a path and query below `/api/`, without cookies and authorization.
    /// The result has at most 256 KiB. If it is not in the cache, it counts as a request of the
    /// client that requests the page.
    pub async fn query(&self, path_and_query: &str, client: Option<ClientKey>) -> QueryResult {
        if let Some((upstream, target)) = self.find_query(path_and_query) {
            return upstream.query(target, client).await;
        }
        // A page takes 404 for a thing that does not exist. Here the site's configuration lacks an
        // upstream.
        tracing::warn!(event = "query_without_upstream");
        QueryResult::failed(StatusCode::SERVICE_UNAVAILABLE.as_u16())
    }

    /// The result of a query that the cache has; `None` without one. No upstream is asked.
    pub async fn cached_query(&self, path_and_query: &str) -> Option<QueryResult> {
        let (upstream, target) = self.find_query(path_and_query)?;
        upstream.cached_query(target).await
    }

    /// Whether the result of a query is neither purged nor invalidated.
    pub fn is_current(&self, revision: Revision) -> bool {
        self.cache.as_ref().is_none_or(|cache| cache.is_current(revision))
    }

    /// Records that a page of this release cannot use the result of a query.
    pub fn record_unusable(&self, path_and_query: &str, release: &ReleaseId, reason: UnusableResult) {
        if let Some((upstream, _)) = self.find_query(path_and_query) {
            upstream.record_unusable(release, reason);
        }
    }

    /// Removes the cached responses whose path and query begin with `prefix`. Responses to earlier
    /// requests are not cached any more. Returns how many are removed.
    pub fn purge(&self, prefix: &str) -> usize {
        self.cache.as_ref().map_or(0, |cache| cache.purge(prefix))
    }

    /// Halves the cache while memory is short.
    pub fn shrink_cache(&self) {
        if let Some(cache) = &self.cache {
            cache.shrink();
        }
    }

    /// Checks the health of all endpoints, and closes idle connections to them. Dropping the future
    /// stops both.
    pub async fn maintain(self: Arc<Self>) {
        let mut tasks = JoinSet::new();
        for upstream in &self.all {
            for endpoint in upstream.endpoints.iter() {
                tasks.spawn(Arc::clone(upstream).check_endpoint(Arc::clone(endpoint)));
                tasks.spawn(Arc::clone(endpoint).close_idle_connections());
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Finds the upstream of the path and query of a page's query.
    fn find_query(&self, path_and_query: &str) -> Option<(&Arc<Upstream>, Target)> {
        let raw = path_and_query.parse::<PathAndQuery>().ok()?;
        let path = RequestPath::parse(raw.path()).ok()?;
        self.find(&path, Some(&raw))
    }

    /// Finds the upstream of a path.
    fn find(&self, path: &RequestPath, raw: Option<&PathAndQuery>) -> Option<(&Arc<Upstream>, Target)> {
        // Some servers take `//host` for an address.
        if path.has_empty_segment() || path.segments().any(may_be_dots) {
            return None;
        }
        let upstream = self.all.iter().find(|upstream| upstream.has(path))?;
        Some((upstream, Target::new(raw?.clone(), upstream.prefix.len())))
    }
}

/// Whether a decoded segment leads to another folder at some servers: servlet containers drop what
/// follows a semicolon, and others take a backslash for a slash.
fn may_be_dots(segment: &str) -> bool {
    // Few segments have a dot.
    segment.contains('.')
        && segment
            .split('\\')
            .map(|part| part.split(';').next().unwrap_or_default())
            .any(|part| part == "." || part == "..")
}
