//! A tower layer made of one plain async function.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tower::{Layer, Service};

/// What lies below a layer, to be called at most once.
pub(crate) struct Next<S>(S);

impl<S> Next<S> {
    /// Passes the request on.
    pub(crate) async fn run<Q>(mut self, request: Q) -> S::Response
    where
        S: Service<Q, Error = Infallible>,
    {
        // Nothing in the gateway's stack ever makes a caller wait for readiness: routes are plain functions.
        match self.0.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// Makes a layer of a function from a request and what lies below to a response.
pub(super) fn from_fn<F>(function: F) -> FromFn<F> {
    FromFn(function)
}

/// See [`from_fn`].
#[derive(Clone)]
pub(super) struct FromFn<F>(F);

/// A service with such a layer around it.
#[derive(Clone)]
pub(super) struct Layered<F, S> {
    function: F,
    inner: S,
}

impl<F: Clone, S> Layer<S> for FromFn<F> {
    type Service = Layered<F, S>;

    fn layer(&self, inner: S) -> Self::Service {
        Layered {
            function: self.0.clone(),
            inner,
        }
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
    type Future = Pin<Box<dyn Future<Output = Result<R::Output, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Q) -> Self::Future {
        let response = (self.function)(request, Next(self.inner.clone()));
        Box::pin(async move { Ok(response.await) })
    }
}
