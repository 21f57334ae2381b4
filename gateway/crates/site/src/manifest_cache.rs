//! The JSON of responses about sets of releases, each encoded once: those of `/_page` and
//! `/_remotes`.

use std::sync::Arc;

use serde::Serialize;

use colonnade_model::deployment::SetName;
use colonnade_render::SiteValues;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::encoded_content::EncodedContent;

/// The most bytes of cached responses.
const CACHE_BYTES: usize = 8 << 20;

/// The JSON of responses about sets.
pub(crate) struct ManifestCache {
    cache: ByteCache<Key, EncodedContent>,
    encodings: RequestCoalescer<Key, Arc<EncodedContent>>,
}

/// What a response is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The sections of the set.
    Remotes,
    /// The modules that a section exposes.
    Modules { section: String },
    /// A page.
    Page { section: String, pattern: String },
}

/// What a response depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    subject: Subject,
    set: SetName,
    /// Those sections of the set that are unavailable, which can become available.
    unavailable: Vec<String>,
    /// The revision of the configuration of sections.
    site: u64,
    /// The revision of the rules for extensions.
    rules: u64,
}

impl ManifestCache {
    pub(crate) fn new() -> Self {
        Self {
            cache: ByteCache::new(CACHE_BYTES),
            encodings: RequestCoalescer::default(),
        }
    }

    /// Halves the cache while memory is short.
    pub(crate) fn shrink(&self) {
        self.cache.shrink();
    }

    /// The JSON about a subject in a set. `write` writes it, unless it is cached.
    pub(crate) async fn get(
        &self,
        subject: Subject,
        set: &LoadedDeployment,
        values: &SiteValues,
        write: impl FnOnce() -> Vec<u8> + Send + 'static,
    ) -> Arc<EncodedContent> {
        let unavailable = set.unavailable.iter();
        let key = Key {
            subject,
            set: set.set.clone(),
            unavailable: unavailable.map(|release| release.id.name.clone()).collect(),
            site: values.revision(),
            rules: set.rules.revision(),
        };
        if let Some(json) = self.cache.get(&key) {
            return json;
        }
        let encoding = async {
            let json = Arc::new(EncodedContent::compress(write).await);
            self.cache.put(key.clone(), Arc::clone(&json), json.weight());
            json
        };
        self.encodings.run(&key, encoding).await
    }
}

/// Writes a manifest as JSON.
pub(crate) fn to_json(manifest: &impl Serialize) -> Vec<u8> {
    // Only maps with keys that are not strings cannot be serialized.
    serde_json::to_vec(manifest).unwrap_or_default()
}
