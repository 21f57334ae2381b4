//! `/_remotes/{set}`: the sections of a set of releases and the modules that they expose, as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_model::deployment::SetName;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::response::Response;

use crate::call::Call;
use crate::error::SiteError;
use crate::set_manifest::{requested_set, set_response};

/// The most bytes of cached responses.
const CACHE_BYTES: usize = 4 << 20;

/// The remotes of sets, encoded once.
pub(crate) struct Remotes {
    cache: ByteCache<SetName, EncodedContent>,
    encodings: RequestCoalescer<SetName, Arc<EncodedContent>>,
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
    pub(crate) async fn respond(&self, call: Call<'_>) -> Result<Response, SiteError> {
        let name = requested_set(&call)?;
        let set = call.snapshot.set(&name).ok_or(SiteError::DeploymentGone)?;
        // What is left out can become available.
        let is_complete = set.unavailable.is_empty();
        let json = if is_complete {
            self.cached(&set).await
        } else {
            Arc::new(encode(&set).await)
        };
        let may_cache = is_complete && !set.deployment.preview;
        Ok(set_response(&call.head.headers, name, &json, may_cache))
    }

    /// The remotes of a set without unavailable sections.
    async fn cached(&self, set: &LoadedDeployment) -> Arc<EncodedContent> {
        if let Some(json) = self.cache.get(&set.set) {
            return json;
        }
        let encoding = async {
            let json = Arc::new(encode(set).await);
            self.cache.put(set.set.clone(), Arc::clone(&json), json.weight());
            json
        };
        self.encodings.run(&set.set, encoding).await
    }
}

async fn encode(set: &LoadedDeployment) -> EncodedContent {
    let releases = set.releases.iter();
    let remotes = releases.filter_map(|release| release.remote().cloned());
    let remotes: BTreeMap<_, _> = remotes
        .map(|remote| (remote.section.name.clone(), remote))
        .collect();
    // Only maps with keys that are not strings cannot be serialized.
    EncodedContent::compress(move || serde_json::to_vec(&remotes).unwrap_or_default()).await
}
