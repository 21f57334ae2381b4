//! The errors of sign-up. Their texts are shown to visitors.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Map, Value};

use colonnade_web::body::ReadBodyError;
use colonnade_web::problem::Problem;

use crate::integrations::signup::fields::FieldError;

/// Why a sign-up fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum SignupError {
    /// The request comes from another site's page.
    #[error("Sign-up only works from this site’s own pages.")]
    CrossOrigin,
    /// The `Content-Type` is neither JSON nor a form.
    #[error("Please send the form as JSON or as a web form.")]
    MediaType,
    /// The body is larger than the limit.
    #[error("That’s too much to send. Please shorten what you entered.")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("Your form took too long to arrive. Please try again.")]
    TimedOut,
    /// The body cannot be parsed, or contains a field twice.
    #[error("We couldn’t read your form. Please try again.")]
    Malformed,
    /// A required field is missing.
    #[error("The field {0} is missing.")]
    Missing(&'static str),
    /// A field is invalid.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The backend rejected the sign-up.
    #[error("{message}")]
    Rejected {
        /// The backend's status if it is an error, otherwise 502.
        status: StatusCode,
        /// The backend's error message, or [`FAILED`].
        message: String,
    },
    /// The backend did not respond as expected.
    #[error("{FAILED}")]
    Unreachable(StatusCode),
    /// The circuit breaker is open for this time.
    #[error("{FAILED}")]
    CircuitOpen(Duration),
    /// The rate limit of the client is reached.
    #[error("There were too many sign-ups from your connection. Wait a minute, then try again.")]
    ClientRateLimited {
        /// The time until the next attempt.
        wait: Duration,
        /// Whether a form post gets the form's page, or only a plain error page.
        shows_page: bool,
    },
    /// The rate limit of all clients is reached.
    #[error("Too many people are signing up right now. Wait a minute, then try again.")]
    GlobalRateLimited {
        /// The time until the next attempt.
        wait: Duration,
        /// Whether a form post gets the form's page, or only a plain error page.
        shows_page: bool,
    },
    /// The limit of concurrent calls to the backend is reached.
    #[error("Too many people are signing up right now. Try again in a moment.")]
    ConcurrencyLimited,
}

/// The message for errors that the visitor cannot do anything about.
pub(super) const FAILED: &str = "Signup failed. Please try again.";

/// The code of an age below the minimum: the page ends sign-up.
pub(super) const UNDER_AGE: &str = "under_age";

/// The code of a backend that is out of reach: the page offers the partner.
const UNREACHABLE: &str = "unreachable";

/// The member of errors without a call of the backend: it has nothing of the sign-up.
const STOPPED: &str = "stopped";

impl Problem for SignupError {
    fn status(&self) -> StatusCode {
        match self {
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed | Self::Missing(_) => StatusCode::BAD_REQUEST,
            Self::Field(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Rejected { status, .. } | Self::Unreachable(status) => *status,
            Self::ClientRateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::CircuitOpen(_) | Self::GlobalRateLimited { .. } | Self::ConcurrencyLimited => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::ClientRateLimited { wait, .. }
            | Self::GlobalRateLimited { wait, .. }
            | Self::CircuitOpen(wait) => Some(*wait),
            Self::ConcurrencyLimited => Some(Duration::from_secs(1)),
            _ => None,
        }
    }

    fn add_members(&self, members: &mut Map<String, Value>) {
        if self.is_unreachable() {
            members.insert(UNREACHABLE.to_owned(), true.into());
        }
        if !matches!(self, Self::Rejected { .. } | Self::Unreachable(_)) {
            members.insert(STOPPED.to_owned(), true.into());
        }
    }
}

impl From<ReadBodyError> for SignupError {
    fn from(error: ReadBodyError) -> Self {
        match error {
            ReadBodyError::TooLarge => Self::TooLarge,
            ReadBodyError::TimedOut => Self::TimedOut,
            ReadBodyError::Broken(_) => Self::Malformed,
        }
    }
}

impl SignupError {
    /// Whether the backend is unreachable, so that the page can offer the partner.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::CircuitOpen(_))
    }

    /// Whether a form post gets the form's page, which may need a render.
    pub(super) fn shows_page(&self) -> bool {
        match self {
            Self::ClientRateLimited { shows_page, .. } | Self::GlobalRateLimited { shows_page, .. } => {
                *shows_page
            }
            _ => true,
        }
    }

    /// The code for the form's page, if it shows more than the text of the error.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Field(FieldError::UnderAge) => Some(UNDER_AGE),
            _ if self.is_unreachable() => Some(UNREACHABLE),
            _ => None,
        }
    }

    /// The outcome in the metrics. It does not name the invalid field, in particular the age.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            Self::CrossOrigin => "cross_origin",
            Self::MediaType | Self::TooLarge | Self::TimedOut | Self::Malformed | Self::Missing(_) => {
                "malformed"
            }
            Self::Field(_) => "invalid",
            Self::Rejected { .. } => "rejected",
            Self::Unreachable(_) => "unreachable",
            Self::CircuitOpen(_) => "circuit_open",
            Self::ClientRateLimited { .. } => "client_rate_limited",
            Self::GlobalRateLimited { .. } => "global_rate_limited",
            Self::ConcurrencyLimited => "concurrency_limited",
        }
    }
}
