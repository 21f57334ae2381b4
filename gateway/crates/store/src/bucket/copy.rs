//! Copying a store between a folder and a bucket, with its history.
//!
//! The live state is copied last: a copy that was interrupted has none, and can be repeated. Keys of previews and of session
//! tickets are not copied, as in a backup.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use colonnade_model::deployment::LiveState;
use colonnade_model::release::{Digest, RELEASE_FILE, ReleaseId};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tempfile::TempDir;

use super::error::BucketError;
use super::open::STORE;
use super::release::{digest_part, is_safe};
use super::upload::CONCURRENCY;
use super::{BucketSettings, BucketStore, CacheSettings, Inner, LIVE, file_key, release_key};
use crate::durable::{io, replace, sync_tree};
use crate::history::numbers;
use crate::metrics::StoreMetrics;
use crate::paths::{Paths, entry_names};
use crate::read::{read, read_json};
use crate::release_file::damaged;
use crate::restore::Incomplete;
use crate::{PutOutcome, RECORD_FILE, ReleaseRecord, StoreError, json};

/// The folders of objects that are the same files in a folder.
const SAME: [&str; 3] = ["history", "tombstones", "deployments"];

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The revision of the live state; 0 before the first deploy.
    pub revision: u64,
    /// The number of releases.
    pub releases: usize,
}

/// Copies the store in a bucket to a folder, which must be empty, missing, or left by an interrupted copy.
///
/// # Errors
/// If a file cannot be read or is damaged, or if the store changes meanwhile.
pub async fn copy_to_folder(from: &BucketSettings, to: &Path) -> Result<Copied, StoreError> {
    let objects = from.objects(&StoreMetrics::default())?;
    if objects.get(STORE).await?.is_none() {
        return Err(objects.error(STORE, BucketError::NoStore));
    }
    let (store, _cache) = open(from).await?;
    let target = Incomplete::begin(to)?;
    let copied = store.inner.copy_to(&target.folder).await;
    match copied {
        Ok(copied) => target.complete().map(|()| copied),
        Err(error) => target.abandon().and(Err(error)),
    }
}

/// Copies the store in a folder to a bucket, which must be empty or left by an interrupted copy.
///
/// # Errors
/// If the bucket has a live deployment, or if the store changes meanwhile.
pub async fn copy_to_bucket(from: &Path, to: &BucketSettings) -> Result<Copied, StoreError> {
    let from = from.canonicalize().map_err(io(from))?;
    let paths = Paths::of(&from);
    paths.reject_incomplete()?;
    let (store, _cache) = open(to).await?;
    store.inner.copy_from(&from, &paths).await
}

/// Opens the store in a bucket without a local cache.
async fn open(settings: &BucketSettings) -> Result<(BucketStore, TempDir), StoreError> {
    let folder = TempDir::new().map_err(io(&std::env::temp_dir()))?;
    let cache = CacheSettings {
        folder: folder.path().to_owned(),
        limit: 0,
    };
    let store = BucketStore::open(settings, cache, StoreMetrics::default()).await?;
    Ok((store, folder))
}

impl Inner {
    async fn copy_to(self: &Arc<Self>, folder: &Path) -> Result<Copied, StoreError> {
        let live = self.objects.get(LIVE).await?.map(|object| object.bytes);
        let state: Option<LiveState> = live
            .as_ref()
            .map(|live| self.objects.parse(LIVE, live))
            .transpose()?;
        let paths = Paths::create(folder)?;
        for name in SAME {
            let mut keys = self.objects.list(name).await?;
            // Later entries of the history are those of a timeline that ended.
            let revision = state.as_ref().map_or(0, LiveState::revision);
            keys.retain(|listed| {
                let number = numbers(std::slice::from_ref(&listed.name));
                name != "history" || number.iter().all(|number| *number <= revision)
            });
            let copies = stream::iter(keys).map(|listed| async move {
                let key = format!("{name}/{}", listed.name);
                if !is_safe(&key) {
                    return Err(damaged(&self.objects.path(&key)));
                }
                let object = self.objects.get(&key).await?;
                let object = object.ok_or_else(|| StoreError::MissingFile(self.objects.path(&key)))?;
                // A folder keeps nothing of a deleted deployment.
                if name == "deployments" && object.is_deleted() {
                    return Ok(());
                }
                write(&folder.join(&key), &object.bytes)
            });
            copies.buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
        }
        let releases = self.releases(None).await?;
        for id in &releases {
            self.copy_release(id, &paths).await?;
        }
        sync_tree(folder)?;
        if self.objects.get(LIVE).await?.map(|object| object.bytes) != live {
            return Err(self.objects.error(LIVE, BucketError::Changed));
        }
        if let Some(live) = live {
            replace(&paths.live, &paths.scratch.folder, &live)?;
        }
        Ok(Copied {
            revision: state.as_ref().map_or(0, LiveState::revision),
            releases: releases.len(),
        })
    }

