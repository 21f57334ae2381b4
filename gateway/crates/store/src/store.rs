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

/// Releases.
impl Store {
    /// Creates an empty folder to unpack a release in. It is removed when dropped.
    pub async fn scratch_folder(&self) -> Result<TempDir, StoreError> {
        let scratch = self.inner.scratch.clone();
        let create = request_scope::run_blocking(move || scratch.create_folder());
        self.inner.measure("scratch_folder", create).await
    }

    /// Stores a validated release, unless its version exists or has a tombstone with another
    /// digest.
    pub async fn put_release(&self, release: StagedRelease) -> Result<PutOutcome, StoreError> {
        self.inner
            .measure("put_release", self.inner.put_release(release))
            .await
    }

    /// The IDs of the stored releases of a section, or of all with `None`, sorted.
    pub async fn releases(&self, section: Option<&str>) -> Result<Vec<ReleaseId>, StoreError> {
        self.inner.measure("releases", self.inner.releases(section)).await
    }

    /// One release; `None` if it is not stored. A release with a mark is stored until it is
    /// deleted.
    pub async fn release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        self.inner.measure("release", self.inner.release(id)).await
    }

    /// The digest in a version's tombstone. Only a release with this digest can be stored under
    /// that version again.
    pub async fn tombstone(&self, id: &ReleaseId) -> Result<Option<Digest>, StoreError> {
        self.inner.measure("tombstone", self.inner.tombstone(id)).await
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

    /// Marks a release as unused, in place of an earlier mark; `None` if it is not stored. The mark
    /// changes nothing but what
    /// [`Store::delete_unused`] deletes, so an interrupted garbage collection leaves nothing to repair.
    pub async fn mark_unused(&self, id: &ReleaseId) -> Result<Option<UnusedMark>, StoreError> {
        self.inner
            .measure("mark_unused", self.inner.mark_unused(id))
            .await
    }

    /// As [`Store::release`], for a stored deployment that names the release: removes its mark
    /// first.
    pub async fn claim_release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        self.inner
            .measure("claim_release", self.inner.claim_release(id))
            .await
    }

    /// Deletes a release permanently if it still has this mark; false if not. Its tombstone is
    /// written first.
    pub async fn delete_unused(&self, mark: &UnusedMark) -> Result<bool, StoreError> {
        self.inner
            .measure("delete_unused", self.inner.delete_unused(mark))
            .await
    }

    /// Whether garbage is to be collected now, by this gateway: true for one gateway after each
    /// interval.
    pub async fn begin_collection(&self, interval: SignedDuration) -> Result<bool, StoreError> {
        self.inner
            .measure("begin_collection", self.inner.begin_collection(interval))
            .await
    }

    /// Deletes what interrupted uploads and deletions left, when it is a day old.
    pub async fn delete_orphans(&self) -> Result<(), StoreError> {
        self.inner
            .measure("delete_orphans", self.inner.delete_orphans())
            .await
    }
}

/// Deployments, the live state and its history.
impl Store {
    /// The numbers of all deployments, ascending.
    pub async fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        self.inner.measure("deployments", self.inner.deployments()).await
    }

    /// One deployment; `None` if it is not stored.
    pub async fn deployment(&self, number: u64) -> Result<Option<Deployment>, StoreError> {
        self.inner
            .measure("deployment", self.inner.deployment(number))
            .await
    }

    /// Stores a deployment; false if its number is taken.
    pub async fn create_deployment(&self, deployment: &Deployment) -> Result<bool, StoreError> {
        self.inner
            .measure("create_deployment", self.inner.create_deployment(deployment))
            .await
    }

    /// Deletes a deployment, if it is stored.
    pub async fn delete_deployment(&self, number: u64) -> Result<(), StoreError> {
        self.inner
            .measure("delete_deployment", self.inner.delete_deployment(number))
            .await
    }

    /// The live state; `None` before the first deploy. Fails if it is missing from a store with a
    /// history.
    pub async fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        self.inner.measure("live_state", self.inner.live_state()).await
    }

    /// Replaces the live state if it is `expected` (`None`: there is none yet); false if it is
    /// another. The change of the replaced state is added to the history first, so the history is
    /// always complete.
    pub async fn compare_and_swap_state(
        &self,
        expected: Option<&LiveState>,
        next: &LiveState,
    ) -> Result<bool, StoreError> {
        self.inner
            .measure(
                "compare_and_swap_state",
                self.inner.swap_live_state(expected, next),
            )
            .await
    }

    /// The history entry of a revision; `None` if it is not stored.
    pub async fn history_entry(&self, revision: u64) -> Result<Option<Change>, StoreError> {
        self.inner
            .measure("history_entry", self.inner.history_entry(revision))
            .await
    }
}

