//! Secret keys that are replaced regularly: those that sign preview links, and those that encrypt
//! session tickets.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::secret::Secret;
use crate::unknown_fields::UnknownFields;

/// The maximum lifetime of a preview.
pub const MAX_PREVIEW_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a session ticket resumes a session, at least. Its key is deleted after at most twice
/// this time.
pub const TICKET_LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// What keys are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPurpose {
    /// Signing preview links.
    Previews,
    /// Encrypting the session tickets of TLS.
    Tickets,
}

impl KeyPurpose {
    /// How long a key is used for something new.
    fn active_period(self) -> SignedDuration {
        match self {
            Self::Previews => SignedDuration::from_hours(24),
            Self::Tickets => TICKET_LIFETIME,
        }
    }

    /// How long what a key was used for stays valid.
    fn lifetime(self) -> SignedDuration {
        match self {
            Self::Previews => MAX_PREVIEW_LIFETIME,
            Self::Tickets => TICKET_LIFETIME,
        }
    }
}

/// The keys for one purpose, newest first. The store holds them, so that all gateways on it share
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RotatingKeys {
    keys: Vec<RotatingKey>,
    /// The fields of newer gateways.
    #[serde(flatten)]
    unknown: UnknownFields,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RotatingKey {
    /// The key ID in a token or ticket: 8 hexadecimal digits.
    pub id: String,
    secret: Secret,
    created_at: Timestamp,
    /// The fields of newer gateways.
    #[serde(flatten)]
    unknown: UnknownFields,
}

impl RotatingKeys {
    /// The key for something new; `None` if there is no key or the newest is too old.
    pub fn active(&self, purpose: KeyPurpose, now: Timestamp) -> Option<&RotatingKey> {
        let newest = self.keys.first();
        newest.filter(|key| now.duration_since(key.created_at) < purpose.active_period())
    }

    /// The keys whose tokens or tickets are valid, newest first.
    pub fn valid(&self, purpose: KeyPurpose, now: Timestamp) -> impl Iterator<Item = &RotatingKey> {
        let period = purpose.active_period() + purpose.lifetime();
        let is_valid = move |key: &&RotatingKey| now.duration_since(key.created_at) < period;
        self.keys.iter().filter(is_valid)
    }

    /// The key with this ID.
    pub fn get(&self, id: &str) -> Option<&RotatingKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// These keys with a new one, and without those that are not valid. `None` if a key is active.
    pub fn rotated(&self, purpose: KeyPurpose, now: Timestamp) -> Option<Self> {
        if self.active(purpose, now).is_some() {
            return None;
        }
        let key = RotatingKey {
            id: format!("{:08x}", colonnade_random::random::<u32>()),
            secret: Secret::random(),
            created_at: now,
            unknown: UnknownFields::default(),
        };
        let keys = std::iter::once(key).chain(self.valid(purpose, now).cloned());
        Some(Self {
            keys: keys.collect(),
            unknown: self.unknown.clone(),
        })
    }
}

impl RotatingKey {
    /// The secret.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }
}
