//! The files and folders of a folder store, and operations on them.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use colonnade_model::release::{Digest, RELEASE_FILE, ReleaseId, is_name, is_version};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};

use super::durable::{create_folder, create_json, io, sync_parent, sync_tree};
use super::history::numbers;
use super::read::{open_file, open_lock, read, read_json, reject_link};
use super::release_file::damaged;
use super::scratch::Scratch;
use super::{PutOutcome, RECORD_FILE, ReleaseRecord, StagedRelease, StoreError, StoredRelease};

/// The file that makes a folder the cache of a store in a bucket.
pub(super) const CACHE_MARKER: &str = "cache.json";

/// How long an operation waits for the lock. It is held for milliseconds, unless its process hangs.
const LOCK_TIMEOUT: Duration = Duration::from_millis(1500);

/// How long an operation waits before it tries to lock again.
const LOCK_RETRY: Duration = Duration::from_millis(5);

/// The paths of the store's files and folders.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) releases: PathBuf,
    pub(super) tombstones: PathBuf,
    pub(super) deployments: PathBuf,
    pub(super) scratch: Scratch,
    pub(super) history: PathBuf,
    pub(super) live: PathBuf,
    preview_keys: PathBuf,
    ticket_keys: PathBuf,
    pub(super) acme: PathBuf,
    /// Created with the first counts of canary analysis.
    pub(super) canary: PathBuf,
    /// The lock file of a restore, which exists until the restore is complete.
    pub(super) restoring: PathBuf,
    lock: PathBuf,
}

/// The content of a tombstone.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tombstone {
    pub(super) digest: Digest,
}