/// Calls of the admin API that the history does not have, and webhooks.
impl Store {
    /// Appends calls.
    pub async fn append_audit(&self, entries: &[AuditEntry]) -> Result<(), StoreError> {
        self.inner
            .measure("audit", self.inner.append_audit(entries))
            .await
    }

    /// The number of the last call; 0 before the first.
    pub async fn audit_end(&self) -> Result<u64, StoreError> {
        self.inner.measure("audit", self.inner.audit_end()).await
    }

    /// At least `limit` calls with numbers above `after`, ascending, or all that there are. The
    /// first number is `after`, or that of the last call of a restored store.
    pub async fn audit_after(
        &self,
        after: u64,
        limit: usize,
    ) -> Result<(u64, Vec<(u64, AuditEntry)>), StoreError> {
        self.inner
            .measure("audit", self.inner.audit_after(after, limit))
            .await
    }

    /// Deletes calls that were made before this time.
    pub async fn delete_audit(&self, before: Timestamp) -> Result<(), StoreError> {
        self.inner.measure("audit", self.inner.delete_audit(before)).await
    }

    /// How far a webhook has got; `None` if it is new.
    pub async fn webhook(&self, name: &str) -> Result<Option<StoredProgress>, StoreError> {
        self.inner.measure("webhook", self.inner.webhook(name)).await
    }

    /// Replaces how far a webhook has got if it is `known` (`None`: it is new); `None` if it is
    /// another.
    pub async fn swap_webhook(
        &self,
        name: &str,
        known: Option<&StoredProgress>,
        progress: WebhookProgress,
    ) -> Result<Option<StoredProgress>, StoreError> {
        self.inner
            .measure("webhook", self.inner.swap_webhook(name, known, progress))
            .await
    }
}

/// Keys and counts.
impl Store {
    /// The keys for a purpose.
    pub async fn keys(&self, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
        self.inner.measure("keys", self.inner.keys(purpose)).await
    }

    /// Replaces the keys for a purpose if they are `expected`; false if they are others.
    pub async fn compare_and_swap_keys(
        &self,
        purpose: KeyPurpose,
        expected: &RotatingKeys,
        next: &RotatingKeys,
    ) -> Result<bool, StoreError> {
        self.inner
            .measure(
                "compare_and_swap_keys",
                self.inner.swap_keys(purpose, expected, next),
            )
            .await
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

    /// Replaces what a gateway has counted about the running rollouts, and returns the counts of
    /// the others. Counts that were not replaced for a minute, by the clock of the store, are
    /// deleted.
    pub async fn exchange_counts(
        &self,
        gateway: GatewayId,
        counts: &GatewayCounts,
    ) -> Result<Vec<GatewayCounts>, StoreError> {
        self.inner
            .measure("exchange_counts", self.inner.exchange_counts(gateway, counts))
            .await
    }

    /// Deletes the counts of a gateway.
    pub async fn delete_counts(&self, gateway: GatewayId) -> Result<(), StoreError> {
        self.inner
            .measure("delete_counts", self.inner.delete_counts(gateway))
            .await
    }
}

/// The gateways that use it.
impl Store {
    /// Replaces the state of a gateway.
    pub async fn write_gateway(&self, gateway: GatewayId, state: &GatewayState) -> Result<(), StoreError> {
        self.inner
            .measure("write_gateway", self.inner.write_gateway(gateway, state))
            .await
    }

    /// The states of all gateways. Those that were not replaced for a day, by the clock of the
    /// store, are deleted.
    pub async fn gateways(&self) -> Result<Vec<KnownGateway>, StoreError> {
        self.inner.measure("gateways", self.inner.gateways()).await
    }

    /// Deletes the state of a gateway.
    pub async fn delete_gateway(&self, gateway: GatewayId) -> Result<(), StoreError> {
        self.inner
            .measure("delete_gateway", self.inner.delete_gateway(gateway))
            .await
    }
}
