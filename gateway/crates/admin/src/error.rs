//! Errors of the admin API.

use std::io;
use std::time::Duration;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use colonnade_config::Action;
use colonnade_model::deployment::EXPECTED_STEPS;
use colonnade_model::pattern::PathError;
use colonnade_platform::deployment::{ChangeError, LoadError};
use colonnade_platform::publish::{PublishError, QuotaError};
use colonnade_store::{StoreError, cause_without_path};
use colonnade_web::problem::{HttpError, Problem};

use crate::token_problem::TokenProblem;

/// When to try again if the store is locked, or too many others do the same.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// What failed when the body of a request cannot be stored.
const UPLOAD: &str = "cannot write the request body to a temporary file";

/// The header with the source of a release.
pub(super) const SOURCE: &str = "colonnade-source";

/// The route of requests that are refused before a route is found, and their cause in the audit
/// log.
pub(crate) const INVALID_REQUEST: &str = "invalid_request";

/// Why a request to the admin API fails.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// An error that both listeners share.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The path is invalid.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A parameter in the path is invalid.
    #[error("invalid path: {0}")]
    Parameter(String),
    /// The request has no known bearer token.
    #[error("{}", unauthorized(.0))]
    Unauthorized(TokenProblem),
    /// Too many people sign in at the same time.
    #[error("too many people sign in now; try again later")]
    TooManySignIns,
    /// The client sent too many requests without a valid token.
    #[error("too many requests without a valid bearer token; try again in {} s", .0.as_secs() + 1)]
    TooManyFailures(Duration),
    /// The token does not permit the action.
    #[error("the token `{token}` does not permit `{}` on `{section}`", action.name())]
    Forbidden {
        /// The name of the token.
        token: String,
        /// The action.
        action: Action,
        /// The section, or `*` for all sections.
        section: String,
    },
    /// The body is invalid.
    #[error("invalid request body: {0}")]
    Body(String),
    /// A preview link cannot lead to the path.
    #[error("`path` must be the path of a page, such as /terms, of at most 512 bytes")]
    PreviewPath,
    /// `steps` has no steps, or the configuration has none.
    #[error("`steps` {0}; expected {EXPECTED_STEPS}")]
    Steps(String),
    /// The source of a release is invalid.
    #[error("invalid header `{SOURCE}`: {0}")]
    Source(String),
    /// The query is invalid.
    #[error("invalid query: {0}")]
    Query(String),
    /// The body is larger than this many bytes.
    #[error("the request body exceeds {0} bytes")]
    TooLarge(u64),
    /// The body arrives too slowly.
    #[error("timed out waiting for the request body")]
    Timeout,
    /// The body cannot be written to a temporary file.
    #[error("{UPLOAD}: {0}")]
    Upload(#[source] io::Error),
    /// The release cannot be published.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The token's holder publishes too many releases, or all callers together.
    #[error("too many releases wait to be published; try again later")]
    TooManyPublishes,
    /// A section would open extension points that no release can have.
    #[error("the extension points are invalid; the team of the section corrects them as `problems` says")]
    InvalidPoints(Vec<String>),
    /// Another trial is running, or the gateway has no worker or time for it.
    #[error("the gateway is too busy to render the extensions; try again later")]
    TrialsBusy,
    /// Publishing needs memory.
    #[error(
        "the gateway is short of memory and takes no releases; deploy and roll back work; try again later"
    )]
    MemoryShort,
    /// The change cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// A deployment cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The store has no key for preview links.
    #[error("the store has no key to sign preview links")]
    NoPreviewKey,
    /// The token's holder has too many event streams open, or all callers together.
    #[error("too many event streams are open; close one")]
    TooManyStreams,
    /// Clients read too many source maps at the same time.
    #[error("too many source maps are read now; try again later")]
    TooManySourceMaps,
    /// The gateway was built without the console.
    #[error("this gateway was built without the console; run `make console` and build the gateway again")]
    NoConsole,
    /// The gateway shuts down during a wait for an entry.
    #[error("the gateway is shutting down; try again")]
    ShuttingDown,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AdminError {
    /// The name of the error in the audit log. Unlike the error's text it contains nothing that a
    /// client sent.
    pub(crate) fn cause(&self) -> &'static str {
        match self {
            _ if self.is_contended() => "store_locked",
            _ if self.is_read_only() => "store_read_only",
            Self::Http(HttpError::NotFound) | Self::NoConsole => "not_found",
            Self::Http(HttpError::MethodNotAllowed(_)) => "method_not_allowed",
            Self::Http(HttpError::Overloaded) => "overloaded",
            Self::Http(HttpError::Panic) => "panic",
            Self::Http(HttpError::UriTooLong | HttpError::CrossOrigin)
            | Self::Path(_)
            | Self::Parameter(_)
            | Self::Source(_) => INVALID_REQUEST,
            Self::Unauthorized(problem) => problem.cause(),
            Self::TooManyFailures(_) => "rate_limited",
            Self::Forbidden { .. } => "forbidden",
            Self::Body(_) | Self::PreviewPath | Self::Steps(_) => "invalid_body",
            Self::Query(_) => "invalid_query",
            Self::TooLarge(_) => "body_too_large",
            Self::Timeout => "body_timeout",
            Self::Publish(error) => publish_cause(error),
            Self::InvalidPoints(_) => "invalid_points",
            Self::Change(error) => change_cause(error),
            Self::TooManyPublishes => "too_many_publishes",
            Self::TrialsBusy => "trials_busy",
            Self::MemoryShort => "memory_short",
            Self::TooManyStreams => "too_many_streams",
            Self::TooManySourceMaps => "too_many_source_maps",
            Self::TooManySignIns => "too_many_sign_ins",
            Self::ShuttingDown => "shutting_down",
            Self::Upload(_) | Self::Load(_) | Self::NoPreviewKey | Self::Store(_) => "store_error",
        }
    }
}

