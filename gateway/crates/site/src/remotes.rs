//! `/_remotes/{set}`: the sections of a set of releases and the modules that they expose, as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use colonnade_model::deployment::SetName;
use colonnade_render::SiteValues;
use colonnade_store::loaded::{LoadedDeployment, RemoteManifest, SectionConfig};
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::response::Response;

use crate::call::Call;
use crate::error::SiteError;
use crate::set_manifest::{requested_set, set_response};

/// The most bytes of cached responses.
const CACHE_BYTES: usize = 4 << 20;

/// The remotes of sets, encoded once for each revision of the configuration.
pub(crate) struct Remotes {
    cache: ByteCache<Key, EncodedContent>,
    encodings: RequestCoalescer<Key, Arc<EncodedContent>>,
}

type Key = (SetName, u64);

/// A section with its configuration, if it has one.
#[derive(Serialize)]
struct ConfiguredRemote {
    #[serde(flatten)]
    remote: Arc<RemoteManifest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<SectionConfig>,
}

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

    /// Responds with the sections of the named set. One that is missing or damaged is left out.
    pub(crate) async fn respond(&self, call: Call<'_>, values: &SiteValues) -> Result<Response, SiteError> {
        let name = requested_set(&call)?;
        let set = call.snapshot.set(&name).ok_or(SiteError::DeploymentGone)?;
        // What is left out can become available.
        let is_complete = set.unavailable.is_empty();
        let json = if is_complete {
            self.cached(&set, values).await
        } else {
            Arc::new(encode(&set, values).await)
        };
        let may_cache = is_complete && !set.deployment.preview;
        Ok(set_response(&call.head.headers, name, &json, may_cache))
    }

    /// The remotes of a set without unavailable sections.
    async fn cached(&self, set: &LoadedDeployment, values: &SiteValues) -> Arc<EncodedContent> {
        let key = (set.set.clone(), values.revision());
        if let Some(json) = self.cache.get(&key) {
            return json;
        }
        let encoding = async {
            let json = Arc::new(encode(set, values).await);
            self.cache.put(key.clone(), Arc::clone(&json), json.weight());
            json
        };
        self.encodings.run(&key, encoding).await
    }
}

async fn encode(set: &LoadedDeployment, values: &SiteValues) -> EncodedContent {
    let releases = set.releases.iter();
    let remotes = releases.filter_map(|release| release.remote().cloned());
    let configured = remotes.map(|remote| {
        let name = remote.section.name.clone();
        let config = values.configs.get(&name).cloned();
        (name, ConfiguredRemote { remote, config })
    });
    let remotes: BTreeMap<_, _> = configured.collect();
    // Only maps with keys that are not strings cannot be serialized.
    EncodedContent::compress(move || serde_json::to_vec(&remotes).unwrap_or_default()).await
}
