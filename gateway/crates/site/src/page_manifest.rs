//! `/_page/{deployment}?path=…`: the page of a deployment that a path belongs to, as JSON.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use url::form_urlencoded;

use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::is_visible;
use colonnade_store::loaded::PageManifest;
use colonnade_web::content_negotiation::{Coding, preferred_coding};
use colonnade_web::cookie::Cookies;
use colonnade_web::encode::{Effort, encode};
use colonnade_web::problem::HttpError;
use colonnade_web::response::{DeploymentNumber, JSON, Response, SectionName, json, response};

use crate::SiteError;

/// Browsers may cache the response, because a deployment never changes.
const CACHE_FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Responds with the page of deployment `number` that the `path` in the query belongs to.
pub(crate) fn respond(
    snapshot: &Snapshot,
    number: &str,
    cookies: Cookies<'_>,
    head: &Parts,
) -> Result<Response, SiteError> {
    let number: u64 = number.parse().map_err(|_| HttpError::NotFound)?;
    let deployment = snapshot
        .deployment(number)
        .filter(|deployment| is_visible(snapshot, cookies, deployment))
        .ok_or(SiteError::DeploymentGone)?;
    let query = head.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let path = parameters
        .find(|(name, _)| name == "path")
        .map(|(_, path)| path)
        .ok_or(HttpError::NotFound)?;
    let path = RequestPath::parse(&path)?;
    let page = match deployment.page(&path) {
        Some(page) => page,
        None if deployment.unavailable.is_empty() => return Err(HttpError::NotFound.into()),
        None => {
            return Err(SiteError::SectionUnavailable {
                deployment: Some(number),
            });
        }
    };
    let mut response = encoded_json(page, &head.headers);
    if !deployment.deployment.preview {
        response.headers_mut().insert(CACHE_CONTROL, CACHE_FIVE_MINUTES);
    }
    let extensions = response.extensions_mut();
    extensions.insert(DeploymentNumber(number));
    extensions.insert(SectionName(page.section.name.clone()));
    Ok(response)
}

/// Returns a page as JSON, compressed if the client accepts it.
fn encoded_json(page: &PageManifest, headers: &HeaderMap) -> Response {
    let coding = preferred_coding(headers, &[Coding::Gzip, Coding::Br]);
    let body = serde_json::to_vec(page).ok();
    let body = body.and_then(|body| encode(&body, coding, Effort::Quick).ok());
    let Some(body) = body else {
        return json(StatusCode::OK, page);
    };
    let mut response = response(StatusCode::OK, JSON, body);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if coding != Coding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    response
}
