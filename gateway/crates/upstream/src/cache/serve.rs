//! Answers a request from the cache, or from the upstream.

use std::ops::ControlFlow;
use std::sync::Arc;

use colonnade_clock::poll;
use http::{Method, request};

use super::entry::Usability;
use super::exchange::{Shared, Target};
use super::policy::is_bypassed;
use super::status::{CacheOutcome, Forward};
use super::store::Key;
use super::visit::Visit;
use super::{CacheResponse, Fetch, ResponseCache, path_and_query};

/// How often a request waits for the response to another one, before it asks the upstream itself.
const MAX_WAITS: u32 = 2;

impl<F: Fetch> ResponseCache<F> {
    /// Answers GET and HEAD. `request` is what the upstream would get: it has cookies and `Authorization` only if the upstream
    /// may see them. Its URL is the path and query on this site.
    pub async fn serve(
        self: &Arc<Self>,
        request: request::Parts,
        fetch: F,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let visit = Visit::new(request, fetch);
        if is_bypassed(&visit.request.headers) {
            return visit.pass(Forward::Bypass, CacheOutcome::Bypass).await;
        }
        let mut waits = 0;
        loop {
            let key = Key::from(path_and_query(&visit.request.uri));
            let revision = self.store.revision(&key);
            let mut found = self.store.find(&key, &visit.request.headers);
            let mut target = Target {
                key,
                revision,
                stale: None,
            };
            let mut forward = if found.has_others {
                Forward::VaryMiss
            } else {
                Forward::UriMiss
            };
            if let Some(entry) = found.entry.take() {
                if visit.has_credentials && !entry.is_public() {
                    return self.ask(&visit, target, Forward::Request).await;
                }
                target.stale = Some(Arc::clone(&entry));
                match entry.usability(poll::now()) {
                    Usability::Fresh => return Ok(visit.respond_cached(&entry, CacheOutcome::Hit)),
                    Usability::StaleWhileRevalidate => {
                        self.revalidate(&visit, target, &entry);
                        return Ok(visit.respond_cached(&entry, CacheOutcome::Stale));
                    }
                    Usability::Stale => forward = Forward::Stale,
                }
            }
            if visit.is_only_if_cached() {
                return Err(F::not_cached());
            }
            if visit.request.method == Method::HEAD && target.stale.is_none() {
                return visit.pass(forward, CacheOutcome::Miss).await;
            }
            if waits >= MAX_WAITS || visit.is_alone(&found, target.stale.as_deref()) {
                return self.ask(&visit, target, forward).await;
            }
            let selecting = match &target.stale {
                Some(stale) => stale.selecting().to_vec(),
                None => found.selecting,
            };
            let request_key = (Arc::clone(&target.key), revision, selecting);
            let stale = target.stale.clone();
            let shared = match self.share(&visit, target, request_key).await {
                ControlFlow::Break(answer) => return visit.respond(answer, stale.as_deref(), forward),
                ControlFlow::Continue(shared) => shared,
            };
            if let Some(response) = visit.respond_shared(&shared, stale.as_deref(), forward) {
                return response;
            }
            waits = match shared {
                // The response is for other request headers, which are known now.
                Shared::Response { entry, .. } if !entry.matches(&visit.request.headers) => waits + 1,
                // One that waits with this one is the next to ask.
                Shared::NotSent => waits,
                _ => MAX_WAITS,
            };
        }
    }
}
