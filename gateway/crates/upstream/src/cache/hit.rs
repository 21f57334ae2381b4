//! The short way of most hits, which needs only what the visitor has sent.

use colonnade_clock::poll;
use http::HeaderMap;

use super::entry::Usability;
use super::policy::is_bypassed;
use super::respond::Answer;
use super::status::CacheOutcome;
use super::{CacheResponse, Fetch, ResponseCache};

impl<F: Fetch> ResponseCache<F> {
    /// Answers a GET or HEAD request if a fresh response is stored that depends on none of the headers which change on the way
    /// to the upstream. Otherwise [`ResponseCache::serve`] decides, with the headers that the upstream would get.
    /// `has_credentials` says whether they may include the visitor's.
    pub fn find_hit(
        &self,
        path_and_query: &str,
        visitor: &HeaderMap,
        has_credentials: bool,
    ) -> Option<CacheResponse<F::Body>> {
        let entry = self.store.find_by_unchanged(path_and_query, visitor)?;
        let is_hit = entry.usability(poll::now()) == Usability::Fresh
            && (entry.is_public() || !has_credentials)
            && !is_bypassed(visitor);
        is_hit.then(|| Answer::from_entry(&entry, CacheOutcome::Hit).respond(visitor))
    }
}
