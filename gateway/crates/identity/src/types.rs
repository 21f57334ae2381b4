//! Who calls, and why an ID token does not say so.

use colonnade_model::schema::breaks_line;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// How far the clocks of an issuer and of this machine may differ, in seconds.
pub(crate) const LEEWAY: u64 = 60;

/// The maximum length of the text that names a caller (OIDC Core 1.0, section 2).
const MAX_NAME: usize = 255;

/// The holder of a valid ID token or client certificate.
#[derive(Debug)]
pub struct Holder {
    /// The name of the provider; of certificates, that of their grants.
    pub provider: String,
    /// The issuer.
    pub issuer: String,
    /// The subject: the holder's ID at the issuer.
    pub subject: String,
    /// What names the holder in the history and the log: the value of the provider's `name_claim`.
    pub name: String,
    /// When the token or the certificate expires.
    pub expires: Timestamp,
    /// All claims.
    pub claims: Map<String, Value>,
}

/// Why an ID token is not accepted. The text contains nothing of the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenProblem {
    /// No provider has this issuer.
    #[error("no identity provider of the configuration has the issuer of the ID token")]
    Issuer,
    /// The algorithm is not accepted.
    #[error("the ID token is not signed with an accepted algorithm; expected {0}")]
    Algorithm(String),
    /// The issuer has no such key.
    #[error("the issuer of the ID token does not publish the key that the token names")]
    Key,
    /// The token names no key, of several.
    #[error("the ID token names no key, and its issuer does not publish exactly one")]
    NoKeyId,
    /// The signature is wrong.
    #[error("the signature of the ID token is invalid")]
    Signature,
    /// The claim `aud` has none of the expected audiences.
    #[error("the ID token is for another audience; expected {0}")]
    Audience(String),
    /// The token has expired, or is not yet valid.
    #[error("the ID token has expired or is not yet valid")]
    Time,
    /// A claim is missing or invalid.
    #[error("the ID token lacks a valid claim `{0}`")]
    Claim(String),
    /// The token is no JWT.
    #[error("the ID token cannot be parsed")]
    Malformed,
    /// The provider did not answer, or not with what it should.
    #[error("the identity provider `{0}` cannot be reached; the log says why")]
    Unreachable(String),
    /// The provider is not for people.
    #[error("the identity provider does not offer sign-in with a browser")]
    NoSignIn,
    /// The authorization code is not for this browser.
    #[error("the sign-in failed or took too long; try again")]
    Code,
    /// The provider with this name refused the authorization code.
    #[error("the sign-in failed or took too long; try again")]
    Refused(String),
}

impl Holder {
    /// Whether its ID token is accepted now.
    pub fn is_valid(&self) -> bool {
        let age = colonnade_clock::now().duration_since(self.expires);
        age <= SignedDuration::from_secs(LEEWAY.cast_signed())
    }
}

/// Whether a text can name a caller: it is one line that reads in one direction.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len()) && !text.chars().any(breaks_line)
}
