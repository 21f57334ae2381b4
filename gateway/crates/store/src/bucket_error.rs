//! Errors of an object store, in the operator's words.
//!
//! The texts of the library and of the servers are never shown: they can contain access key IDs and
//! signed URLs.

use std::error::Error as StdError;

use object_store::client::{HttpError, HttpErrorKind};

/// The address of the metadata service of a machine in the cloud.
const METADATA_SERVICE: &str = "169.254.169.254";

/// Why an operation on a bucket failed.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// There was no connection to the object store, or it broke.
    #[error("the object store cannot be reached: {0}")]
    Unreachable(String),
    /// The last poll failed. Visitors do not wait until a request fails as well.
    #[error("the object store could not be used a moment ago")]
    Away,
    /// The object store sent nothing for too long.
    #[error("the object store did not respond in time")]
    Timeout,
    /// The object store failed, or it limits the rate of requests.
    #[error("the object store failed ({0}); try again")]
    Failed(String),
    /// There is no such bucket.
    #[error("there is no such bucket; correct `store.url` or `store.endpoint`")]
    NoBucket,
    /// The bucket is in another region, or the endpoint is not one of an object store.
    #[error("the object store redirects to another place; correct `store.region` or `store.endpoint`")]
    Redirected,
    /// The credentials lack a permission.
    #[error(
        "access is denied ({0}); the credentials must permit to read, write, delete and list below `store.url`"
    )]
    Denied(String),
    /// The credentials are wrong or have expired.
    #[error("the object store rejects the credentials ({0}); renew or correct them")]
    Credentials(String),
    /// There are no credentials.
    #[error("there are no credentials for the object store: {0}")]
    NoCredentials(String),
    /// The clock of this machine is wrong.
    #[error("the object store rejects the time of this machine ({0}); correct its clock")]
    Clock(String),
    /// The object store sent an error where an object should be.
    #[error("the object store sent an error instead of the object ({0}); try again")]
    ErrorBody(String),
    /// A response without entity tag.
    #[error(
        "the response has no ETag, without which changes cannot be made safely; a proxy must not remove it"
    )]
    NoEtag,
    /// It is unknown whether a change took effect.
    #[error(
        "the object store did not confirm the change, so it may or may not take effect; check the history before \
         you repeat it"
    )]
    Unconfirmed,
    /// The object store ignores conditions of writes.
    #[error(
        "the object store ignores {0} of PUT requests, so gateways would overwrite each other's changes; use one with \
         conditional writes, or `store.folder` without `store.url`"
    )]
    ConditionsIgnored(&'static str),
    /// A replica of the bucket has not got all that visitors need.
    #[error(
        "the object has not been replicated yet, so revision {revision} cannot be served; start again when it has"
    )]
    NotReplicated {
        /// The revision of the live state that has arrived.
        revision: u64,
    },
    /// The store is opened read-only.
    #[error(
        "this gateway only reads the store (`store.read_only = true`); publish, deploy and roll back through a gateway of the \
         region that writes"
    )]
    ReadOnly,
    /// The local folder is the cache of another store.
    #[error(
        "`store.folder` is the cache of another store, {cached}; choose another folder, or delete it if the change is intended"
    )]
    OtherStore {
        /// The store that is cached there.
        cached: String,
    },
    /// The settings are incomplete.
    #[error("{0}")]
    Settings(String),
}

impl BucketError {
    /// Whether the store may be intact and only cannot be used now.
    pub(crate) fn is_away(&self) -> bool {
        !matches!(
            self,
            Self::ConditionsIgnored(_) | Self::ReadOnly | Self::OtherStore { .. } | Self::Settings(_)
        )
    }

    /// Whether a write that got this error may have taken effect.
    pub(crate) fn is_unconfirmed(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_) | Self::Timeout | Self::Failed(_) | Self::NoEtag
        )
    }

    /// The error of a failed request.
    pub(crate) fn of(error: &object_store::Error) -> Self {
        let code = code_of(error);
        let named = |default: &str| code.clone().unwrap_or_else(|| default.to_owned());
        match code.as_deref() {
            Some("NoSuchBucket" | "ContainerNotFound") => return Self::NoBucket,
            Some("RequestTimeTooSkewed") => return Self::Clock(named("")),
            Some(
                "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException",
            ) => {
                return Self::Redirected;
            }
            Some(
                "ExpiredToken"
                // The next three are errors of AssumeRoleWithWebIdentity.
                | "ExpiredTokenException"
                | "IDPRejectedClaim"
                | "InvalidIdentityToken"
                | "InvalidAccessKeyId"
                | "InvalidToken"
                | "SignatureDoesNotMatch"
                | "TokenRefreshRequired"
                | "AuthenticationFailed"
                | "InvalidSecurity",
            ) => return Self::Credentials(named("")),
            _ => {}
        }
        match error {
            object_store::Error::PermissionDenied { .. } => Self::Denied(named("403")),
            object_store::Error::Unauthenticated { .. } => Self::Credentials(named("401")),
            // Only requests of the whole bucket get here: see `Objects::get`.
            object_store::Error::NotFound { .. } => Self::NoBucket,
            _ if is_refused_list(error, "403") => Self::Denied(named("403")),
            _ if is_refused_list(error, "401") => Self::Credentials(named("401")),
            _ if is_refused_list(error, "404") => Self::NoBucket,
            // Of a request for temporary credentials: the other requests have an error of their own
            // for it.
            _ if code.as_deref() == Some("AccessDenied") => Self::Credentials(named("")),
            _ => Self::of_transport(error, code),
        }
    }

    /// The error of settings from which no client can be made.
    pub(crate) fn of_settings(error: &object_store::Error) -> Self {
        Self::Settings(innermost(error))
    }

    fn of_transport(error: &object_store::Error, code: Option<String>) -> Self {
        let innermost = innermost(error);
        let kind = causes(error).find_map(|cause| Some(cause.downcast_ref::<HttpError>()?.kind()));
        // The last place to look for credentials, which only machines of the provider have.
        if causes(error).any(|cause| cause.to_string().contains(METADATA_SERVICE)) {
            return Self::NoCredentials(innermost);
        }
        match kind {
            Some(HttpErrorKind::Timeout) => Self::Timeout,
            // The innermost cause is an error of the system or of TLS.
            Some(_) => Self::Unreachable(innermost),
            None if innermost.contains("without LOCATION") => Self::Redirected,
            None if innermost.contains("ETag") => Self::NoEtag,
            None => Self::Failed(
                code.or_else(|| status(&innermost))
                    .unwrap_or_else(|| "no reason".to_owned()),
            ),
        }
    }
}

/// An error and what caused it.
fn causes(error: &object_store::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(Some(error as &(dyn StdError + 'static)), |cause| {
        StdError::source(*cause)
    })
}

/// Whether this is a list with this status. The library has no errors of their own for these.
fn is_refused_list(error: &object_store::Error, status: &str) -> bool {
    error.to_string().contains("list request") && innermost(error).contains(&format!("status code: {status}"))
}

/// The text of the first cause.
fn innermost(error: &object_store::Error) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

/// The error code in the XML that an object store sent, such as `SlowDown`.
pub(crate) fn code_of(error: &object_store::Error) -> Option<String> {
    code_in(&innermost(error))
}

/// The error code in a text with the XML of an error.
pub(crate) fn code_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code =
        !code.is_empty() && code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

/// The status in the text of the library's error.
fn status(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("status code: ")?;
    let status = rest.get(..3)?;
    status
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| format!("status {status}"))
}
