//! One request to an upstream, and what becomes of its response.

use std::sync::Arc;

use colonnade_clock::poll;
use http::header::{CACHE_CONTROL, IF_MODIFIED_SINCE, IF_NONE_MATCH, PRAGMA};
use http::{HeaderName, Method, Response, StatusCode, request, response};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::cache::body::CacheBody;
use crate::cache::entry::{Entry, Head};
use crate::cache::fetch::Fetch;
use crate::cache::policy::{has_credentials, is_failure};
use crate::cache::recorder::Recorder;
use crate::cache::response_cache::ResponseCache;
use crate::cache::shared::{Shared, Target};
use crate::cache::status::CacheOutcome;
use crate::cache::visitor_response::VisitorResponse;

/// What the response to one visitor may depend on, but not that to all.
const PRECONDITIONS: [HeaderName; 2] = [IF_NONE_MATCH, IF_MODIFIED_SINCE];

/// One request to an upstream.
pub(super) struct Exchange<F: Fetch> {
    pub(super) cache: Arc<ResponseCache<F::Error>>,
    pub(super) fetch: F,
    pub(super) target: Target,
    pub(super) request: Arc<request::Parts>,
}

/// When it is known what others get.
pub(super) enum Sharing<F: Fetch> {
    /// At once.
    Known(Shared<F::Error>),
    /// Once the body is there.
    Recording(Box<Recorder<F>>),
}

impl<F: Fetch> Sharing<F> {
    /// Receives the body, if others may get it.
    pub(super) async fn finish(self) -> Shared<F::Error> {
        match self {
            Self::Known(shared) => shared,
            Self::Recording(recorder) => recorder.run().await,
        }
    }
}

impl<F: Fetch> Exchange<F> {
    /// Makes the request to the end, sending the response to `first` as soon as its head is there.
    pub(super) async fn run(
        mut self,
        first: oneshot::Sender<Result<VisitorResponse<F::Body>, F::Error>>,
    ) -> Shared<F::Error> {
        let (response, sharing) = self.begin().await;
        // A request that was aborted needs no response. The others do.
        let _ = first.send(response);
        sharing.finish().await
    }

    /// Makes the request up to the head of the response. Returns the response for the request that
    /// asked, and what others get.
    pub(super) async fn begin(&mut self) -> (Result<VisitorResponse<F::Body>, F::Error>, Sharing<F>) {
        match self.try_begin().await {
            Ok((response, sharing)) => (Ok(response), sharing),
            Err(error) => {
                let shared = if F::is_shared(&error) {
                    Shared::Failed(error.clone())
                } else {
                    Shared::NotSent
                };
                (Err(error), Sharing::Known(shared))
            }
        }
    }

    async fn try_begin(&mut self) -> Result<(VisitorResponse<F::Body>, Sharing<F>), F::Error> {
        let requested = poll::now();
        let response = self.fetch.fetch(&self.request).await?;
        // Without a stale response that can be confirmed, a 304 is a response like others.
        let Some(stale) = self.target.stale.clone() else {
            return Ok(self.receive(response, requested));
        };
        if response.status() != StatusCode::NOT_MODIFIED {
            return Ok(self.receive(response, requested));
        }
        let (head, _) = response.into_parts();
        if let Some(confirmed) = self.confirm(&stale, &head, requested) {
            return Ok(confirmed);
        }
        // RFC 9111, section 4.3.4: the 304 is about another representation, so the stored one is of
        // no use.
        remove(&mut self.request, PRECONDITIONS);
        let response = self.fetch.fetch(&self.request).await?;
        Ok(self.receive(response, requested))
    }

    /// Updates the stale response by a 304; `None` if the 304 is about another representation.
    /// Waiting requests get it unless the 304 forbids to store it.
    fn confirm(
        &self,
        stale: &Entry,
        not_modified: &response::Parts,
        requested: Instant,
    ) -> Option<(VisitorResponse<F::Body>, Sharing<F>)> {
        let (head, may_be_stored) = stale.updated(&self.request, not_modified, requested)?;
        let reservation = self.cache.budget.reserve(head.weight());
        let is_stored = may_be_stored && reservation.is_some();
        let entry = Arc::new(Entry::new(head, stale.body(), reservation));
        let mut response = VisitorResponse::from_entry(&entry, CacheOutcome::Revalidated);
        response.status.forward_status = Some(StatusCode::NOT_MODIFIED);
        response.status.is_stored = is_stored;
        let shared = if is_stored {
            self.target.store(&self.cache.store, &entry);
            Shared::Response {
                entry,
                forward_status: StatusCode::NOT_MODIFIED,
            }
        } else {
            self.refuse(StatusCode::OK)
        };
        Some((response, Sharing::Known(shared)))
    }

    /// Begins to receive a response, and to record it if it may be stored.
    fn receive(
        &self,
        response: Response<F::Body>,
        requested: Instant,
    ) -> (VisitorResponse<F::Body>, Sharing<F>) {
        let (head, body) = response.into_parts();
        let Some(stored) = Head::new(&self.request, &head, requested) else {
            let sharing = Sharing::Known(self.refuse(head.status));
            return (
                VisitorResponse::from_upstream(head, CacheBody::upstream(body)),
                sharing,
            );
        };
        let now = poll::now();
        let (ttl, freshness) = (stored.ttl(now), stored.freshness(now));
        let (body, recorder) = Recorder::new(&self.cache, self.target.clone(), stored, body);
        let mut response = VisitorResponse::from_upstream(head, body);
        let Some(recorder) = recorder else {
            return (response, Sharing::Known(self.refuse(StatusCode::OK)));
        };
        response.status.is_stored = true;
        response.status.ttl = Some(ttl);
        response.freshness = freshness;
        (response, Sharing::Recording(Box::new(recorder)))
    }

    /// Records that a response is not stored.
    fn refuse(&self, status: StatusCode) -> Shared<F::Error> {
        if is_failure(status) {
            return Shared::ErrorStatus(status);
        }
        // A response to one visitor says nothing about the one to all.
        if status != StatusCode::NOT_MODIFIED && !has_credentials(&self.request.headers) {
            self.target.set_uncacheable(&self.cache.store);
        }
        Shared::Nothing
    }
}

/// The request to the upstream for a request whose response others may get while they wait for it:
/// without preconditions of the visitor, and with the validators of the stale response.
pub(super) fn shared_request(visitor: &Arc<request::Parts>, stale: Option<&Entry>) -> Arc<request::Parts> {
    let mut request = storable_request(visitor);
    remove(&mut request, PRECONDITIONS);
    if let Some(stale) = stale {
        stale.add_validators(&mut Arc::make_mut(&mut request).headers);
    }
    request
}

/// The request whose response may be stored: with method GET, because the response to HEAD is that
/// to GET without its body, and without cache directives of the visitor.
pub(super) fn storable_request(visitor: &Arc<request::Parts>) -> Arc<request::Parts> {
    let mut request = Arc::clone(visitor);
    if request.method != Method::GET {
        Arc::make_mut(&mut request).method = Method::GET;
    }
    remove(&mut request, [CACHE_CONTROL, PRAGMA]);
    request
}

/// Removes headers from a request, which is copied only if it has one of them.
fn remove(request: &mut Arc<request::Parts>, names: [HeaderName; 2]) {
    for name in names {
        if request.headers.contains_key(&name) {
            Arc::make_mut(request).headers.remove(name);
        }
    }
}
