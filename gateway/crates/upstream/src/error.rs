//! Why a request for an upstream fails. The texts are shown to visitors.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use colonnade_admission::Full;
use colonnade_web::problem::Problem;
use http::header::{ALLOW, CONNECTION, SEC_WEBSOCKET_VERSION, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::call_state::CallFault;
use crate::outcome::Outcome;

/// `Proxy-Status` (RFC 9209)
const PROXY_STATUS: HeaderName = HeaderName::from_static("proxy-status");

/// No upstream serves the path (RFC 9209, section 2.3.3). Browsers then take the query of a page
/// for failed, as the gateway does: the 404 of an upstream says that something does not exist.
const DESTINATION_NOT_FOUND: HeaderValue = HeaderValue::from_static("colonnade; error=destination_not_found");

/// The only version of WebSocket.
pub(crate) const VERSION: HeaderValue = HeaderValue::from_static("13");

/// The value of `Upgrade` in a handshake.
pub(crate) const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// The value of `Connection` in a handshake.
pub(crate) const SWITCH: HeaderValue = HeaderValue::from_static("Upgrade");

/// The text of errors that the visitor cannot do anything about.
const UNAVAILABLE: &str = "This isn’t available right now. Please try again.";

/// Why a request for an upstream fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpstreamError {
    /// No upstream serves the path.
    #[error("There’s nothing at this address.")]
    NotFound,
    /// The upstream does not serve the method.
    #[error("This address doesn’t accept that kind of request.")]
    MethodNotAllowed {
        /// The methods that it serves, as in `Allow`.
        allow: HeaderValue,
    },
    /// The request asks for another protocol that the upstream does not serve.
    #[error("Connections cannot be upgraded to another protocol.")]
    Upgrade,
    /// The request asks for a WebSocket, but not as RFC 6455 requires (section 4.2.1).
    #[error("A WebSocket needs version 13 and a key, and no body.")]
    InvalidHandshake,
    /// The request asks for another version of WebSocket (RFC 6455, section 4.4).
    #[error("A WebSocket needs version 13.")]
    OtherVersion,
    /// The request may change something and comes from another site's page.
    #[error("This works only from this site’s own pages.")]
    CrossOrigin,
    /// A GET or HEAD request has a body. A server that ignores it would take it for the next
    /// request (RFC 9110, section 9.3.1).
    #[error("A GET or HEAD request cannot have a body.")]
    UnexpectedBody,
    /// The body is over the limit.
    #[error("That’s too much to send. At most {} are accepted.", Size(.max_bytes))]
    RequestTooLarge {
        /// The limit.
        max_bytes: usize,
    },
    /// The body is incomplete.
    #[error("The request did not arrive completely. Please try again.")]
    RequestBroken,
    /// The body arrived slowly while others waited for the permit.
    #[error("This arrived too slowly while others were waiting. Please try again.")]
    Preempted,
    /// Nothing usable is stored, and the request must not be forwarded.
    #[error("There is no stored response.")]
    NotCached,
    /// The client has sent too many requests.
    #[error("There were too many requests from your connection. Please wait a moment, then try again.")]
    RateLimited(Duration),
    /// The client has too many requests in progress.
    #[error(
        "There are too many requests from your connection at the same time. Please wait a moment, then try again."
    )]
    ClientConcurrencyLimited,
    /// Too many requests are in progress.
    #[error("{UNAVAILABLE}")]
    ConcurrencyLimited,
    /// The circuit breaker is open for this time.
    #[error("{UNAVAILABLE}")]
    CircuitOpen(Duration),
    /// No endpoint could be connected to.
    #[error("{UNAVAILABLE}")]
    ConnectFailed,
    /// The response did not arrive in time.
    #[error("{UNAVAILABLE}")]
    TimedOut,
    /// The connection failed, or what arrived is no HTTP response.
    #[error("{UNAVAILABLE}")]
    InvalidResponse,
    /// The response is over the limit.
    #[error("{UNAVAILABLE}")]
    ResponseTooLarge,
    /// The response redirects to another site.
    #[error("{UNAVAILABLE}")]
    RedirectRejected,
}

