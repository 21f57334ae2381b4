//! The response with a file, or with the part that the client needs (RFC 9110, sections 13 to 15).

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    ETAG, LAST_MODIFIED, RANGE, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use colonnade_store::loaded::{LoadedFile, LoadedRelease, PublishedAt};
use colonnade_web::body::ResponseBody;
use colonnade_web::conditional::{Precondition, Validators, evaluate_preconditions, may_send_range};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::response::{HEADER_CAPACITY, IMMUTABLE, PLACEHOLDER, REQUEST_ID, Response, text};
use colonnade_web::security_headers::{add_security_headers, remove_page_headers};

use crate::asset::range::{Selection, select};

const VARY_ENCODING: HeaderValue = HeaderValue::from_static("Accept-Encoding");

/// A file in one coding, with the header of a response with the whole file.
pub(super) struct PreparedFile {
    pub(super) bytes: Bytes,
    etag: HeaderValue,
    headers: HeaderMap,
}

impl PreparedFile {
    /// Prepares a file of a release for every visitor.
    pub(super) fn new(
        release: &LoadedRelease,
        file: &LoadedFile,
        coding: Coding,
        bytes: Bytes,
        worker_policy: &HeaderValue,
    ) -> Self {
        let etag = HeaderValue::try_from(file.etag(coding)).expect("base64 is valid in a header");
        let mut headers = HeaderMap::with_capacity(HEADER_CAPACITY);
        headers.extend([
            (CONTENT_TYPE, file.media_type.clone()),
            (ETAG, etag.clone()),
            (VARY, VARY_ENCODING),
            (CACHE_CONTROL, IMMUTABLE),
            (ACCEPT_RANGES, HeaderValue::from_static("bytes")),
            (LAST_MODIFIED, release.published_at.header.clone()),
            (REQUEST_ID, PLACEHOLDER),
        ]);
        if coding != Coding::Identity {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        // Also sent with status 304, whose header fields replace the fields of the cached response.
        if file.media_type.as_bytes().starts_with(b"text/javascript") {
            headers.insert(CONTENT_SECURITY_POLICY, worker_policy.clone());
        }
        add_security_headers(&mut headers);
        Self { bytes, etag, headers }
    }

    /// The response with these bytes of the file.
    fn response(&self, bytes: Bytes) -> Response {
        let mut body = ResponseBody::from(bytes);
        body.has_security_headers = true;
        let mut response = Response::new(http::Response::new(body));
        *response.headers_mut() = self.headers.clone();
        response
    }
}

/// A request for a file.
pub(super) struct FileRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) published_at: &'a PublishedAt,
}

/// The response to a request for a file.
pub(super) fn file_response(request: &FileRequest<'_>, file: &PreparedFile) -> Response {
    // Most requests have no such header. One pass takes less time than a look-up of each.
    let is_whole = |name: &HeaderName| *name != RANGE && !name.as_str().starts_with("if-");
    if request.headers.keys().all(is_whole) {
        return selected_bytes(file, Selection::Whole);
    }
    let validators = Validators {
        etag: file.etag.as_bytes(),
        modified: Some(request.published_at.date),
    };
    match evaluate_preconditions(request.headers, validators) {
        Precondition::Proceed => {
            // Ranges are defined for GET only (RFC 9110, section 14.2).
            let is_range_allowed =
                *request.method == Method::GET && may_send_range(request.headers, validators);
            let selection = if is_range_allowed {
                select(request.headers, file.bytes.len())
            } else {
                Selection::Whole
            };
            selected_bytes(file, selection)
        }
        Precondition::NotModified => {
            let mut response = file.response(Bytes::new());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            let headers = response.headers_mut();
            for name in [CONTENT_TYPE, CONTENT_ENCODING, ACCEPT_RANGES, LAST_MODIFIED] {
                headers.remove(name);
            }
            remove_page_headers(headers);
            response
        }
        Precondition::Failed => error(
            StatusCode::PRECONDITION_FAILED,
            "The file does not match the precondition of the request.",
        ),
    }
}

fn selected_bytes(file: &PreparedFile, selection: Selection) -> Response {
    let length = file.bytes.len();
    match selection {
        Selection::Whole => file.response(file.bytes.clone()),
        Selection::Part(part) => {
            let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            let mut response = file.response(file.bytes.slice(part));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            response.headers_mut().insert(CONTENT_RANGE, header_value(range));
            response
        }
        Selection::Unsatisfiable => {
            let message = "The range is outside the file.";
            let mut response = error(StatusCode::RANGE_NOT_SATISFIABLE, message);
            let range = format!("bytes */{length}");
            response.headers_mut().insert(CONTENT_RANGE, header_value(range));
            response
        }
    }
}

fn error(status: StatusCode, message: &str) -> Response {
    let mut response = text(status, message);
    response.headers_mut().insert(VARY, VARY_ENCODING);
    response
}

fn header_value(range: String) -> HeaderValue {
    HeaderValue::try_from(range).expect("digits are valid in a header")
}
