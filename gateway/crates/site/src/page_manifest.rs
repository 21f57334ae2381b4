//! `/_page/{set}?path=…`: the page of a set of releases that a path belongs to, with the
//! configuration of its section, as JSON.

use url::form_urlencoded;

use colonnade_model::pattern::RequestPath;
use colonnade_web::head_limits::has_too_many_segments;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, ServedBy};

use crate::call::Call;
use crate::error::SiteError;
use crate::set_manifest::{requested_set, set_response};
use crate::site::Site;

/// Responds with the page of the named set that the `path` in the query belongs to.
pub(crate) async fn respond(site: &Site, call: Call<'_>) -> Result<Response, SiteError> {
    let name = requested_set(&call)?;
    let Call { snapshot, head, .. } = call;
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
    let may_cache = !deployment.deployment.preview;
    let view = site.documents.site();
    let json = page.json(view.values().configs.get(&page.section.name)).await;
    let mut response = set_response(&head.headers, name, &json, may_cache);
    ServedBy::of(&mut response).section = Some(page.section.name.clone());
    Ok(response)
}
