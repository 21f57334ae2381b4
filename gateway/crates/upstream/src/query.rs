//! The queries of pages: JSON that the gateway itself requests.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use colonnade_model::release::ReleaseId;
use colonnade_web::body::{BrokenBody, ReadBodyError, read_to_end};
use colonnade_web::client::ClientKey;
use colonnade_web::problem::Problem as _;
use colonnade_web::query::{Freshness, QueryResult, Revision, UnusableResult, parse_value};
use colonnade_web::request_scope;
use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::metrics::MetricsOfUpstream;
use crate::outcome::{Outcome, QueryOutcome};
use crate::request_headers;
use crate::send::Outgoing;
use crate::target::Target;
use crate::upstream::Upstream;

/// The maximum size of a result in bytes. It becomes a part of the page.
const MAX_RESULT_BYTES: usize = 256 * 1024;

/// Counts a query when it ends or is canceled.
struct QueryRecord<'a> {
    metrics: &'a MetricsOfUpstream,
    outcome: QueryOutcome,
}

impl Drop for QueryRecord<'_> {
    fn drop(&mut self) {
        self.metrics.queries.count(self.outcome);
    }
}

impl Upstream {
    /// Requests JSON without cookies and authorization. `client` requests the page.
    pub(crate) async fn query(self: &Arc<Self>, target: Target, client: Option<ClientKey>) -> QueryResult {
        let revision = self.revision(&target);
        let mut record = QueryRecord {
            metrics: &self.metrics,
            outcome: QueryOutcome::Canceled,
        };
        let headers = request_headers::of_query(&self.origin_headers);
        let (bytes, freshness) = match self.fetch(target, headers, client).await {
            Ok(fetched) => fetched,
            Err(result) => {
                record.outcome = QueryOutcome::Failed;
                return result;
            }
        };
        // The error is not logged: it could quote the response.
        let Ok(value) = parse_value(&bytes) else {
            record.outcome = QueryOutcome::InvalidJson;
            let (upstream, cause) = (&*self.name, record.outcome.name());
            tracing::warn!(event = "upstream_query_invalid", upstream, cause);
            return QueryResult::failed(StatusCode::BAD_GATEWAY.as_u16());
        };
        record.outcome = QueryOutcome::Ok;
        QueryResult {
            outcome: Ok(Arc::from(value)),
            freshness,
            revision,
            is_client_limited: false,
        }
    }

    /// The JSON that the cache has; `None` if it has none that may be used.
    pub(crate) async fn cached_query(self: &Arc<Self>, target: Target) -> Option<QueryResult> {
        self.cache.as_ref()?;
        let revision = self.revision(&target);
        let mut headers = request_headers::of_query(&self.origin_headers);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("only-if-cached"));
        let (bytes, freshness) = self.fetch(target, headers, None).await.ok()?;
        Some(QueryResult {
            outcome: Ok(Arc::from(parse_value(&bytes).ok()?)),
            freshness,
            revision,
            is_client_limited: false,
        })
    }

    fn revision(&self, target: &Target) -> Option<Revision> {
        let cache = self.cache.as_ref();
        cache.map(|cache| cache.revision(target.as_str()))
    }

    /// Records that a page of this release cannot use a result.
    pub(crate) fn record_unusable(&self, release: &ReleaseId, reason: UnusableResult) {
        let outcome = match reason {
            UnusableResult::Late => QueryOutcome::Late,
            UnusableResult::SchemaMismatch => QueryOutcome::SchemaMismatch,
            UnusableResult::TooLargeTogether => QueryOutcome::TooLargeTogether,
        };
        self.metrics.queries.count(outcome);
        let (upstream, cause) = (&*self.name, outcome.name());
        tracing::warn!(event = "upstream_query_invalid", upstream, cause, %release);
    }

    /// Returns the body of the response and how long it may be used, or the result that says why
    /// there is none.
    async fn fetch(
        self: &Arc<Self>,
        target: Target,
        headers: HeaderMap,
        client: Option<ClientKey>,
    ) -> Result<(Vec<u8>, Freshness), QueryResult> {
        if !self.settings.methods.contains(&Method::GET) {
            return Err(failed(StatusCode::METHOD_NOT_ALLOWED));
        }
        let request = Outgoing {
            method: Method::GET,
            target,
            headers: Cow::Owned(headers),
            max_response_bytes: self.settings.max_response_bytes.min(MAX_RESULT_BYTES),
            client,
            is_query: true,
            spans: request_scope::call_spans(),
            stream: None,
        };
        let served = self.send_get(request).await.map_err(|error| QueryResult {
            is_client_limited: error.is_of_client(),
            ..failed(error.status())
        })?;
        let (head, body) = served.response.into_parts();
        if head.status != StatusCode::OK {
            let is_error = head.status.is_client_error() || head.status.is_server_error();
            return Err(failed(if is_error {
                head.status
            } else {
                StatusCode::BAD_GATEWAY
            }));
        }
        // The body has the deadline of the call.
        let timeout = self.settings.total_timeout;
        let bytes = read_to_end(body, MAX_RESULT_BYTES, timeout).await;
        let bytes = bytes.map_err(|error| {
            failed(match error {
                ReadBodyError::TimedOut => StatusCode::GATEWAY_TIMEOUT,
                ReadBodyError::Broken(cause) if is_timeout(&*cause) => StatusCode::GATEWAY_TIMEOUT,
                ReadBodyError::TooLarge | ReadBodyError::Broken(_) => StatusCode::BAD_GATEWAY,
            })
        })?;
        Ok((bytes, served.freshness))
    }
}

fn failed(status: StatusCode) -> QueryResult {
    QueryResult::failed(status.as_u16())
}

/// Returns whether a body broke because the upstream took too long.
fn is_timeout(cause: &(dyn Error + Send + Sync + 'static)) -> bool {
    cause.downcast_ref() == Some(&BrokenBody(Outcome::TimedOut.name()))
}
