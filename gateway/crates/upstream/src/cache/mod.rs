//! A shared cache for responses to GET (RFC 9111), with stale responses (RFC 5861), request
//! coalescing and `Cache-Status` (RFC 9211). `docs/operate/upstream-cache.md` has its rules.
//!
//! The cache knows no HTTP client: a [`Fetch`] sends a request and returns the head and the body of
//! the response. The cache has no timeouts of its own, so that both must end.

mod body;
mod budget;
mod directives;
mod entry;
mod exchange;
mod fetch;
mod hit;
mod policy;
mod recorder;
mod response_cache;
mod serve;
mod share;
mod shared;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod visitor_request;
mod visitor_response;

pub use body::CacheBody;
pub(crate) use budget::Budget;
pub use fetch::{Fetch, Interrupted, NotStorable};
pub use response_cache::{CacheLimits, ResponseCache};
pub use status::CacheOutcome;
pub use visitor_request::VisitorRequest;
pub use visitor_response::CacheResponse;