impl UpstreamError {
    /// Returns whether a limit of the client that asked is the reason. Another client may ask.
    pub(crate) fn is_of_client(&self) -> bool {
        matches!(self, Self::RateLimited(_) | Self::ClientConcurrencyLimited)
    }

    /// What metrics count.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::NotFound
            | Self::MethodNotAllowed { .. }
            | Self::Upgrade
            | Self::InvalidHandshake
            | Self::OtherVersion
            | Self::CrossOrigin
            | Self::UnexpectedBody
            | Self::NotCached => Outcome::Rejected,
            Self::RequestTooLarge { .. } | Self::RequestBroken => Outcome::RequestBodyFailed,
            Self::Preempted => Outcome::Preempted,
            Self::RateLimited(_) => Outcome::ClientRateLimited,
            Self::ClientConcurrencyLimited => Outcome::ClientConcurrencyLimited,
            Self::ConcurrencyLimited => Outcome::ConcurrencyLimited,
            Self::CircuitOpen(_) => Outcome::CircuitOpen,
            Self::ConnectFailed => Outcome::ConnectFailed,
            Self::TimedOut => Outcome::TimedOut,
            Self::InvalidResponse => Outcome::InvalidResponse,
            Self::ResponseTooLarge => Outcome::ResponseTooLarge,
            Self::RedirectRejected => Outcome::RedirectRejected,
        }
    }
}

impl From<Full> for UpstreamError {
    fn from(full: Full) -> Self {
        match full {
            Full::Total => Self::ConcurrencyLimited,
            Full::Client => Self::ClientConcurrencyLimited,
        }
    }
}

impl From<CallFault> for UpstreamError {
    fn from(fault: CallFault) -> Self {
        match fault {
            CallFault::TimedOut => Self::TimedOut,
            CallFault::InformationalFlood => Self::InvalidResponse,
            CallFault::RequestTooLarge { max_bytes } => Self::RequestTooLarge { max_bytes },
            CallFault::RequestBroken => Self::RequestBroken,
            CallFault::Preempted => Self::Preempted,
        }
    }
}

impl Problem for UpstreamError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Upgrade => StatusCode::NOT_IMPLEMENTED,
            Self::OtherVersion => StatusCode::UPGRADE_REQUIRED,
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::UnexpectedBody | Self::InvalidHandshake | Self::RequestBroken => StatusCode::BAD_REQUEST,
            Self::RequestTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::RateLimited(_) | Self::ClientConcurrencyLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::ConcurrencyLimited | Self::CircuitOpen(_) | Self::Preempted => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::ConnectFailed | Self::InvalidResponse | Self::ResponseTooLarge | Self::RedirectRejected => {
                StatusCode::BAD_GATEWAY
            }
            Self::TimedOut | Self::NotCached => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    fn title(&self) -> &str {
        match self {
            Self::NotFound => "Page not found",
            _ => "Something went wrong",
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) | Self::CircuitOpen(wait) => Some(*wait),
            Self::ClientConcurrencyLimited | Self::ConcurrencyLimited | Self::Preempted => {
                Some(Duration::from_secs(1))
            }
            _ => None,
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::NotFound => drop(headers.insert(PROXY_STATUS, DESTINATION_NOT_FOUND)),
            Self::InvalidHandshake => drop(headers.insert(SEC_WEBSOCKET_VERSION, VERSION)),
            // RFC 9110, section 15.5.22.
            Self::OtherVersion => headers.extend([
                (SEC_WEBSOCKET_VERSION, VERSION),
                (CONNECTION, SWITCH),
                (UPGRADE, WEBSOCKET),
            ]),
            Self::MethodNotAllowed { allow } => drop(headers.insert(ALLOW, allow.clone())),
            _ => {}
        }
    }
}

/// A size for people.
struct Size<'a>(&'a usize);

impl fmt::Display for Size<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = self.0 / 1024;
        if kib.is_multiple_of(1024) {
            write!(f, "{} MB", kib / 1024)
        } else {
            write!(f, "{kib} KB")
        }
    }
}

/// Returns the text of an error with its causes. It contains neither the request nor the response.
pub(crate) fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
