//! HTTP building blocks: requests and responses, errors as responses, routing, content negotiation,
//! conditional requests, cookies and client addresses. Nothing here depends on what a release or
//! deployment is, except the limit on the segments of a release's URLs: responses carry only a
//! deployment's number, and health checks and error pages know only whether one is live.

pub mod body;
pub mod byte_cache;
pub mod call_span;
pub mod client;
pub mod coalesce;
pub mod conditional;
pub mod content_negotiation;
pub mod cookie;
pub mod decode;
pub mod encode;
pub mod encoded_content;
mod error_page;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
pub mod head_limits;
pub mod health;
pub mod host;
pub mod html;
pub mod limits;
pub mod log;
mod methods;
pub mod metrics;
pub mod origin;
pub mod plain_page;
pub mod problem;
pub mod query;
pub mod rate_limiter;
pub mod request;
pub mod request_scope;
pub mod response;
pub mod router;
pub mod security_headers;
mod served_by;
pub mod stream;
