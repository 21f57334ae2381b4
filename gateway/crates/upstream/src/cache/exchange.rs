//! One request to an upstream, and what becomes of its response.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, IF_MODIFIED_SINCE, IF_NONE_MATCH, PRAGMA};
use http::{HeaderMap, Method, Response, StatusCode, request, response};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::body::CacheBody;
use super::entry::{Entry, Head};
use super::policy::{has_credentials, is_failure};
use super::recorder::Recorder;
use super::store::{Generation, Key};
use super::{Fetch, ResponseCache};

/// What a response is stored for.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) key: Key,
    /// The generation of the URL when the request began.
    pub(super) generation: Generation,
    /// The stale response that is validated.
    pub(super) stale: Option<Arc<Entry>>,
}

/// One request to an upstream.
pub(super) struct Exchange<F: Fetch> {
    pub(super) cache: Arc<ResponseCache<F>>,
    pub(super) fetch: F,
    pub(super) target: Target,
    pub(super) request: request::Parts,
}

/// A response for the request that asked the upstream.
pub(super) enum Fetched<F: Fetch> {
    /// The upstream confirmed the stale response.
    Confirmed { entry: Arc<Entry>, is_stored: bool },
    /// The upstream's response.
    Response {
        head: response::Parts,
        body: CacheBody<F::Body>,
        /// How long it is fresh, if it is stored.
        stored: Option<Stored>,
    },
}

/// How long a response is fresh that is being stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    pub(super) ttl: i64,
    pub(super) freshness: colonnade_web::query::Freshness,
}

/// A response for the requests that wait for the same one.
#[derive(Debug, Clone)]
pub(super) enum Outcome<E> {
    /// A complete response that was storable.
    Response(Arc<Entry>),
    /// A stale response that the upstream confirmed.
    Confirmed(Arc<Entry>),
    /// The upstream's response says that it fails.
    Failure(StatusCode),
    /// There is no response.
    Failed(E),
    /// The response is only for the request that asked.
    NotShared,
}

/// What is left to do after the head of the response.
pub(super) enum Rest<F: Fetch> {
    Nothing(Outcome<F::Error>),
    Record(Box<Recorder<F>>),
}

/// What an upstream answers to a request.
enum Answer<F: Fetch> {
    /// The stale response is right. Others may get it, too, unless the 304 forbids to store it.
    Confirmed {
        entry: Arc<Entry>,
        is_shared: bool,
    },
    Response(Response<F::Body>),
}

impl<F: Fetch> Exchange<F> {
    /// Makes the request to the end, sending the response to `first` as soon as its head is there.
    pub(super) async fn run(self, first: oneshot::Sender<Result<Fetched<F>, F::Error>>) -> Outcome<F::Error> {
        let (fetched, rest) = self.begin().await;
        // A request that was aborted needs no response. The others do.
        let _ = first.send(fetched);
        match rest {
            Rest::Nothing(outcome) => outcome,
            Rest::Record(recorder) => recorder.run().await,
        }
    }

    /// Makes the request up to the head of the response.
    pub(super) async fn begin(mut self) -> (Result<Fetched<F>, F::Error>, Rest<F>) {
        let requested = Instant::now();
        let response = match self.send(requested).await {
            Ok(Answer::Response(response)) => response,
            Ok(Answer::Confirmed { entry, is_shared }) => {
                let outcome = if is_shared {
                    Outcome::Confirmed(Arc::clone(&entry))
                } else {
                    Outcome::NotShared
                };
                let fetched = Fetched::Confirmed {
                    entry,
                    is_stored: is_shared,
                };
                return (Ok(fetched), Rest::Nothing(outcome));
            }
            Err(error) => return (Err(error.clone()), Rest::Nothing(Outcome::Failed(error))),
        };
        let (head, body) = response.into_parts();
        let Some(stored_head) = Head::new(&self.request, &head, requested) else {
            let outcome = self.refuse(head.status);
            let fetched = Fetched::Response {
                head,
                body: CacheBody::upstream(body),
                stored: None,
            };
            return (Ok(fetched), Rest::Nothing(outcome));
        };
        let now = Instant::now();
        let stored = Stored {
            ttl: stored_head.ttl(now),
            freshness: stored_head.freshness(now),
        };
        let (body, recorder) = Recorder::new(&self.cache, self.target.clone(), stored_head, body);
        let fetched = Fetched::Response {
            body,
            stored: recorder.is_some().then_some(stored),
            head,
        };
        let rest = match recorder {
            Some(recorder) => Rest::Record(Box::new(recorder)),
            None => Rest::Nothing(self.refuse(StatusCode::OK)),
        };
        (Ok(fetched), rest)
    }

    /// Sends the request. Without a stale response that can be confirmed, a 304 is a response like others.
    async fn send(&mut self, requested: Instant) -> Result<Answer<F>, F::Error> {
        let response = self.fetch.fetch(&self.request).await?;
        let Some(stale) = self.target.stale.clone() else {
            return Ok(Answer::Response(response));
        };
        if response.status() != StatusCode::NOT_MODIFIED {
            return Ok(Answer::Response(response));
        }
        let (head, _) = response.into_parts();
        if let Some((head, may_be_stored)) = stale.updated(&self.request, &head, requested) {
            let reservation = self.cache.budget.reserve(head.weight());
            let is_shared = may_be_stored && reservation.is_some();
            let entry = Arc::new(Entry::new(head, stale.body(), reservation));
            if is_shared {
                let Target { key, generation, .. } = &self.target;
                self.cache.store.put(key, *generation, &entry);
            } else {
                self.refuse(StatusCode::OK);
            }
            return Ok(Answer::Confirmed { entry, is_shared });
        }
        // RFC 9111, section 4.3.4: the 304 is about another representation, so the stored one is of no use.
        remove_preconditions(&mut self.request.headers);
        self.fetch.fetch(&self.request).await.map(Answer::Response)
    }

    /// Records that a response is not stored.
    fn refuse(&self, status: StatusCode) -> Outcome<F::Error> {
        if is_failure(status) {
            return Outcome::Failure(status);
        }
        // A response to one visitor says nothing about the one to all.
        if status != StatusCode::NOT_MODIFIED && !has_credentials(&self.request.headers) {
            let Target {
                key,
                generation,
                stale,
            } = &self.target;
            self.cache.store.set_uncacheable(key, *generation, stale.as_ref());
        }
        Outcome::NotShared
    }
}

/// The request to the upstream for a request whose response others may get: without preconditions and cache directives of the
/// visitor, and with the validators of the stale response.
pub(super) fn shared_request(visitor: &request::Parts, stale: Option<&Entry>) -> request::Parts {
    let mut request = as_get(visitor.clone());
    remove_preconditions(&mut request.headers);
    for name in [CACHE_CONTROL, PRAGMA] {
        request.headers.remove(name);
    }
    if let Some(stale) = stale {
        stale.add_validators(&mut request.headers);
    }
    request
}

/// The request with method GET: the response to HEAD is that to GET without its body.
pub(super) fn as_get(mut request: request::Parts) -> request::Parts {
    request.method = Method::GET;
    request
}

fn remove_preconditions(headers: &mut HeaderMap) {
    for name in [IF_NONE_MATCH, IF_MODIFIED_SINCE] {
        headers.remove(name);
    }
}
