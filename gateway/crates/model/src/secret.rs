//! Secret keys.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The bytes of a secret key, as base64url.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A new secret of 32 random bytes.
    pub fn random() -> Self {
        Self(URL_SAFE_NO_PAD.encode(colonnade_random::random::<[u8; 32]>()))
    }

    /// A key that everyone knows: it protects nothing.
    pub fn none() -> Self {
        Self(String::new())
    }

    /// The secret's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(&self.0).unwrap_or_default()
    }
}

/// Without the secret.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
