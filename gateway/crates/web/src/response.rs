//! Responses, and constructors for common responses.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::body::ResponseBody;
use crate::conditional::{Precondition, Validators, evaluate_preconditions};
use crate::content_negotiation::Coding;

pub use crate::served_by::{RequestKind, ServedBy, Track};

/// A response. Its body is in memory, except for streams of events and the responses of upstreams.
/// It stays in one place while the functions and futures of a request pass it on.
pub type Response = Box<http::Response<ResponseBody>>;

impl ServedBy {
    /// What is known of a response, to be changed.
    pub fn of(response: &mut Response) -> &mut Self {
        &mut response.body_mut().served_by
    }
}

/// How many header fields a prepared response has, with those that middleware adds, so that no
/// insertion rebuilds the map.
pub const HEADER_CAPACITY: usize = 16;

/// The value of a prepared field that is replaced in each response: a clone of a map has no room
/// for another field.
pub const PLACEHOLDER: HeaderValue = HeaderValue::from_static("");

/// The header with the request ID.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The ID under which a request is logged.
#[derive(Debug, Clone)]
pub struct RequestId(pub HeaderValue);

/// `Cache-Control`: caches may store the response but must revalidate it before each use.
pub const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// `Cache-Control`: caches must not store the response.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// `Cache-Control`: caches may use the response for a year. For content that never changes under
/// its URL.
pub const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// `Content-Type` of HTML pages.
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// `Content-Type` of JSON responses.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// `Content-Type` of plain text.
pub const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Creates a response with `Cache-Control: no-store`.
pub fn response(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(http::Response::new(ResponseBody::from(body.into())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CACHE_CONTROL, NO_STORE);
    response
}

/// Creates a response with one line of text.
pub fn text(status: StatusCode, line: &str) -> Response {
    response(status, TEXT, format!("{line}\n"))
}

/// Creates a JSON response. If the value cannot be serialized, the response is a 500.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => response(status, JSON, body),
        // Serialization fails only for maps with keys that are not strings. No value of the gateway
        // has any.
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong."),
    }
}

/// Creates a response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(http::Response::new(ResponseBody::default()));
    *response.status_mut() = status;
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    response
}

/// Creates a redirect. Returns `None` if the location is not a valid header value.
pub fn redirect(status: StatusCode, location: &str) -> Option<Response> {
    let location = HeaderValue::from_str(location).ok()?;
    let mut response = empty(status);
    response.headers_mut().insert(LOCATION, location);
    Some(response)
}

/// One representation of a resource, in one content coding (RFC 9110, section 3.2).
#[derive(Debug, Clone)]
pub struct Representation {
    /// The content coding of `bytes`.
    pub coding: Coding,
    /// The strong entity tag of this representation.
    pub etag: HeaderValue,
    /// The body, already encoded.
    pub bytes: Bytes,
}

/// Creates a 200 response with a representation, or 304 or 412 as the preconditions of the request
/// demand. `headers` are sent with every status.
pub fn conditional_response(
    request: &HeaderMap,
    content_type: &HeaderValue,
    headers: HeaderMap,
    representation: Representation,
) -> Response {
    let Representation { coding, etag, bytes } = representation;
    let validators = Validators {
        etag: etag.as_bytes(),
        modified: None,
    };
    let verdict = evaluate_preconditions(request, validators);
    let body = match verdict {
        Precondition::Proceed => bytes,
        Precondition::NotModified | Precondition::Failed => Bytes::new(),
    };
    let mut response = Response::new(http::Response::new(ResponseBody::from(body)));
    *response.headers_mut() = headers;
    let headers = response.headers_mut();
    headers.insert(ETAG, etag);
    headers
        .entry(VARY)
        .or_insert(HeaderValue::from_static("Accept-Encoding"));
    let status = match verdict {
        Precondition::Proceed => StatusCode::OK,
        Precondition::NotModified => StatusCode::NOT_MODIFIED,
        Precondition::Failed => StatusCode::PRECONDITION_FAILED,
    };
    let is_whole = status == StatusCode::OK;
    set(headers, CONTENT_TYPE, is_whole.then(|| content_type.clone()));
    let coding = (is_whole && coding != Coding::Identity).then(|| HeaderValue::from_static(coding.name()));
    set(headers, CONTENT_ENCODING, coding);
    *response.status_mut() = status;
    response
}

/// Sets or removes a header field.
fn set(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    match value {
        Some(value) => headers.insert(name, value),
        None => headers.remove(name),
    };
}

/// Sets `Retry-After` to a number of seconds, rounded up, at least 1.
pub fn set_retry_after(response: &mut Response, wait: Duration) {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let seconds = HeaderValue::from(seconds.max(1));
    response.headers_mut().insert(RETRY_AFTER, seconds);
}
