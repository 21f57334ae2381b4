//! Fuzzing: invariants of preview cookies.

use http::HeaderMap;
use http::header::COOKIE as SENT;
use jiff::Timestamp;

use crate::preview::token::PreviewClaims;
use crate::preview::{COOKIE, KeyPurpose, RotatingKeys};
use colonnade_web::cookie::{self, Cookie, Cookies};

/// A key used only here. The corpus contains tokens that it signed, so that valid tokens are read,
/// too.
const KEYS: &str = r#"{
    "keys": [{
        "id": "0f0f0f0f",
        "secret": "Zm9yIGEgZnV6emVyIGFuZCBub2JvZHkgZWxzZSEhISE",
        "createdAt": "1970-01-01T00:00:00Z"
    }]
}"#;

/// An issued token is accepted, and no other.
///
/// # Panics
///
/// If an invariant is violated.
pub fn cookie(sent: &HeaderMap) {
    let keys: RotatingKeys = serde_json::from_str(KEYS).expect("they are keys");
    let now = Timestamp::UNIX_EPOCH;
    let claims = PreviewClaims {
        deployment: 7,
        expires: 3600,
        path: "/state/New%20York".to_owned(),
    };
    let key = keys.active(KeyPurpose::Previews, now).expect("there is a key");
    let token = claims.sign(key).expect("it signs");
    if let Some(forged) = Cookies::new(sent, false).get(COOKIE)
        && PreviewClaims::verify(forged, &keys, now).is_some()
    {
        assert_eq!(forged, token);
    }
    let mut response = HeaderMap::new();
    Cookie::new(COOKIE, &token, 60).append(&mut response, false);
    let request = HeaderMap::from_iter([(SENT, cookie::returned(&response))]);
    let returned = Cookies::new(&request, false)
        .get(COOKIE)
        .expect("it is sent back");
    assert_eq!(PreviewClaims::verify(returned, &keys, now), Some(claims));
}
