//! Requests to an upstream whose responses several requests may get: request coalescing, and
//! revalidation in the background.

use std::ops::ControlFlow;
use std::sync::Arc;

use http_body::Body;
use tokio::sync::oneshot;

use colonnade_web::request_scope;

use crate::cache::entry::Entry;
use crate::cache::exchange::{Exchange, Sharing, storable_request};
use crate::cache::fetch::{Fetch, Interrupted};
use crate::cache::response_cache::ResponseCache;
use crate::cache::shared::{RequestKey, Shared, Target};
use crate::cache::status::Forward;
use crate::cache::visitor_request::VisitorRequest;
use crate::cache::visitor_response::{CacheResponse, VisitorResponse};

/// The response to a request that asked the upstream itself, or what it gets from another request.
type OwnOrShared<F> = ControlFlow<
    Result<VisitorResponse<<F as Fetch>::Body>, <F as Fetch>::Error>,
    Shared<<F as Fetch>::Error>,
>;

impl<E: Clone + Send + Sync + 'static> ResponseCache<E> {
    /// Asks the upstream for one request.
    pub(super) async fn ask<F: Fetch<Error = E>>(
        self: &Arc<Self>,
        request: &VisitorRequest<F>,
        target: Target,
        forward: Forward,
    ) -> Result<CacheResponse<F::Body>, E> {
        let stale = target.stale.clone();
        let mut exchange = match &stale {
            Some(_) => request.exchange(self, target),
            // No other request waits for the response, so the upstream can evaluate the
            // preconditions.
            None => Exchange {
                cache: Arc::clone(self),
                fetch: request.fetch.clone(),
                request: storable_request(&request.parts),
                target,
            },
        };
        let (response, sharing) = exchange.begin().await;
        if let Sharing::Recording(recorder) = sharing {
            request_scope::spawn(recorder.run());
        }
        request.respond(response, stale.as_deref(), forward)
    }

    /// Asks the upstream, or waits for the response to another request with the same key. The
    /// request to the upstream goes on if the visitor leaves.
    pub(super) async fn share<F: Fetch<Error = E>>(
        self: &Arc<Self>,
        request: &VisitorRequest<F>,
        target: Target,
        key: RequestKey,
    ) -> OwnOrShared<F> {
        let (sender, receiver) = oneshot::channel();
        let exchange = request.exchange(self, target);
        let started = self.requests.start(key, exchange.run(sender));
        if let Ok(response) = receiver.await {
            return ControlFlow::Break(response);
        }
        match started.outcome().await {
            Some(shared) => ControlFlow::Continue(shared),
            None => ControlFlow::Break(Err(interrupted::<F>())),
        }
    }

    /// Revalidates a stale response in the background, unless that is going on.
    pub(super) fn revalidate<F: Fetch<Error = E>>(
        self: &Arc<Self>,
        request: &VisitorRequest<F>,
        target: Target,
        entry: &Entry,
    ) {
        let Some(revalidation) = entry.begin_revalidation() else {
            return;
        };
        let key = (
            Arc::clone(&target.key),
            target.revision,
            entry.selecting().to_vec(),
        );
        let exchange = request.exchange(self, target);
        let cache = Arc::clone(self);
        request_scope::spawn(async move {
            let _revalidation = revalidation;
            let (sender, _) = oneshot::channel();
            cache.requests.run(&key, exchange.run(sender)).await;
        });
    }
}

/// The error of a request whose response is not received to its end.
fn interrupted<F: Fetch>() -> F::Error {
    <F::Body as Body>::Error::from(Interrupted).into()
}
