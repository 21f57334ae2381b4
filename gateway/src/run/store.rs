//! Opening the store.

use std::sync::Arc;

use colonnade_config::{Config, StoreSettings};
use colonnade_model::bucket_url::BucketUrl;
use colonnade_store::metrics::StoreMetrics;
use colonnade_store::{AccessKey, BucketSettings, CacheSettings, Store, StoreError};

/// Opens the store. With `recover`, a missing or damaged live state is recovered from the history.
pub(super) async fn open(
    config: &Config,
    recover: bool,
    metrics: &StoreMetrics,
) -> Result<Arc<Store>, StoreError> {
    let settings = &config.store;
    let metrics = metrics.clone();
    let store = match &settings.url {
        Some(url) => {
            let cache = CacheSettings {
                folder: settings.folder.clone(),
                limit: settings.cache_bytes as u64,
            };
            Store::open_bucket(&bucket_settings(settings, url), cache, metrics).await?
        }
        None => Store::open_folder(&settings.folder, metrics)?,
    };
    if recover && let Some(state) = store.recover_live_state().await? {
        let (revision, deployment) = (state.revision(), state.live());
        tracing::warn!(event = "live_state_recovered", revision, deployment);
    }
    Ok(Arc::new(store))
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
        tls: settings.tls.own(),
    }
}
