//! Sends GET and HEAD through the shared cache.

use std::sync::Arc;

use colonnade_web::body::{BrokenBody, ResponseBody};
use colonnade_web::call_span::CallSpans;
use colonnade_web::client::ClientKey;
use colonnade_web::query::Freshness;
use colonnade_web::response::Response;
use http::{Request, request};

use crate::cache::{CacheBody, CacheOutcome, CacheResponse, Fetch, Interrupted, path_and_query};
use crate::error::UpstreamError;
use crate::outcome::Outcome;
use crate::response_body::UpstreamBody;
use crate::send::Outgoing;
use crate::upstream::Upstream;

/// Sends what the cache does not have to one upstream.
#[derive(Clone)]
pub(crate) struct UpstreamFetch {
    upstream: Arc<Upstream>,
    /// What is appended to the base URL.
    rest: Arc<str>,
    client: Option<ClientKey>,
    is_query: bool,
    /// Starts the span of the call, if the visitor's request is traced.
    spans: Option<CallSpans>,
}

impl Fetch for UpstreamFetch {
    type Body = UpstreamBody;
    type Error = UpstreamError;

    async fn fetch(&self, request: request::Parts) -> Result<http::Response<UpstreamBody>, UpstreamError> {
        let outgoing = Outgoing {
            method: request.method,
            target: path_and_query(&request.uri).to_owned(),
            rest: Arc::clone(&self.rest),
            headers: request.headers,
            // Others may accept more than the request that asks.
            max_response_bytes: self.upstream.settings.max_response_bytes,
            client: self.client,
            is_query: self.is_query,
            spans: self.spans.clone(),
        };
        self.upstream.send(outgoing, None).await
    }

    fn is_shared(error: &UpstreamError) -> bool {
        !error.is_of_client()
    }
}

impl Upstream {
    /// Answers a GET or HEAD request from the cache, or sends it. The result has the headers that visitors get.
    pub(crate) async fn send_get(
        self: &Arc<Self>,
        outgoing: Outgoing,
    ) -> Result<CacheResponse<UpstreamBody>, UpstreamError> {
        let Some(cache) = &self.cache else {
            let response = self.send(outgoing, None).await?;
            return Ok(CacheResponse {
                response: response.map(CacheBody::upstream),
                outcome: CacheOutcome::Bypass,
                freshness: Freshness::default(),
            });
        };
        let (mut request, ()) = Request::new(()).into_parts();
        request.method = outgoing.method;
        // The path of a request that was routed is valid.
        request.uri = outgoing.target.parse().map_err(|_| UpstreamError::NotFound)?;
        request.headers = outgoing.headers;
        let fetch = UpstreamFetch {
            upstream: Arc::clone(self),
            rest: outgoing.rest,
            client: outgoing.client,
            is_query: outgoing.is_query,
            spans: outgoing.spans,
        };
        let served = cache.serve(request, fetch).await?;
        self.metrics.count_cache(served.outcome);
        Ok(served)
    }
}

/// The response for a visitor.
pub(crate) fn into_response(served: CacheResponse<UpstreamBody>) -> Response {
    served.response.map(|body| match body.bytes() {
        Some(bytes) => ResponseBody::from(bytes.clone()),
        None => ResponseBody::forwarded(body),
    })
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
