//! The local copy of what visitors see: the live state, its deployments and their releases. With it, a gateway starts while
//! the object store is away.
//!
//! `live.json` of the copy is written last, when everything that it needs is there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use colonnade_model::deployment::{Deployment, LiveState};
use colonnade_model::release::{Release, ReleaseId};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::release::{BucketRelease, FileNames, file_path, release_id};
use super::upload::CONCURRENCY;
use super::{Inner, LIVE, deployment_key, release_key};
use crate::durable::{create_folder, remove, replace_json};
use crate::history::numbers;
use crate::paths::{CACHE_MARKER, entry_names};
use crate::read::{if_intact, read_json};
use crate::{ListedFile, StoreError};

/// When the copy is tried again after it failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// The local copy in a folder.
#[derive(Debug)]
pub(super) struct Mirror {
    folder: PathBuf,
    scratch: PathBuf,
    /// The files of the copied releases, which never change: reading all of them at each change takes long.
    releases: Mutex<HashMap<ReleaseId, Arc<FileNames>>>,
    /// The last error that was logged.
    reported: Mutex<Option<String>>,
}

/// What a folder is the copy of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    /// The URL of the store.
    pub(super) url: String,
    /// The ID of the store.
    pub(super) id: String,
}

/// Files of the live deployments are not in the cache.
struct Incomplete;

impl Mirror {
    /// The copy in a folder, whose path must be absolute and without links. Nothing is created.
    pub(super) fn new(folder: &Path, scratch: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            scratch: scratch.to_owned(),
            releases: Mutex::default(),
            reported: Mutex::default(),
        }
    }

    /// Reads a copied object; `None` if it is not there, or damaged. Blocks shortly.
    pub(super) fn read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        if_intact(read_json(&self.folder.join(key)))
    }

    pub(super) fn live_state(&self) -> Result<Option<LiveState>, StoreError> {
        self.read(LIVE)
    }

    pub(super) fn marker(&self) -> Result<Option<Marker>, StoreError> {
        self.read(CACHE_MARKER)
    }

    pub(super) fn write(&self, key: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let path = self.folder.join(key);
        path.parent().map_or(Ok(()), create_folder)?;
        replace_json(&path, &self.scratch, value)
    }

    /// The files of a copied release; `None` if it is not there. Blocks shortly.
    fn files(&self, id: &ReleaseId) -> Option<Arc<FileNames>> {
        let key = release_key(id);
        let known = self.releases.lock().get(id).cloned();
        if known.is_some() && self.folder.join(&key).exists() {
            return known;
        }
        let read: BucketRelease = self.read(&key).ok()??;
        let files = read.is_safe().then(|| Arc::new(read.files))?;
        self.releases.lock().insert(id.clone(), Arc::clone(&files));
        Some(files)
    }

    /// The numbers of the copied deployments.
    pub(super) fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        Ok(numbers(&entry_names(&self.folder.join("deployments"))?))
    }

    /// Logs an error of the cache, once.
    pub(super) fn report(&self, error: &dyn std::fmt::Display) {
        let error = error.to_string();
        let mut reported = self.reported.lock();
        if reported.as_ref() != Some(&error) {
            tracing::warn!(event = "store_cache_failed", error = %error);
            *reported = Some(error);
        }
    }

    /// Deletes the copies of other deployments and releases.
    fn retain(&self, deployments: &BTreeSet<u64>, releases: &BTreeSet<ReleaseId>) -> Result<(), StoreError> {
        for number in self.deployments()? {
            if !deployments.contains(&number) {
                remove(&self.folder.join(deployment_key(number)));
            }
        }
        self.releases.lock().retain(|id, _| releases.contains(id));
        let folder = self.folder.join("releases");
        for name in entry_names(&folder)? {
            for file in entry_names(&folder.join(&name))? {
                let id = release_id(&format!("{name}/{file}"));
                if !id.is_some_and(|id| releases.contains(&id)) {
                    let _ = fs::remove_file(folder.join(&name).join(file));
                }
            }
        }
        Ok(())
    }
}