/// Why a token is not accepted. What is wrong with an ID token is no secret: its holder can read it.
fn unauthorized(problem: &TokenProblem) -> String {
    match problem {
        TokenProblem::IdToken(problem) => problem.to_string(),
        TokenProblem::NoGrant => {
            "no grant of the configuration applies to the claims of the ID token".to_owned()
        }
        TokenProblem::CertificateWithoutGrant => {
            "missing bearer token, and no grant of the configuration applies to the client certificate; send \
             `Authorization: Bearer <token>`, or add a grant"
                .to_owned()
        }
        _ => "missing or unknown bearer token; send `Authorization: Bearer <token>`".to_owned(),
    }
}

fn publish_cause(error: &PublishError) -> &'static str {
    match error {
        PublishError::InvalidArchive(_) => "invalid_archive",
        PublishError::VersionTaken(_) => "version_taken",
        PublishError::VersionDeleted(_) => "version_deleted",
        PublishError::Rejected(_) => "release_rejected",
        PublishError::Quota(_) => "over_quota",
        PublishError::Store(_) => "store_error",
    }
}

fn change_cause(error: &ChangeError) -> &'static str {
    match error {
        ChangeError::UnknownReleases(_) => "unknown_releases",
        ChangeError::Unavailable(_) => "releases_unavailable",
        ChangeError::Conflict(_) => "conflict",
        ChangeError::RenderFailed(_) => "render_failed",
        ChangeError::ExtensionsPushedOut(_) => "extensions_pushed_out",
        ChangeError::ExtensionNotFound(_) => "extension_not_found",
        ChangeError::BaseNotLive { .. } => "base_not_live",
        ChangeError::ConflictWithRollouts { .. } => "conflict_with_rollouts",
        ChangeError::SectionsInRollout(_) => "sections_in_rollout",
        ChangeError::SettingsMissingOrMistyped(_) => "settings_missing_or_mistyped",
        ChangeError::NoLiveDeployment => "no_live_deployment",
        ChangeError::NotInRollout { .. } => "not_in_rollout",
        ChangeError::NoSteps(_) => "no_steps",
        ChangeError::DeploymentNotFound(_) => "deployment_not_found",
        ChangeError::NothingToRestore(_) => "nothing_to_restore",
        ChangeError::DamagedRecord(_) => "record_damaged",
        ChangeError::NotAllowed(_) | ChangeError::ClaimsNotAllowed(_) => "forbidden",
        ChangeError::Load(_) | ChangeError::Store(_) => "store_error",
    }
}

