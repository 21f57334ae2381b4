//! Entering and leaving previews.

use http::header::REFERRER_POLICY;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::{COOKIE, verify_token};
use colonnade_web::cookie;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, redirect};

use crate::SiteError;

/// Keeps previews out of search engines.
pub(crate) const ROBOTS: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-robots-tag"),
    HeaderValue::from_static("noindex, nofollow"),
);

/// Follows a preview link: stores the token in a cookie and redirects to the previewed page.
pub(crate) fn enter(snapshot: &Snapshot, token: &str, secure: bool) -> Result<Response, SiteError> {
    let (claims, _) = verify_token(snapshot, token).ok_or(SiteError::PreviewOver)?;
    let mut response = redirect(StatusCode::SEE_OTHER, &claims.path).ok_or(SiteError::PreviewOver)?;
    let headers = response.headers_mut();
    let max_age = claims.expires - colonnade_clock::now().as_second();
    cookie::set(headers, COOKIE, token, max_age, secure);
    // The link contains the token, so no other site may see it.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.extend([ROBOTS]);
    Ok(response)
}

/// Ends the preview in this browser.
pub(crate) fn leave(secure: bool) -> Result<Response, SiteError> {
    let mut response = redirect(StatusCode::SEE_OTHER, "/").ok_or(HttpError::NotFound)?;
    delete_cookie(response.headers_mut(), secure);
    Ok(response)
}

/// Deletes the preview cookie.
pub(crate) fn delete_cookie(headers: &mut HeaderMap, secure: bool) {
    cookie::set(headers, COOKIE, "", 0, secure);
}
