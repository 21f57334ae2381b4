//! A tower layer made of one plain async function.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::{FutureExt as _, NeverError};
use tower::{Layer, Service};

/// What lies below a layer, to be called at most once.
pub(crate) struct Next<S>(S);

impl<S> Next<S> {
    /// Passes the request on.
    pub(crate) fn run<Q>(mut self, request: Q) -> impl Future<Output = S::Response>
    where
        S: Service<Q, Error = Infallible>,
    {
        // Nothing in the gateway's stack ever makes a caller wait for readiness: routes are plain functions.
        self.0.call(request).map(|answer| match answer {
            Ok(response) => response,
            Err(never) => match never {},
        })
    }
}

/// Makes a layer of a function from a request and what lies below to a response.
pub(super) fn from_fn<F>(function: F) -> FromFn<F> {
    FromFn(function)
}

/// See [`from_fn`].
#[derive(Clone)]
pub(super) struct FromFn<F>(F);

/// A service with such a layer around it. Each request clones it, which copies nothing of what the layers hold.
pub(super) struct Layered<F, S>(Arc<Shared<F, S>>);

struct Shared<F, S> {
    function: F,
    inner: S,
}

impl<F, S> Clone for Layered<F, S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: Clone, S> Layer<S> for FromFn<F> {
    type Service = Layered<F, S>;

    fn layer(&self, inner: S) -> Self::Service {
        Layered(Arc::new(Shared {
            function: self.0.clone(),
            inner,
        }))
    }
}

impl<F, S, Q, R> Service<Q> for Layered<F, S>
where
    F: Fn(Q, Next<S>) -> R,
    S: Service<Q, Error = Infallible> + Clone,
    R: Future + Send + 'static,
{
    type Response = R::Output;
    type Error = Infallible;
    /// On the heap piece by piece: in one piece each layer would copy all that lie below it.
    type Future = NeverError<Pin<Box<R>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Q) -> Self::Future {
        let Shared { function, inner } = &*self.0;
        Box::pin(function(request, Next(inner.clone()))).never_error()
    }
}
