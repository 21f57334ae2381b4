//! Answers a request from the cache, or from the upstream.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{HeaderMap, Method, request};
use http_body::Body;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;

use colonnade_web::request_scope;

use super::body::CacheBody;
use super::directives::Directives;
use super::entry::{Entry, Usability};
use super::exchange::{Exchange, Fetched, Outcome, Rest, Target, as_get, shared_request};
use super::policy::{has_credentials, is_bypassed, is_failure};
use super::respond::{from_entry, from_upstream, not_cached};
use super::status::{CacheOutcome, CacheStatus, Forward};
use super::store::Found;
use super::{CacheResponse, Fetch, Interrupted, RequestKey, ResponseCache, path_and_query};

/// Why a body breaks.
type BodyError<F> = <<F as Fetch>::Body as Body>::Error;

/// How often a request waits for the response to another one, before it asks the upstream itself.
const MAX_WAITS: u32 = 2;

/// A request of a visitor, as the upstream would get it.
struct Visit<F: Fetch> {
    request: request::Parts,
    fetch: F,
    has_credentials: bool,
}

/// What a request gets that may share the response of another.
enum Shared<F: Fetch> {
    /// It asked the upstream itself.
    Own(Result<Fetched<F>, F::Error>),
    /// Another request asked.
    Other(Outcome<F::Error>),
}

impl<F: Fetch> ResponseCache<F> {
    /// Answers GET and HEAD. `request` is what the upstream would get: it has cookies and `Authorization` only if the upstream
    /// may see them. Its URL is the path and query on this site.
    pub async fn serve(
        self: &Arc<Self>,
        request: request::Parts,
        fetch: F,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let visit = Visit {
            has_credentials: has_credentials(&request.headers),
            request,
            fetch,
        };
        if is_bypassed(&visit.request.headers) {
            return visit.pass(Forward::Bypass, CacheOutcome::Bypass).await;
        }
        let mut waits = 0;
        loop {
            let key = path_and_query(&visit.request.uri).into();
            let generation = self.store.generation(&key);
            let mut found = self.store.find(&key, &visit.request.headers);
            let mut target = Target {
                key,
                generation,
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
                let usability = entry.usability(Instant::now());
                target.stale = Some(Arc::clone(&entry));
                let outcome = match usability {
                    Usability::Fresh => Some(CacheOutcome::Hit),
                    Usability::StaleWhileRevalidate => {
                        self.revalidate(&visit, target.clone(), &entry);
                        Some(CacheOutcome::Stale)
                    }
                    Usability::Stale => None,
                };
                if let Some(outcome) = outcome {
                    return Ok(from_entry(
                        &visit.request.headers,
                        &entry,
                        CacheStatus::default(),
                        outcome,
                    ));
                }
                forward = Forward::Stale;
            }
            if visit.is_only_if_cached() {
                return Ok(not_cached());
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
            let request_key = (Arc::clone(&target.key), generation, selecting);
            let stale = target.stale.clone();
            let outcome = match self.share(&visit, target, request_key).await {
                Shared::Own(fetched) => return visit.respond(fetched, stale.as_deref(), forward),
                Shared::Other(outcome) => outcome,
            };
            if let Some(response) = visit.respond_shared(&outcome, stale.as_deref(), forward) {
                return response;
            }
            waits = match outcome {
                // The response is for other request headers, which are known now.
                Outcome::Response(entry) if !entry.matches(&visit.request.headers) => waits + 1,
                _ => MAX_WAITS,
            };
        }
    }

    /// Asks the upstream for one request.
    async fn ask(
        self: &Arc<Self>,
        visit: &Visit<F>,
        target: Target,
        forward: Forward,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let stale = target.stale.clone();
        let exchange = match &stale {
            Some(_) => visit.exchange(self, target),
            // Nobody waits for the response, so that the upstream can evaluate the preconditions.
            None => Exchange {
                cache: Arc::clone(self),
                fetch: visit.fetch.clone(),
                request: as_get(visit.request.clone()),
                target,
            },
        };
        let (fetched, rest) = exchange.begin().await;
        if let Rest::Record(recorder) = rest {
            request_scope::spawn(recorder.run());
        }
        visit.respond(fetched, stale.as_deref(), forward)
    }

    /// Asks the upstream, or waits for the response to another request with the same key. The request to the upstream goes on if
    /// the visitor leaves.
    async fn share(self: &Arc<Self>, visit: &Visit<F>, target: Target, key: RequestKey) -> Shared<F> {
        let (sender, receiver) = oneshot::channel();
        let exchange = visit.exchange(self, target);
        let is_own = Arc::new(AtomicBool::new(false));
        let (cache, is_running) = (Arc::clone(self), Arc::clone(&is_own));
        let task = request_scope::spawn(async move {
            let work = async {
                is_running.store(true, Ordering::Relaxed);
                exchange.run(sender).await
            };
            cache.requests.run(&key, work).await
        });
        let mut waiting = Waiting { task, is_own };
        if let Ok(fetched) = receiver.await {
            return Shared::Own(fetched);
        }
        match (&mut waiting.task).await.map_err(JoinError::try_into_panic) {
            Ok(outcome) => Shared::Other(outcome),
            Err(Ok(panic)) => resume_unwind(panic),
            Err(Err(_)) => Shared::Own(Err(BodyError::<F>::from(Interrupted).into())),
        }
    }

    /// Revalidates a stale response in the background, unless that is going on.
    fn revalidate(self: &Arc<Self>, visit: &Visit<F>, target: Target, entry: &Arc<Entry>) {
        if !entry.begin_revalidation() {
            return;
        }
        let revalidation = Revalidation(Arc::clone(entry));
        let key = (
            Arc::clone(&target.key),
            target.generation,
            entry.selecting().to_vec(),
        );
        let exchange = visit.exchange(self, target);
        let cache = Arc::clone(self);
        request_scope::spawn(async move {
            let _revalidation = revalidation;
            let (sender, _) = oneshot::channel();
            cache.requests.run(&key, exchange.run(sender)).await;
        });
    }
}

impl<F: Fetch> Visit<F> {
    /// Whether requests like this one do not wait for each other: the response is for nobody else, or it has to be validated
    /// for each of them.
    fn is_alone(&self, found: &Found, stale: Option<&Entry>) -> bool {
        self.has_credentials || found.is_uncacheable || stale.is_some_and(|stale| !stale.has_lifetime())
    }

