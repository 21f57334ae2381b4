//! Forwards a visitor's request to an upstream.

use std::borrow::Cow;
use std::sync::Arc;

use colonnade_web::body::{RequestBody, ResponseBody};
use colonnade_web::origin;
use colonnade_web::problem::{Audience, respond};
use colonnade_web::request::Head;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, ServedBy, empty};
use colonnade_web::stream::{StreamConnection, accepts_events};
use http::header::{ALLOW, CONTENT_LENGTH};
use http::{Method, StatusCode};
use http_body::Body as _;

use crate::cached;
use crate::error::UpstreamError;
use crate::hop_by_hop;
use crate::send::{Outgoing, StreamRequest};
use crate::target::Target;
use crate::upstream::Upstream;
use crate::websocket::is_websocket;
use crate::{request_headers, response_headers};

impl Upstream {
    /// Forwards a request, and returns the response, or an error for `audience`.
    pub(crate) async fn forward(
        self: &Arc<Self>,
        head: &Head,
        target: Target,
        body: RequestBody,
        audience: Audience,
    ) -> Response {
        let result = if self.settings.websocket && is_websocket(head) {
            self.open_websocket(head, &body, target).await
        } else {
            match self.check(head, &body) {
                Ok(Some(options)) => Ok(options),
                Ok(None) => self.exchange(head, target, body).await,
                Err(error) => {
                    self.metrics.requests.count(error.outcome());
                    Err(error)
                }
            }
        };
        let mut response = result.unwrap_or_else(|error| respond(&error, audience));
        ServedBy::of(&mut response).upstream = Some(Arc::clone(&self.name));
        response
    }

    /// Answers a request that passed the checks: from the cache, or by the upstream.
    async fn exchange(
        self: &Arc<Self>,
        head: &Head,
        target: Target,
        body: RequestBody,
    ) -> Result<Response, UpstreamError> {
        // The cache would not store server-sent events.
        let is_get = matches!(head.method, Method::GET | Method::HEAD) && !accepts_events(&head.headers);
        let hit = is_get.then(|| self.find_hit(&target, &head.headers)).flatten();
        let mut response = if let Some(hit) = hit {
            cached::into_response(hit)
        } else if is_get {
            cached::into_response(self.send_get(self.outgoing(head, target)).await?)
        } else {
            let body = (!body.is_end_stream()).then_some(body);
            let response = self.send(self.outgoing(head, target), body).await?;
            let is_stream = response.body().is_stream();
            let mut response = Response::new(response.map(ResponseBody::forwarded));
            response.body_mut().has_permit = is_stream;
            if let Some(cache) = &self.cache {
                let status = response.status();
                cache.record_forwarded(head, status, response.headers_mut());
            }
            response
        };
        response_headers::forbid_heuristic_caching(response.headers_mut());
        Ok(response)
    }

    /// The request that the upstream gets for a visitor's.
    fn outgoing(&self, head: &Head, target: Target) -> Outgoing<'static> {
        Outgoing {
            method: head.method.clone(),
            target,
            headers: Cow::Owned(request_headers::of_client(
                head,
                &self.settings,
                &self.origin_headers,
            )),
            max_response_bytes: self.settings.max_response_bytes,
            client: Some(head.client.key()),
            is_query: false,
            spans: request_scope::call_spans(),
            stream: asked_events(head).map(StreamRequest::Events),
        }
    }

    /// Checks a request before anything is sent. Returns the response to OPTIONS.
    fn check(&self, head: &Head, body: &RequestBody) -> Result<Option<Response>, UpstreamError> {
        if head.method == Method::OPTIONS {
            let mut response = empty(StatusCode::NO_CONTENT);
            response.headers_mut().insert(ALLOW, self.allow.clone());
            return Ok(Some(response));
        }
        if head.method == Method::CONNECT || hop_by_hop::asks_for_upgrade(&head.headers) {
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
        self.limit_rate(Some(head.client.key()))?;
        if is_safe && !body.is_end_stream() {
            return Err(UpstreamError::UnexpectedBody);
        }
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let max_bytes = self.settings.max_request_bytes;
        if length.is_some_and(|length| length > max_bytes) {
            return Err(UpstreamError::RequestTooLarge { max_bytes });
        }
        Ok(None)
    }
}

/// The connection of a client that asks for server-sent events.
fn asked_events(head: &Head) -> Option<StreamConnection> {
    let connection = head.extensions.get().cloned();
    connection.filter(|_| accepts_events(&head.headers))
}
