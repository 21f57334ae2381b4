//! The error of reports, and how they are read.

use std::time::Duration;

use http::StatusCode;

use colonnade_web::body::{ReadBodyError, RequestBody, read_to_end};
use colonnade_web::problem::Problem;

/// The timeout for reading a report.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a report is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A rate limit is reached.
    #[error("Too many reports.")]
    RateLimited,
    /// The report is larger than this number of bytes.
    #[error("The report is too large: at most {0} bytes are allowed.")]
    TooLarge(usize),
    /// The report did not arrive in time.
    #[error("The report did not arrive in time.")]
    TimedOut,
    /// The report is not valid JSON of its format, or names no release of a visible deployment.
    #[error("The report is invalid.")]
    Malformed,
}

impl Problem for ReportError {
    fn status(&self) -> StatusCode {
        match self {
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::RateLimited).then_some(Duration::from_mins(1))
    }
}

/// Reads a report of at most `max_bytes`.
pub(super) async fn read(body: RequestBody, max_bytes: usize) -> Result<Vec<u8>, ReportError> {
    let read = read_to_end(body, max_bytes, BODY_TIMEOUT).await;
    read.map_err(|error| match error {
        ReadBodyError::TooLarge => ReportError::TooLarge(max_bytes),
        ReadBodyError::TimedOut => ReportError::TimedOut,
        ReadBodyError::Broken(_) => ReportError::Malformed,
    })
}
