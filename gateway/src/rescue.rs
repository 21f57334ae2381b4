//! The one place that maps every error to a response.
//!
//! Which error to use where:
//! - [`Error`] is what a route returns when it cannot answer; each variant is one thing that can go wrong.
//! - [`Audience`] says who reads the answer: a person with a browser, a script of the site, or an operator's tool.
//!
//! Causes are logged here and stay here: a visitor reads words, never a file name or a stack trace.

use std::sync::Arc;
use std::time::Duration;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, StatusCode};
use serde_json::json;

use crate::admin::AdminError;
use crate::deployment::{ChangeError, Snapshot};
use crate::document::plain_page;
use crate::pattern::PathError;
use crate::publish::PublishError;
use crate::reply::{Methods, Reply, json, retry_after, text};
use crate::rollout::ReportError;
use crate::signup::SignupError;
use crate::stack::RequestError;
use crate::store::StoreError;
use crate::violation::ViolationError;

/// Why a route cannot answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("Too much is asked of this site just now. Please try again in a moment.")]
    Busy,
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("The address is too long.")]
    TooLong,
    #[error("There is nothing at this address.")]
    NotFound,
    #[error("That deployment is no longer kept.")]
    NotKept,
    #[error("This address does not take that kind of request.")]
    Method(Methods),
    #[error("There is nothing to see yet. Please come back in a few minutes.")]
    NothingLive,
    #[error("This only works from this site's own pages.")]
    CrossOrigin,
    #[error(
        "This preview is over, or its link is not complete. Please ask whoever sent it to you for a new one."
    )]
    PreviewOver,
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Violation(#[from] ViolationError),
    #[error(transparent)]
    Signup(#[from] SignupError),
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error("Something went wrong. Please try again.")]
    Store(#[from] StoreError),
    /// The same, of a file that several may have asked for at once.
    #[error("Something went wrong. Please try again.")]
    File(Arc<StoreError>),
    #[error("Something went wrong. Please try again.")]
    Panic,
}

/// Who reads the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A person: a small HTML page.
    Person {
        /// The site's name.
        brand: Arc<str>,
        /// Whether a site is live, so that the page can lead there.
        live: bool,
    },
    /// A program that wants a file: a line of text.
    Program,
    /// A script of the site: `{"error": "words"}`.
    Script,
    /// An operator's tool: a problem document (RFC 9457).
    Operator,
}

impl Audience {
    /// A person, who asked the site of this name when this was the view of the store.
    pub(crate) fn person(snapshot: &Snapshot, brand: &Arc<str>) -> Self {
        Self::Person {
            brand: Arc::clone(brand),
            live: snapshot.live().is_some(),
        }
    }
}

/// The response to an error.
pub(crate) fn rescue(error: &Error, audience: Audience) -> Reply {
    log(error);
    let status = status(error);
    let words = error.to_string();
    let mut reply = match audience {
        Audience::Person { brand, live } => plain_page(
            status,
            &brand,
            title(error, status),
            person_words(error, &words),
            live,
        ),
        Audience::Program => text(status, &words),
        Audience::Script => script(error, status, &words),
        Audience::Operator => problem(error, status, &words),
    };
    if let Some(wait) = wait(error) {
        retry_after(&mut reply, wait);
    }
    let headers = reply.headers_mut();
    match error {
        Error::Method(methods) => methods.tell(headers),
        Error::Admin(AdminError::NoToken) => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        _ => {}
    }
    reply
}

/// What a person reads: how an address is encoded says nothing to most.
fn person_words<'a>(error: &Error, words: &'a str) -> &'a str {
    match error {
        Error::Path(_) => "The address has a mistake in it.",
        _ => words,
    }
}

/// How long it is worth waiting before asking again, where that is known.
fn wait(error: &Error) -> Option<Duration> {
    match error {
        Error::Busy => Some(Duration::from_secs(1)),
        Error::NothingLive => Some(Duration::from_secs(30)),
        Error::Violation(ViolationError::TooMany) => Some(Duration::from_mins(1)),
        Error::Signup(error) => error.wait(),
        _ => None,
    }
}

