//! Security headers of every response.

use std::sync::LazyLock;

use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue};

use colonnade_model::policy::{FEATURES, Policy, PolicyKey};

/// The default policy, for responses that are not documents: nothing in them is run, framed or
/// loaded.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Other sites get no referrer. `no-referrer` would also set the Origin of a form submission to
/// `null`.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// Denies all of [`FEATURES`].
static PERMISSIONS: LazyLock<HeaderValue> = LazyLock::new(|| permissions_policy(&Policy::default()));

/// The header with the browser features that a page may use (Permissions Policy).
pub const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds the security headers, except `Strict-Transport-Security`, which does not depend on the
/// response.
pub fn add_security_headers(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    // A route may set its own policies.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.entry(REFERRER_POLICY).or_insert(REFERRER);
    if is_html(headers) {
        headers.insert(PERMISSIONS_POLICY, PERMISSIONS.clone());
        headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    }
}

/// The value of [`PERMISSIONS_POLICY`] of a page: a site of text, images and forms uses none of
/// [`FEATURES`], so scripts of this origin have only those that are permitted.
pub fn permissions_policy(permitted: &Policy) -> HeaderValue {
    let directives = FEATURES.map(|feature| {
        let allowlist = if permitted.has(PolicyKey::Features, feature) {
            "self"
        } else {
            ""
        };
        format!("{feature}=({allowlist})")
    });
    header_value(directives.join(", "))
}

fn header_value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("names of features are valid in a header")
}

/// Removes the headers that only HTML pages have, from the prepared header of a response without
/// content.
pub fn remove_page_headers(headers: &mut HeaderMap) {
    headers.remove(PERMISSIONS_POLICY);
    headers.remove(OPENER_POLICY);
}

fn is_html(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}
