//! Middleware as plain functions: [`from_fn`] turns an async function into a tower layer, and [`from_check`] a function that only
//! looks at requests.

use std::convert::Infallible;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::{Either, FutureExt as _, NeverError, Ready, ready};
use tower::{Layer, Service};

/// The rest of the stack. It can be called once.
pub struct Next<S>(S);

impl<S> Next<S> {
    /// Passes the request to the rest of the stack.
    pub fn run<Q>(mut self, request: Q) -> impl Future<Output = S::Response>
    where
        S: Service<Q, Error = Infallible>,
    {
        // Every service of the gateway's stack is always ready, so `poll_ready` is not needed.
        self.0.call(request).map(|result| match result {
            Ok(response) => response,
            Err(never) => match never {},
        })
    }
}

/// Creates a layer from a function that takes a request and the rest of the stack and returns a response.
pub fn from_fn<F>(function: F) -> FromFn<F> {
    FromFn(function)
}

/// The layer that [`from_fn`] creates.
#[derive(Clone)]
pub struct FromFn<F>(F);

/// A service with a [`FromFn`] layer. Cloning it, which happens for each request, clones an `Arc` only.
pub struct FromFnService<F, S>(Arc<Shared<F, S>>);

struct Shared<F, S> {
    function: F,
    inner: S,
}

impl<F, S> Clone for FromFnService<F, S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: Clone, S> Layer<S> for FromFn<F> {
    type Service = FromFnService<F, S>;

    fn layer(&self, inner: S) -> Self::Service {
        FromFnService(Arc::new(Shared {
            function: self.0.clone(),
            inner,
        }))
    }
}

impl<F, S, Q, R> Service<Q> for FromFnService<F, S>
where
    F: Fn(Q, Next<S>) -> R,
    S: Service<Q, Error = Infallible> + Clone,
    R: Future + Send + 'static,
{
    type Response = R::Output;
    type Error = Infallible;
    /// Boxed per layer: otherwise each layer would move the futures of all layers below it.
    type Future = NeverError<Pin<Box<R>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Q) -> Self::Future {
        let Shared { function, inner } = &*self.0;
        Box::pin(function(request, Next(inner.clone()))).never_error()
    }
}

/// Creates a layer from a function that passes a request on or responds to it. The layer costs no allocation.
pub fn from_check<F>(function: F) -> FromCheck<F> {
    FromCheck(function)
}

/// The layer that [`from_check`] creates.
#[derive(Clone)]
pub struct FromCheck<F>(F);

/// A service with a [`FromCheck`] layer. Cloning it, which happens for each request, clones an `Arc` only.
pub struct FromCheckService<F, S>(Arc<Shared<F, S>>);

impl<F, S> Clone for FromCheckService<F, S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: Clone, S> Layer<S> for FromCheck<F> {
    type Service = FromCheckService<F, S>;

    fn layer(&self, inner: S) -> Self::Service {
        FromCheckService(Arc::new(Shared {
            function: self.0.clone(),
            inner,
        }))
    }
}

impl<F, S, Q> Service<Q> for FromCheckService<F, S>
where
    F: Fn(Q) -> ControlFlow<S::Response, Q>,
    S: Service<Q, Error = Infallible> + Clone,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<S::Response, Infallible>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Q) -> Self::Future {
        let Shared { function, inner } = &*self.0;
        match function(request) {
            ControlFlow::Continue(request) => Either::Left(inner.clone().call(request)),
            ControlFlow::Break(response) => Either::Right(ready(Ok(response))),
        }
    }
}
