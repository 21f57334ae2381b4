//! The outcomes of requests for an upstream, as metrics count them.

use http::StatusCode;
use strum::{IntoStaticStr, VariantArray};

use crate::circuit_breaker::Verdict;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Outcome {
    /// A response with a 2xx status arrived to its end.
    #[strum(serialize = "2xx")]
    Success,
    /// The same with a 3xx status.
    #[strum(serialize = "3xx")]
    Redirection,
    /// The same with a 4xx status.
    #[strum(serialize = "4xx")]
    ClientError,
    /// The same with a 5xx status.
    #[strum(serialize = "5xx")]
    ServerError,
    /// No endpoint could be connected to: closed, unknown name, TLS failure, or connect timeout.
    ConnectFailed,
    /// The response did not arrive in time.
    TimedOut,
    /// The connection failed, or what arrived is no HTTP response.
    InvalidResponse,
    /// The response ended early.
    Broken,
    /// The response is over the limit.
    ResponseTooLarge,
    /// The response redirects to another site.
    RedirectRejected,
    /// The circuit breaker is open.
    CircuitOpen,
    /// Too many requests are in progress.
    ConcurrencyLimited,
    /// The client has too many requests in progress.
    ClientConcurrencyLimited,
    /// The client has sent too many requests.
    ClientRateLimited,
    /// The request is not one that the upstream serves.
    Rejected,
    /// The client's body is too large or incomplete.
    RequestBodyFailed,
    /// The client closed the connection before the end of the response.
    ClientClosed,
    /// The call waited for its client, and yielded its permit to another client.
    Preempted,
}

impl Outcome {
    /// The outcome of a complete response.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status.as_u16() {
            ..300 => Self::Success,
            300..400 => Self::Redirection,
            400..500 => Self::ClientError,
            500.. => Self::ServerError,
        }
    }

    /// Returns whether the upstream did not do its part.
    pub(crate) fn is_upstream_failure(self) -> bool {
        matches!(
            self,
            Self::ServerError
                | Self::ConnectFailed
                | Self::TimedOut
                | Self::InvalidResponse
                | Self::Broken
                | Self::ResponseTooLarge
                | Self::RedirectRejected
        )
    }

    /// Returns whether the endpoint did not send a complete response.
    pub(crate) fn is_endpoint_fault(self) -> bool {
        matches!(
            self,
            Self::ConnectFailed | Self::TimedOut | Self::InvalidResponse | Self::Broken
        )
    }

    /// What a failure says about the upstream. If the endpoint is not at fault, the content of this
    /// one response is.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Self::ConnectFailed => Verdict::Unreachable,
            outcome if outcome.is_endpoint_fault() => Verdict::Failed,
            _ => Verdict::Served,
        }
    }

    /// The name in metrics, log events and spans.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// What became of a query, as metrics count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum QueryOutcome {
    /// The result is JSON.
    Ok,
    /// The response has another status than 200, or there is none.
    Failed,
    /// The response is not JSON.
    InvalidJson,
    /// The page did not wait for the response.
    Canceled,
    /// The response did not arrive in the time that a page has. Counted before `Canceled`, or the
    /// outcome of a response that is still received.
    Late,
    /// The JSON does not fit the schema of the page. Counted in addition to `Ok`.
    SchemaMismatch,
    /// All results of the page together are too large, and this is the largest. Counted in addition
    /// to `Ok`.
    TooLargeTogether,
}

impl QueryOutcome {
    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}
