//! Content digests: SHA-384 in the format of Subresource Integrity.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use sha2::Sha384;

/// A SHA-384 digest. Its text form is `sha384-<base64>`, the format of HTML's `integrity`
/// attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 48]);

/// The text is not a SHA-384 digest.
#[derive(Debug, thiserror::Error)]
#[error("a digest must be `sha384-` and the base64 of 48 bytes")]
pub struct DigestError;

impl Digest {
    /// The digest of the bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha384::digest(bytes).into())
    }

    /// The digest of all bytes of a reader.
    pub fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hash = Sha384::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Self::finish(hash)),
                count => hash.update(&buffer[..count]),
            }
        }
    }

    /// The digest of the bytes that were fed to a hasher.
    pub fn finish(hash: Sha384) -> Self {
        Self(hash.finalize().into())
    }

    /// The base64 part of the text form.
    pub fn base64(&self) -> String {
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
