//! Sends one request to an upstream: admission, the choice of an endpoint, retries, and the response's head.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use colonnade_clock::poll;
use colonnade_web::body::RequestBody;
use colonnade_web::call_span::CallSpans;
use colonnade_web::client::ClientKey;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tower::retry::budget::Budget as _;

use crate::call_state::{CallFault, CallState};
use crate::client::{SendError, describe};
use crate::connection::ConnectionBody;
use crate::endpoint::Endpoint;
use crate::error::UpstreamError;
use crate::outcome::Outcome;
use crate::record::CallRecord;
use crate::request_body::{OutgoingBody, Upload};
use crate::request_headers::TRACEPARENT;
use crate::response_body::UpstreamBody;
use crate::target::Target;
use crate::upstream::Upstream;
use crate::{framing, request_headers, response_headers};

/// A request for an upstream.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) target: Target,
    /// The headers as the upstream gets them, without those that the configuration adds.
    pub(crate) headers: Cow<'a, HeaderMap>,
    /// The maximum size of the response's body.
    pub(crate) max_response_bytes: usize,
    /// The client that causes the request, if it is known. Limits per client count it.
    pub(crate) client: Option<ClientKey>,
    /// Whether the request is a query of a page, which takes a permit of the client's rate limit only if it is sent.
    pub(crate) is_query: bool,
    /// Starts the span of the call, if the request is traced.
    pub(crate) spans: Option<CallSpans>,
}

/// Why one attempt fails.
struct AttemptError {
    kind: UpstreamError,
    /// The cause, for the log.
    text: String,
    stage: Stage,
}

/// How far a failed attempt has come.
#[derive(Clone, Copy)]
enum Stage {
    /// There was no connection.
    Connecting,
    /// The endpoint closed a connection that was idle, without a byte of a response: probably not because of the request.
    IdleConnectionClosed,
    /// The connection failed before the first byte of a response.
    BeforeResponse,
    /// A response has begun, or no time is left.
    Final,
}

impl AttemptError {
    fn invalid_response(text: &str) -> Self {
        Self {
            kind: UpstreamError::InvalidResponse,
            text: text.to_owned(),
            stage: Stage::Final,
        }
    }
}

impl From<CallFault> for AttemptError {
    fn from(fault: CallFault) -> Self {
        Self {
            kind: fault.into(),
            text: fault.to_string(),
            stage: Stage::Final,
        }
    }
}

impl From<SendError> for AttemptError {
    fn from(error: SendError) -> Self {
        let (kind, stage) = match &error {
            SendError::Connect(_) => (UpstreamError::ConnectFailed, Stage::Connecting),
            SendError::Exchange {
                has_received: true, ..
            } => (UpstreamError::InvalidResponse, Stage::Final),
            SendError::Exchange { was_idle: true, .. } => {
                (UpstreamError::InvalidResponse, Stage::IdleConnectionClosed)
            }
            SendError::Exchange { .. } => (UpstreamError::InvalidResponse, Stage::BeforeResponse),
        };
        let text = describe(&error);
        Self { kind, text, stage }
    }
}

impl Upstream {
    /// Sends a request, again to another endpoint if it fails before the response. One with a body is sent once. The result has
    /// the headers that visitors get.
    ///
    /// The future and the body are large. Boxed, they are not copied with each future around this one.
    pub(crate) fn send(
        self: &Arc<Self>,
        request: Outgoing<'_>,
        body: Option<RequestBody>,
    ) -> Pin<Box<impl Future<Output = Result<Response<Box<UpstreamBody>>, UpstreamError>>>> {
        Box::pin(self.call(request, body))
    }

