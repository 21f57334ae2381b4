//! `/go/{partner}`: redirects to configured affiliate links. No data about the visitor is passed
//! on.

use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use colonnade_config::integrations::Partner;
use colonnade_model::pattern::RequestPath;
use colonnade_web::response::{Response, redirect};
use colonnade_web::router::Route;

use crate::routes::{Endpoint, ErrorFormat, get};

/// Its paths begin with this.
pub(super) const PREFIX: &str = "/go/";

/// Whether a path is that of a link, of a partner or not.
pub(super) fn is_link(path: &RequestPath) -> bool {
    path.segments().next() == Some(PREFIX.trim_matches('/'))
}

/// The route of affiliate links. An id that is not configured leads to the not-found document.
pub(super) fn route() -> Route<Endpoint> {
    get(format!("{PREFIX}{{partner}}"), ErrorFormat::Page, |site, call| {
        Box::pin(async move {
            let partner = site.config.integrations.partners.get(call.parameter);
            match partner.and_then(redirect_to) {
                Some(response) => Ok(response),
                None => site.document(&call, None).await,
            }
        })
    })
}

/// What sections know of the partner that visitors are sent to when sign-up is unavailable.
pub(super) fn for_sections(id: &str, partner: &Partner) -> Value {
    json!({
        "id": id,
        "name": partner.name,
        "host": partner.url.host_str(),
        "url": partner.url.as_str(),
    })
}

fn redirect_to(partner: &Partner) -> Option<Response> {
    let mut response = redirect(StatusCode::FOUND, partner.url.as_str())?;
    let headers = response.headers_mut();
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Some(response)
}