impl Paths {
    /// The paths of the store in a folder. Nothing is created.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            releases: folder.join("releases"),
            tombstones: folder.join("tombstones"),
            deployments: folder.join("deployments"),
            scratch: Scratch {
                folder: folder.join("scratch"),
            },
            history: folder.join("history"),
            live: folder.join("live.json"),
            preview_keys: folder.join("preview-keys.json"),
            acme: folder.join("acme"),
            canary: folder.join("canary"),
            ticket_keys: folder.join("ticket-keys.json"),
            restoring: folder.join("restoring"),
            lock: folder.join("lock"),
        }
    }

    /// The paths of a store, whose folders are created if they do not exist.
    pub(super) fn create(folder: &Path) -> Result<Self, StoreError> {
        create_folder(folder)?;
        // Absolute and without links, so that no path below it may contain one.
        let folder = folder.canonicalize().map_err(io(folder))?;
        let paths = Self::of(&folder);
        for path in paths.folders() {
            create_folder(path)?;
            reject_link(path)?;
        }
        Ok(paths)
    }

    /// Fails if essential parts of the store are missing, before [`Paths::create`] creates its folders.
    ///
    /// A failed first deploy leaves a deployment, too. A running gateway retries it, so this is checked only at the start.
    pub(super) fn reject_incomplete(&self) -> Result<(), StoreError> {
        let marker = self.live.with_file_name(CACHE_MARKER);
        if marker.exists() {
            return Err(StoreError::IsCache(marker));
        }
        if self.restoring.exists() {
            return Err(StoreError::RestoreInterrupted);
        }
        if self.live.exists() || !self.revisions()?.is_empty() {
            return Ok(());
        }
        // A gateway creates all folders before the first release.
        let has_lost_history = !self.history.exists() && !self.releases()?.is_empty();
        if has_lost_history || !self.deployments()?.is_empty() {
            return Err(StoreError::HistoryMissing);
        }
        Ok(())
    }

    /// The folders of the store.
    pub(super) fn folders(&self) -> [&Path; 5] {
        [
            &self.releases,
            &self.tombstones,
            &self.deployments,
            &self.history,
            &self.scratch.folder,
        ]
    }

    /// The folder of a release; `None` if the name or version is invalid, such as one with a path traversal.
    pub(super) fn release_folder(&self, id: &ReleaseId) -> Option<PathBuf> {
        let safe = is_name(&id.name) && is_version(&id.version);
        safe.then(|| self.releases.join(&id.name).join(&id.version))
    }

    pub(super) fn deployment(&self, number: u64) -> PathBuf {
        self.deployments.join(format!("{number}.json"))
    }

    pub(super) fn history_entry(&self, revision: u64) -> PathBuf {
        self.history.join(format!("{revision}.json"))
    }

    /// Locks the store until the returned file is dropped: one process at a time replaces files. Fails after a deadline. The
    /// caller waits for it, so an operation that was reported as failed never happens later.
    pub(super) fn lock(&self) -> Result<File, StoreError> {
        self.wait_for(open_lock(&self.lock)?)
    }

    /// Locks the store without writing to it; `None` if nobody has ever locked it.
    pub(super) fn lock_read_only(&self) -> Result<Option<File>, StoreError> {
        let lock = open_file(&self.lock)?;
        lock.map(|lock| self.wait_for(lock)).transpose()
    }

    fn wait_for(&self, lock: File) -> Result<File, StoreError> {
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    // This is a thread for blocking work.
                    thread::park_timeout(LOCK_RETRY);
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
                Err(TryLockError::Error(error)) => return Err(io(&self.lock)(error)),
            }
        }
    }

    pub(super) fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        Ok(numbers(&entry_names(&self.deployments)?))
    }

    /// The file of the keys for a purpose.
    pub(super) fn key_file(&self, purpose: KeyPurpose) -> &Path {
        match purpose {
            KeyPurpose::Previews => &self.preview_keys,
            KeyPurpose::Tickets => &self.ticket_keys,
        }
    }

    pub(super) fn keys(&self, purpose: KeyPurpose) -> Result<RotatingKeys, StoreError> {
        match read_json(self.key_file(purpose)) {
            // Such as the list of keys that gateways wrote before there was a schema. It only ends previews, or sessions.
            Err(StoreError::Corrupt { .. }) => Ok(RotatingKeys::default()),
            keys => keys.map(Option::unwrap_or_default),
        }
    }

    pub(super) fn put_release(&self, release: &StagedRelease) -> Result<PutOutcome, StoreError> {
        let Some(folder) = self.release_folder(&release.id) else {
            return Err(io(&self.releases)(ErrorKind::InvalidInput.into()));
        };
        let record = release.folder.path().join(RECORD_FILE);
        create_json(&record, &self.scratch.folder, &release.record)?;
        sync_tree(release.folder.path())?;
        let parent = self.releases.join(&release.id.name);
        fs::create_dir_all(&parent).map_err(io(&parent))?;
        reject_link(&parent)?;
        sync_parent(&parent)?;
        // No release may be deleted between the check for a tombstone and the rename.
        let _lock = self.lock()?;
        if let Some(digest) = self.tombstone(&release.id)?
            && digest != release.record.digest
        {
            return Ok(PutOutcome::VersionTaken(digest));
        }
        // Renaming fails if the target is a folder that is not empty, so no release is ever overwritten.
        match fs::rename(release.folder.path(), &folder) {
            Ok(()) => {
                sync_parent(&folder)?;
                Ok(PutOutcome::Created)
            }
            Err(error) => {
                let record: Option<ReleaseRecord> = read_json(&folder.join(RECORD_FILE))?;
                // The process that renamed it may have crashed before this sync.
                sync_parent(&folder)?;
                record.map_or_else(
                    || Err(io(&folder)(error)),
                    |record| Ok(PutOutcome::VersionTaken(record.digest)),
                )
            }
        }
    }

    /// Writes the tombstone of a release that is about to be deleted.
    pub(super) fn write_tombstone(&self, id: &ReleaseId, folder: &Path) -> Result<(), StoreError> {
        let record: Option<ReleaseRecord> = read_json(&folder.join(RECORD_FILE))?;
        if let Some(ReleaseRecord { digest, .. }) = record {
            let parent = self.tombstones.join(&id.name);
            fs::create_dir_all(&parent).map_err(io(&parent))?;
            reject_link(&parent)?;
            sync_parent(&parent)?;
            create_json(
                &self.tombstone_path(id),
                &self.scratch.folder,
                &Tombstone { digest },
            )?;
        }
        Ok(())
    }

    /// The path of a tombstone. The name and version must be valid (see `release_folder`).
    fn tombstone_path(&self, id: &ReleaseId) -> PathBuf {
        self.tombstones
            .join(&id.name)
            .join(format!("{}.json", id.version))
    }

    pub(super) fn tombstone(&self, id: &ReleaseId) -> Result<Option<Digest>, StoreError> {
        if self.release_folder(id).is_none() {
            return Ok(None);
        }
        let tombstone: Option<Tombstone> = read_json(&self.tombstone_path(id))?;
        Ok(tombstone.map(|tombstone| tombstone.digest))
    }

    pub(super) fn releases(&self) -> Result<Vec<ReleaseId>, StoreError> {
        let mut releases = Vec::new();
        for name in entry_names(&self.releases)? {
            releases.extend(self.section_releases(&name)?);
        }
        Ok(releases)
    }

    pub(super) fn section_releases(&self, name: &str) -> Result<Vec<ReleaseId>, StoreError> {
        if !is_name(name) {
            return Ok(Vec::new());
        }
        let versions = entry_names(&self.releases.join(name))?;
        let ids = versions.into_iter().map(|version| ReleaseId {
            name: name.to_owned(),
            version,
        });
        Ok(ids.filter(|id| self.release_folder(id).is_some()).collect())
    }

    pub(super) fn release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        let Some(folder) = self.release_folder(id) else {
            return Ok(None);
        };
        let path = folder.join(RELEASE_FILE);
        let manifest = read(&path)?;
        let record: Option<ReleaseRecord> = read_json(&folder.join(RECORD_FILE))?;
        let Some((manifest, record)) = manifest.zip(record) else {
            return Ok(None);
        };
        if Digest::of(&manifest) != record.digest {
            return Err(damaged(&path));
        }
        // Published by a team, so it has no schema of the store.
        let release = serde_json::from_slice(&manifest);
        let release = release.map_err(|source| StoreError::Corrupt { path, source })?;
        Ok(Some(StoredRelease { release, record }))
    }
}

/// The names of a folder's entries, sorted; empty if there is no such folder or it is a file.
pub(super) fn entry_names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let Some(entries) = if_exists(fs::read_dir(folder)).map_err(io(folder))? else {
        return Ok(Vec::new());
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(io(folder))?;
        if let Ok(name) = entry.file_name().into_string() {
            names.insert(name);
        }
    }
    Ok(names.into_iter().collect())
}

/// Turns "not found" into `None`.
pub(super) fn if_exists<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}
