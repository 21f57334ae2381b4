//! Responds to a panic in a handler with 500, without details.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::Response;

/// Waits for the response, and catches a panic. Calls `audience` only after a panic.
pub async fn catch_panic(
    mut response: Pin<&mut impl Future<Output = Response>>,
    audience: impl FnOnce() -> Audience,
) -> Response {
    // Unwind safe: the request is not used after a panic, and handlers never leave shared state
    // half-changed.
    let caught = poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| response.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(HttpError::Panic)),
        },
    );
    caught.await.unwrap_or_else(|error| respond(&error, audience()))
}
