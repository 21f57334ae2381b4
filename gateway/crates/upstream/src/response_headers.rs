//! The headers of an upstream's response as visitors get them.
//!
//! An upstream serves below the site's own origin, so whatever it could do with a header it could do to the whole site: allow
//! other origins, clear cookies, register a service worker, weaken the Content Security Policy. So only the headers in a list
//! pass. The body must not become code of the site either: the policy is that of a sandbox, and a script or stylesheet is
//! passed as plain text, which no page of the site can load.

use colonnade_config::{Origin, Upstream};
use http::header::{
    ACCEPT_RANGES, AGE, ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE,
    CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, DATE, ETAG,
    EXPIRES, HeaderName, HeaderValue, LAST_MODIFIED, LOCATION, RETRY_AFTER, SET_COOKIE, VARY, VIA,
    WWW_AUTHENTICATE,
};
use http::response::Parts;
use http::{HeaderMap, StatusCode};
use url::Url;

use crate::cache::NotStorable;
use crate::cookies;
use crate::error::UpstreamError;
use crate::hop_by_hop::HopByHop;
use crate::request_headers::add_via;

/// The headers that pass. `Location`, `Content-Location`, `Set-Cookie` and `WWW-Authenticate` pass under conditions.
static ALLOWED: [HeaderName; 19] = [
    ACCEPT_RANGES,
    AGE,
    ALLOW,
    CACHE_CONTROL,
    CONTENT_DISPOSITION,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    DATE,
    ETAG,
    EXPIRES,
    LAST_MODIFIED,
    RETRY_AFTER,
    VARY,
    VIA,
    HeaderName::from_static("cache-status"),
    HeaderName::from_static("x-total-count"),
];

/// The number of headers that are added, here and by middleware. The map then grows once.
const ADDED: usize = 8;

/// The policy of every response: a page of it could not even be shown as one of the site's.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
);

/// What scripts and stylesheets become. With `nosniff` no page loads it as code.
const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Replaces the headers of a response by those that visitors get. `target` is the path that the visitor has requested.
///
/// # Errors
///
/// [`UpstreamError::RedirectRejected`] for a redirect that leads to another site.
pub(crate) fn sanitize(
    head: &mut Parts,
    upstream: &Upstream,
    site: &Origin,
    target: &str,
) -> Result<(), UpstreamError> {
    let mut received = std::mem::take(&mut head.headers);
    // None of the others passes.
    HopByHop::of(&received).remove_named(&mut received);
    let headers = &mut head.headers;
    headers.reserve(received.len() + ADDED);
    for (name, value) in received.iter().filter(|(name, _)| ALLOWED.contains(name)) {
        headers.append(name, value.clone());
    }
    // The length of another response (RFC 9110, section 8.6).
    if matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        headers.remove(CONTENT_LENGTH);
    }
    let location = received
        .get(LOCATION)
        .map(|location| on_site(location, site, target));
    match location {
        Some(Some(location)) => {
            headers.insert(LOCATION, location);
        }
        Some(None) if head.status.is_redirection() => return Err(UpstreamError::RedirectRejected),
        _ => {}
    }
    let content_location = received.get(CONTENT_LOCATION);
    if let Some(location) = content_location.and_then(|location| on_site(location, site, target)) {
        headers.insert(CONTENT_LOCATION, location);
    }
    if received.contains_key(SET_COOKIE) {
        // Also without the cookies the response may be for one visitor.
        head.extensions.insert(NotStorable);
    }
    if upstream.forward_set_cookie {
        for cookie in cookies::settable(&received) {
            headers.append(SET_COOKIE, cookie.clone());
        }
    }
    if upstream.forward_authorization {
        for challenge in received.get_all(WWW_AUTHENTICATE) {
            headers.append(WWW_AUTHENTICATE, challenge.clone());
        }
    }
    // Of several fields browsers take the last one that they know.
    if headers.get_all(CONTENT_TYPE).iter().any(is_code) {
        headers.insert(CONTENT_TYPE, PLAIN_TEXT);
    }
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    add_via(headers, head.version);
    Ok(())
}

/// The path, query and fragment of a location on this site; `None` if it is on another one.
fn on_site(location: &HeaderValue, site: &Origin, target: &str) -> Option<HeaderValue> {
    let site = site.url();
    let base = site.join(target).ok()?;
    // Parses like a browser, for which a backslash is a slash and a line break is nothing.
    let url: Url = base.join(location.to_str().ok()?).ok()?;
    let is_own = url.origin() == site.origin() && url.username().is_empty() && url.password().is_none();
    if !is_own || url.path().starts_with("//") {
        return None;
    }
    let text = url.as_str().strip_prefix(&*url.origin().ascii_serialization())?;
    HeaderValue::from_str(text).ok()
}

/// Returns whether browsers run or apply content of this type: scripts, stylesheets and WebAssembly.
fn is_code(content_type: &HeaderValue) -> bool {
    let text = String::from_utf8_lossy(content_type.as_bytes()).to_ascii_lowercase();
    ["script", "text/css", "wasm"]
        .iter()
        .any(|part| text.contains(part))
}

/// Adds `Cache-Control: no-store` to a response that says nothing about caching, so that no cache guesses.
pub(crate) fn forbid_heuristic_caching(headers: &mut HeaderMap) {
    if !headers.contains_key(CACHE_CONTROL) && !headers.contains_key(EXPIRES) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
