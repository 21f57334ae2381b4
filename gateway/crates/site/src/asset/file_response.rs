//! The response with a file, or with the part that the client needs (RFC 9110, sections 13 to 15).

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    ETAG, LAST_MODIFIED, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use colonnade_store::loaded::PublishedAt;
use colonnade_web::body::ResponseBody;
use colonnade_web::conditional::{Precondition, Validators, evaluate_preconditions, may_send_range};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::response::{Representation, Response, text};

use super::range::{Selection, select};

/// The number of header fields of a response, with those that middleware adds, so that the map grows only once.
const HEADER_CAPACITY: usize = 16;

/// A request for a file.
pub(super) struct FileRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) media_type: &'a HeaderValue,
    pub(super) published_at: &'a PublishedAt,
    pub(super) cache_control: HeaderValue,
    /// The Content Security Policy of scripts.
    pub(super) worker_policy: &'a HeaderValue,
}

/// Returns the response to a request for a file in this representation.
pub(super) fn file_response(request: FileRequest<'_>, representation: &Representation) -> Response {
    let validators = Validators {
        etag: representation.etag.as_bytes(),
        modified: Some(request.published_at.date),
    };
    let mut response = match evaluate_preconditions(request.headers, validators) {
        Precondition::Proceed => {
            // Ranges are defined for GET only (RFC 9110, section 14.2).
            let is_range_allowed =
                *request.method == Method::GET && may_send_range(request.headers, validators);
            let selection = if is_range_allowed {
                select(request.headers, representation.bytes.len())
            } else {
                Selection::Whole
            };
            selected_bytes(&request, representation, selection)
        }
        Precondition::NotModified => with_status(StatusCode::NOT_MODIFIED, Bytes::new()),
        Precondition::Failed => text(
            StatusCode::PRECONDITION_FAILED,
            "The file does not match the precondition of the request.",
        ),
    };
    let is_error = response.status().is_client_error();
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !is_error {
        headers.insert(ETAG, representation.etag.clone());
        headers.insert(CACHE_CONTROL, request.cache_control);
        // Also sent with status 304, whose header fields replace the fields of the cached response.
        if request.media_type.as_bytes().starts_with(b"text/javascript") {
            headers.insert(CONTENT_SECURITY_POLICY, request.worker_policy.clone());
        }
    }
    response
}

fn selected_bytes(
    request: &FileRequest<'_>,
    representation: &Representation,
    selection: Selection,
) -> Response {
    let bytes = &representation.bytes;
    let length = bytes.len();
    let mut response = match selection {
        Selection::Whole => with_status(StatusCode::OK, bytes.clone()),
        Selection::Part(part) => {
            let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            let mut response = with_status(StatusCode::PARTIAL_CONTENT, bytes.slice(part));
            response.headers_mut().insert(CONTENT_RANGE, header_value(range));
            response
        }
        Selection::Unsatisfiable => {
            let message = "The range is outside the file.";
            let mut response = text(StatusCode::RANGE_NOT_SATISFIABLE, message);
            let range = format!("bytes */{length}");
            response.headers_mut().insert(CONTENT_RANGE, header_value(range));
            return response;
        }
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, request.media_type.clone());
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(LAST_MODIFIED, request.published_at.header.clone());
    if representation.coding != Coding::Identity {
        let coding = HeaderValue::from_static(representation.coding.name());
        headers.insert(CONTENT_ENCODING, coding);
    }
    response
}

fn with_status(status: StatusCode, body: impl Into<ResponseBody>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADER_CAPACITY);
    response
}

fn header_value(range: String) -> HeaderValue {
    HeaderValue::try_from(range).expect("digits are valid in a header")
}
