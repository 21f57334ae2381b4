//! The last line of defence: a panic while answering is answered with 500 and no details.

use std::convert::Infallible;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use http::Request;
use tower::Service;

use super::layer::Next;
use crate::reply::Reply;
use crate::rescue::{Audience, Error, rescue};

/// Passes the request on and catches what falls; only then is asked who reads about it.
pub(super) async fn answer<S, B>(
    request: Request<B>,
    next: Next<S>,
    audience: impl FnOnce() -> Audience,
) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    // What lies below may fall already when it is called.
    let mut answer = pin!(async { next.run(request).await });
    // Nothing of the request is touched again after a panic, and what routes share they never hold half-changed.
    let caught = poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(Error::Panic)),
        },
    );
    caught.await.unwrap_or_else(|error| rescue(&error, audience()))
}
