//! Responses to visitors.

use http::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use http::{HeaderMap, Response, StatusCode};
use http_body::Body;
use tokio::time::Instant;

use bytes::Bytes;
use colonnade_web::conditional::{Precondition, Validators, evaluate_preconditions};
use colonnade_web::query::Freshness;

use super::body::CacheBody;
use super::entry::{Entry, opaque_tag};
use super::exchange::Fetched;
use super::status::{CacheOutcome, CacheStatus};
use super::{CacheResponse, Fetch};

/// The response from an entry.
pub(super) fn from_entry<B: Body>(
    visitor: &HeaderMap,
    entry: &Entry,
    status: CacheStatus,
    outcome: CacheOutcome,
) -> CacheResponse<B> {
    let now = Instant::now();
    let mut response = Response::new(CacheBody::stored(entry.body()));
    *response.status_mut() = entry.status();
    *response.headers_mut() = entry.headers(now);
    let status = CacheStatus {
        ttl: Some(entry.head().ttl(now)),
        ..status
    };
    finish(visitor, response, status, outcome, entry.head().freshness(now))
}

/// The response that an upstream gave to this request.
pub(super) fn from_upstream<F: Fetch>(
    visitor: &HeaderMap,
    fetched: Fetched<F>,
    status: CacheStatus,
    outcome: CacheOutcome,
) -> CacheResponse<F::Body> {
    match fetched {
        Fetched::Confirmed { entry, is_stored } => {
            let status = CacheStatus {
                forward_status: Some(StatusCode::NOT_MODIFIED),
                is_stored,
                ..status
            };
            from_entry(visitor, &entry, status, CacheOutcome::Revalidated)
        }
        Fetched::Response { head, body, stored } => {
            let status = CacheStatus {
                forward_status: Some(head.status),
                is_stored: stored.is_some(),
                ttl: stored.map(|stored| stored.ttl),
                ..status
            };
            let freshness = stored.map(|stored| stored.freshness).unwrap_or_default();
            finish(
                visitor,
                Response::from_parts(head, body),
                status,
                outcome,
                freshness,
            )
        }
    }
}

/// The response to `only-if-cached` if there is none (RFC 9111, section 5.2.1.7).
pub(super) fn not_cached<B: Body>() -> CacheResponse<B> {
    let mut response = Response::new(CacheBody::stored(Bytes::new()));
    *response.status_mut() = StatusCode::GATEWAY_TIMEOUT;
    CacheResponse {
        response,
        outcome: CacheOutcome::Bypass,
        freshness: Freshness::default(),
    }
}

/// Evaluates the visitor's preconditions, and adds `Cache-Status`.
fn finish<B: Body>(
    visitor: &HeaderMap,
    mut response: Response<CacheBody<B>>,
    status: CacheStatus,
    outcome: CacheOutcome,
    freshness: Freshness,
) -> CacheResponse<B> {
    status.append(response.headers_mut());
    if is_current(visitor, response.status(), response.headers()) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = CacheBody::stored(Bytes::new());
        let headers = response.headers_mut();
        // RFC 9110, section 15.4.5.
        for name in [CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE] {
            headers.remove(name);
        }
    }
    CacheResponse {
        response,
        outcome,
        freshness,
    }
}

/// Whether the visitor has the representation already (RFC 9111, section 4.3.2).
fn is_current(visitor: &HeaderMap, status: StatusCode, headers: &HeaderMap) -> bool {
    let is_conditional = [IF_NONE_MATCH, IF_MODIFIED_SINCE]
        .iter()
        .any(|name| visitor.contains_key(name));
    if status != StatusCode::OK || !is_conditional {
        return false;
    }
    let etag = headers
        .get(ETAG)
        .map_or(&b""[..], |etag| opaque_tag(etag.as_bytes()));
    let modified = headers.get(LAST_MODIFIED).and_then(|date| date.to_str().ok());
    let validators = Validators {
        etag,
        modified: modified.and_then(|date| date.parse().ok()),
    };
    evaluate_preconditions(visitor, validators) == Precondition::NotModified
}
