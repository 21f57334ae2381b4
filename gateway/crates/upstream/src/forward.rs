//! Forwards a visitor's request to an upstream.

use std::sync::Arc;

use colonnade_web::body::{RequestBody, ResponseBody};
use colonnade_web::client::client_key;
use colonnade_web::origin;
use colonnade_web::problem::{Audience, respond};
use colonnade_web::request_scope;
use colonnade_web::response::{Response, UpstreamName, empty};
use http::header::{ALLOW, CONTENT_LENGTH};
use http::request::Parts;
use http::{Method, StatusCode};
use http_body::Body as _;

use crate::cache::path_and_query;
use crate::cached;
use crate::error::UpstreamError;
use crate::hop_by_hop;
use crate::send::Outgoing;
use crate::upstream::Upstream;
use crate::{request_headers, response_headers};

impl Upstream {
    /// Forwards a request, and returns the response, or an error for `audience`. `rest` is the path after the prefix, with the query.
    pub(crate) async fn forward(
        self: &Arc<Self>,
        head: &Parts,
        rest: String,
        body: RequestBody,
        audience: Audience,
    ) -> Response {
        let result = match self.check(head, &body) {
            Ok(Some(options)) => Ok(options),
            Ok(None) => self.exchange(head, rest, body).await,
            Err(error) => {
                self.metrics.count(error.outcome());
                Err(error)
            }
        };
        let mut response = result.unwrap_or_else(|error| respond(&error, audience));
        response
            .extensions_mut()
            .insert(UpstreamName(Arc::clone(&self.name)));
        response
    }

    async fn exchange(
        self: &Arc<Self>,
        head: &Parts,
        rest: String,
        body: RequestBody,
    ) -> Result<Response, UpstreamError> {
        let request = Outgoing {
            method: head.method.clone(),
            target: path_and_query(&head.uri).to_owned(),
            rest: rest.into(),
            headers: request_headers::of_client(head, &self.settings, &self.site),
            max_response_bytes: self.settings.max_response_bytes,
            client: client_key(&head.extensions),
            is_query: false,
            spans: request_scope::call_spans(),
        };
        let mut response = if matches!(head.method, Method::GET | Method::HEAD) {
            cached::into_response(self.send_get(request).await?)
        } else {
            let body = (!body.is_end_stream()).then_some(body);
            let mut response = self.send(request, body).await?.map(ResponseBody::forwarded);
            if let Some(cache) = &self.cache {
                let status = response.status();
                cache.record_forwarded(&head.method, &head.uri, status, response.headers_mut());
            }
            response
        };
        response_headers::forbid_heuristic_caching(response.headers_mut());
        Ok(response)
    }

    /// Checks a request before anything is sent. Returns the response to OPTIONS.
    fn check(&self, head: &Parts, body: &RequestBody) -> Result<Option<Response>, UpstreamError> {
        if head.method == Method::OPTIONS {
            let mut response = empty(StatusCode::NO_CONTENT);
            response.headers_mut().insert(ALLOW, self.allow.clone());
            return Ok(Some(response));
        }
        if hop_by_hop::asks_for_upgrade(&head.headers) {
            return Err(UpstreamError::Upgrade);
        }
        if !self.settings.methods.contains(&head.method) {
            let allow = self.allow.clone();
            return Err(UpstreamError::MethodNotAllowed { allow });
        }
        let is_safe = head.method.is_safe();
        if !is_safe && !origin::is_same_origin(&head.uri, &head.headers, self.site.scheme()) {
            return Err(UpstreamError::CrossOrigin);
        }
        self.limit_rate(client_key(&head.extensions))?;
        if is_safe && !body.is_end_stream() {
            return Err(UpstreamError::UnexpectedBody);
        }
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > self.settings.max_request_bytes) {
            return Err(UpstreamError::RequestTooLarge);
        }
        Ok(None)
    }
}
