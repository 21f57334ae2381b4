//! The headers of an upstream's response as visitors get them.
//!
//! An upstream serves below the site's own origin, so whatever it could do with a header it could
//! do to the whole site: allow other origins, clear cookies, register a service worker, weaken the
//! Content Security Policy. So only the headers in a list pass. The body must not become code of
//! the site either: the policy is that of a sandbox, and a script or stylesheet is passed as plain
//! text, which no page of the site can load.

use colonnade_config::{Origin, Upstream};
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, EXPIRES,
    HeaderName, HeaderValue, LOCATION, SET_COOKIE, VARY, WWW_AUTHENTICATE,
};
use http::response::Parts;
use http::{HeaderMap, StatusCode, Version};
use url::Url;

use crate::base_path;
use crate::cache::NotStorable;
use crate::cookies;
use crate::error::UpstreamError;
use crate::request_headers::{self, add_via};

/// The number of headers that are added, here and by middleware. The map then grows once.
const ADDED: usize = 8;

/// The policy of every response: a page of it could not even be shown as one of the site's.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
);

/// What scripts, stylesheets and the like become. With `nosniff` no page loads it as code.
const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Removes the headers of a response that visitors do not get, and adds those of the gateway.
/// `target` is the path that the visitor has requested.
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
    set_locations(head, upstream, site, target)?;
    let headers = &mut head.headers;
    // `Connection` is not evaluated. What it may name does not pass anyway; what passes is for all
    // recipients, and must not be named (RFC 9110, section 7.6.1): without `Vary` or `Set-Cookie`,
    // others could get the response.
    let settable = cookies::settable(headers).filter(|_| upstream.forward_set_cookie);
    let cookies: Vec<HeaderValue> = settable
        .map(|field| cookies::with_site_path(field, upstream))
        .collect();
    // Also without the cookies the response may be for one visitor.
    if headers.remove(SET_COOKIE).is_some() || varies_by_unsent(headers, upstream) {
        head.extensions.insert(NotStorable);
    }
    let passes =
        |name: &HeaderName| is_allowed(name) || (*name == WWW_AUTHENTICATE && upstream.forward_authorization);
    let others: Vec<HeaderName> = headers.keys().filter(|name| !passes(name)).cloned().collect();
    for name in others {
        headers.remove(name);
    }
    headers.reserve(ADDED);
    // The length of another response (RFC 9110, section 8.6).
    if matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        headers.remove(CONTENT_LENGTH);
    }
    for cookie in cookies {
        headers.append(SET_COOKIE, cookie);
    }
    // Of several fields browsers take the last one that they know.
    if headers.get_all(CONTENT_TYPE).iter().any(is_code) {
        headers.insert(CONTENT_TYPE, PLAIN_TEXT);
    }
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    add_via(headers, head.version);
    // The gateway's own (RFC 9110, section 2.5).
    head.version = Version::HTTP_11;
    Ok(())
}

/// Sets `Location` and `Content-Location` to paths of this site, and removes those that lead to
/// another site.
fn set_locations(
    head: &mut Parts,
    upstream: &Upstream,
    site: &Origin,
    target: &str,
) -> Result<(), UpstreamError> {
    let headers = &mut head.headers;
    for name in [LOCATION, CONTENT_LOCATION] {
        let Some(location) = headers.remove(&name) else {
            continue;
        };
        if let Some(location) = on_site(&location, upstream, site, target) {
            headers.insert(name, location);
        } else if name == LOCATION && head.status.is_redirection() {
            return Err(UpstreamError::RedirectRejected);
        }
    }
    Ok(())
}

/// Returns whether a response depends on a request header that the upstream does not get.
fn varies_by_unsent(headers: &HeaderMap, upstream: &Upstream) -> bool {
    let fields = headers.get_all(VARY).iter();
    let names = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b','));
    let mut names = names.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
    names.any(|name| {
        HeaderName::from_bytes(name).is_ok_and(|name| !request_headers::may_vary_by(&name, upstream))
    })
}

/// Returns whether a header passes. `Set-Cookie` and `WWW-Authenticate` pass under conditions.
fn is_allowed(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "accept-ranges"
            | "age"
            | "allow"
            | "cache-control"
            | "content-disposition"
            | "content-encoding"
            | "content-language"
            | "content-length"
            | "content-location"
            | "content-range"
            | "content-type"
            | "date"
            | "etag"
            | "expires"
            | "last-modified"
            | "location"
            | "retry-after"
            // Only a response that opens a WebSocket has them.
            | "sec-websocket-accept"
            | "sec-websocket-extensions"
            | "sec-websocket-protocol"
            | "vary"
            | "via"
            | "cache-status"
            | "x-total-count"
    )
}

/// The path, query and fragment of a location on this site; `None` if it is on another site. A
/// location below a base URL of the upstream is on this site.
fn on_site(location: &HeaderValue, upstream: &Upstream, site: &Origin, target: &str) -> Option<HeaderValue> {
    let site = site.url();
    let base = site.join(target).ok()?;
    // Parses like a browser, for which a backslash is a slash and a line break is nothing.
    let mut url: Url = base.join(location.to_str().ok()?).ok()?;
    let path = if url.origin() == site.origin() {
        base_path::site_path(url.path(), upstream)
    } else {
        Some(base_path::site_path_of_url(&url, upstream)?)
    };
    if let Some(path) = path {
        url.set_path(&path);
    }
    if !url.username().is_empty() || url.password().is_some() || url.path().starts_with("//") {
        return None;
    }
    let text = url.as_str().strip_prefix(&*url.origin().ascii_serialization())?;
    HeaderValue::from_str(text).ok()
}

/// Returns whether browsers run or apply content of this type: scripts, stylesheets and
/// WebAssembly; or multipart content whose parts have types of their own.
fn is_code(content_type: &HeaderValue) -> bool {
    let text = content_type.as_bytes();
    let begins_with_code = |rest: &[u8]| {
        let code: &[u8] = match rest[0].to_ascii_lowercase() {
            b'm' => b"mixed-replace",
            b's' => b"script",
            b't' => b"text/css",
            b'w' => b"wasm",
            _ => return false,
        };
        rest.get(..code.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(code))
    };
    (0..text.len()).any(|start| begins_with_code(&text[start..]))
}

/// Adds `Cache-Control: no-store` to a response that says nothing about caching, so that no cache
/// guesses.
pub(crate) fn forbid_heuristic_caching(headers: &mut HeaderMap) {
    if !headers.contains_key(CACHE_CONTROL) && !headers.contains_key(EXPIRES) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