    async fn call(
        self: &Arc<Self>,
        mut request: Outgoing<'_>,
        body: Option<RequestBody>,
    ) -> Result<Response<Box<UpstreamBody>>, UpstreamError> {
        let reject = |error: UpstreamError| {
            self.metrics.count(error.outcome());
            error
        };
        if request.is_query {
            self.limit_rate(request.client).map_err(reject)?;
        }
        let open = |wait| reject(UpstreamError::CircuitOpen(wait));
        // Before the upload is received, and before another call gives way.
        self.breaker.check(request.client).map_err(open)?;
        let upload = Upload::receive(body).await.map_err(reject)?;
        let started_at = poll::now();
        let state = Arc::new(CallState::new(started_at, self.settings.total_timeout));
        let permit = self.begin_call(request.client, &state).await.map_err(reject)?;
        let breaker = self.breaker.try_acquire(request.client).map_err(open)?;
        let span = request
            .spans
            .take()
            .map(|CallSpans(spans)| spans.start(&self.name));
        if let Some(span) = &span {
            request.headers.to_mut().insert(TRACEPARENT, span.traceparent());
        }
        let mut record = CallRecord::new(Arc::clone(self), started_at, permit, breaker, span);
        let mut body = OutgoingBody::new(upload, self.settings.max_request_bytes, &state);
        self.retry_budget.deposit();
        let may_repeat = matches!(body, OutgoingBody::Empty) && is_idempotent(&request.method);
        let max_retries = if may_repeat { self.settings.max_retries } else { 0 };
        let mut retries = 0;
        let mut may_use_idle = true;
        let mut tried: Vec<Arc<Endpoint>> = Vec::new();
        loop {
            let Some(permit) = self.endpoints.pick(&tried) else {
                // The configuration has at least one endpoint.
                return Err(UpstreamError::ConnectFailed);
            };
            let endpoint = Arc::clone(&permit.endpoint);
            record.begin_attempt(permit);
            let has_retry = retries < max_retries;
            let has_other = may_repeat && tried.len() + 1 < self.endpoints.iter().len();
            let headers = if has_retry || has_other {
                request.headers.clone()
            } else {
                std::mem::take(&mut request.headers)
            };
            let attempt = self.attempt(
                &request,
                headers.into_owned(),
                &endpoint,
                may_use_idle,
                std::mem::replace(&mut body, OutgoingBody::Empty),
                &state,
            );
            let error = match attempt.await {
                Ok(response) => return self.accept(response, &request, state, record),
                Err(error) => error,
            };
            match error.stage {
                // Each endpoint is tried once: that is no load for the others.
                Stage::Connecting if has_other => {}
                Stage::IdleConnectionClosed if has_retry && may_use_idle => {
                    may_use_idle = false;
                    continue;
                }
                Stage::Connecting | Stage::IdleConnectionClosed | Stage::BeforeResponse
                    if has_retry && self.retry_budget.withdraw() =>
                {
                    retries += 1;
                }
                _ => {
                    let outcome = error.kind.outcome();
                    if outcome.is_endpoint_fault() {
                        record.fail(outcome, &error.text);
                    } else {
                        record.end(outcome);
                    }
                    return Err(error.kind);
                }
            }
            record.record_attempt(error.kind.outcome().verdict());
            tried.push(endpoint);
        }
    }

    /// Sends a request to one endpoint. Returns its response, whose body has not been read.
    async fn attempt(
        &self,
        request: &Outgoing<'_>,
        headers: HeaderMap,
        endpoint: &Endpoint,
        may_use_idle: bool,
        body: OutgoingBody,
        state: &Arc<CallState>,
    ) -> Result<Response<ConnectionBody>, AttemptError> {
        let is_empty = matches!(body, OutgoingBody::Empty);
        let mut outgoing = Request::new(body);
        *outgoing.method_mut() = request.method.clone();
        // A path that was valid remains valid after another one.
        *outgoing.uri_mut() = endpoint
            .uri(request.target.rest())
            .map_err(|error| AttemptError {
                kind: UpstreamError::NotFound,
                text: error.to_string(),
                stage: Stage::Final,
            })?;
        *outgoing.headers_mut() = headers;
        if is_empty && expects_body(&request.method) {
            outgoing
                .headers_mut()
                .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        request_headers::add_configured(outgoing.headers_mut(), &self.settings);
        hyper::ext::on_informational(&mut outgoing, {
            let state = Arc::clone(state);
            move |_| state.informational_received()
        });
        let outcome = tokio::select! {
            biased;
            outcome = endpoint.send(outgoing, may_use_idle) => outcome,
            fault = state.failed() => return Err(fault.into()),
        };
        // A fault may have come with the outcome.
        if let Some(fault) = state.fault() {
            return Err(fault.into());
        }
        let response = outcome?;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(AttemptError::invalid_response(
                "the response switches the protocol",
            ));
        }
        let (head, body) = response.into_parts();
        if let Err(text) = framing::check(&head) {
            body.close();
            return Err(AttemptError::invalid_response(text));
        }
        Ok(Response::from_parts(head, body))
    }

    /// Checks the head of a response.
    fn accept(
        &self,
        response: Response<ConnectionBody>,
        request: &Outgoing<'_>,
        state: Arc<CallState>,
        mut record: CallRecord,
    ) -> Result<Response<Box<UpstreamBody>>, UpstreamError> {
        let (mut head, mut incoming) = response.into_parts();
        record.response_received(head.status);
        let target = request.target.as_str();
        if let Err(error) = response_headers::sanitize(&mut head, &self.settings, &self.site, target) {
            record.fail(error.outcome(), "the response redirects to another site");
            return Err(error);
        }
        let is_head = request.method == Method::HEAD;
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let max_bytes = request.max_response_bytes;
        if !is_head && length.is_some_and(|length| length > max_bytes) {
            record.fail(Outcome::ResponseTooLarge, "the response is over the limit");
            return Err(UpstreamError::ResponseTooLarge);
        }
        if state.is_uploading() {
            incoming.drive_in_task();
        }
        let body = UpstreamBody::new(incoming, max_bytes, state, is_head, record);
        Ok(Response::from_parts(head, Box::new(body)))
    }
}

/// Returns whether requests with this method usually have a body. Without one they need `Content-Length: 0` (RFC 9110,
/// section 8.6).
fn expects_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}

/// Returns whether sending a request twice has the same effect as sending it once (RFC 9110, section 9.2.2).
fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS
    )
}
