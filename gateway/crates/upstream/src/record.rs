//! The record of one call: what it holds while it lasts, and what is counted and logged at its end.

use std::sync::Arc;

use colonnade_clock::poll;
use colonnade_web::call_span::CallSpan;
use colonnade_web::request_scope::{self, RequestScope};
use http::StatusCode;
use tokio::time::Instant;

use crate::circuit_breaker::BreakerPermit;
use crate::endpoint::EndpointPermit;
use crate::outcome::Outcome;
use crate::upstream::{CallPermit, Upstream, UpstreamBreaker};

/// A call in progress. Dropped without a result, its client has closed the connection.
pub(crate) struct CallRecord {
    upstream: Arc<Upstream>,
    started_at: Instant,
    #[expect(dead_code, reason = "it is released on drop")]
    permit: CallPermit,
    breaker: Option<BreakerPermit<UpstreamBreaker>>,
    endpoint: Option<EndpointPermit>,
    scope: Option<RequestScope>,
    span: Option<Box<dyn CallSpan>>,
    retries: u32,
    status: Option<StatusCode>,
    outcome: Outcome,
}

impl CallRecord {
    /// Begins a call.
    pub(crate) fn new(
        upstream: Arc<Upstream>,
        started_at: Instant,
        permit: CallPermit,
        breaker: BreakerPermit<UpstreamBreaker>,
        span: Option<Box<dyn CallSpan>>,
    ) -> Self {
        Self {
            upstream,
            started_at,
            permit,
            breaker: Some(breaker),
            endpoint: None,
            scope: request_scope::current(),
            span,
            retries: 0,
            status: None,
            outcome: Outcome::ClientClosed,
        }
    }

    /// The call is sent to this endpoint, after a failure at the one before.
    pub(crate) fn begin_attempt(&mut self, endpoint: EndpointPermit) {
        if self.endpoint.replace(endpoint).is_some() {
            self.upstream.metrics.retries.inc();
            self.retries += 1;
        }
    }

    /// Records that the endpoint has failed, or served the call.
    pub(crate) fn record_attempt(&self, is_success: bool) {
        if let Some(permit) = &self.endpoint {
            self.upstream.endpoints.record(&permit.endpoint, is_success);
        }
    }

    /// The response has begun.
    pub(crate) fn response_received(&mut self, status: StatusCode) {
        self.status = Some(status);
    }

    /// Ends the call with a complete response. An upstream that says that it cannot serve requests has failed.
    pub(crate) fn succeed(mut self) {
        let status = self.status.unwrap_or_default();
        let is_available = !matches!(status.as_u16(), 502..=504);
        self.record_attempt(is_available);
        self.record_breaker(is_available);
        self.outcome = Outcome::of_status(status);
    }

    /// Ends the call with a failure of the upstream. `error` contains nothing of the request or the response.
    pub(crate) fn fail(mut self, outcome: Outcome, error: &str) {
        // Otherwise the content of this one response is the problem.
        let is_available = !outcome.is_endpoint_fault();
        self.record_attempt(is_available);
        self.record_breaker(is_available);
        self.outcome = outcome;
        let upstream = &*self.upstream.name;
        let endpoint = self.endpoint.as_ref().map(|permit| permit.endpoint.name());
        request_scope::within_now(self.scope.take(), || {
            let cause = outcome.name();
            tracing::warn!(event = "upstream_failed", upstream, endpoint, cause, error);
        });
    }

    /// Ends the call because of its client, or of the content of one response. That says nothing about the upstream.
    pub(crate) fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }

    fn record_breaker(&mut self, is_success: bool) {
        if let Some(permit) = self.breaker.take() {
            permit.record(is_success);
        }
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        let metrics = &self.upstream.metrics;
        metrics.record(self.outcome, poll::now().duration_since(self.started_at));
        if let Some(span) = self.span.take() {
            let status = self.status.map(|status| status.as_u16());
            let is_error = self.outcome.is_upstream_failure();
            span.end(self.outcome.name(), status, self.retries, is_error);
        }
    }
}
