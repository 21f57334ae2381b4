//! `/_page/{set}?path=…`: the page of a set of releases that a path belongs to, as JSON.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};
use url::form_urlencoded;

use colonnade_model::deployment::SetName;
use colonnade_model::pattern::RequestPath;
use colonnade_platform::preview::is_visible;
use colonnade_web::head_limits::has_too_many_segments;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{JSON, NO_STORE, Response, ServedBy, conditional_response};

use crate::call::Call;
use crate::error::SiteError;

/// Browsers may cache the response, because a set never changes.
const CACHE_FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Responds with the page of the named set that the `path` in the query belongs to.
pub(crate) async fn respond(call: Call<'_>) -> Result<Response, SiteError> {
    let Call { snapshot, head, .. } = call;
    let name: SetName = call.parameter.parse().map_err(|_| HttpError::NotFound)?;
    if !is_visible(snapshot, call.cookies, &name) {
        return Err(SiteError::DeploymentGone);
    }
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
    let deployment = snapshot
        .set_at(&name, Some(&path))
        .ok_or(SiteError::DeploymentGone)?;
    let page = match deployment.page(&path) {
        Some(page) if !deployment.is_unavailable(&page.section.name) => page,
        None if !deployment.may_lack_pages() => return Err(HttpError::NotFound.into()),
        _ => {
            return Err(SiteError::SectionUnavailable {
                deployment: Some(name),
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
    served_by.deployment = Some(name);
    served_by.section = Some(page.section.name.clone());
    Ok(response)
}
