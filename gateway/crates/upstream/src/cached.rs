//! Sends GET and HEAD through the shared cache.

use std::borrow::Cow;
use std::sync::Arc;

use colonnade_web::body::{BrokenBody, ResponseBody};
use colonnade_web::call_span::CallSpans;
use colonnade_web::client::ClientKey;
use colonnade_web::query::Freshness;
use colonnade_web::response::Response;
use http::{HeaderMap, Request, request};

use crate::cache::{CacheBody, CacheOutcome, CacheResponse, Fetch, Interrupted, VisitorRequest};
use crate::error::UpstreamError;
use crate::outcome::Outcome;
use crate::request_headers;
use crate::response_body::UpstreamBody;
use crate::send::Outgoing;
use crate::target::Target;
use crate::upstream::Upstream;

/// Sends what the cache does not have to one upstream.
#[derive(Clone)]
pub(crate) struct UpstreamFetch {
    upstream: Arc<Upstream>,
    target: Target,
    client: Option<ClientKey>,
    is_query: bool,
    /// Starts the span of the call, if the visitor's request is traced.
    spans: Option<CallSpans>,
}

impl Fetch for UpstreamFetch {
    type Body = Box<UpstreamBody>;
    type Error = UpstreamError;

    async fn fetch(&self, request: &request::Parts) -> Result<http::Response<Self::Body>, UpstreamError> {
        let outgoing = Outgoing {
            method: request.method.clone(),
            target: self.target.clone(),
            headers: Cow::Borrowed(&request.headers),
            // Others may accept more than the request that asks.
            max_response_bytes: self.upstream.settings.max_response_bytes,
            client: self.client,
            is_query: self.is_query,
            spans: self.spans.clone(),
            stream: None,
        };
        self.upstream.send(outgoing, None).await
    }

    fn is_shared(error: &UpstreamError) -> bool {
        !error.is_of_client()
    }

    fn not_cached() -> UpstreamError {
        UpstreamError::NotCached
    }
}

impl Upstream {
    /// Answers a visitor's GET or HEAD request, if the cache has a fresh response that can be told
    /// from the visitor's headers alone. That is most hits, and spares them the headers for the
    /// upstream.
    pub(crate) fn find_hit(
        &self,
        target: &Target,
        visitor: &HeaderMap,
    ) -> Option<CacheResponse<Box<UpstreamBody>>> {
        let cache = self.cache.as_ref()?;
        let has_credentials = request_headers::may_have_credentials(visitor, &self.settings);
        let hit = cache.find_hit(target.as_str(), visitor, has_credentials)?;
        self.metrics.cache.count(hit.outcome);
        Some(hit)
    }

    /// Answers a GET or HEAD request from the cache, or sends it. The result has the headers that
    /// visitors get.
    pub(crate) fn send_get<'a>(
        self: &'a Arc<Self>,
        outgoing: Outgoing<'a>,
    ) -> impl Future<Output = Result<CacheResponse<Box<UpstreamBody>>, UpstreamError>> {
        // Outside of the future, which would keep the request several times.
        let asked = match &self.cache {
            Some(cache) => Ok((cache, self.visitor_request(outgoing))),
            None => Err(self.send(outgoing, None)),
        };
        async move {
            let (cache, request) = match asked {
                Ok(asked) => asked,
                Err(sent) => {
                    return Ok(CacheResponse {
                        response: sent.await?.map(CacheBody::upstream),
                        outcome: CacheOutcome::Bypass,
                        freshness: Freshness::default(),
                    });
                }
            };
            let served = cache.serve(&request).await.inspect_err(|error| {
                // Other requests are counted where they are sent.
                if *error == UpstreamError::NotCached {
                    self.metrics.requests.count(error.outcome());
                }
            })?;
            self.metrics.cache.count(served.outcome);
            Ok(served)
        }
    }

    /// A request as the cache gets it.
    fn visitor_request(self: &Arc<Self>, outgoing: Outgoing<'_>) -> VisitorRequest<UpstreamFetch> {
        let (mut request, ()) = Request::new(()).into_parts();
        request.method = outgoing.method;
        request.uri = outgoing.target.uri();
        request.headers = outgoing.headers.into_owned();
        let fetch = UpstreamFetch {
            upstream: Arc::clone(self),
            target: outgoing.target,
            client: outgoing.client,
            is_query: outgoing.is_query,
            spans: outgoing.spans,
        };
        VisitorRequest::new(request, fetch)
    }
}

/// The response for a visitor.
pub(crate) fn into_response(served: CacheResponse<Box<UpstreamBody>>) -> Response {
    Response::new(served.response.map(|body| match body.bytes() {
        Some(bytes) => ResponseBody::from(bytes.clone()),
        None => ResponseBody::forwarded(body),
    }))
}

impl From<Interrupted> for BrokenBody {
    fn from(Interrupted: Interrupted) -> Self {
        Self(Outcome::Broken.name())
    }
}

impl From<BrokenBody> for UpstreamError {
    fn from(BrokenBody(cause): BrokenBody) -> Self {
        if cause == Outcome::TimedOut.name() {
            Self::TimedOut
        } else if cause == Outcome::ResponseTooLarge.name() {
            Self::ResponseTooLarge
        } else {
            Self::InvalidResponse
        }
    }
}
