//! Objects in a folder: each is a file, replaced by renaming.
//!
//! `scratch/` has incomplete uploads and writes. `lock` is held while an object is compared and
//! replaced, so that several processes can share the folder. `reserve` is space for the records of
//! changes, so that a rollback works on a full disk. Symbolic links are never followed.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use colonnade_model::release::Digest;
use colonnade_web::request_scope;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::durable::{
    create, create_folder, entry_names, if_exists, io, remove, replace, sync, write_temporary,
};
use crate::error::StoreError;
use crate::json;
use crate::keys::{COLLECTION, FOLDERS, LIVE};
use crate::objects::{DELETED, Found, Listed, Object, Objects, Pending, Version, When};
use crate::read::{open_lock, read, reject_link};
use crate::scratch::Scratch;

/// How long an operation waits for the lock. It is held for milliseconds, unless its process hangs.
const LOCK_TIMEOUT: Duration = Duration::from_millis(1500);

/// How long an operation waits before it tries to lock again.
const LOCK_RETRY: Duration = Duration::from_millis(5);

/// The file that keeps space for the records of changes.
const RESERVE: &str = "reserve";

/// The size of this file: the records of a change take about ten kilobytes.
const RESERVE_BYTES: usize = 1024 * 1024;

/// The longest record of a change that may use the reserve.
const MAX_RECORD: usize = RESERVE_BYTES / 2;

/// Objects in a folder.
#[derive(Debug, Clone)]
pub(crate) struct FolderObjects {
    /// Absolute and without links, so that no path below it may contain one.
    folder: Arc<Path>,
    pub(crate) scratch: Scratch,
}

impl FolderObjects {
    /// The objects in a folder that exists. Nothing is created.
    pub(crate) fn of(folder: &Path) -> Result<Self, StoreError> {
        let folder = folder.canonicalize().map_err(io(folder))?;
        let scratch = Scratch {
            folder: folder.join("scratch"),
        };
        Ok(Self {
            folder: folder.into(),
            scratch,
        })
    }

    /// The objects in a folder, which is created with the folders in it. Completes what crashed
    /// processes left: they may have renamed files without syncing the folder, and later changes
    /// build on these files.
    pub(crate) fn create(folder: &Path) -> Result<Self, StoreError> {
        create_folder(folder)?;
        let objects = Self::of(folder)?;
        for name in FOLDERS.into_iter().chain(["scratch"]) {
            let path = objects.folder.join(name);
            create_folder(&path)?;
            reject_link(&path)?;
            for name in entry_names(&path)? {
                let inner = path.join(name);
                if fs::symlink_metadata(&inner).is_ok_and(|metadata| metadata.is_dir()) {
                    sync(&inner)?;
                }
            }
            sync(&path)?;
        }
        sync(&objects.folder)?;
        objects.scratch.remove_old()?;
        Ok(objects)
    }

    /// Locks the folder until the returned file is dropped: one process at a time compares and
    /// replaces. Fails after a deadline. The caller waits for it, so an operation that was reported
    /// as failed never happens later.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.folder.join("lock");
        let lock = open_lock(&path)?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    // This is a thread for blocking work.
                    thread::park_timeout(LOCK_RETRY);
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
                Err(TryLockError::Error(error)) => return Err(io(&path)(error)),
            }
        }
    }

    /// Reads an object; `None` if it does not exist. Blocks.
    pub(crate) fn read(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        Ok(read(&self.folder.join(key))?.map(Bytes::from))
    }

    /// Reads a JSON object; `None` if it does not exist. Blocks.
    pub(crate) fn read_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let text = self.read(key)?;
        text.map(|text| json::parse(&self.path(key), &text)).transpose()
    }

    /// Whether an object exists, or something in its place. Blocks.
    pub(crate) fn has(&self, key: &str) -> bool {
        fs::symlink_metadata(self.folder.join(key)).is_ok()
    }

    /// Fails if objects cannot be written. Restores the reserve. Blocks.
    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        let path = self.folder.join(RESERVE);
        let size = if_exists(fs::symlink_metadata(&path)).map_err(io(&path))?;
        let is_kept = size.is_some_and(|metadata| metadata.len() == RESERVE_BYTES as u64);
        let probe = vec![0; if is_kept { 1 } else { RESERVE_BYTES }];
        let written = write_temporary(&path, &self.scratch.folder, &probe)?;
        if !is_kept {
            written.persist(&path).map_err(|error| io(&path)(error.error))?;
        }
        Ok(())
    }

    /// Writes an object: see [`Objects::put`]. If the disk is full, the record of a change takes
    /// the place of the reserve. Blocks.
    pub(crate) fn write(&self, key: &str, bytes: &[u8], when: When<'_>) -> Result<bool, StoreError> {
        match self.try_write(key, bytes, when) {
            Err(error) if error.is_full() && is_record(key) && bytes.len() <= MAX_RECORD => {
                let reserve = self.folder.join(RESERVE);
                if if_exists(fs::remove_file(&reserve))
                    .map_err(io(&reserve))?
                    .is_none()
                {
                    return Err(error);
                }
                tracing::error!(event = "store_reserve_used", error = %error);
                self.try_write(key, bytes, when)
            }
            written => written,
        }
    }

    fn try_write(&self, key: &str, bytes: &[u8], when: When<'_>) -> Result<bool, StoreError> {
        let path = self.folder.join(key);
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
            reject_link(parent)?;
        }
        let scratch = &self.scratch.folder;
        match when {
            When::Always => replace(&path, scratch, bytes).map(|()| true),
            When::Absent => create(&path, scratch, bytes),
            When::Is(version) => {
                let _lock = self.lock()?;
                let is_current = read(&path)?.is_some_and(|current| version_of(&current) == *version);
                if is_current {
                    replace(&path, scratch, bytes)?;
                }
                Ok(is_current)
            }
        }
    }

    /// Deletes an object, or a folder or link at its path. A power failure can undo it. Blocks.
    pub(crate) fn remove(&self, key: &str) -> Result<(), StoreError> {
        remove(&self.folder.join(key))
    }

    /// The objects below a folder, sorted by key. Blocks.
    pub(crate) fn entries(&self, folder: &str) -> Result<Vec<Listed>, StoreError> {
        let path = self.folder.join(folder);
        reject_link(&path)?;
        let mut listed = Vec::new();
        list_below(&path, "", &mut listed)?;
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let own = self.clone();
        request_scope::run_blocking(move || work(&own)).await
    }
}

