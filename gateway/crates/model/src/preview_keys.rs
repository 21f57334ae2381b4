//! The keys that sign preview links.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::unknown_fields::UnknownFields;

/// The maximum lifetime of a preview.
pub const MAX_PREVIEW_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a key signs new tokens. After that it still verifies tokens for `MAX_PREVIEW_LIFETIME`.
const SIGNING_PERIOD: SignedDuration = SignedDuration::from_hours(24);

/// The preview keys, newest first. The store holds them, so that all gateways on it share them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewKeys {
    keys: Vec<PreviewKey>,
    /// The fields of newer gateways.
    #[serde(flatten)]
    unknown: UnknownFields,
}

/// One key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewKey {
    /// The key ID in a token: 8 hexadecimal digits.
    pub id: String,
    /// 32 bytes, as base64url.
    secret: String,
    created_at: Timestamp,
    /// The fields of newer gateways.
    #[serde(flatten)]
    unknown: UnknownFields,
}

impl PreviewKeys {
    /// The key that signs new tokens; `None` if there is no key or the newest is too old to sign.
    pub fn signing_key(&self, now: Timestamp) -> Option<&PreviewKey> {
        self.keys
            .first()
            .filter(|key| now.duration_since(key.created_at) < SIGNING_PERIOD)
    }

    /// The key with this ID.
    pub fn get(&self, id: &str) -> Option<&PreviewKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// These keys with a new signing key, and without the keys whose tokens have all expired.
    #[must_use]
    pub fn rotated(&self, now: Timestamp) -> Self {
        let is_needed =
            |key: &&PreviewKey| now.duration_since(key.created_at) < SIGNING_PERIOD + MAX_PREVIEW_LIFETIME;
        let key = PreviewKey {
            id: format!("{:08x}", rand::random::<u32>()),
            secret: URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()),
            created_at: now,
            unknown: UnknownFields::default(),
        };
        let keys = std::iter::once(key).chain(self.keys.iter().filter(is_needed).cloned());
        Self {
            keys: keys.collect(),
            unknown: self.unknown.clone(),
        }
    }
}

impl PreviewKey {
    /// The secret's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(&self.secret).unwrap_or_default()
    }
}

/// Without the secret.
impl fmt::Debug for PreviewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviewKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
