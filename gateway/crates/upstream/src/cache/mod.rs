//! A shared cache for responses to GET (RFC 9111), with stale responses (RFC 5861), request coalescing and `Cache-Status`
//! (RFC 9211). `docs/operate/upstream-cache.md` has its rules.
//!
//! The cache knows no HTTP client: a [`Fetch`] sends a request and returns the head and the body of the response. The cache has
//! no timeouts of its own, so that both must end.

mod body;
mod budget;
mod directives;
mod entry;
mod exchange;
mod hit;
mod policy;
mod recorder;
mod respond;
mod serve;
mod share;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod visit;

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_LOCATION, LOCATION};
use http::{HeaderMap, Response, StatusCode, Uri, request};
use http_body::Body;

use colonnade_model::pattern::RequestPath;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::query::{Freshness, Revision};

use crate::base_path::has_prefix;
use budget::Budget;
use exchange::Shared;
use policy::SelectingHeader;
use status::{CacheStatus, Forward};
use store::{Key, Store};

pub use body::CacheBody;
pub use status::CacheOutcome;

/// Sends requests to an upstream.
pub trait Fetch: Clone + Send + Sync + 'static {
    /// The body of a response. It ends or fails within a bounded time.
    type Body: Body<Data = Bytes, Error: Clone + Send + From<Interrupted>> + Send + Unpin + 'static;

    /// Why there is no response.
    type Error: Clone + Send + Sync + From<<Self::Body as Body>::Error> + 'static;

    /// Sends a request as it is, with the preconditions that the cache adds. The response still has the headers `Set-Cookie`,
    /// `Vary` and `Cache-Control` of the upstream, and no hop-by-hop headers.
    fn fetch(
        &self,
        request: &request::Parts,
    ) -> impl Future<Output = Result<Response<Self::Body>, Self::Error>> + Send;

    /// Whether all requests that wait for the response get this error. Otherwise it is about the client of this one, and another
    /// one asks.
    fn is_shared(error: &Self::Error) -> bool;

    /// The error of a request with `only-if-cached` for which nothing is stored (RFC 9111, section 5.2.1.7).
    fn not_cached() -> Self::Error;
}

/// The task that receives a response ended without it: it panicked, or the process stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("receiving the response was interrupted")]
pub struct Interrupted;

/// A response extension: the response must not be stored, although its headers may allow it.
#[derive(Debug, Clone, Copy)]
pub struct NotStorable;

/// The limits of a cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheLimits {
    /// The memory for all responses, in bytes: those in the cache get three quarters; the rest is for those that are received,
    /// and for those that clients still read after they were evicted.
    pub size: usize,
    /// The maximum length of a body in bytes. Larger ones are not stored.
    pub max_response: usize,
}

/// A shared cache.
pub struct ResponseCache<F: Fetch> {
    store: Store,
    budget: Arc<Budget>,
    max_response: usize,
    /// The decoded segments of the paths of all upstreams, the longest first.
    prefixes: Vec<Vec<String>>,
    requests: RequestCoalescer<RequestKey, Shared<F::Error>>,
}

/// What requests have in common that wait for the same response. Requests after a purge do not wait for those before.
type RequestKey = (Key, Revision, Vec<SelectingHeader>);

/// A response, and how the cache came by it.
#[derive(Debug)]
pub struct CacheResponse<B: Body> {
    /// The response, with `Age` and `Cache-Status`. To HEAD it has the body of GET, if that is in the cache.
    pub response: Response<CacheBody<B>>,
    /// How the cache answered the request, for metrics.
    pub outcome: CacheOutcome,
    /// How long the response may be used. Zero if it is not in the cache.
    pub freshness: Freshness,
}

impl<F: Fetch> ResponseCache<F> {
    /// An empty cache of upstreams with these path prefixes, as decoded segments, the longest first.
    pub fn new(limits: CacheLimits, prefixes: Vec<Vec<String>>) -> Arc<Self> {
        let budget = Budget::new(limits.size);
        Arc::new(Self {
            store: Store::new(limits.size - limits.size / 4, Arc::clone(&budget)),
            budget,
            max_response: limits.max_response,
            prefixes,
            requests: RequestCoalescer::default(),
        })
    }

    /// The memory that responses take, in bytes.
    pub fn used_bytes(&self) -> usize {
        self.budget.used()
    }

    /// Halves the cache while memory is short.
    pub fn shrink(&self) {
        self.store.shrink();
    }

    /// Removes the responses whose path and query begin with `prefix`. Responses to earlier requests are not stored any more.
    /// Returns how many are removed.
    pub fn purge(&self, prefix: &str) -> usize {
        self.store.purge(prefix)
    }

    /// The revision of a path and query. The response to a request that begins later is of this revision or a newer one.
    pub fn revision(&self, path_and_query: &str) -> Revision {
        self.store.revision(path_and_query)
    }

    /// Whether no purge or unsafe method has removed responses of this revision.
    pub fn is_current(&self, revision: Revision) -> bool {
        self.store.is_current(revision)
    }

    /// Records that a request with another method than GET and HEAD was forwarded: adds `Cache-Status` to the head of its
    /// response. If the method is unsafe and succeeded, removes what is stored for its URL, and for the URLs that the response
    /// names in `Location` and `Content-Location` by a path of the same upstream (RFC 9111, section 4.4).
    pub fn record_forwarded(&self, request: &request::Parts, status: StatusCode, headers: &mut HeaderMap) {
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
pub(crate) fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}
