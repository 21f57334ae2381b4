//! Opening the store.

use std::sync::Arc;

use colonnade_config::{Config, StoreSettings};
use colonnade_model::bucket_url::BucketUrl;
use colonnade_store::metrics::StoreMetrics;
use colonnade_store::{
    AccessKey, BucketSettings, BucketStore, CacheSettings, FolderStore, Store, StoreError,
};

/// An open store.
pub(super) struct OpenStore {
    pub(super) store: Arc<dyn Store>,
    /// The same store, if it is in a folder.
    pub(super) folder: Option<Arc<FolderStore>>,
}

/// Opens the store. With `recover`, a missing or damaged live state is recovered from the history.
pub(super) async fn open(
    config: &Config,
    recover: bool,
    metrics: &StoreMetrics,
) -> Result<OpenStore, StoreError> {
    let settings = &config.store;
    let metrics = metrics.clone();
    let (open, recovered) = if let Some(url) = &settings.url {
        let cache = CacheSettings {
            folder: settings.folder.clone(),
            limit: settings.cache_bytes as u64,
        };
        let store = BucketStore::open(&bucket_settings(settings, url), cache, metrics).await?;
        let recovered = if recover {
            store.recover_live_state().await?
        } else {
            None
        };
        let store = Arc::new(store);
        (OpenStore { store, folder: None }, recovered)
    } else {
        let store = Arc::new(FolderStore::open(&settings.folder)?.with_metrics(metrics));
        let recovered = if recover {
            store.recover_live_state()?
        } else {
            None
        };
        let folder = Some(Arc::clone(&store));
        (OpenStore { store, folder }, recovered)
    };
    if let Some(state) = recovered {
        let (revision, deployment) = (state.revision(), state.live());
        tracing::warn!(event = "live_state_recovered", revision, deployment);
    }
    Ok(open)
}

/// How to reach a bucket.
pub(crate) fn bucket_settings(settings: &StoreSettings, url: &BucketUrl) -> BucketSettings {
    let access_key = settings.access_key.as_ref();
    BucketSettings {
        url: url.clone(),
        // `Url` has a slash after an origin.
        endpoint: settings
            .endpoint
            .as_ref()
            .map(|endpoint| endpoint.as_str().trim_end_matches('/').to_owned()),
        region: settings.region.clone(),
        is_read_only: settings.is_read_only,
        access_key: access_key.map(|key| AccessKey {
            id: key.id.clone(),
            secret: key.secret.clone(),
        }),
    }
}
