//! The record of one call: what it holds while it lasts, and what is counted and logged at its end.

use std::sync::Arc;

use colonnade_clock::poll;
use colonnade_web::call_span::{CallEnd, CallSpan};
use colonnade_web::request_scope::{self, RequestScope};
use http::StatusCode;
use tokio::time::Instant;

use crate::circuit_breaker::{BreakerPermit, Verdict};
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

    /// Records what an attempt says about its endpoint.
    pub(crate) fn record_attempt(&self, verdict: Verdict) {
        if let Some(permit) = &self.endpoint {
            let client = self.breaker.as_ref().and_then(|permit| permit.client);
            let endpoints = &self.upstream.endpoints;
            endpoints.record(&permit.endpoint, client, verdict);
        }
    }

    /// The response has started.
    pub(crate) fn response_received(&mut self, status: StatusCode) {
        self.status = Some(status);
    }

    /// Ends the call with a complete response. By default that is a success, whatever the status:
    /// an upstream may answer one client with 503, as rate limits do.
    pub(crate) fn succeed(mut self) {
        let status = self.status.unwrap_or_default();
        let statuses = &self.upstream.settings.breaker_statuses;
        let verdict = if statuses.contains(&status) {
            Verdict::Failed
        } else {
            Verdict::Served
        };
        self.record_verdict(verdict);
        self.outcome = Outcome::of_status(status);
    }

    /// Ends the call with the head of a response that goes on as a stream. Returns what the stream
    /// still holds.
    pub(crate) fn into_stream(mut self) -> Option<EndpointPermit> {
        self.record_verdict(Verdict::Served);
        self.outcome = Outcome::of_status(self.status.unwrap_or_default());
        self.endpoint.take()
    }

    /// Ends the call with a failure of the upstream. `error` contains nothing of the request or the
    /// response.
    pub(crate) fn fail(mut self, outcome: Outcome, error: &str) {
        self.record_verdict(outcome.verdict());
        self.outcome = outcome;
        let upstream = &*self.upstream.name;
        let endpoint = self.endpoint.as_ref().map(|permit| permit.endpoint.name());
        request_scope::within_now(self.scope.take(), || {
            let cause = outcome.name();
            tracing::warn!(event = "upstream_failed", upstream, endpoint, cause, error);
        });
    }

    /// Ends the call because of its client, or of the content of one response. That says nothing
    /// about the upstream.
    pub(crate) fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }

    fn record_verdict(&mut self, verdict: Verdict) {
        self.record_attempt(verdict);
        if let Some(permit) = self.breaker.take() {
            permit.record(verdict);
        }
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        let metrics = &self.upstream.metrics;
        metrics.record(self.outcome, poll::now().duration_since(self.started_at));
        if let Some(span) = self.span.take() {
            span.end(CallEnd {
                outcome: self.outcome.name(),
                is_error: self.outcome.is_upstream_failure(),
                status: self.status.map(|status| status.as_u16()),
                retries: self.retries,
            });
        }
    }
}