    async fn copy_object(&self, key: &str, target: &Path) -> Result<(), StoreError> {
        let object = self.objects.get(key).await?;
        let object = object.ok_or_else(|| StoreError::MissingFile(self.objects.path(key)))?;
        write(target, &object.bytes)
    }

    async fn copy_release(self: &Arc<Self>, id: &ReleaseId, paths: &Paths) -> Result<(), StoreError> {
        let (Some(release), Some(folder)) = (self.bucket_release(id).await?, paths.release_folder(id)) else {
            return Err(StoreError::MissingFile(self.objects.path(&release_key(id))));
        };
        let record = folder.join(RECORD_FILE);
        write(&folder.join(RELEASE_FILE), release.manifest().as_bytes())?;
        write(&record, &json::text(&record, &release.record)?)?;
        let files = release.files.into_iter();
        let copies = stream::iter(files).map(|(path, name)| {
            let target = folder.join(path);
            async move {
                self.copy_object(&file_key(&name), &target).await?;
                let bytes = fs::read(&target).map_err(io(&target))?;
                if !name.starts_with(&digest_part(&Digest::of(&bytes))) {
                    return Err(damaged(&self.objects.path(&file_key(&name))));
                }
                Ok(())
            }
        });
        copies.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }

    async fn copy_from(self: &Arc<Self>, folder: &Path, paths: &Paths) -> Result<Copied, StoreError> {
        if self.objects.get(LIVE).await?.is_some() {
            return Err(self.objects.error(LIVE, BucketError::NotEmpty));
        }
        let live = read(&paths.live)?;
        let state = paths.live_state()?;
        let releases = paths.releases()?;
        for id in &releases {
            let Some(from) = paths.release_folder(id) else {
                continue;
            };
            let record: Option<ReleaseRecord> = read_json(&from.join(RECORD_FILE))?;
            let record = record.ok_or_else(|| StoreError::MissingFile(from.join(RECORD_FILE)))?;
            let digest = record.digest;
            match self.publish(id, &from, record).await? {
                PutOutcome::VersionTaken(taken) if taken != digest => {
                    return Err(self.objects.error(&release_key(id), BucketError::NotEmpty));
                }
                PutOutcome::Created | PutOutcome::VersionTaken(_) => {}
            }
        }
        for name in SAME {
            self.copy_files_of(&folder.join(name), name).await?;
        }
        let lock = paths.lock_read_only()?;
        if read(&paths.live)? != live {
            return Err(self.objects.error(LIVE, BucketError::Changed));
        }
        if let Some(live) = live
            && !self.objects.create_bytes(LIVE, live.clone().into()).await?
            && self
                .objects
                .get(LIVE)
                .await?
                .is_none_or(|object| object.bytes != live)
        {
            return Err(self.objects.error(LIVE, BucketError::NotEmpty));
        }
        drop(lock);
        Ok(Copied {
            revision: state.as_ref().map_or(0, LiveState::revision),
            releases: releases.len(),
        })
    }

    /// Copies the files of a folder to objects with the same names.
    async fn copy_files_of(&self, folder: &Path, key: &str) -> Result<(), StoreError> {
        let mut files = Vec::new();
        let mut folders = vec![(folder.to_owned(), key.to_owned())];
        while let Some((folder, key)) = folders.pop() {
            for name in entry_names(&folder)? {
                let (path, key) = (folder.join(&name), format!("{key}/{name}"));
                if path.is_dir() {
                    folders.push((path, key));
                } else {
                    files.push((path, key));
                }
            }
        }
        let copies = stream::iter(files).map(|(path, key)| async move {
            let bytes = read(&path)?.ok_or(StoreError::MissingFile(path))?;
            self.objects.write_bytes(&key, Bytes::from(bytes)).await
        });
        copies.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .map_err(io(path))?;
    fs::write(path, bytes).map_err(io(path))
}
