//! A visitor's request, and the responses to it.

use std::sync::Arc;

use colonnade_clock::poll;
use http::{HeaderMap, StatusCode, request};
use http_body::Body;

use super::body::CacheBody;
use super::directives::Directives;
use super::entry::{Entry, Usability};
use super::exchange::{Exchange, shared_request};
use super::fetch::Fetch;
use super::policy::{has_credentials, is_failure};
use super::respond::{Answer, CacheResponse};
use super::response_cache::ResponseCache;
use super::shared::{Shared, Target};
use super::status::{CacheOutcome, Forward};

/// A request of a visitor, as the upstream would get it.
pub(super) struct Visit<F: Fetch> {
    pub(super) request: Arc<request::Parts>,
    pub(super) fetch: F,
    pub(super) has_credentials: bool,
}

impl<F: Fetch> Visit<F> {
    pub(super) fn new(request: request::Parts, fetch: F) -> Self {
        Self {
            has_credentials: has_credentials(&request.headers),
            request: Arc::new(request),
            fetch,
        }
    }

    /// Whether the visitor wants no response of the upstream. No other directive of a visitor counts: it would let visitors
    /// decide on the load of the upstream (RFC 9111, section 5.2.1).
    pub(super) fn is_only_if_cached(&self) -> bool {
        let directives = Directives::parse(&self.request.headers);
        directives.is_some_and(|directives| directives.contains("only-if-cached"))
    }

    /// The request to the upstream whose response others may get.
    pub(super) fn exchange(&self, cache: &Arc<ResponseCache<F::Error>>, target: Target) -> Exchange<F> {
        Exchange {
            cache: Arc::clone(cache),
            fetch: self.fetch.clone(),
            request: shared_request(&self.request, target.stale.as_deref()),
            target,
        }
    }

    /// Forwards the request as it is, without storing the response.
    pub(super) async fn pass(
        self,
        forward: Forward,
        outcome: CacheOutcome,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let response = self.fetch.fetch(&self.request).await?;
        let (head, body) = response.into_parts();
        let mut answer = Answer::from_upstream(head, CacheBody::upstream(body));
        answer.status.forward = Some(forward);
        answer.outcome = outcome;
        Ok(answer.respond(&HeaderMap::new()))
    }

    /// Responds from the cache.
    pub(super) fn respond_cached(&self, entry: &Entry, outcome: CacheOutcome) -> CacheResponse<F::Body> {
        Answer::from_entry(entry, outcome).respond(&self.request.headers)
    }

    /// Responds with what the upstream returned, or with the stale response if that may replace a failure.
    pub(super) fn respond(
        &self,
        answer: Result<Answer<F::Body>, F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let forward_status = answer
            .as_ref()
            .ok()
            .and_then(|answer| answer.status.forward_status);
        let is_failed = answer.is_err() || forward_status.is_some_and(is_failure);
        if is_failed && let Some(stale) = stale_on_error::<F::Body>(stale, forward, forward_status) {
            return Ok(stale.respond(&self.request.headers));
        }
        let mut answer = answer?;
        answer.status.forward = Some(forward);
        let is_private = self.has_credentials || forward == Forward::Request;
        if is_private && answer.outcome == CacheOutcome::Miss {
            answer.outcome = CacheOutcome::Bypass;
        }
        Ok(answer.respond(&self.request.headers))
    }

    /// Responds with what the upstream returned to another request; `None` if this one has to ask itself.
    pub(super) fn respond_shared(
        &self,
        shared: &Shared<F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Option<Result<CacheResponse<F::Body>, F::Error>> {
        let headers = &self.request.headers;
        let mut answer = match shared {
            Shared::Response {
                entry,
                forward_status,
            } => {
                if entry.usability(poll::now()) == Usability::Stale || !entry.matches(headers) {
                    return None;
                }
                let mut answer = Answer::from_entry(entry, CacheOutcome::Collapsed);
                answer.status.forward = Some(forward);
                answer.status.forward_status = Some(*forward_status);
                answer
            }
            Shared::ErrorStatus(status) => stale_on_error(stale, forward, Some(*status))?,
            Shared::Failed(error) => match stale_on_error(stale, forward, None) {
                Some(answer) => answer,
                None => return Some(Err(error.clone())),
            },
            Shared::Nothing | Shared::NotSent => return None,
        };
        answer.status.is_collapsed = true;
        Some(Ok(answer.respond(headers)))
    }
}

/// The stale response, if it may replace a failure: with this status of the upstream, or without a response.
fn stale_on_error<B: Body>(
    stale: Option<&Entry>,
    forward: Forward,
    failure: Option<StatusCode>,
) -> Option<Answer<B>> {
    let stale = stale.filter(|stale| stale.is_usable_on_error(poll::now()))?;
    let mut answer = Answer::from_entry(stale, CacheOutcome::Stale);
    answer.status.forward = Some(forward);
    answer.status.forward_status = failure;
    Some(answer)
}
