//! `/go/{partner}`: redirects to configured affiliate links. No data about the visitor is passed
//! on.

use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode};

use colonnade_config::Config;
use colonnade_web::response::{Response, redirect};

/// Redirects to a partner; `None` if the id is not configured.
pub(crate) fn redirect_to(config: &Config, id: &str) -> Option<Response> {
    let partner = config.partners.get(id)?;
    let mut response = redirect(StatusCode::FOUND, partner.url.as_str())?;
    let headers = response.headers_mut();
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Some(response)
}
