//! The queries of pages: JSON that the gateway itself requests.

use std::error::Error;
use std::sync::Arc;

use colonnade_model::release::ReleaseId;
use colonnade_web::body::{BrokenBody, ReadBodyError, read_to_end};
use colonnade_web::problem::Problem as _;
use colonnade_web::query::{Freshness, QueryResult, parse_value};
use colonnade_web::request_scope;
use http::{Method, StatusCode};

use crate::outcome::Outcome;
use crate::request_headers;
use crate::send::Outgoing;
use crate::upstream::Upstream;

/// The maximum size of a result in bytes. It becomes a part of the page.
const MAX_RESULT_BYTES: usize = 256 * 1024;

/// What became of a query, as metrics count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueryOutcome {
    /// The result is JSON.
    Ok,
    /// The response has another status than 200, or there is none.
    Failed,
    /// The response is not JSON.
    InvalidJson,
    /// The JSON does not fit the schema of the page. Counted in addition to `Ok`.
    SchemaMismatch,
}

impl QueryOutcome {
    /// All outcomes.
    pub(crate) const ALL: [Self; 4] = [Self::Ok, Self::Failed, Self::InvalidJson, Self::SchemaMismatch];

    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::InvalidJson => "invalid_json",
            Self::SchemaMismatch => "schema_mismatch",
        }
    }
}

impl Upstream {
    /// Requests JSON without cookies and authorization. `target` is the whole path and query, and `rest` what follows the
    /// prefix.
    pub(crate) async fn query(self: &Arc<Self>, target: &str, rest: String) -> QueryResult {
        let revision = self.cache.as_ref().map(|cache| cache.revision(target));
        let (bytes, freshness) = match self.fetch(target, rest).await {
            Ok(fetched) => fetched,
            Err(status) => {
                self.metrics.count_query(QueryOutcome::Failed);
                return QueryResult::failed(status.as_u16());
            }
        };
        // The error is not logged: it could quote the response.
        let Ok(value) = parse_value(&bytes) else {
            let outcome = QueryOutcome::InvalidJson;
            self.metrics.count_query(outcome);
            let (upstream, cause) = (&*self.name, outcome.name());
            tracing::warn!(event = "upstream_query_invalid", upstream, cause);
            return QueryResult::failed(StatusCode::BAD_GATEWAY.as_u16());
        };
        self.metrics.count_query(QueryOutcome::Ok);
        QueryResult {
            outcome: Ok(Arc::from(value)),
            freshness,
            revision,
        }
    }

    /// Records that a result does not fit the schema of a page of this release.
    pub(crate) fn record_mismatch(&self, release: &ReleaseId) {
        let outcome = QueryOutcome::SchemaMismatch;
        self.metrics.count_query(outcome);
        let (upstream, cause) = (&*self.name, outcome.name());
        tracing::warn!(event = "upstream_query_invalid", upstream, cause, %release);
    }

    /// Returns the body of the response and how long it may be used, or the status that says why there is none.
    async fn fetch(self: &Arc<Self>, target: &str, rest: String) -> Result<(Vec<u8>, Freshness), StatusCode> {
        if !self.settings.methods.contains(&Method::GET) {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        let request = Outgoing {
            method: Method::GET,
            target: target.to_owned(),
            rest: rest.into(),
            headers: request_headers::of_query(),
            max_response_bytes: self.settings.max_response_bytes.min(MAX_RESULT_BYTES),
            spans: request_scope::call_spans(),
        };
        let served = self.send_get(request).await.map_err(|error| error.status())?;
        let (head, body) = served.response.into_parts();
        if head.status != StatusCode::OK {
            let is_error = head.status.is_client_error() || head.status.is_server_error();
            return Err(if is_error {
                head.status
            } else {
                StatusCode::BAD_GATEWAY
            });
        }
        // The body has the deadline of the call.
        let timeout = self.settings.total_timeout;
        let bytes = read_to_end(body, MAX_RESULT_BYTES, timeout).await;
        let bytes = bytes.map_err(|error| match error {
            ReadBodyError::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            ReadBodyError::Broken(cause) if is_timeout(&*cause) => StatusCode::GATEWAY_TIMEOUT,
            ReadBodyError::TooLarge | ReadBodyError::Broken(_) => StatusCode::BAD_GATEWAY,
        })?;
        Ok((bytes, served.freshness))
    }
}

/// Returns whether a body broke because the upstream took too long.
fn is_timeout(cause: &(dyn Error + Send + Sync + 'static)) -> bool {
    cause.downcast_ref() == Some(&BrokenBody(Outcome::TimedOut.name()))
}
