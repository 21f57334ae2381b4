//! Answers to HEAD (RFC 9110, 9.3.2).

use http::header::CONTENT_LENGTH;
use http::{HeaderValue, StatusCode};
use http_body::Body as _;

use crate::content::Content;
use crate::reply::Reply;

/// Takes the body from an answer to HEAD and keeps its length: over HTTP/2 hyper would send it all the same.
pub(super) fn strip(reply: &mut Reply) {
    // These never have a body: a length would be that of another answer (8.6).
    let may_have_body = !matches!(reply.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if may_have_body && let Some(length) = reply.body().size_hint().exact() {
        reply
            .headers_mut()
            .entry(CONTENT_LENGTH)
            .or_insert(HeaderValue::from(length));
    }
    *reply.body_mut() = Content::default();
}
