//! The signed token of a preview: its deployment, expiry and path.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::signature;
use colonnade_model::rotating_keys::{RotatingKey, RotatingKeys};

/// The most bytes of a token.
const MAX_TOKEN: usize = 2048;

/// The contents of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewClaims {
    /// The deployment it shows.
    pub deployment: u64,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
    /// The path that its link redirects to.
    pub path: String,
}

impl PreviewClaims {
    /// Signs the claims: `<key ID>.<payload>.<signature>`.
    pub fn sign(&self, key: &RotatingKey) -> Option<String> {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).ok()?);
        let signed = format!("{}.{payload}", key.id);
        let signature = signature::sign(key.secret(), &signed);
        Some(format!("{signed}.{signature}"))
    }

    /// Whether a text could be a token of an unknown key.
    pub(super) fn has_format(text: &str) -> bool {
        text.len() <= MAX_TOKEN && text.split('.').count() == 3
    }

    /// Verifies a token; `None` if it is forged, altered or expired.
    pub fn verify(token: &str, keys: &RotatingKeys, now: Timestamp) -> Option<Self> {
        if token.len() > MAX_TOKEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (id, payload) = signed.split_once('.')?;
        // Before the payload is parsed.
        if !signature::is_signed(keys.get(id)?.secret(), signed, signature) {
            return None;
        }
        let claims: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        (now.as_second() < claims.expires).then_some(claims)
    }
}
