//! Headers of every answer.

use std::convert::Infallible;

use http::header::X_CONTENT_TYPE_OPTIONS;
use http::{HeaderValue, Request};
use tower::Service;

use super::layer::Next;
use crate::reply::Reply;

/// Forbids browsers to guess types.
pub(super) async fn add<S, B>(request: Request<B>, next: Next<S>) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let mut reply = next.run(request).await;
    let headers = reply.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    reply
}
