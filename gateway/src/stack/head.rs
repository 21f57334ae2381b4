//! Answers to HEAD (RFC 9110, 9.3.2).

use std::convert::Infallible;

use http::header::CONTENT_LENGTH;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body::Body as _;
use tower::Service;

use super::layer::Next;
use crate::content::Content;
use crate::reply::Reply;

/// Takes the body from an answer to HEAD and keeps its length: over HTTP/2 hyper would send it all the same.
pub(super) async fn strip<S, B>(request: Request<B>, next: Next<S>) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let is_head = *request.method() == Method::HEAD;
    let mut reply = next.run(request).await;
    if is_head {
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
    reply
}
