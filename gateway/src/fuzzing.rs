//! What a fuzzer calls: for everything a stranger can send that is read by code of ours, one function that reads any
//! bytes, and panics where what must hold of the outcome does not.
//!
//! What must hold stands beside the reader that it is about, and the property tests say it by the same functions. The
//! targets in `fuzz/` are one line each; the tests below replay what is kept in `fuzz/corpus`.

#[cfg(test)]
mod tests;

use http::header::{ACCEPT_ENCODING, COOKIE, HOST, RANGE};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{asset, cookie, host, negotiate, net, pattern, preview, publish, release, rollout, signup};

/// The path of a request, and a section's page pattern.
pub fn paths(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    pattern::fuzz::path(&text);
    pattern::fuzz::pattern(&text);
}

/// Range headers, one a line.
pub fn range(bytes: &[u8]) {
    asset::fuzz::range(&fields(&RANGE, bytes));
}

/// Accept-Encoding headers, one a line.
pub fn accept_encoding(bytes: &[u8]) {
    negotiate::fuzz(&fields(&ACCEPT_ENCODING, bytes));
}

/// A Host header.
pub fn host(bytes: &[u8]) {
    for value in fields(&HOST, bytes).values() {
        if let Ok(text) = value.to_str() {
            host::fuzz(text);
        }
    }
}

/// Cookie headers, one a line: ours and anybody's, forged ones too.
pub fn cookies(bytes: &[u8]) {
    let sent = fields(&COOKIE, bytes);
    cookie::fuzz(&sent);
    rollout::fuzz(&sent);
    preview::fuzz::cookie(&sent);
}

/// The text of a `release.json`.
pub fn release_json(bytes: &[u8]) {
    release::fuzz::text(bytes);
}

/// The archive of a release: a tar, or a gzipped one.
pub fn tar(bytes: &[u8]) {
    publish::fuzz::tar(bytes);
}

/// The first bytes of a connection that a proxy makes.
pub fn proxy_header(bytes: &[u8]) {
    net::fuzz::proxy_header(bytes);
}

/// Two bytes that say how, then frames of an HTTP/2 connection: first the gateway's, then the client's.
pub fn http2_frames(bytes: &[u8]) {
    net::fuzz::frames(bytes);
}

/// The body of a sign-up, as JSON and as a form.
pub fn signup_body(bytes: &[u8]) {
    signup::fuzz::body(bytes);
}

/// Each line as a field of this name, if it may be one.
fn fields(name: &HeaderName, bytes: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    // More than hyper would take make a run slow and find nothing.
    for line in bytes.split(|&byte| byte == b'\n').take(100) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(name, value);
        }
    }
    headers
}