/// The status an error answers with.
pub(crate) fn status(error: &Error) -> StatusCode {
    match error {
        Error::Request(error) => error.status(),
        Error::Path(_) => StatusCode::BAD_REQUEST,
        Error::TooLong => StatusCode::URI_TOO_LONG,
        Error::NotFound => StatusCode::NOT_FOUND,
        Error::NotKept => StatusCode::GONE,
        Error::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
        Error::Busy | Error::NothingLive => StatusCode::SERVICE_UNAVAILABLE,
        Error::CrossOrigin | Error::PreviewOver => StatusCode::FORBIDDEN,
        Error::Report(error) => report_status(error),
        Error::Violation(error) => error.status(),
        Error::Signup(error) => error.status(),
        Error::Admin(error) => admin_status(error),
        Error::Store(_) | Error::File(_) | Error::Panic => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn report_status(error: &ReportError) -> StatusCode {
    match error {
        ReportError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ReportError::Stalled => StatusCode::REQUEST_TIMEOUT,
        ReportError::Malformed => StatusCode::BAD_REQUEST,
    }
}

fn admin_status(error: &AdminError) -> StatusCode {
    match error {
        AdminError::NoToken => StatusCode::UNAUTHORIZED,
        AdminError::NotAllowed { .. } => StatusCode::FORBIDDEN,
        AdminError::Body(_) | AdminError::Query(_) | AdminError::Publish(PublishError::Archive(_)) => {
            StatusCode::BAD_REQUEST
        }
        AdminError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        AdminError::Stalled => StatusCode::REQUEST_TIMEOUT,
        AdminError::Publish(PublishError::Taken(_) | PublishError::Gone(_)) => StatusCode::CONFLICT,
        AdminError::Publish(PublishError::Refused(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        AdminError::Change(error) => change_status(error),
        AdminError::Publish(PublishError::Store(_))
        | AdminError::Upload(_)
        | AdminError::Load(_)
        | AdminError::NoKey
        | AdminError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn change_status(error: &ChangeError) -> StatusCode {
    match error {
        ChangeError::NotAllowed(_) => StatusCode::FORBIDDEN,
        ChangeError::NoDeployment(_) => StatusCode::NOT_FOUND,
        ChangeError::Unknown(_) | ChangeError::Unrenderable(_) => StatusCode::UNPROCESSABLE_ENTITY,
        ChangeError::Conflict(_)
        | ChangeError::Base { .. }
        | ChangeError::RolloutRuns(_)
        | ChangeError::InRollout { .. }
        | ChangeError::NothingLive
        | ChangeError::NotCandidate { .. }
        | ChangeError::NothingBefore(_) => StatusCode::CONFLICT,
        ChangeError::Load(_) | ChangeError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn title(error: &Error, status: StatusCode) -> &'static str {
    match error {
        Error::PreviewOver => "This preview is over",
        Error::NothingLive => "This site is being set up",
        Error::Path(_) | Error::TooLong | Error::Request(_) => "That address does not work",
        Error::NotFound => "Page not found",
        Error::Busy => "This site is very busy",
        Error::Store(_) | Error::File(_) | Error::Panic => "This did not work",
        _ => status.canonical_reason().unwrap_or("Error"),
    }
}

fn script(error: &Error, status: StatusCode, words: &str) -> Reply {
    match error {
        Error::Signup(error) if error.is_unreachable() => {
            json(status, &json!({ "error": words, "unreachable": true }))
        }
        _ => json(status, &json!({ "error": words })),
    }
}

fn problem(error: &Error, status: StatusCode, words: &str) -> Reply {
    let mut document = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": words,
    });
    match error {
        Error::Admin(
            AdminError::Publish(PublishError::Refused(problems))
            | AdminError::Change(
                ChangeError::Conflict(problems)
                | ChangeError::Unknown(problems)
                | ChangeError::Unrenderable(problems),
            ),
        ) => document["problems"] = json!(problems),
        Error::Admin(AdminError::Change(ChangeError::Base { live, .. })) => document["live"] = json!(live),
        _ => {}
    }
    let mut reply = json(status, &document);
    let content_type = HeaderValue::from_static("application/problem+json");
    reply
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, content_type);
    reply
}

/// What visitors are not told, operators are. The cause of a failed sign-up is logged where it is known.
fn log(error: &Error) {
    match error {
        Error::Store(cause) => tracing::error!(event = "store_failed", error = %cause),
        Error::File(cause) => tracing::error!(event = "store_failed", error = %cause),
        Error::Admin(error) if admin_status(error).is_server_error() => {
            tracing::error!(event = "admin_failed", error = %error);
        }
        _ => {}
    }
}
