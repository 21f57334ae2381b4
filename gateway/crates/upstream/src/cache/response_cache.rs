//! The cache itself: its limits, purges, and what requests with other methods invalidate.

use std::sync::Arc;

use colonnade_model::pattern::RequestPath;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::query::Revision;
use http::header::{CONTENT_LOCATION, LOCATION};
use http::{HeaderMap, StatusCode, Uri, request};

use crate::base_path::has_prefix;
use crate::cache::budget::Budget;
use crate::cache::shared::{RequestKey, Shared};
use crate::cache::status::{CacheStatus, Forward};
use crate::cache::store::Store;

/// The limits of a cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheLimits {
    /// The memory for all responses, in bytes: those in the cache get three quarters; the rest is
    /// for those that are received, and for those that clients still read after they were evicted.
    pub size: usize,
    /// The maximum length of a body in bytes. Larger ones are not stored.
    pub max_response: usize,
}

/// A shared cache. `E` is why requests fail that share a response.
pub struct ResponseCache<E> {
    pub(super) store: Store,
    pub(super) budget: Arc<Budget>,
    pub(super) max_response: usize,
    /// The decoded segments of the paths of all upstreams, the longest first.
    prefixes: Vec<Vec<String>>,
    pub(super) requests: Arc<RequestCoalescer<RequestKey, Shared<E>>>,
}

impl<E: Clone + Send + Sync + 'static> ResponseCache<E> {
    /// An empty cache of upstreams with these path prefixes, as decoded segments, the longest
    /// first.
    pub fn new(limits: CacheLimits, prefixes: Vec<Vec<String>>) -> Arc<Self> {
        let budget = Budget::new(limits.size);
        Arc::new(Self {
            store: Store::new(limits.size - limits.size / 4, Arc::clone(&budget)),
            budget,
            max_response: limits.max_response,
            prefixes,
            requests: Arc::default(),
        })
    }

    /// The memory that responses take.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Halves the cache while memory is short.
    pub fn shrink(&self) {
        self.store.shrink();
    }

    /// Removes the responses whose path and query begin with `prefix`. Responses to earlier
    /// requests are not stored any more. Returns how many are removed.
    pub fn purge(&self, prefix: &str) -> usize {
        self.store.purge(prefix)
    }

    /// The revision of a path and query. The response to a request that begins later is of this
    /// revision or a newer one.
    pub fn revision(&self, path_and_query: &str) -> Revision {
        self.store.revision(path_and_query)
    }

    /// Whether no purge or unsafe method has removed responses of this revision.
    pub fn is_current(&self, revision: Revision) -> bool {
        self.store.is_current(revision)
    }

    /// Records that a request with another method than GET and HEAD was forwarded: adds
    /// `Cache-Status` to the head of its response. If the method is unsafe and succeeded, removes
    /// what is stored for its URL, and for the URLs that the response names in `Location` and
    /// `Content-Location` by a path of the same upstream (RFC 9111, section 4.4).
    pub(crate) fn record_forwarded(
        &self,
        request: &request::Parts,
        status: StatusCode,
        headers: &mut HeaderMap,
    ) {
        let is_success = status.is_success() || status.is_redirection();
        if is_success && !request.method.is_safe() {
            self.store.invalidate(path_and_query(&request.uri));
            for name in [LOCATION, CONTENT_LOCATION] {
                let location = headers.get(name).and_then(|location| location.to_str().ok());
                let location = location.and_then(|location| location.split('#').next());
                let is_own = |location: &&str| {
                    let path = location.split('?').next().unwrap_or_default();
                    let owner = self.owner(path);
                    owner.is_some() && owner == self.owner(request.uri.path())
                };
                if let Some(path) = location.filter(is_own) {
                    self.store.invalidate(path);
                }
            }
        }
        let status = CacheStatus {
            forward_status: Some(status),
            ..CacheStatus::forwarded(Forward::Method)
        };
        status.append(headers);
    }

    /// The prefix of the upstream that serves a path.
    fn owner(&self, path: &str) -> Option<&Vec<String>> {
        let path = RequestPath::parse(path).ok()?;
        self.prefixes.iter().find(|prefix| has_prefix(&path, prefix))
    }
}

/// The path and query of a URI.
pub(super) fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}
