//! The operations of a store.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use colonnade_model::canary::GatewayCounts;
use colonnade_model::deployment::{Change, Deployment, LiveState};
use colonnade_model::event::AuditEntry;
use colonnade_model::fleet::GatewayState;
use colonnade_model::release::{Digest, ReleaseId};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::acme::AcmeFiles;
use crate::bucket::{BucketObjects, BucketSettings};
use crate::bucket_error::BucketError;
use crate::cached::{CacheSettings, CachedObjects};
use crate::connect::connect_folder;
use crate::error::StoreError;
use crate::fleet::KnownGateway;
use crate::folder::FolderObjects;
use crate::inner::Inner;
use crate::keys::{CACHE_MARKER, LIVE};
use crate::metrics::StoreMetrics;
use crate::types::{GatewayId, ListedFile, PutOutcome, StagedRelease, StoredRelease, UnusedMark};
use crate::webhook::{StoredProgress, WebhookProgress};

/// How often a folder is polled.
const FOLDER_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How often a bucket is polled: each request costs money.
const BUCKET_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Releases, deployments, the live state and its history, in a folder or in a bucket. Several
/// gateways can share it: changes to the live state are compare-and-swap operations, so they never
/// overwrite each other.
#[derive(Debug)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
    /// The same objects, if they are in a folder.
    folder: Option<FolderObjects>,
    /// The same objects, if they are in a bucket.
    cached: Option<Arc<CachedObjects>>,
    /// Keeps what visitors see in the local cache of a bucket.
    _keeping: JoinSet<()>,
}

/// Opening a store.
impl Store {
    /// Opens the store in a folder, creates the folder if it does not exist, and recovers from
    /// crashed processes. Blocks.
    ///
    /// # Errors
    /// If a file or folder cannot be created, read or synced, if something else is in the folder,
    /// or if the store is not whole.
    pub fn open_folder(folder: &Path, metrics: StoreMetrics) -> Result<Self, StoreError> {
        if folder.join(CACHE_MARKER).exists() {
            return Err(StoreError::IsCache(folder.join(CACHE_MARKER)));
        }
        let objects = FolderObjects::create(folder)?;
        connect_folder(&objects)?;
        let scratch = objects.scratch.clone();
        let shared = Arc::new(objects.clone());
        Ok(Self {
            inner: Arc::new(Inner::new(shared, scratch, metrics)),
            folder: Some(objects),
            cached: None,
            _keeping: JoinSet::new(),
        })
    }

    /// Opens the store in a bucket, and creates it in an empty one. While the object store is away,
    /// the local copy of what visitors see is opened instead, if there is one.
    ///
    /// # Errors
    /// If the object store cannot be used and there is no local copy, if it ignores conditions of
    /// writes, or if the bucket or the folder has something else in it.
    pub async fn open_bucket(
        settings: &BucketSettings,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        Self::open_objects(settings.objects(&metrics)?, cache, metrics).await
    }

    /// Opens the store at the root of a bucket that this client reaches.
    ///
    /// # Errors
    /// As [`Store::open_bucket`].
    #[cfg(feature = "testing")]
    pub async fn open_client(
        client: Arc<dyn object_store::ObjectStore>,
        is_read_only: bool,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        let bucket = BucketObjects::new(client, "", "test://bucket".to_owned(), is_read_only);
        Self::open_objects(bucket, cache, metrics).await
    }

    async fn open_objects(
        bucket: BucketObjects,
        cache: CacheSettings,
        metrics: StoreMetrics,
    ) -> Result<Self, StoreError> {
        let opened = request_scope::run_blocking(move || CachedObjects::open(bucket, &cache));
        let cached = Arc::new(opened.await?);
        cached.connect().await?;
        let (objects, scratch) = (Arc::new(Arc::clone(&cached)), cached.folder.scratch.clone());
        let mut keeping = JoinSet::new();
        keeping.spawn(Arc::clone(&cached).follow());
        Ok(Self {
            inner: Arc::new(Inner::new(objects, scratch, metrics)),
            folder: None,
            cached: Some(cached),
            _keeping: keeping,
        })
    }
}

/// Whether it can be used.
impl Store {
    /// Fails if every change would, because other gateways make them: see
    /// [`StoreError::is_read_only`].
    pub fn check_writable(&self) -> Result<(), StoreError> {
        if self.inner.objects.is_read_only() {
            return Err(self.inner.objects.error(LIVE, BucketError::ReadOnly));
        }
        Ok(())
    }

