//! HMAC-SHA256: signatures of preview tokens, and hashes that decide which groups a rollout
//! includes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use colonnade_model::secret::Secret;

/// The signature of a text, as base64url.
pub(crate) fn sign(secret: &Secret, text: &str) -> String {
    URL_SAFE_NO_PAD.encode(mac(secret, text.as_bytes()).finalize().into_bytes())
}

/// A hash of bytes that only those who know the secret can compute.
pub(crate) fn hash(secret: &Secret, bytes: &[u8]) -> u64 {
    let mac = mac(secret, bytes).finalize().into_bytes();
    mac[..8].iter().fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// Whether a text has this signature. Compares in constant time.
pub(crate) fn is_signed(secret: &Secret, text: &str, signature: &str) -> bool {
    let signature = URL_SAFE_NO_PAD.decode(signature);
    signature.is_ok_and(|signature| mac(secret, text.as_bytes()).verify_slice(&signature).is_ok())
}

fn mac(secret: &Secret, bytes: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret.bytes()).expect("HMAC accepts keys of any length");
    mac.update(bytes);
    mac
}
