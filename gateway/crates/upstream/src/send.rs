//! Sends one request to an upstream: admission, the choice of an endpoint, retries, and the
//! response's head.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use colonnade_clock::poll;
use colonnade_web::body::RequestBody;
use colonnade_web::call_span::{CallSpans, Callee};
use colonnade_web::client::ClientKey;
use colonnade_web::stream::{EVENT_STREAM, StreamConnection};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, SEC_WEBSOCKET_ACCEPT};
use http::response::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tower::retry::budget::Budget as _;

use crate::call_state::{CallFault, CallState};
use crate::client::SendError;
use crate::connection_body::ConnectionBody;
use crate::endpoint::Endpoint;
use crate::error::{UpstreamError, describe};
use crate::event_stream::EventStream;
use crate::outcome::Outcome;
use crate::record::CallRecord;
use crate::request_body::{OutgoingBody, Upload};
use crate::request_headers::TRACEPARENT;
use crate::response_body::UpstreamBody;
use crate::stream::StreamKind;
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
    /// Whether the request is a query of a page, which takes a permit of the client's rate limit
    /// only if it is sent.
    pub(crate) is_query: bool,
    /// Starts the span of the call, if the request is traced.
    pub(crate) spans: Option<CallSpans>,
    /// The stream that the client asks for.
    pub(crate) stream: Option<StreamRequest>,
}

/// A stream that a client asks for.
pub(crate) enum StreamRequest {
    /// A WebSocket, which has its permit already.
    WebSocket {
        /// What the upstream answers to the key.
        accept: HeaderValue,
    },
    /// Server-sent events, on this connection.
    Events(StreamConnection),
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
    /// The endpoint closed a connection that was idle, without a byte of a response: probably not
    /// because of the request.
    IdleConnectionClosed,
    /// The connection failed before the first byte of a response.
    BeforeResponse,
    /// A response has started, or no time is left.
    Final,
}

impl AttemptError {
    fn no_endpoint() -> Self {
        Self {
            kind: UpstreamError::ConnectFailed,
            text: "there is no endpoint".to_owned(),
            stage: Stage::Final,
        }
    }

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

/// Whether a failed request is sent again.
#[derive(Debug, PartialEq, Eq)]
enum Retry {
    /// On a new connection, which is no retry: the request did not reach the endpoint.
    NewConnection,
    /// To another endpoint, as long as there is one.
    OtherEndpoint,
    Never,
}

/// Decides whether a request is sent again.
struct RetryPlan<'a> {
    upstream: &'a Upstream,
    may_repeat: bool,
    retries_left: u32,
    may_use_idle: bool,
    /// The endpoints where an attempt failed.
    tried: Vec<Arc<Endpoint>>,
}

impl<'a> RetryPlan<'a> {
    fn new(upstream: &'a Upstream, method: &Method, body: &OutgoingBody) -> Self {
        let may_repeat = matches!(body, OutgoingBody::Empty) && is_idempotent(method);
        Self {
            upstream,
            may_repeat,
            retries_left: if may_repeat {
                upstream.settings.max_retries
            } else {
                0
            },
            may_use_idle: true,
            tried: Vec::new(),
        }
    }

    fn has_other(&self) -> bool {
        self.may_repeat && self.tried.len() + 1 < self.upstream.endpoints.iter().len()
    }

    /// Whether there may be an attempt after this one.
    fn may_continue(&self) -> bool {
        self.retries_left > 0 || self.has_other()
    }

    /// What follows a failed attempt.
    fn next(&mut self, stage: Stage) -> Retry {
        let has_retry = self.retries_left > 0;
        match stage {
            // Each endpoint is tried once: that is no load for the others.
            Stage::Connecting if self.has_other() => Retry::OtherEndpoint,
            Stage::IdleConnectionClosed if has_retry && self.may_use_idle => {
                self.may_use_idle = false;
                Retry::NewConnection
            }
            Stage::Connecting | Stage::IdleConnectionClosed | Stage::BeforeResponse
                if has_retry && self.upstream.retry_budget.withdraw() =>
            {
                self.retries_left -= 1;
                Retry::OtherEndpoint
            }
            _ => Retry::Never,
        }
    }
}

/// A call: the attempts to send one request.
struct Call<'a, 'h> {
    upstream: &'a Arc<Upstream>,
    request: &'a mut Outgoing<'h>,
    body: OutgoingBody,
    state: Arc<CallState>,
    record: CallRecord,
    plan: RetryPlan<'a>,
}

