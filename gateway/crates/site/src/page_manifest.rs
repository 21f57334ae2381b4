//! `/_page/{deployment}?path=…`: the page of a deployment that a path belongs to, as JSON.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};
use url::form_urlencoded;

use colonnade_model::pattern::RequestPath;
use colonnade_platform::preview::is_visible;
use colonnade_web::head_limits::has_too_many_segments;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{JSON, NO_STORE, Response, ServedBy, conditional_response};

use crate::call::Call;
use crate::error::SiteError;

/// Browsers may cache the response, because a deployment never changes.
const CACHE_FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Responds with the page of the deployment that the `path` in the query belongs to.
pub(crate) async fn respond(call: Call<'_>) -> Result<Response, SiteError> {
    let Call { snapshot, head, .. } = call;
    let number: u64 = call.parameter.parse().map_err(|_| HttpError::NotFound)?;
    let deployment = snapshot
        .deployment(number)
        .filter(|deployment| is_visible(snapshot, call.cookies, deployment))
        .ok_or(SiteError::DeploymentGone)?;
    let query = head.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let path = parameters
        .find(|(name, _)| name == "path")
        .map(|(_, path)| path)
        .ok_or(HttpError::NotFound)?;
    if has_too_many_segments(&path) {
        return Err(HttpError::UriTooLong.into());
    }
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
    let cache_control = if deployment.deployment.preview {
        NO_STORE
    } else {
        CACHE_FIVE_MINUTES
    };
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, cache_control)]);
    let representation = page.json().await.preferred(&head.headers).clone();
    let mut response = conditional_response(&head.headers, &JSON, headers, representation);
    let served_by = ServedBy::of(&mut response);
    served_by.deployment = Some(number);
    served_by.section = Some(page.section.name.clone());
    Ok(response)
}