impl Objects for FolderObjects {
    fn get<'a>(&'a self, key: &'a str, unless: Option<&'a Version>) -> Pending<'a, Found> {
        let (key, unless) = (key.to_owned(), unless.cloned());
        Box::pin(self.run(move |own| {
            let Some(bytes) = own.read(&key)? else {
                return Ok(Found::Missing);
            };
            let version = version_to_replace(&key, &bytes);
            Ok(if unless.as_ref() == Some(&version) {
                Found::Unchanged
            } else {
                Found::Object(Object { bytes, version })
            })
        }))
    }

    fn put<'a>(&'a self, key: &'a str, bytes: Bytes, when: When<'a>) -> Pending<'a, Option<Version>> {
        let key = key.to_owned();
        let expected = match when {
            When::Is(version) => Some(version.clone()),
            When::Always | When::Absent => None,
        };
        let is_new = matches!(when, When::Absent);
        Box::pin(self.run(move |own| {
            let when = match &expected {
                Some(version) => When::Is(version),
                None if is_new => When::Absent,
                None => When::Always,
            };
            let is_written = own.write(&key, &bytes, when)?;
            Ok(is_written.then(|| version_to_replace(&key, &bytes)))
        }))
    }

    fn delete<'a>(&'a self, key: &'a str) -> Pending<'a, ()> {
        let key = key.to_owned();
        Box::pin(self.run(move |own| own.remove(&key)))
    }

    fn list<'a>(&'a self, folder: &'a str) -> Pending<'a, Vec<Listed>> {
        let folder = folder.to_owned();
        Box::pin(self.run(move |own| own.entries(&folder)))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }
}

/// Whether an object is a record of a change, which a rollback writes first, or the one that
/// garbage collection writes first.
fn is_record(key: &str) -> bool {
    [LIVE, COLLECTION].contains(&key) || key.starts_with("deployments/") || key.starts_with("history/")
}

/// The version of an object. A file of a release is never replaced, and may be too large to hash
/// it only for that.
fn version_to_replace(key: &str, bytes: &[u8]) -> Version {
    if key.starts_with("files/") {
        return Version::default();
    }
    version_of(bytes)
}

/// The version of a file: equal bytes are the same version.
fn version_of(bytes: &[u8]) -> Version {
    Version {
        tag: Some(Digest::of(bytes).base64()),
        generation: None,
    }
}

/// Adds what is below a folder, whose entries have names that begin like this.
fn list_below(folder: &Path, prefix: &str, listed: &mut Vec<Listed>) -> Result<(), StoreError> {
    for entry in entry_names(folder)? {
        let (path, name) = (folder.join(&entry), format!("{prefix}{entry}"));
        // Another process may delete it meanwhile.
        let Some(metadata) = if_exists(fs::symlink_metadata(&path)).map_err(io(&path))? else {
            continue;
        };
        if metadata.is_dir() {
            list_below(&path, &format!("{name}/"), listed)?;
        } else {
            let modified = metadata.modified().map_err(io(&path))?;
            listed.push(Listed {
                name,
                written_at: Timestamp::try_from(modified).unwrap_or(Timestamp::MIN),
                is_deleted: metadata.len() == DELETED.len() as u64,
            });
        }
    }
    Ok(())
}
