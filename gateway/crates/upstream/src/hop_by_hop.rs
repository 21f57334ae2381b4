//! Headers that are for one connection only (RFC 9110, section 7.6.1).

use http::header::{
    CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");

/// Removes them, and those that `Connection` names.
pub(crate) fn remove(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = options(headers)
        .filter_map(|option| option.parse().ok())
        .collect();
    let fixed = [
        CONNECTION,
        KEEP_ALIVE,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        PROXY_CONNECTION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    for name in fixed.iter().chain(&named) {
        headers.remove(name);
    }
}

/// Returns whether a request asks to switch the protocol of its connection (RFC 9110, section 7.8).
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(UPGRADE) && options(headers).any(|option| option.eq_ignore_ascii_case("upgrade"))
}

/// The options in `Connection`.
fn options(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let fields = headers.get_all(CONNECTION).iter();
    let options = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    options.map(str::trim)
}
