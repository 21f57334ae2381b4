//! What must hold of preview cookies, whatever is sent.

use http::HeaderMap;
use http::header::COOKIE as SENT;
use jiff::Timestamp;

use super::token::Pass;
use super::{COOKIE, Keys};
use crate::cookie;

/// A key that signs nothing but here. What it signed is in the corpus, so that more than forgeries are read.
const KEYS: &str = r#"[{
    "id": "0f0f0f0f",
    "secret": "Zm9yIGEgZnV6emVyIGFuZCBub2JvZHkgZWxzZSEhISE",
    "createdAt": "1970-01-01T00:00:00Z"
}]"#;

/// A token that is issued is read back, and no other is believed.
pub(crate) fn cookie(sent: &HeaderMap) {
    let keys: Keys = serde_json::from_str(KEYS).expect("they are keys");
    let now = Timestamp::UNIX_EPOCH;
    let pass = Pass {
        deployment: 7,
        expires: 3600,
        path: "/state/New%20York".to_owned(),
    };
    let key = keys.signing(now).expect("there is a key");
    let token = pass.sign(key).expect("it signs");
    if let Some(forged) = cookie::get(sent, COOKIE)
        && Pass::verify(forged, &keys, now).is_some()
    {
        assert_eq!(forged, token);
        assert_eq!(Pass::key(forged), Some("0f0f0f0f"));
    }
    let mut reply = HeaderMap::new();
    cookie::set(&mut reply, COOKIE, &token, 60, true);
    let request = HeaderMap::from_iter([(SENT, cookie::returned(&reply))]);
    let returned = cookie::get(&request, COOKIE).expect("it is sent back");
    assert_eq!(Pass::verify(returned, &keys, now), Some(pass));
}
