//! The signed token of a preview: its deployment, expiry and path.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

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
        let signature = mac(key, &signed)?.finalize().into_bytes();
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Verifies a token; `None` if it is forged, altered or expired.
    pub fn verify(token: &str, keys: &RotatingKeys, now: Timestamp) -> Option<Self> {
        if token.len() > MAX_TOKEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (id, payload) = signed.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // Verified in constant time, and before the payload is parsed.
        mac(keys.get(id)?, signed)?.verify_slice(&signature).ok()?;
        let claims: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        (now.as_second() < claims.expires).then_some(claims)
    }
}

fn mac(key: &RotatingKey, signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.bytes()).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}