impl Upstream {
    /// Sends a request, again to another endpoint if it fails before the response. One with a body
    /// is sent once. The result has the headers that visitors get.
    ///
    /// The future and the body are large. Boxed, they are not copied with each future around this
    /// one.
    pub(crate) fn send<'a>(
        self: &'a Arc<Self>,
        mut request: Outgoing<'a>,
        body: Option<RequestBody>,
    ) -> Pin<Box<impl Future<Output = Result<Response<Box<UpstreamBody>>, UpstreamError>>>> {
        Box::pin(async move {
            let call = self.begin(&mut request, body).await;
            let mut call = call.inspect_err(|error| self.metrics.requests.count(error.outcome()))?;
            match call.attempts().await {
                Ok(response) => call.accept(response).await,
                Err(error) => Err(call.fail(error)),
            }
        })
    }

    /// Begins a call within the limits of the upstream.
    async fn begin<'a, 'h>(
        self: &'a Arc<Self>,
        request: &'a mut Outgoing<'h>,
        body: Option<RequestBody>,
    ) -> Result<Call<'a, 'h>, UpstreamError> {
        if request.is_query {
            self.limit_rate(request.client)?;
        }
        // Before the upload is received, and before another call yields.
        self.breaker
            .check(request.client)
            .map_err(UpstreamError::CircuitOpen)?;
        let upload = Upload::receive(body).await?;
        let started_at = poll::now();
        let state = Arc::new(CallState::new(started_at, self.settings.total_timeout));
        let permit = self.begin_call(request.client, &state).await?;
        let breaker = self.breaker.try_acquire(request.client);
        let breaker = breaker.map_err(UpstreamError::CircuitOpen)?;
        let spans = request.spans.take();
        let span = spans.and_then(|CallSpans(spans)| spans.start(Callee::Upstream(&self.name)));
        if let Some(span) = &span {
            request.headers.to_mut().insert(TRACEPARENT, span.traceparent());
        }
        let body = OutgoingBody::new(upload, self.settings.max_request_bytes, &state);
        self.retry_budget.deposit();
        Ok(Call {
            upstream: self,
            plan: RetryPlan::new(self, &request.method, &body),
            request,
            body,
            state,
            record: CallRecord::new(Arc::clone(self), started_at, permit, breaker, span),
        })
    }
}

impl Call<'_, '_> {
    /// Sends the request until there is a response, or no attempt is left.
    async fn attempts(&mut self) -> Result<Response<ConnectionBody>, AttemptError> {
        loop {
            let permit = self.upstream.endpoints.pick(&self.plan.tried);
            // The configuration has at least one endpoint.
            let permit = permit.ok_or_else(AttemptError::no_endpoint)?;
            let endpoint = Arc::clone(&permit.endpoint);
            self.record.begin_attempt(permit);
            let error = match self.attempt(&endpoint).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            match self.plan.next(error.stage) {
                Retry::NewConnection => {}
                Retry::OtherEndpoint => {
                    self.record.record_attempt(error.kind.outcome().verdict());
                    self.plan.tried.push(endpoint);
                }
                Retry::Never => return Err(error),
            }
        }
    }

    /// Sends the request to one endpoint. Returns its response, whose body has not been read.
    async fn attempt(&mut self, endpoint: &Endpoint) -> Result<Response<ConnectionBody>, AttemptError> {
        let outgoing = self.outgoing(endpoint)?;
        let outcome = tokio::select! {
            biased;
            outcome = endpoint.send(outgoing, self.plan.may_use_idle) => outcome,
            fault = self.state.failed() => return Err(fault.into()),
        };
        // A fault may have come with the outcome.
        if let Some(fault) = self.state.fault() {
            return Err(fault.into());
        }
        let response = outcome?;
        if let Err(text) = self.check_switch(&response) {
            return Err(AttemptError::invalid_response(text));
        }
        let (head, body) = response.into_parts();
        if let Err(text) = framing::check(&head) {
            body.close();
            return Err(AttemptError::invalid_response(text));
        }
        Ok(Response::from_parts(head, body))
    }

