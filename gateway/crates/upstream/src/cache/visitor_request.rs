//! A visitor's request, and the responses to it.

use std::sync::Arc;

use colonnade_clock::poll;
use http::{HeaderMap, StatusCode, request};
use http_body::Body;

use crate::cache::body::CacheBody;
use crate::cache::directives::Directives;
use crate::cache::entry::{Entry, Usability};
use crate::cache::exchange::{Exchange, shared_request};
use crate::cache::fetch::Fetch;
use crate::cache::policy::{has_credentials, is_failure};
use crate::cache::response_cache::ResponseCache;
use crate::cache::shared::{Shared, Target};
use crate::cache::status::{CacheOutcome, Forward};
use crate::cache::visitor_response::{CacheResponse, VisitorResponse};

/// A GET or HEAD request of a visitor, as the upstream would get it.
pub struct VisitorRequest<F: Fetch> {
    pub(super) parts: Arc<request::Parts>,
    pub(super) fetch: F,
    pub(super) has_credentials: bool,
}

impl<F: Fetch> VisitorRequest<F> {
    /// A request, which has cookies and `Authorization` only if the upstream may see them. Its URL is
    /// the path and query on this site. `fetch` sends it to the upstream.
    pub fn new(request: request::Parts, fetch: F) -> Self {
        Self {
            has_credentials: has_credentials(&request.headers),
            parts: Arc::new(request),
            fetch,
        }
    }

    /// Whether the visitor wants no response of the upstream. No other directive of a visitor
    /// counts: it would let visitors decide on the load of the upstream (RFC 9111, section 5.2.1).
    pub(super) fn is_only_if_cached(&self) -> bool {
        let directives = Directives::parse(&self.parts.headers);
        directives.is_some_and(|directives| directives.contains("only-if-cached"))
    }

    /// The request to the upstream whose response others may get.
    pub(super) fn exchange(&self, cache: &Arc<ResponseCache<F::Error>>, target: Target) -> Exchange<F> {
        Exchange {
            cache: Arc::clone(cache),
            fetch: self.fetch.clone(),
            request: shared_request(&self.parts, target.stale.as_deref()),
            target,
        }
    }

    /// Forwards the request as it is, without storing the response.
    pub(super) async fn pass(
        &self,
        forward: Forward,
        outcome: CacheOutcome,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let response = self.fetch.fetch(&self.parts).await?;
        let (head, body) = response.into_parts();
        let mut response = VisitorResponse::from_upstream(head, CacheBody::upstream(body));
        response.status.forward = Some(forward);
        response.outcome = outcome;
        Ok(response.respond(&HeaderMap::new()))
    }

    /// Responds from the cache.
    pub(super) fn respond_cached(&self, entry: &Entry, outcome: CacheOutcome) -> CacheResponse<F::Body> {
        VisitorResponse::from_entry(entry, outcome).respond(&self.parts.headers)
    }

    /// Responds with what the upstream returned, or with the stale response if that may replace a
    /// failure.
    pub(super) fn respond(
        &self,
        response: Result<VisitorResponse<F::Body>, F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let forward_status = response
            .as_ref()
            .ok()
            .and_then(|response| response.status.forward_status);
        let is_failed = response.is_err() || forward_status.is_some_and(is_failure);
        if is_failed && let Some(stale) = stale_on_error::<F::Body>(stale, forward, forward_status) {
            return Ok(stale.respond(&self.parts.headers));
        }
        let mut response = response?;
        response.status.forward = Some(forward);
        let is_private = self.has_credentials || forward == Forward::Request;
        if is_private && response.outcome == CacheOutcome::Miss {
            response.outcome = CacheOutcome::Bypass;
        }
        Ok(response.respond(&self.parts.headers))
    }

    /// Responds with what the upstream returned to another request; `None` if this one has to ask
    /// itself.
    pub(super) fn respond_shared(
        &self,
        shared: &Shared<F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Option<Result<CacheResponse<F::Body>, F::Error>> {
        let headers = &self.parts.headers;
        let mut response = match shared {
            Shared::Response {
                entry,
                forward_status,
            } => {
                if entry.usability(poll::now()) == Usability::Stale || !entry.matches(headers) {
                    return None;
                }
                let mut response = VisitorResponse::from_entry(entry, CacheOutcome::Collapsed);
                response.status.forward = Some(forward);
                response.status.forward_status = Some(*forward_status);
                response
            }
            Shared::ErrorStatus(status) => stale_on_error(stale, forward, Some(*status))?,
            Shared::Failed(error) => match stale_on_error(stale, forward, None) {
                Some(response) => response,
                None => return Some(Err(error.clone())),
            },
            Shared::Nothing | Shared::NotSent => return None,
        };
        response.status.is_collapsed = true;
        Some(Ok(response.respond(headers)))
    }
}

/// The stale response, if it may replace a failure: with this status of the upstream, or without a
/// response.
fn stale_on_error<B: Body>(
    stale: Option<&Entry>,
    forward: Forward,
    failure: Option<StatusCode>,
) -> Option<VisitorResponse<B>> {
    let stale = stale.filter(|stale| stale.is_usable_on_error(poll::now()))?;
    let mut response = VisitorResponse::from_entry(stale, CacheOutcome::Stale);
    response.status.forward = Some(forward);
    response.status.forward_status = failure;
    Some(response)
}
