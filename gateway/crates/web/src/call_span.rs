//! The spans of what a request waits for, such as a call of an upstream, if the request is traced.

use std::sync::Arc;

use http::HeaderValue;

/// Starts spans that are children of a request's span.
#[derive(Clone)]
pub struct CallSpans(pub Arc<dyn StartCallSpan>);

/// What a request waits for.
#[derive(Debug, Clone, Copy)]
pub enum Callee<'a> {
    /// The upstream with this name.
    Upstream(&'a str),
    /// A render of this section.
    Render(&'a str),
    /// This operation of the store.
    Store(&'static str),
}

/// Starts the spans of calls.
pub trait StartCallSpan: Send + Sync {
    /// Starts the span of a call. `None` if the request has enough of them.
    fn start(&self, callee: Callee<'_>) -> Option<Box<dyn CallSpan>>;
}

/// The span of a call.
pub trait CallSpan: Send + Sync {
    /// The value of `traceparent` for the call (W3C Trace Context, section 3.2).
    fn traceparent(&self) -> HeaderValue;

    /// Ends the span with the outcome that metrics count.
    fn end(self: Box<Self>, end: CallEnd);
}

/// How a call ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallEnd {
    /// The outcome that metrics count.
    pub outcome: &'static str,
    /// Whether it failed.
    pub is_error: bool,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// How often the request was sent again.
    pub retries: u32,
}