    /// Checks whether a response switches the protocol if it should.
    fn check_switch<B>(&self, response: &Response<B>) -> Result<(), &'static str> {
        let switches = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        match &self.request.stream {
            Some(StreamRequest::WebSocket { accept }) if switches => {
                let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT);
                (accepted == Some(accept))
                    .then_some(())
                    .ok_or("the response is for another WebSocket")
            }
            // Over HTTP/2 the client would take it for a WebSocket.
            Some(StreamRequest::WebSocket { .. }) if response.status().is_success() => {
                Err("the response opens no WebSocket")
            }
            _ if switches => Err("the response switches the protocol"),
            _ => Ok(()),
        }
    }

    /// The request as an endpoint gets it. The last attempt takes the headers, and each one the
    /// body.
    fn outgoing(&mut self, endpoint: &Endpoint) -> Result<Request<OutgoingBody>, AttemptError> {
        let body = std::mem::replace(&mut self.body, OutgoingBody::Empty);
        let is_empty = matches!(body, OutgoingBody::Empty);
        let headers = if self.plan.may_continue() {
            self.request.headers.clone()
        } else {
            std::mem::take(&mut self.request.headers)
        };
        let mut outgoing = Request::new(body);
        *outgoing.method_mut() = self.request.method.clone();
        *outgoing.headers_mut() = headers.into_owned();
        // Joining two valid paths gives a valid path.
        endpoint
            .address(&mut outgoing, self.request.target.rest())
            .map_err(|error| AttemptError {
                kind: UpstreamError::NotFound,
                text: error.to_string(),
                stage: Stage::Final,
            })?;
        if is_empty && expects_body(&self.request.method) {
            outgoing
                .headers_mut()
                .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        request_headers::add_configured(outgoing.headers_mut(), &self.upstream.settings);
        let state = Arc::clone(&self.state);
        hyper::ext::on_informational(&mut outgoing, move |_| state.informational_received());
        Ok(outgoing)
    }

    /// Ends the call without a response.
    fn fail(self, error: AttemptError) -> UpstreamError {
        let outcome = error.kind.outcome();
        if outcome.is_endpoint_fault() {
            self.record.fail(outcome, &error.text);
        } else {
            self.record.end(outcome);
        }
        error.kind
    }

    /// Checks the head of a response.
    async fn accept(
        mut self,
        response: Response<ConnectionBody>,
    ) -> Result<Response<Box<UpstreamBody>>, UpstreamError> {
        let (mut head, mut incoming) = response.into_parts();
        self.record.response_received(head.status);
        let (settings, site) = (&self.upstream.settings, &self.upstream.site);
        let target = self.request.target.as_str();
        if let Err(error) = response_headers::sanitize(&mut head, settings, site, target) {
            let text = "the response redirects to another site";
            self.record.fail(error.outcome(), text);
            return Err(error);
        }
        let is_head = self.request.method == Method::HEAD;
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let max_bytes = self.request.max_response_bytes;
        if !is_head && length.is_some_and(|length| length > max_bytes) {
            let text = "the response is over the limit";
            self.record.fail(Outcome::ResponseTooLarge, text);
            return Err(UpstreamError::ResponseTooLarge);
        }
        if self.state.is_uploading() {
            incoming.drive_in_task();
        }
        let mut body = UpstreamBody::new(incoming, max_bytes, self.state, is_head);
        match self.request.stream.take() {
            Some(StreamRequest::WebSocket { .. }) if head.status == StatusCode::SWITCHING_PROTOCOLS => {
                body.endpoint = self.record.into_stream();
            }
            Some(StreamRequest::Events(connection)) if has_events(&head) => {
                let stream = self
                    .upstream
                    .open_stream(StreamKind::EventStream, self.request.client);
                let stream = match stream.await {
                    Ok(stream) => stream,
                    Err(error) => {
                        self.record.end(error.outcome());
                        return Err(error);
                    }
                };
                body.endpoint = self.record.into_stream();
                body.stream(EventStream::new(stream, settings, &connection));
            }
            _ => body.record(self.record),
        }
        Ok(Response::from_parts(head, Box::new(body)))
    }
}

/// Returns whether a response has server-sent events.
fn has_events(head: &Parts) -> bool {
    let content_type = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    head.status == StatusCode::OK
        && content_type.is_some_and(|value| value.starts_with(EVENT_STREAM.as_bytes()))
}

/// Returns whether requests with this method usually have a body. Without one they need
/// `Content-Length: 0` (RFC 9110, section 8.6).
fn expects_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}

/// Returns whether sending a request twice has the same effect as sending it once (RFC 9110,
/// section 9.2.2).
fn is_idempotent(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS
    )
}
