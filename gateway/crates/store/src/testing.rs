//! A store with sample releases, for the unit tests of this crate and others.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use colonnade_model::release::{Digest, RELEASE_FILE, ReleaseId};
pub use colonnade_model::testing::{Sample, section, shell, small_section};
use tempfile::TempDir;

use crate::metrics::StoreMetrics;
use crate::{PutOutcome, ReleaseRecord, StagedRelease, Store, StoreError};

/// Stores a sample release, as publishing it does.
///
/// # Panics
/// If its version is taken, or if the store fails.
pub async fn put_release(store: &Store, sample: Sample) {
    assert!(matches!(
        try_put_release(store, sample).await,
        PutOutcome::Created
    ));
}

/// Stores a sample release, if its version is free.
///
/// # Panics
/// If the store fails.
pub async fn try_put_release(store: &Store, sample: Sample) -> PutOutcome {
    publish(store, sample).await.expect("the store works")
}

/// Stores a sample release, if its version is free and the store works.
///
/// # Panics
/// If there is no scratch folder.
pub(crate) async fn publish(store: &Store, sample: Sample) -> Result<PutOutcome, StoreError> {
    let id = ReleaseId {
        name: sample.release.name.clone(),
        version: sample.release.version.clone(),
    };
    let folder = store.scratch_folder().await.expect("a scratch folder");
    let manifest = serde_json::to_vec(&sample.release).expect("a release serializes");
    let record = ReleaseRecord {
        published_at: colonnade_clock::now(),
        by: "test".to_owned(),
        source: None,
        digest: Digest::of(&manifest),
        variants: BTreeMap::new(),
    };
    write(folder.path(), RELEASE_FILE, &manifest);
    for (path, bytes) in &sample.files {
        write(folder.path(), path, bytes);
    }
    store.put_release(StagedRelease { id, folder, record }).await
}

/// An empty store and its folder, which is removed when dropped.
///
/// # Panics
/// If the folder cannot be created.
pub fn store() -> (TempDir, Arc<Store>) {
    let folder = TempDir::new().expect("a temporary folder");
    let store = Store::open_folder(folder.path(), StoreMetrics::default()).expect("the store opens");
    (folder, Arc::new(store))
}

/// Opens the store in the bucket of a test server, with a local cache in a folder.
#[cfg(test)]
pub(crate) async fn open_bucket(
    server: &colonnade_testing_s3::S3Server,
    cache: &Path,
) -> Result<Store, StoreError> {
    use colonnade_testing_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY};

    let settings = crate::BucketSettings {
        url: format!("s3://{BUCKET}/site").parse().expect("a valid URL"),
        endpoint: Some(server.endpoint()),
        region: None,
        is_read_only: false,
        access_key: Some(crate::AccessKey {
            id: ACCESS_KEY_ID.to_owned(),
            secret: SECRET_ACCESS_KEY.into(),
        }),
        tls: None,
    };
    let cache = crate::CacheSettings {
        folder: cache.to_owned(),
        limit: 1024 * 1024,
    };
    Store::open_bucket(&settings, cache, StoreMetrics::default()).await
}

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    let parent = path.parent().expect("a file has a parent folder");
    std::fs::create_dir_all(parent).expect("the folder is writable");
    std::fs::write(path, bytes).expect("the folder is writable");
}
