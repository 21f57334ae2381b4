//! The keys that previews are signed with.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::MAX_LIFE;

/// How long a key signs. It verifies for as long as a preview can live after that.
const SIGNS: SignedDuration = SignedDuration::from_hours(24);

/// The keys that are kept, the newest first. The store holds them, so that every gateway on it knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keys(Vec<Key>);

/// One key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Key {
    /// Names it in a token.
    pub(super) id: String,
    /// 32 bytes, as base64url.
    secret: String,
    created_at: Timestamp,
}

impl Keys {
    /// The key that signs now.
    pub(super) fn signing(&self, now: Timestamp) -> Option<&Key> {
        self.0
            .first()
            .filter(|key| now.duration_since(key.created_at) < SIGNS)
    }

    /// The key of this name.
    pub(super) fn get(&self, id: &str) -> Option<&Key> {
        self.0.iter().find(|key| key.id == id)
    }

    /// These keys with a new one that signs, and without those whose previews are all over.
    pub(super) fn rotated(&self, now: Timestamp) -> Self {
        let lives = |key: &&Key| now.duration_since(key.created_at) < SIGNS + MAX_LIFE;
        let key = Key {
            id: format!("{:08x}", rand::random::<u32>()),
            secret: URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()),
            created_at: now,
        };
        Self(
            std::iter::once(key)
                .chain(self.0.iter().filter(lives).cloned())
                .collect(),
        )
    }
}

impl Key {
    /// Its bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(&self.secret).unwrap_or_default()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
