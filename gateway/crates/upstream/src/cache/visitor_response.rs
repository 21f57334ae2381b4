//! Responses to visitors.

use bytes::Bytes;
use colonnade_clock::poll;
use http::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use http::{HeaderMap, Response, StatusCode, response};
use http_body::Body;

use colonnade_web::conditional::{Precondition, Validators, evaluate_preconditions};
use colonnade_web::query::Freshness;

use crate::cache::body::CacheBody;
use crate::cache::entry::{Entry, opaque_tag};
use crate::cache::status::{CacheOutcome, CacheStatus};

/// A response, and how the cache came by it.
#[derive(Debug)]
pub struct CacheResponse<B: Body> {
    /// The response, with `Age` and `Cache-Status`. To HEAD it has the body of GET, if that is in
    /// the cache.
    pub response: Response<CacheBody<B>>,
    /// How the cache answered the request, for metrics.
    pub outcome: CacheOutcome,
    /// How long the response may be used. Zero if it is not in the cache.
    pub freshness: Freshness,
}

/// A response before the preconditions of its visitor are evaluated.
pub(super) struct VisitorResponse<B: Body> {
    response: Response<CacheBody<B>>,
    /// What `Cache-Status` will say.
    pub(super) status: CacheStatus,
    pub(super) outcome: CacheOutcome,
    /// How long it may be used. Zero if it is not stored.
    pub(super) freshness: Freshness,
}

impl<B: Body> VisitorResponse<B> {
    /// The response from an entry.
    pub(super) fn from_entry(entry: &Entry, outcome: CacheOutcome) -> Self {
        let now = poll::now();
        let mut response = Response::new(CacheBody::stored(entry.body()));
        *response.status_mut() = entry.status();
        *response.headers_mut() = entry.headers(now);
        let status = CacheStatus {
            ttl: Some(entry.head().ttl(now)),
            ..CacheStatus::default()
        };
        Self {
            response,
            status,
            outcome,
            freshness: entry.head().freshness(now),
        }
    }

    /// The response of an upstream.
    pub(super) fn from_upstream(head: response::Parts, body: CacheBody<B>) -> Self {
        let status = CacheStatus {
            forward_status: Some(head.status),
            ..CacheStatus::default()
        };
        Self {
            response: Response::from_parts(head, body),
            status,
            outcome: CacheOutcome::Miss,
            freshness: Freshness::default(),
        }
    }

    /// Evaluates the preconditions of a visitor with these headers, and adds `Cache-Status`.
    pub(super) fn respond(self, visitor: &HeaderMap) -> CacheResponse<B> {
        let mut response = self.response;
        self.status.append(response.headers_mut());
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
            outcome: self.outcome,
            freshness: self.freshness,
        }
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
