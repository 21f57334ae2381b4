//! The short way of most hits, which needs only what the visitor has sent.

use colonnade_clock::poll;
use http::HeaderMap;
use http_body::Body;

use crate::cache::entry::Usability;
use crate::cache::policy::is_bypassed;
use crate::cache::response_cache::ResponseCache;
use crate::cache::status::CacheOutcome;
use crate::cache::visitor_response::{CacheResponse, VisitorResponse};

impl<E> ResponseCache<E> {
    /// Answers a GET or HEAD request if a fresh response is stored that depends on none of the
    /// headers which change on the way to the upstream. Otherwise [`ResponseCache::serve`] decides,
    /// with the headers that the upstream would get. `has_credentials` says whether they may
    /// include the visitor's.
    pub(crate) fn find_hit<B: Body>(
        &self,
        path_and_query: &str,
        visitor: &HeaderMap,
        has_credentials: bool,
    ) -> Option<CacheResponse<B>> {
        let entry = self.store.find_by_unchanged(path_and_query, visitor)?;
        let is_hit = entry.usability(poll::now()) == Usability::Fresh
            && (entry.is_public() || !has_credentials)
            && !is_bypassed(visitor);
        is_hit.then(|| VisitorResponse::from_entry(&entry, CacheOutcome::Hit).respond(visitor))
    }
}
