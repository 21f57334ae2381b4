//! Responds to a panic in a handler with 500, without details.

use std::convert::Infallible;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use http::Request;
use tower::Service;

use colonnade_web::middleware::Next;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::Response;

/// Passes the request on and catches a panic. Calls `audience` only after a panic.
pub async fn catch_panic<S, B>(
    request: Request<B>,
    next: Next<S>,
    audience: impl FnOnce() -> Audience,
) -> Response
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
{
    // Inside the async block, so that a panic in the call itself is caught, too.
    let mut response = pin!(async { next.run(request).await });
    // Unwind safe: the request is not used after a panic, and handlers never leave shared state half-changed.
    let caught = poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| response.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(HttpError::Panic)),
        },
    );
    caught.await.unwrap_or_else(|error| respond(&error, audience()))
}
