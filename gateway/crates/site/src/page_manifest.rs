//! `/_page/{set}?path=…`: the page of a set of releases that a path belongs to, with the extensions
//! of its points, the configuration of all these sections, and the permissions of its document, as JSON.

use std::sync::Arc;

use url::form_urlencoded;

use colonnade_model::pattern::RequestPath;
use colonnade_web::head_limits::has_too_many_segments;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, ServedBy};

use crate::call::Call;
use crate::error::SiteError;
use crate::manifest_cache::{Subject, to_json};
use crate::resolved_page::ResolvedPage;
use crate::set_manifest::{Reuse, requested_set, set_response};
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
        page => {
            return Err(SiteError::SectionUnavailable {
                deployment: Some(name),
                section: page.map(|page| page.section.name.clone()),
            });
        }
    };
    // A section that is unavailable is left out of the extensions, until it is repaired.
    let is_complete = page.points.is_empty() || deployment.unavailable.is_empty();
    let may_reuse = is_complete && !deployment.deployment.preview;
    let (page, view) = (Arc::clone(page), site.documents.site());
    let section = page.section.name.clone();
    let subject = Subject::Page {
        section: section.clone(),
        pattern: page.pattern.clone(),
    };
    let (set, values) = (Arc::clone(&deployment), Arc::clone(view.values()));
    let reuse = if may_reuse {
        let resolved = ResolvedPage::new(&set, &page, &values);
        Reuse::of_complete(!page.points.is_empty() || resolved.has_settings())
    } else {
        Reuse::Never
    };
    let write = move || to_json(&ResolvedPage::new(&set, &page, &values));
    let json = site
        .manifests
        .get(subject, &deployment, view.values(), write)
        .await;
    let mut response = set_response(&head.headers, name, &json, reuse);
    ServedBy::of(&mut response).section = Some(section);
    Ok(response)
}