/// Copies each new live state. Never returns.
pub(super) async fn run(inner: Arc<Inner>, mut changes: watch::Receiver<Option<LiveState>>) {
    loop {
        let state = changes.borrow_and_update().clone();
        let copied = match state {
            Some(state) if !inner.is_offline() => inner.copy_visible(&state).await,
            _ => Ok(Ok(())),
        };
        let is_done = match copied {
            Ok(Ok(())) => {
                *inner.mirror.reported.lock() = None;
                true
            }
            Ok(Err(Incomplete)) => {
                let error = "the gateway could not start without the object store: `store.cache_mib` is too small for the \
                             files of the live deployments, or one of them is damaged";
                inner.mirror.report(&error);
                true
            }
            Err(error) => {
                inner.mirror.report(&error);
                false
            }
        };
        if !is_done {
            let _ = tokio::time::timeout(RETRY_INTERVAL, changes.changed()).await;
        } else if changes.changed().await.is_err() {
            return;
        }
    }
}

impl Inner {
    /// Copies what visitors see in a live state.
    async fn copy_visible(self: &Arc<Self>, state: &LiveState) -> Result<Result<(), Incomplete>, StoreError> {
        let numbers: BTreeSet<u64> = state.visible.deployments().iter().copied().collect();
        let mut deployments = Vec::new();
        for number in &numbers {
            deployments.extend(self.deployment(*number).await?);
        }
        let ids: BTreeSet<ReleaseId> = deployments.iter().flat_map(Deployment::release_ids).collect();
        let (own, wanted) = (Arc::clone(self), ids.clone());
        let copied = request_scope::run_blocking(move || own.copied_releases(wanted)).await;
        let missing: Vec<ReleaseId> = ids
            .iter()
            .filter(|id| !copied.contains_key(*id))
            .cloned()
            .collect();
        let reads = stream::iter(missing).map(|id| async move {
            match self.bucket_release(&id).await {
                // The deployment is served without it.
                Err(error) if error.is_damage() => Ok(None),
                read => Ok(read?.map(|release| (id, release))),
            }
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        let releases: Vec<(ReleaseId, BucketRelease)> = read.into_iter().flatten().collect();
        let new = releases.iter().map(|(_, release)| &release.files);
        let pinned: HashSet<String> = copied
            .values()
            .map(Arc::as_ref)
            .chain(new)
            .flat_map(|files| files.values().cloned())
            .collect();
        self.cache.pin(pinned.clone());
        for (id, release) in &releases {
            self.copy_files(id, release).await?;
        }
        if !pinned.iter().all(|name| self.cache.contains(name)) {
            return Ok(Err(Incomplete));
        }
        let (own, state) = (Arc::clone(self), state.clone());
        request_scope::run_blocking(move || {
            for deployment in &deployments {
                own.mirror.write(&deployment_key(deployment.number), deployment)?;
            }
            for (id, release) in &releases {
                own.mirror.write(&release_key(id), release)?;
                own.mirror.releases.lock().remove(id);
            }
            own.mirror.write(LIVE, &state)?;
            own.mirror.retain(&numbers, &ids)
        })
        .await?;
        Ok(Ok(()))
    }

    /// The files of the releases of which everything was copied before, and that need not be read again. Blocks.
    pub(super) fn copied_releases(&self, ids: BTreeSet<ReleaseId>) -> HashMap<ReleaseId, Arc<FileNames>> {
        let copied = ids.into_iter().filter_map(|id| {
            let files = self.mirror.files(&id)?;
            let is_complete = files.values().all(|name| self.cache.contains(name));
            is_complete.then_some((id, files))
        });
        copied.collect()
    }

    /// Copies the files of a release that are not in the cache yet.
    pub(super) async fn copy_files(
        self: &Arc<Self>,
        id: &ReleaseId,
        release: &BucketRelease,
    ) -> Result<(), StoreError> {
        let key = release_key(id);
        let manifest: Release = match release.clone().stored(&key, &self.objects) {
            Ok(stored) => stored.release,
            Err(error) if error.is_damage() => return Ok(()),
            Err(error) => return Err(error),
        };
        let variants = &release.record.variants;
        let wanted = manifest.files.iter().flat_map(|file| {
            let codings = variants.get(&file.path).into_iter().flatten().copied();
            let codings = std::iter::once(Coding::Identity).chain(codings);
            codings.map(move |coding| (file, coding))
        });
        let missing: Vec<_> = wanted
            .filter(|(file, coding)| {
                let name = release.files.get(&file_path(&file.path, *coding));
                name.is_some_and(|name| !self.cache.contains(name))
            })
            .map(|(file, coding)| (file.clone(), coding))
            .collect();
        let reads = stream::iter(missing).map(|(file, coding)| async move {
            match self.read_file(id, ListedFile::from(&file), coding).await {
                Err(error) if error.is_damage() => Ok(()),
                read => read.map(drop),
            }
        });
        reads.buffer_unordered(CONCURRENCY).try_collect::<()>().await
    }
}
