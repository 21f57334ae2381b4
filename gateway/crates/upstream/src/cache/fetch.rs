//! What the cache needs of an upstream.

use std::future::Future;

use bytes::Bytes;
use http::{Response, request};
use http_body::Body;

/// Sends requests to an upstream.
pub trait Fetch: Clone + Send + Sync + 'static {
    /// The body of a response. It ends or fails within a bounded time.
    type Body: Body<Data = Bytes, Error: Clone + Send + From<Interrupted>> + Send + Unpin + 'static;

    /// Why there is no response.
    type Error: Clone + Send + Sync + From<<Self::Body as Body>::Error> + 'static;

    /// Sends a request as it is, with the preconditions that the cache adds. The response still has
    /// the headers `Set-Cookie`, `Vary` and `Cache-Control` of the upstream, and no hop-by-hop
    /// headers.
    fn fetch(
        &self,
        request: &request::Parts,
    ) -> impl Future<Output = Result<Response<Self::Body>, Self::Error>> + Send;

    /// Whether all requests that wait for the response get this error. Otherwise it is about the
    /// client of this one, and another one asks.
    fn is_shared(error: &Self::Error) -> bool;

    /// The error of a request with `only-if-cached` for which nothing is stored (RFC 9111, section
    /// 5.2.1.7).
    fn not_cached() -> Self::Error;
}

/// The task that receives a response ended without it: it panicked, or the process stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("receiving the response was interrupted")]
pub struct Interrupted;

/// A response extension: the response must not be stored, although its headers may allow it.
#[derive(Debug, Clone, Copy)]
pub struct NotStorable;
