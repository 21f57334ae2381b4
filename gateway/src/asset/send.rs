//! The answer with a file, or with what of it the client needs (RFC 9110, 13 to 15).

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, LAST_MODIFIED, VARY,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

use super::ranges::{Selection, content_range, multipart, select};
use crate::conditional::{Validators, Verdict, may_send_part, weigh};
use crate::content::Content;
use crate::deployment::Published;
use crate::negotiate::Coding;
use crate::reply::{Reply, Representation, text};

/// How many header fields an answer comes to, with those that all have: room for them is made once.
const FIELDS: usize = 16;

/// A file that is asked for.
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) media_type: &'a HeaderValue,
    /// When its release was published.
    pub(super) published: &'a Published,
    /// Who may keep it.
    pub(super) cache_control: HeaderValue,
}

/// Sends a file in this form, some of it, or what is to be said instead.
pub(super) fn send(asked: Asked<'_>, form: &Representation) -> Reply {
    let validators = Validators {
        etag: form.etag.as_bytes(),
        modified: Some(asked.published.date),
    };
    let mut reply = match weigh(asked.headers, validators) {
        Verdict::Proceed => {
            // Of all methods ranges are defined for GET alone (14.2).
            let selection = if *asked.method == Method::GET && may_send_part(asked.headers, validators) {
                select(asked.headers, form.bytes.len())
            } else {
                Selection::Whole
            };
            selected(&asked, form, selection)
        }
        Verdict::NotModified => with_status(StatusCode::NOT_MODIFIED, Bytes::new()),
        Verdict::Failed => text(
            StatusCode::PRECONDITION_FAILED,
            "This file is not in the state you asked for.",
        ),
    };
    let is_error = reply.status().is_client_error();
    let headers = reply.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !is_error {
        headers.insert(ETAG, form.etag.clone());
        headers.insert(CACHE_CONTROL, asked.cache_control);
    }
    reply
}

fn selected(asked: &Asked<'_>, form: &Representation, selection: Selection) -> Reply {
    let length = form.bytes.len();
    let mut content_type = asked.media_type.clone();
    let mut reply = match selection {
        Selection::Whole => with_status(StatusCode::OK, form.bytes.clone()),
        Selection::Nothing => {
            let mut reply = text(StatusCode::RANGE_NOT_SATISFIABLE, "This file has no such part.");
            reply
                .headers_mut()
                .insert(CONTENT_RANGE, value(format!("bytes */{length}")));
            return reply;
        }
        Selection::Parts(parts) => match parts.as_slice() {
            [part] => {
                let mut reply = with_status(StatusCode::PARTIAL_CONTENT, form.bytes.slice(part.clone()));
                reply
                    .headers_mut()
                    .insert(CONTENT_RANGE, value(content_range(part, length)));
                reply
            }
            parts => {
                // Nothing that a file could hold by chance.
                let boundary = format!("{:032x}", rand::random::<u128>());
                let media_type = content_type.to_str().unwrap_or("application/octet-stream");
                let body = multipart(&form.bytes, parts, media_type, &boundary);
                content_type = value(format!("multipart/byteranges; boundary={boundary}"));
                with_status(StatusCode::PARTIAL_CONTENT, body)
            }
        },
    };
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(LAST_MODIFIED, asked.published.header.clone());
    if form.coding != Coding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(form.coding.name()));
    }
    reply
}

fn with_status(status: StatusCode, body: impl Into<Content>) -> Reply {
    let mut reply = Response::new(body.into());
    *reply.status_mut() = status;
    *reply.headers_mut() = HeaderMap::with_capacity(FIELDS);
    reply
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("numbers and names may stand in a header")
}
