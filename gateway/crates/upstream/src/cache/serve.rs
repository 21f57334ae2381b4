//! Answers a request from the cache, or from the upstream.

use std::ops::ControlFlow;
use std::sync::Arc;

use colonnade_clock::poll;
use http::Method;
use http_body::Body;

use crate::cache::entry::Usability;
use crate::cache::fetch::Fetch;
use crate::cache::policy::{SelectingHeader, is_bypassed};
use crate::cache::response_cache::{ResponseCache, path_and_query};
use crate::cache::shared::{Shared, Target};
use crate::cache::status::{CacheOutcome, Forward};
use crate::cache::store::Key;
use crate::cache::visitor_request::VisitorRequest;
use crate::cache::visitor_response::CacheResponse;

/// How often a request waits for the response to another request, before it asks the upstream
/// itself.
const MAX_WAITS: u32 = 2;

/// What the cache has for a request.
enum Lookup<B: Body> {
    /// A usable response.
    Usable(CacheResponse<B>),
    /// A response that the credentials of the request rule out. The upstream decides.
    Private(Target),
    /// No usable response.
    Miss(Miss),
}

/// Why the upstream is asked, and what for.
struct Miss {
    target: Target,
    forward: Forward,
    /// The request headers that select the response, as far as they are known.
    selecting: Vec<SelectingHeader>,
    /// Whether requests like this one do not wait for each other: the response is for this visitor
    /// only, or it has to be validated for each visitor.
    is_alone: bool,
}

impl<E: Clone + Send + Sync + 'static> ResponseCache<E> {
    /// Answers GET and HEAD.
    pub async fn serve<F: Fetch<Error = E>>(
        self: &Arc<Self>,
        request: &VisitorRequest<F>,
    ) -> Result<CacheResponse<F::Body>, E> {
        if is_bypassed(&request.parts.headers) {
            return request.pass(Forward::Bypass, CacheOutcome::Bypass).await;
        }
        let mut waits = 0;
        loop {
            let miss = match self.look_up(request) {
                Lookup::Usable(response) => return Ok(response),
                Lookup::Private(target) => return self.ask(request, target, Forward::Request).await,
                Lookup::Miss(miss) => miss,
            };
            if request.is_only_if_cached() {
                return Err(F::not_cached());
            }
            let Miss {
                target,
                forward,
                selecting,
                is_alone,
            } = miss;
            if request.parts.method == Method::HEAD && target.stale.is_none() {
                return request.pass(forward, CacheOutcome::Miss).await;
            }
            if waits >= MAX_WAITS || is_alone {
                return self.ask(request, target, forward).await;
            }
            let request_key = (Arc::clone(&target.key), target.revision, selecting);
            let stale = target.stale.clone();
            let shared = match self.share(request, target, request_key).await {
                ControlFlow::Break(response) => return request.respond(response, stale.as_deref(), forward),
                ControlFlow::Continue(shared) => shared,
            };
            if let Some(response) = request.respond_shared(&shared, stale.as_deref(), forward) {
                return response;
            }
            waits = match shared {
                // The response varies by headers that are known now: look up again.
                Shared::Response { entry, .. } if !entry.matches(&request.parts.headers) => waits + 1,
                // The request that all waited for was rejected because of its client. Another one
                // takes over.
                Shared::NotSent => waits,
                _ => MAX_WAITS,
            };
        }
    }

    /// Searches for a response. Starts to revalidate one that may be used meanwhile, unless the request
    /// asks only the cache.
    fn look_up<F: Fetch<Error = E>>(self: &Arc<Self>, request: &VisitorRequest<F>) -> Lookup<F::Body> {
        let key = Key::from(path_and_query(&request.parts.uri));
        let revision = self.store.revision(&key);
        let found = self.store.find(&key, &request.parts.headers);
        let mut target = Target {
            key,
            revision,
            stale: None,
        };
        let is_alone = request.has_credentials || found.is_uncacheable;
        let Some(entry) = found.entry else {
            let forward = if found.has_others {
                Forward::VaryMiss
            } else {
                Forward::UriMiss
            };
            let selecting = found.selecting;
            return Lookup::Miss(Miss {
                target,
                forward,
                selecting,
                is_alone,
            });
        };
        if request.has_credentials && !entry.is_public() {
            return Lookup::Private(target);
        }
        target.stale = Some(Arc::clone(&entry));
        match entry.usability(poll::now()) {
            Usability::Fresh => Lookup::Usable(request.respond_cached(&entry, CacheOutcome::Hit)),
            Usability::StaleWhileRevalidate => {
                if !request.is_only_if_cached() {
                    self.revalidate(request, target, &entry);
                }
                Lookup::Usable(request.respond_cached(&entry, CacheOutcome::Stale))
            }
            Usability::Stale => Lookup::Miss(Miss {
                target,
                forward: Forward::Stale,
                selecting: entry.selecting().to_vec(),
                is_alone: is_alone || !entry.has_lifetime(),
            }),
        }
    }
}
