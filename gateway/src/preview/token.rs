//! The token of a preview: what it shows and until when, signed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::keys::{Key, Keys};

/// The most bytes of a token.
const MAX_TOKEN: usize = 2048;

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pass {
    /// The deployment it shows.
    pub(super) deployment: u64,
    /// When it ends, in seconds since 1970.
    pub(super) expires: i64,
    /// Where its link leads.
    pub(super) path: String,
}

impl Pass {
    /// The pass as a token: key id, payload and signature, with dots between.
    pub(super) fn sign(&self, key: &Key) -> Option<String> {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).ok()?);
        let signed = format!("{}.{payload}", key.id);
        let signature = mac(key, &signed)?.finalize().into_bytes();
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The name of the key that a token says it was signed with.
    pub(super) fn key(token: &str) -> Option<&str> {
        let is_one = token.len() <= MAX_TOKEN && token.split('.').count() == 3;
        token.split('.').next().filter(|_| is_one)
    }

    /// Reads a token; `None` if it is forged, altered or over.
    pub(super) fn verify(token: &str, keys: &Keys, now: Timestamp) -> Option<Self> {
        if token.len() > MAX_TOKEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (id, payload) = signed.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // Nothing of the payload is read before the signature is known to be ours; it is compared in constant time.
        mac(keys.get(id)?, signed)?.verify_slice(&signature).ok()?;
        let pass: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        (now.as_second() < pass.expires).then_some(pass)
    }
}

fn mac(key: &Key, signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.bytes()).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}
