//! SHA-384 digests, written as Subresource Integrity writes them.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use sha2::Sha384;

/// The SHA-384 of some bytes; as text `sha384-<base64>`, which is also what a browser's `integrity` takes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest([u8; 48]);

/// The text is no SHA-384 digest.
#[derive(Debug, thiserror::Error)]
#[error("a digest must be `sha384-` and the base64 of 48 bytes")]
pub(crate) struct DigestError;

impl Digest {
    /// The digest of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha384::digest(bytes).into())
    }

    /// The digest a hash has come to.
    pub(crate) fn finish(hash: Sha384) -> Self {
        Self(hash.finalize().into())
    }

    /// The base64 part alone.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha384-{}", self.base64())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let base64 = text.strip_prefix("sha384-").ok_or(DigestError)?;
        let bytes = STANDARD.decode(base64).map_err(|_| DigestError)?;
        bytes.try_into().map(Self).map_err(|_| DigestError)
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}
