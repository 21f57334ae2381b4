//! Why the admin API does not accept a token.

use colonnade_identity::IdTokenProblem;

/// Why a token is not accepted. The response does not say it, except for ID tokens: it would tell a
/// stranger that a token was valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenProblem {
    /// There is no bearer token.
    Missing,
    /// There is none, and no grant applies to the client certificate, whose purpose can be the
    /// connection alone.
    CertificateWithoutGrant,
    /// The token is not configured.
    Unknown,
    /// The token has expired.
    Expired,
    /// The session has ended.
    NoSession,
    /// A page of another origin sent the request with the cookie of a session.
    CrossOrigin,
    /// The ID token is not accepted.
    IdToken(IdTokenProblem),
    /// The ID token is valid, but no grant applies to it.
    NoGrant,
}

impl TokenProblem {
    /// Whether the same token may be accepted later.
    pub(super) fn is_temporary(&self) -> bool {
        matches!(self, Self::IdToken(IdTokenProblem::Unreachable(_)))
    }

    /// Its name in the audit log.
    pub(super) fn cause(&self) -> &'static str {
        match self {
            Self::Missing | Self::CertificateWithoutGrant => "token_missing",
            Self::Unknown => "token_unknown",
            Self::Expired => "token_expired",
            Self::NoSession => "session_unknown",
            Self::CrossOrigin => "cross_origin",
            Self::NoGrant => "no_grant",
            Self::IdToken(problem) => match problem {
                IdTokenProblem::Issuer => "id_token_issuer",
                IdTokenProblem::Audience(_) => "id_token_audience",
                IdTokenProblem::Algorithm(_) => "id_token_algorithm",
                IdTokenProblem::Key | IdTokenProblem::NoKeyId | IdTokenProblem::Signature => {
                    "id_token_signature"
                }
                IdTokenProblem::Time => "token_expired",
                IdTokenProblem::Claim(_) | IdTokenProblem::Malformed => "id_token_invalid",
                IdTokenProblem::NoSignIn | IdTokenProblem::Code | IdTokenProblem::Refused(_) => {
                    "sign_in_failed"
                }
                IdTokenProblem::Unreachable(_) => "provider_unreachable",
            },
        }
    }
}