    /// Fails if objects cannot be written, such as on a full disk, and restores what is kept free
    /// for changes. In a bucket only a write can tell.
    pub async fn check_space(&self) -> Result<(), StoreError> {
        let Some(folder) = self.folder.clone() else {
            return Ok(());
        };
        let checked = request_scope::run_blocking(move || folder.check_writable()).await;
        self.inner.metrics.set_writable(checked.is_ok());
        checked
    }

    /// Whether it reads a local copy, which only has what visitors see, until the live state can be
    /// read.
    pub fn is_offline(&self) -> bool {
        self.cached.as_ref().is_some_and(|cached| cached.is_offline())
    }

    /// Reads the local copy until the live state can be read again, because the store went away
    /// during the start; false if there is none.
    pub fn fall_back(&self) -> bool {
        self.cached.as_ref().is_some_and(|cached| cached.fall_back())
    }

    /// How often a gateway reads the live state, to notice the changes by others.
    pub fn poll_interval(&self) -> Duration {
        match self.folder {
            Some(_) => FOLDER_POLL_INTERVAL,
            None => BUCKET_POLL_INTERVAL,
        }
    }

    /// The objects of ACME.
    pub fn acme_files(&self) -> AcmeFiles {
        AcmeFiles {
            objects: Arc::clone(&self.inner.objects),
            cache: self.cached.as_ref().map(|cached| cached.folder.clone()),
        }
    }

    /// Recovers a live state that is missing or damaged, or whose deployments cannot be loaded,
    /// from the history; `None` if it is intact. Rollouts that were running end.
    ///
    /// # Errors
    /// If no deployment in the history can be loaded either, or the object store is away.
    pub async fn recover_live_state(&self) -> Result<Option<LiveState>, StoreError> {
        // The local copy is intact.
        if self.is_offline() {
            return Ok(None);
        }
        self.inner.recover_live_state().await
    }
}