impl Problem for AdminError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Http(error) => error.status(),
            Self::Path(_) | Self::Parameter(_) | Self::Source(_) => StatusCode::BAD_REQUEST,
            Self::Forbidden { .. } | Self::Unauthorized(TokenProblem::NoGrant) => StatusCode::FORBIDDEN,
            Self::Unauthorized(problem) if problem.is_temporary() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::TooManyFailures(_) | Self::Publish(PublishError::Quota(QuotaError::Publishes { .. })) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::Body(_) | Self::Query(_) | Self::Publish(PublishError::InvalidArchive(_)) => {
                StatusCode::BAD_REQUEST
            }
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::Publish(PublishError::VersionTaken(_) | PublishError::VersionDeleted(_)) => {
                StatusCode::CONFLICT
            }
            Self::PreviewPath
            | Self::Steps(_)
            | Self::InvalidPoints(_)
            | Self::Publish(PublishError::Rejected(_) | PublishError::Quota(QuotaError::Stored { .. })) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            _ if self.is_contended() || self.is_store_away() => StatusCode::SERVICE_UNAVAILABLE,
            _ if self.is_read_only() => StatusCode::CONFLICT,
            Self::Change(error) => change_status(error),
            Self::NoConsole => StatusCode::NOT_FOUND,
            Self::ShuttingDown
            | Self::TooManyStreams
            | Self::TooManySourceMaps
            | Self::TooManySignIns
            | Self::TooManyPublishes
            | Self::TrialsBusy
            | Self::MemoryShort => StatusCode::SERVICE_UNAVAILABLE,
            Self::Publish(PublishError::Store(_))
            | Self::Upload(_)
            | Self::Load(_)
            | Self::NoPreviewKey
            | Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The log has the paths of the store's files. Tokens belong to teams, too.
    fn operator_detail(&self) -> String {
        match (self, self.store_error()) {
            (_, Some(error)) => error.without_path(),
            (Self::Upload(error), None) => format!("{UPLOAD}: {}", cause_without_path(error)),
            _ => self.to_string(),
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::Http(error) => error.add_headers(headers),
            Self::Unauthorized(_) if self.status() == StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http(error) => error.retry_after(),
            Self::TooManyFailures(wait)
            | Self::Publish(PublishError::Quota(QuotaError::Publishes { wait, .. })) => Some(*wait),
            Self::TooManyStreams
            | Self::TooManySourceMaps
            | Self::TooManySignIns
            | Self::TooManyPublishes
            | Self::TrialsBusy
            | Self::MemoryShort => Some(RETRY_AFTER),
            Self::Unauthorized(problem) if problem.is_temporary() => Some(RETRY_AFTER),
            _ if self.is_contended() || self.is_store_away() => Some(RETRY_AFTER),
            _ => None,
        }
    }

    fn add_members(&self, members: &mut Map<String, Value>) {
        match self {
            Self::InvalidPoints(problems)
            | Self::Publish(PublishError::Rejected(problems))
            | Self::Change(
                ChangeError::Conflict(problems)
                | ChangeError::ConflictWithRollouts { problems, .. }
                | ChangeError::UnknownReleases(problems)
                | ChangeError::Unavailable(problems)
                | ChangeError::SettingsMissingOrMistyped(problems)
                | ChangeError::ExtensionsPushedOut(problems)
                | ChangeError::RenderFailed(problems),
            ) => {
                members.insert("problems".to_owned(), json!(problems));
            }
            Self::Change(ChangeError::ClaimsNotAllowed(claims)) => {
                let claims: Vec<String> = claims.iter().map(ToString::to_string).collect();
                members.insert("problems".to_owned(), json!(claims));
            }
            Self::Change(ChangeError::BaseNotLive { live, .. }) => {
                members.insert("live".to_owned(), json!(live));
            }
            _ => {}
        }
    }

    fn log(&self) {
        if self.status() == StatusCode::INTERNAL_SERVER_ERROR || self.is_store_away() {
            tracing::error!(event = "admin_error", error = %self);
        } else if self.is_contended() {
            tracing::warn!(event = "store_locked", error = %self);
        }
    }
}

impl AdminError {
    /// The error of the store, if it is one.
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error)
            | Self::Load(LoadError::Store(error))
            | Self::Publish(PublishError::Store(error))
            | Self::Change(ChangeError::Store(error) | ChangeError::Load(LoadError::Store(error))) => {
                Some(error)
            }
            _ => None,
        }
    }

    /// Whether the call waited too long for another operation or change.
    fn is_contended(&self) -> bool {
        self.store_error().is_some_and(StoreError::is_contended)
    }

    /// Whether another gateway makes the changes.
    fn is_read_only(&self) -> bool {
        self.store_error().is_some_and(StoreError::is_read_only)
    }

    /// Whether the store cannot be used now.
    fn is_store_away(&self) -> bool {
        self.store_error().is_some_and(StoreError::is_away)
    }
}

fn change_status(error: &ChangeError) -> StatusCode {
    match error {
        ChangeError::NotAllowed(_) | ChangeError::ClaimsNotAllowed(_) => StatusCode::FORBIDDEN,
        ChangeError::DeploymentNotFound(_) | ChangeError::ExtensionNotFound(_) => StatusCode::NOT_FOUND,
        ChangeError::UnknownReleases(_)
        | ChangeError::SettingsMissingOrMistyped(_)
        | ChangeError::RenderFailed(_) => StatusCode::UNPROCESSABLE_ENTITY,
        ChangeError::Conflict(_)
        | ChangeError::ExtensionsPushedOut(_)
        | ChangeError::BaseNotLive { .. }
        | ChangeError::ConflictWithRollouts { .. }
        | ChangeError::SectionsInRollout(_)
        | ChangeError::NoLiveDeployment
        | ChangeError::NotInRollout { .. }
        | ChangeError::NoSteps(_)
        | ChangeError::Unavailable(_)
        | ChangeError::DamagedRecord(_)
        | ChangeError::NothingToRestore(_) => StatusCode::CONFLICT,
        ChangeError::Load(_) | ChangeError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
