//! The queries of pages: JSON that the gateway itself requests.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use colonnade_web::body::{BrokenBody, ReadBodyError, read_to_end};
use colonnade_web::problem::Problem as _;
use colonnade_web::query::{Freshness, QueryResult};
use colonnade_web::request_scope;
use http::{Method, StatusCode};
use serde_json::value::RawValue;

use crate::outcome::Outcome;
use crate::request_headers;
use crate::send::Outgoing;
use crate::target::Target;
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
}

impl QueryOutcome {
    /// All outcomes.
    pub(crate) const ALL: [Self; 3] = [Self::Ok, Self::Failed, Self::InvalidJson];

    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::InvalidJson => "invalid_json",
        }
    }
}

impl Upstream {
    /// Requests JSON without cookies and authorization.
    pub(crate) async fn query(self: &Arc<Self>, target: Target) -> QueryResult {
        let (bytes, freshness) = match self.fetch(target).await {
            Ok(fetched) => fetched,
            Err(status) => {
                self.metrics.count_query(QueryOutcome::Failed);
                return QueryResult::failed(status.as_u16());
            }
        };
        // The error is not logged: it could quote the response.
        let Ok(value) = serde_json::from_slice::<Box<RawValue>>(&bytes) else {
            self.metrics.count_query(QueryOutcome::InvalidJson);
            tracing::warn!(event = "upstream_query_invalid", upstream = &*self.name);
            return QueryResult::failed(StatusCode::BAD_GATEWAY.as_u16());
        };
        self.metrics.count_query(QueryOutcome::Ok);
        QueryResult {
            outcome: Ok(Arc::from(value)),
            freshness,
        }
    }

    /// Returns the body of the response and how long it may be used, or the status that says why there is none.
    async fn fetch(self: &Arc<Self>, target: Target) -> Result<(Vec<u8>, Freshness), StatusCode> {
        if !self.settings.methods.contains(&Method::GET) {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        let request = Outgoing {
            method: Method::GET,
            target,
            headers: Cow::Owned(request_headers::of_query()),
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
