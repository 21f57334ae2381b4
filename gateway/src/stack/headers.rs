//! Headers of every answer: what browsers may do with it, however it came about.

use http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Of what is no document nothing is run, framed or loaded, also where somebody opens it by itself.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// No other site is told where a visitor came from. `no-referrer` would make the Origin of a posted form `null`.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// A year. Whether it holds for subdomains as well is not the gateway's to say.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// What a site of text, pictures and forms has no use for.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), \
     gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), \
     picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), sync-xhr=(), usb=(), \
     xr-spatial-tracking=()",
);

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds them. A browser that came by TLS (`is_secure`) is told to come that way from now on (RFC 6797).
pub(super) fn add(headers: &mut HeaderMap, is_secure: bool) {
    // No browser guesses types, and no other site loads anything of this one.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    // A route that says something of its own about these knows better.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.entry(REFERRER_POLICY).or_insert(REFERRER);
    if is_html(headers) {
        headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
        headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    }
    if is_secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
    }
}

fn is_html(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}