    /// Whether the visitor wants no response of the upstream. No other directive of a visitor counts: it would let visitors
    /// decide on the load of the upstream (RFC 9111, section 5.2.1).
    fn is_only_if_cached(&self) -> bool {
        let directives = Directives::parse(&self.request.headers);
        directives.is_some_and(|directives| directives.contains("only-if-cached"))
    }

    fn exchange(&self, cache: &Arc<ResponseCache<F>>, target: Target) -> Exchange<F> {
        Exchange {
            cache: Arc::clone(cache),
            fetch: self.fetch.clone(),
            request: shared_request(&self.request, target.stale.as_deref()),
            target,
        }
    }

    /// Forwards the request as it is, without storing the response.
    async fn pass(self, forward: Forward, outcome: CacheOutcome) -> Result<CacheResponse<F::Body>, F::Error> {
        let response = self.fetch.fetch(&self.request).await?;
        let (head, body) = response.into_parts();
        let fetched: Fetched<F> = Fetched::Response {
            head,
            body: CacheBody::upstream(body),
            stored: None,
        };
        let status = CacheStatus::forwarded(forward);
        Ok(from_upstream(&HeaderMap::new(), fetched, status, outcome))
    }

    /// Responds with what the upstream returned, or with the stale response if that may replace a failure.
    fn respond(
        &self,
        fetched: Result<Fetched<F>, F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Result<CacheResponse<F::Body>, F::Error> {
        let mut status = CacheStatus::forwarded(forward);
        let is_failed = match &fetched {
            Err(_) => true,
            Ok(Fetched::Response { head, .. }) if is_failure(head.status) => {
                status.forward_status = Some(head.status);
                true
            }
            Ok(_) => false,
        };
        if is_failed && let Some(stale) = usable_on_error(stale) {
            return Ok(from_entry(
                &self.request.headers,
                stale,
                status,
                CacheOutcome::Stale,
            ));
        }
        let outcome = match forward {
            Forward::Request => CacheOutcome::Bypass,
            _ if self.has_credentials => CacheOutcome::Bypass,
            _ => CacheOutcome::Miss,
        };
        Ok(from_upstream(&self.request.headers, fetched?, status, outcome))
    }

    /// Responds with what the upstream returned to another request; `None` if this one has to ask itself.
    fn respond_shared(
        &self,
        outcome: &Outcome<F::Error>,
        stale: Option<&Entry>,
        forward: Forward,
    ) -> Option<Result<CacheResponse<F::Body>, F::Error>> {
        let mut status = CacheStatus::forwarded(forward);
        status.is_collapsed = true;
        let headers = &self.request.headers;
        let from_stale = |status| {
            let stale = usable_on_error(stale)?;
            Some(Ok(from_entry(headers, stale, status, CacheOutcome::Stale)))
        };
        match outcome {
            Outcome::Response(entry) | Outcome::Confirmed(entry) => {
                let is_usable = entry.usability(Instant::now()) != Usability::Stale;
                status.forward_status = Some(match outcome {
                    Outcome::Confirmed(_) => http::StatusCode::NOT_MODIFIED,
                    _ => entry.status(),
                });
                (is_usable && entry.matches(headers))
                    .then(|| Ok(from_entry(headers, entry, status, CacheOutcome::Collapsed)))
            }
            Outcome::Failure(failure) => {
                status.forward_status = Some(*failure);
                from_stale(status)
            }
            Outcome::Failed(error) => from_stale(status).or_else(|| Some(Err(error.clone()))),
            Outcome::NotShared => None,
        }
    }
}

/// The stale response, if it may replace a failure.
fn usable_on_error(stale: Option<&Entry>) -> Option<&Entry> {
    stale.filter(|stale| stale.is_usable_on_error(Instant::now()))
}

/// A request that waits. If it is dropped, it stops waiting, unless it asks the upstream.
struct Waiting<T> {
    task: JoinHandle<T>,
    is_own: Arc<AtomicBool>,
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        if !self.is_own.load(Ordering::Relaxed) {
            self.task.abort();
        }
    }
}

/// A revalidation in the background. Dropping it allows the next one.
struct Revalidation(Arc<Entry>);

impl Drop for Revalidation {
    fn drop(&mut self) {
        self.0.end_revalidation();
    }
}