/// Operations without more to do than to measure them, by the names of their metrics. Each calls
/// the one of the same name that is not measured.
macro_rules! measured {
    ($($(#[$doc:meta])* $operation:literal $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl Store {$(
            $(#[$doc])*
            pub async fn $name(&self, $($argument: $type),*) -> Result<$output, StoreError> {
                self.inner.measure($operation, self.inner.$name($($argument),*)).await
            }
        )*}
    };
}

// Releases.
measured! {
    /// Stores a validated release, unless its version exists or has a tombstone with another
    /// digest.
    "put_release" put_release(release: StagedRelease) -> PutOutcome;

    /// The IDs of the stored releases of a section, or of all with `None`, sorted.
    "releases" releases(section: Option<&str>) -> Vec<ReleaseId>;

    /// One release; `None` if it is not stored. A release with a mark is stored until it is
    /// deleted.
    "release" release(id: &ReleaseId) -> Option<StoredRelease>;

    /// The digest in a version's tombstone. Only a release with this digest can be stored under
    /// that version again.
    "tombstone" tombstone(id: &ReleaseId) -> Option<Digest>;

    /// Marks a release as unused, in place of an earlier mark; `None` if it is not stored. The mark
    /// changes nothing but what
    /// [`Store::delete_unused`] deletes, so an interrupted garbage collection leaves nothing to repair.
    "mark_unused" mark_unused(id: &ReleaseId) -> Option<UnusedMark>;

    /// As [`Store::release`], for a stored deployment that names the release: removes its mark
    /// first.
    "claim_release" claim_release(id: &ReleaseId) -> Option<StoredRelease>;

    /// Deletes a release permanently if it still has this mark; false if not. Its tombstone is
    /// written first.
    "delete_unused" delete_unused(mark: &UnusedMark) -> bool;

    /// Whether garbage is to be collected now, by this gateway: true for one gateway after each
    /// interval.
    "begin_collection" begin_collection(interval: SignedDuration) -> bool;

    /// Deletes what interrupted uploads and deletions left, when it is a day old.
    "delete_orphans" delete_orphans() -> ();
}

// Deployments, the live state and its history.
measured! {
    /// The numbers of all deployments, ascending.
    "deployments" deployments() -> Vec<u64>;

    /// One deployment; `None` if it is not stored.
    "deployment" deployment(number: u64) -> Option<Deployment>;

    /// Stores a deployment; false if its number is taken.
    "create_deployment" create_deployment(deployment: &Deployment) -> bool;

    /// Deletes a deployment, if it is stored.
    "delete_deployment" delete_deployment(number: u64) -> ();

    /// The live state; `None` before the first deploy. Fails if it is missing from a store with a
    /// history.
    "live_state" live_state() -> Option<LiveState>;

    /// Replaces the live state if it is `expected` (`None`: there is none yet); false if it is
    /// another. The change of the replaced state is added to the history first, so the history is
    /// always complete.
    "compare_and_swap_state" compare_and_swap_state(expected: Option<&LiveState>, next: &LiveState) -> bool;

    /// The history entry of a revision; `None` if it is not stored.
    "history_entry" history_entry(revision: u64) -> Option<Change>;
}

// Calls of the admin API that the history does not have, and webhooks.
measured! {
    /// Appends calls.
    "audit" append_audit(entries: &[AuditEntry]) -> ();

    /// The number of the last call; 0 before the first.
    "audit" audit_end() -> u64;

    /// At least `limit` calls with numbers above `after`, ascending, or all that there are. The
    /// first number is `after`, or that of the last call of a restored store.
    "audit" audit_after(after: u64, limit: usize) -> (u64, Vec<(u64, AuditEntry)>);

    /// Deletes calls that were made before this time.
    "audit" delete_audit(before: Timestamp) -> ();

    /// How far a webhook has got; `None` if it is new.
    "webhook" webhook(name: &str) -> Option<StoredProgress>;

    /// Replaces how far a webhook has got if it is `known` (`None`: it is new); `None` if it is
    /// another.
    "webhook" swap_webhook(
        name: &str,
        known: Option<&StoredProgress>,
        progress: WebhookProgress
    ) -> Option<StoredProgress>;
}

// Keys and counts.
measured! {
    /// The keys for a purpose.
    "keys" keys(purpose: KeyPurpose) -> RotatingKeys;

    /// Replaces the keys for a purpose if they are `expected`; false if they are others.
    "compare_and_swap_keys" compare_and_swap_keys(
        purpose: KeyPurpose,
        expected: &RotatingKeys,
        next: &RotatingKeys
    ) -> bool;

    /// Replaces what a gateway has counted about the running rollouts, and returns the counts of
    /// the others. Counts that were not replaced for a minute, by the clock of the store, are
    /// deleted.
    "exchange_counts" exchange_counts(gateway: GatewayId, counts: &GatewayCounts) -> Vec<GatewayCounts>;

    /// Deletes the counts of a gateway.
    "delete_counts" delete_counts(gateway: GatewayId) -> ();
}

// The gateways that use it.
measured! {
    /// Replaces the state of a gateway.
    "write_gateway" write_gateway(gateway: GatewayId, state: &GatewayState) -> ();

    /// The states of all gateways. Those that were not replaced for a day, by the clock of the
    /// store, are deleted.
    "gateways" gateways() -> Vec<KnownGateway>;

    /// Deletes the state of a gateway.
    "delete_gateway" delete_gateway(gateway: GatewayId) -> ();
}

impl Store {
    /// Creates an empty folder to unpack a release in. It is removed when dropped.
    pub async fn scratch_folder(&self) -> Result<TempDir, StoreError> {
        let scratch = self.inner.scratch.clone();
        let create = request_scope::run_blocking(move || scratch.create_folder());
        self.inner.measure("scratch_folder", create).await
    }

    /// The bytes of one file of a release in one content coding; `None` if they are not stored.
    /// Fails with
    /// [`StoreError::Damaged`] if they are not the published ones.
    pub async fn read_file(
        &self,
        id: &ReleaseId,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        let read = self.inner.read_file(id, file, coding);
        let read = self.inner.measure("read_file", read).await;
        if let Err(error) = &read
            && error.is_loss()
            && let Some(path) = error.path()
        {
            self.inner.metrics.record_damaged(path);
        }
        read
    }

    /// Adds a key for a purpose if none is active. Returns the keys.
    pub async fn rotate_keys(&self, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
        loop {
            let keys = self.keys(purpose).await?;
            let Some(next) = keys.rotated(purpose, colonnade_clock::now()) else {
                return Ok(keys);
            };
            if self.compare_and_swap_keys(purpose, &keys, &next).await? {
                return Ok(next);
            }
        }
    }
}
