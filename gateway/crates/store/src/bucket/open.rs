//! Opening a store in a bucket.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use colonnade_web::request_scope;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::cache::FileCache;
use super::error::BucketError;
use super::mirror::{self, Marker, Mirror};
use super::objects::Objects;
use super::{BucketSettings, BucketStore, CacheSettings, Contact, Inner, KnownFiles};
use crate::StoreError;
use crate::durable::{create_folder, io};
use crate::metrics::StoreMetrics;
use crate::paths::{CACHE_MARKER, Paths};
use crate::scratch::Scratch;

/// The object that makes a prefix a store.
pub(super) const STORE: &str = "store.json";

/// The content of [`STORE`].
#[derive(Debug, Serialize, Deserialize)]
struct StoreId {
    id: String,
}

impl BucketStore {
    /// Opens the store in a bucket, and creates it in an empty one. While the object store is away,
    /// the local copy of what visitors see is opened instead, if there is one.
    ///
    /// # Errors
    /// If the object store cannot be used and there is no local copy, if it ignores conditions of writes, or if the bucket
    /// or the folder has something else in it.
    pub async fn open(
        settings: &BucketSettings,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        Self::open_objects(settings.objects(&metrics)?, cache, metrics).await
    }

    /// Opens the store at the root of a bucket that this client reaches.
    ///
    /// # Errors
    /// As [`BucketStore::open`].
    #[cfg(feature = "testing")]
    pub async fn open_with(
        client: Arc<dyn object_store::ObjectStore>,
        is_read_only: bool,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        let objects = Objects::new(client, "", "test://bucket".to_owned(), is_read_only);
        Self::open_objects(objects, cache, metrics).await
    }

    async fn open_objects(
        objects: Objects,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        let CacheSettings { folder, limit } = cache;
        let (cache, mirror, scratch) =
            request_scope::run_blocking(move || open_folder(&folder, limit)).await?;
        let connected = connect(&objects, &mirror).await;
        let (changes, receiver) = watch::channel(None);
        let inner = Arc::new(Inner {
            objects,
            cache,
            mirror,
            scratch,
            metrics,
            known: Mutex::default(),
            recorded: Mutex::default(),
            files: Mutex::new(KnownFiles::default()),
            contact: Mutex::new(Contact::Online),
            is_away: AtomicBool::new(false),
            changes,
            awaited: AtomicU64::new(0),
        });
        match connected {
            Err(error) if error.is_away() && inner.fall_back() => {
                tracing::error!(event = "store_unreachable", error = %error);
            }
            connected => connected?,
        }
        let mirroring = tokio::spawn(mirror::run(Arc::clone(&inner), receiver)).abort_handle();
        Ok(Self { inner, mirroring })
    }
}

/// Opens what is kept in the local folder.
fn open_folder(folder: &Path, limit: u64) -> Result<(FileCache, Mirror, Scratch), StoreError> {
    let is_store = Paths::of(folder).live.exists() && !folder.join(CACHE_MARKER).exists();
    if is_store {
        return Err(StoreError::NotEmpty(folder.to_owned()));
    }
    create_folder(folder)?;
    let folder = folder.canonicalize().map_err(io(folder))?;
    let scratch = Scratch {
        folder: folder.join("scratch"),
    };
    create_folder(&scratch.folder)?;
    scratch.remove_old()?;
    let mirror = Mirror::new(&folder, &scratch.folder);
    Ok((FileCache::open(&folder.join("files"), limit)?, mirror, scratch))
}

/// Checks the bucket, and creates the store in an empty one. The local copy must be one of this store.
pub(super) async fn connect(objects: &Objects, mirror: &Mirror) -> Result<(), StoreError> {
    let known = mirror.marker()?;
    let known = known.as_ref();
    // Even without the object store: what is cached must not be taken for the content of another bucket.
    check_marker(objects, known.filter(|known| known.url != objects.url()))?;
    let id = match objects.read::<StoreId>(STORE).await? {
        Some((store, _)) => {
            // Before anything is written.
            check_marker(objects, known.filter(|known| known.id != store.id))?;
            if !objects.is_read_only() {
                objects.check_conditions().await?;
            }
            store.id
        }
        None if objects.is_read_only() => return Err(objects.error(STORE, BucketError::NoStore)),
        None if objects.is_empty().await? => {
            check_marker(objects, known)?;
            objects.check_conditions().await?;
            create(objects).await?
        }
        None => return Err(objects.error(STORE, BucketError::OtherContent)),
    };
    if known.is_none() {
        let url = objects.url().to_owned();
        mirror.write(CACHE_MARKER, &Marker { url, id })?;
    }
    Ok(())
}

/// Fails if the local folder belongs to another store.
fn check_marker(objects: &Objects, other: Option<&Marker>) -> Result<(), StoreError> {
    match other {
        Some(other) => Err(objects.error(
            STORE,
            BucketError::OtherStore {
                cached: format!("{} with the ID {}", other.url, other.id),
            },
        )),
        None => Ok(()),
    }
}

/// Creates the store. Another gateway may do the same.
async fn create(objects: &Objects) -> Result<String, StoreError> {
    let store = StoreId {
        id: format!("{:032x}", colonnade_random::random::<u128>()),
    };
    if objects.create(STORE, &store).await? {
        return Ok(store.id);
    }
    let created = objects.read::<StoreId>(STORE).await?;
    let created = created.ok_or_else(|| objects.error(STORE, BucketError::Unconfirmed))?;
    Ok(created.0.id)
}
