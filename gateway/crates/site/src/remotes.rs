//! `/_remotes/{set}`: the sections of a set of releases and the modules that they expose, as JSON.
//! Every browser loads this list. What only those need that use a section's modules has a response
//! of its own: `/_remotes/{set}?section=…`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use url::form_urlencoded;

use colonnade_render::SiteValues;
use colonnade_store::loaded::{LoadedDeployment, RemoteManifest};
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::problem::HttpError;
use colonnade_web::response::Response;

use crate::call::Call;
use crate::error::SiteError;
use crate::manifest_cache::{ManifestCache, Subject, to_json};
use crate::set_manifest::{Reuse, requested_set, set_response};
use crate::site::Site;

/// What the modules of a section need.
#[derive(Serialize)]
struct Modules<'a> {
    #[serde(flatten)]
    manifest: &'a RemoteManifest,
    /// The configuration of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
}

/// Responds with the sections of the named set, or with what the modules of one section need. A
/// section that is missing or damaged is left out of the list.
pub(crate) async fn respond(site: &Site, call: Call<'_>) -> Result<Response, SiteError> {
    let name = requested_set(&call)?;
    let set = call.snapshot.set(&name).ok_or(SiteError::DeploymentGone)?;
    let query = call.head.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let section = parameters.find(|(name, _)| name == "section");
    let view = site.documents.site();
    let (json, reuse) = if let Some((_, section)) = section {
        let json = modules(&site.manifests, &set, &section, view.values()).await?;
        let has_config = view.values().configs.contains_key(&*section);
        (json, Reuse::of_complete(has_config))
    } else {
        let json = list(&site.manifests, &set, view.values()).await;
        let is_complete = set.unavailable.is_empty();
        (
            json,
            if is_complete {
                Reuse::FiveMinutes
            } else {
                Reuse::Never
            },
        )
    };
    let reuse = if set.deployment.preview {
        Reuse::Never
    } else {
        reuse
    };
    Ok(set_response(&call.head.headers, name, &json, reuse))
}

/// The list of a set.
async fn list(
    cache: &ManifestCache,
    set: &Arc<LoadedDeployment>,
    values: &SiteValues,
) -> Arc<EncodedContent> {
    let listed = Arc::clone(set);
    let write = move || {
        let remotes = listed.releases.iter().filter_map(|release| release.remote());
        let listed = remotes.map(|remote| (&remote.section.name, remote.listed()));
        to_json(&listed.collect::<BTreeMap<_, _>>())
    };
    cache.get(Subject::Remotes, set, values, write).await
}

/// What the modules of a section need, with its configuration.
async fn modules(
    cache: &ManifestCache,
    set: &Arc<LoadedDeployment>,
    section: &str,
    values: &Arc<SiteValues>,
) -> Result<Arc<EncodedContent>, SiteError> {
    if set.is_unavailable(section) {
        let deployment = Some(set.set.clone());
        return Err(SiteError::SectionUnavailable {
            deployment,
            section: Some(section.to_owned()),
        });
    }
    let release = set.release(section).ok_or(HttpError::NotFound)?;
    let remote = Arc::clone(release.remote().ok_or(HttpError::NotFound)?);
    let subject = Subject::Modules {
        section: section.to_owned(),
    };
    let config = values.configs.get(section).cloned();
    let write = move || {
        let (manifest, config) = (&*remote, config.as_deref());
        to_json(&Modules { manifest, config })
    };
    Ok(cache.get(subject, set, values, write).await)
}
