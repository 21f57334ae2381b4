//! The spans of calls that a request makes, such as to an upstream, if the request is traced.

use std::sync::Arc;

use http::HeaderValue;

/// Starts spans that are children of a request's span.
#[derive(Clone)]
pub struct CallSpans(pub Arc<dyn StartCallSpan>);

/// Starts the spans of calls.
pub trait StartCallSpan: Send + Sync {
    /// Starts the span of a call to this upstream.
    fn start(&self, upstream: &str) -> Box<dyn CallSpan>;
}

/// The span of a call.
pub trait CallSpan: Send + Sync {
    /// The value of `traceparent` for the call (W3C Trace Context, section 3.2).
    fn traceparent(&self) -> HeaderValue;

    /// Ends the span with the status of the response, if there was one, and the outcome that
    /// metrics count.
    fn end(self: Box<Self>, outcome: &'static str, status: Option<u16>, retries: u32, is_error: bool);
}
