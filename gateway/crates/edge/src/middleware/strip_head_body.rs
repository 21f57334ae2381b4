//! Responses to HEAD (RFC 9110, section 9.3.2).

use http::header::CONTENT_LENGTH;
use http::{HeaderValue, StatusCode};
use http_body::Body as _;

use colonnade_web::response::Response;

/// Removes the body from a response to HEAD and sets its Content-Length. hyper would send the body
/// over HTTP/2.
pub fn strip_head_body(response: &mut Response) {
    // These statuses never have a body, so a Content-Length would describe another response
    // (section 8.6).
    let may_have_body = !matches!(
        response.status(),
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
    );
    if may_have_body && let Some(length) = response.body().size_hint().exact() {
        response
            .headers_mut()
            .entry(CONTENT_LENGTH)
            .or_insert(HeaderValue::from(length));
    }
    response.body_mut().clear();
}
