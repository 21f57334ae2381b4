//! `/_remotes/{set}`: the sections of a set of releases and the modules that they expose, as JSON.
//! Every browser loads this list. What only those need that use a section's modules has a response
//! of its own: `/_remotes/{set}?section=…`.

use std::collections::BTreeMap;
use std::sync::Arc;

use url::form_urlencoded;

use colonnade_model::deployment::SetName;
use colonnade_render::SiteValues;
use colonnade_store::loaded::{LoadedDeployment, RemoteManifest};
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::problem::HttpError;
use colonnade_web::response::Response;

use crate::call::Call;
use crate::error::SiteError;
use crate::set_manifest::{requested_set, set_response};

/// The most bytes of cached lists.
const CACHE_BYTES: usize = 4 << 20;

/// The lists of sets, each encoded once.
pub(crate) struct Remotes {
    cache: ByteCache<Key, EncodedContent>,
    encodings: RequestCoalescer<Key, Arc<EncodedContent>>,
}

/// A set and those of its sections that are unavailable, which can become available.
type Key = (SetName, Vec<String>);

impl Remotes {
    pub(crate) fn new() -> Self {
        Self {
            cache: ByteCache::new(CACHE_BYTES),
            encodings: RequestCoalescer::default(),
        }
    }

    /// Halves the cache while memory is short.
    pub(crate) fn shrink_cache(&self) {
        self.cache.shrink();
    }

    /// Responds with the sections of the named set, or with what the modules of one section need. A
    /// section that is missing or damaged is left out of the list.
    pub(crate) async fn respond(&self, call: Call<'_>, values: &SiteValues) -> Result<Response, SiteError> {
        let name = requested_set(&call)?;
        let set = call.snapshot.set(&name).ok_or(SiteError::DeploymentGone)?;
        let query = call.head.uri.query().unwrap_or_default();
        let mut parameters = form_urlencoded::parse(query.as_bytes());
        let section = parameters.find(|(name, _)| name == "section");
        let (json, is_complete) = match section {
            Some((_, section)) => (modules(&set, &section, values).await?, true),
            None => (self.list(&set).await, set.unavailable.is_empty()),
        };
        let may_cache = is_complete && !set.deployment.preview;
        Ok(set_response(&call.head.headers, name, &json, may_cache))
    }

    /// The list of a set.
    async fn list(&self, set: &LoadedDeployment) -> Arc<EncodedContent> {
        let unavailable = set.unavailable.iter();
        let unavailable = unavailable.map(|release| release.id.name.clone()).collect();
        let key = (set.set.clone(), unavailable);
        if let Some(json) = self.cache.get(&key) {
            return json;
        }
        let encoding = async {
            let json = Arc::new(encode(set).await);
            self.cache.put(key.clone(), Arc::clone(&json), json.weight());
            json
        };
        self.encodings.run(&key, encoding).await
    }
}

async fn encode(set: &LoadedDeployment) -> EncodedContent {
    let releases = set.releases.iter();
    let remotes: Vec<Arc<RemoteManifest>> =
        releases.filter_map(|release| release.remote().cloned()).collect();
    EncodedContent::compress(move || {
        let listed = remotes
            .iter()
            .map(|remote| (&remote.section.name, remote.listed()));
        // Only maps with keys that are not strings cannot be serialized.
        serde_json::to_vec(&listed.collect::<BTreeMap<_, _>>()).unwrap_or_default()
    })
    .await
}

/// What the modules of a section need, with its configuration.
async fn modules(
    set: &LoadedDeployment,
    section: &str,
    values: &SiteValues,
) -> Result<Arc<EncodedContent>, SiteError> {
    if set.is_unavailable(section) {
        let deployment = Some(set.set.clone());
        return Err(SiteError::SectionUnavailable { deployment });
    }
    let release = set.release(section).ok_or(HttpError::NotFound)?;
    let remote = release.remote().ok_or(HttpError::NotFound)?;
    Ok(remote.json(values.configs.get(section)).await)
}
