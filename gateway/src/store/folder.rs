//! The store in a folder:
//!
//! ```text
//! releases/<name>/<version>/     release.json, stored.json, client/, server/, compressed/
//! gone/<name>/<version>.json     the digest of a release that was set aside: its version never gets other bytes
//! deployments/<n>.json
//! live.json                      what is live, the rollout that runs, and the change that made it so
//! history/<revision>.json        the changes before that one
//! preview-keys.json              readable by the owner alone
//! lock                           held while live.json or preview-keys.json changes, and while releases come and go
//! scratch/                       what is not yet kept, or no longer
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::durable::{create_folder, create_json, io, replace_json, sync_parent, sync_tree};
use super::scratch::Scratch;
use super::{
    Answer, Kept, Prepared, RECORD_FILE, Record, ReleaseId, Store, StoreError, StoredRelease, variant_path,
};
use crate::deployment::{Change, Deployment, State};
use crate::negotiate::Coding;
use crate::preview::Keys;
use crate::release::{Digest, RELEASE_FILE, is_file_path, is_name, is_version};

/// A store in a folder of this machine. Several processes may share it.
#[derive(Debug, Clone)]
pub(crate) struct FolderStore {
    paths: Arc<Paths>,
}

/// Where everything lies in the folder.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) releases: PathBuf,
    gone: PathBuf,
    pub(super) deployments: PathBuf,
    pub(super) scratch: Scratch,
    pub(super) history: PathBuf,
    pub(super) live: PathBuf,
    preview_keys: PathBuf,
    lock: PathBuf,
}

/// What stays of a release that was removed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gone {
    digest: Digest,
}

impl FolderStore {
    /// Opens the store in a folder, making the folder if there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let paths = Paths {
            releases: folder.join("releases"),
            gone: folder.join("gone"),
            deployments: folder.join("deployments"),
            scratch: Scratch {
                folder: folder.join("scratch"),
            },
            history: folder.join("history"),
            live: folder.join("live.json"),
            preview_keys: folder.join("preview-keys.json"),
            lock: folder.join("lock"),
        };
        let scratch = &paths.scratch.folder;
        for path in [
            &paths.releases,
            &paths.gone,
            &paths.deployments,
            &paths.history,
            scratch,
        ] {
            create_folder(path)?;
        }
        paths.recover()?;
        Ok(Self {
            paths: Arc::new(paths),
        })
    }

    /// Runs blocking work on the store's files away from the threads that serve.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Paths) -> Result<T, StoreError> + Send + 'static,
    ) -> Answer<'static, T> {
        let paths = Arc::clone(&self.paths);
        let task = tokio::task::spawn_blocking(move || work(&paths));
        Box::pin(async move { task.await.unwrap_or(Err(StoreError::Interrupted)) })
    }
}

impl Store for FolderStore {
    fn scratch(&self) -> Answer<'_, TempDir> {
        self.run(|paths| paths.scratch.new_folder())
    }

    fn keep(&self, release: Prepared) -> Answer<'_, Kept> {
        self.run(move |paths| paths.keep(&release))
    }

    fn releases(&self) -> Answer<'_, Vec<ReleaseId>> {
        self.run(Paths::releases)
    }

    fn release<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, Option<StoredRelease>> {
        let id = id.clone();
        self.run(move |paths| paths.release(&id))
    }

    fn gone<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, Option<Digest>> {
        let id = id.clone();
        self.run(move |paths| paths.gone(&id))
    }

    fn file<'a>(&'a self, id: &'a ReleaseId, path: &'a str, coding: Coding) -> Answer<'a, Option<Bytes>> {
        if !is_file_path(path) {
            return Box::pin(async { Ok(None) });
        }
        let path = match coding {
            Coding::Identity => path.to_owned(),
            _ => variant_path(path, coding),
        };
        let id = id.clone();
        self.run(move |paths| {
            let Some(folder) = paths.release_folder(&id) else {
                return Ok(None);
            };
            let path = folder.join(path);
            found(fs::read(&path))
                .map_err(io(&path))
                .map(|read| read.map(Bytes::from))
        })
    }

    fn deployments(&self) -> Answer<'_, Vec<u64>> {
        self.run(Paths::deployments)
    }

    fn deployment(&self, number: u64) -> Answer<'_, Option<Deployment>> {
        self.run(move |paths| read_json(&paths.deployment(number)))
    }

    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> Answer<'a, bool> {
        let deployment = deployment.clone();
        self.run(move |paths| {
            let path = paths.deployment(deployment.number);
            create_json(&path, &paths.scratch.folder, &deployment)
        })
    }

    fn remove_deployment(&self, number: u64) -> Answer<'_, ()> {
        self.run(move |paths| {
            let path = paths.deployment(number);
            found(fs::remove_file(&path)).map_err(io(&path))?;
            sync_parent(&path)
        })
    }

    fn set_aside<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, bool> {
        let id = id.clone();
        self.run(move |paths| {
            let Some(folder) = paths.release_folder(&id) else {
                return Ok(false);
            };
            let _lock = paths.lock()?;
            paths.note_gone(&id, &folder)?;
            paths.scratch.set_aside(&id, &folder)
        })
    }

    fn put_back<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, ()> {
        let id = id.clone();
        self.run(move |paths| {
            let Some(folder) = paths.release_folder(&id) else {
                return Ok(());
            };
            paths.scratch.put_back(&id, &folder).map(drop)
        })
    }

    fn discard<'a>(&'a self, id: &'a ReleaseId) -> Answer<'a, ()> {
        let id = id.clone();
        self.run(move |paths| paths.scratch.discard(&id))
    }

    fn state(&self) -> Answer<'_, Option<State>> {
        self.run(Paths::state)
    }

    fn swap_state(&self, expected: u64, next: State) -> Answer<'_, bool> {
        self.run(move |paths| {
            let _lock = paths.lock()?;
            let present = paths.state()?;
            if present.as_ref().map_or(0, State::revision) != expected {
                return Ok(false);
            }
            if let Some(State { change, .. }) = present {
                // There already after a crash between the two writes, and then the very same.
                create_json(&paths.change(change.revision), &paths.scratch.folder, &change)?;
            }
            replace_json(&paths.live, &paths.scratch.folder, &next)?;
            Ok(true)
        })
    }

    fn change(&self, revision: u64) -> Answer<'_, Option<Change>> {
        self.run(move |paths| read_json(&paths.change(revision)))
    }

    fn preview_keys(&self) -> Answer<'_, Keys> {
        self.run(Paths::preview_keys)
    }

    fn swap_preview_keys<'a>(&'a self, expected: &'a Keys, next: &'a Keys) -> Answer<'a, bool> {
        let (expected, next) = (expected.clone(), next.clone());
        self.run(move |paths| {
            let _lock = paths.lock()?;
            if paths.preview_keys()? != expected {
                return Ok(false);
            }
            // A temporary file is its owner's alone, and stays so when it gets its name.
            replace_json(&paths.preview_keys, &paths.scratch.folder, &next)?;
            Ok(true)
        })
    }
}

impl Paths {
    /// The folder of a release; `None` where the name or version could lead out of the store.
    pub(super) fn release_folder(&self, id: &ReleaseId) -> Option<PathBuf> {
        let safe = is_name(&id.name) && is_version(&id.version);
        safe.then(|| self.releases.join(&id.name).join(&id.version))
    }

    pub(super) fn deployment(&self, number: u64) -> PathBuf {
        self.deployments.join(format!("{number}.json"))
    }

    fn change(&self, revision: u64) -> PathBuf {
        self.history.join(format!("{revision}.json"))
    }

    /// Held until dropped: one process at a time changes what is there already.
    fn lock(&self) -> Result<File, StoreError> {
        let lock = File::create(&self.lock).map_err(io(&self.lock))?;
        lock.lock().map_err(io(&self.lock))?;
        Ok(lock)
    }

    pub(super) fn deployments(&self) -> Result<Vec<u64>, StoreError> {
        let names = names(&self.deployments)?;
        let number = |name: &String| name.strip_suffix(".json")?.parse().ok();
        let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn state(&self) -> Result<Option<State>, StoreError> {
        read_json(&self.live)
    }

    fn preview_keys(&self) -> Result<Keys, StoreError> {
        read_json(&self.preview_keys).map(Option::unwrap_or_default)
    }

    fn keep(&self, release: &Prepared) -> Result<Kept, StoreError> {
        let Some(folder) = self.release_folder(&release.id) else {
            return Err(io(&self.releases)(ErrorKind::InvalidInput.into()));
        };
        let record = release.folder.path().join(RECORD_FILE);
        create_json(&record, &self.scratch.folder, &release.record)?;
        sync_tree(release.folder.path())?;
        let parent = self.releases.join(&release.id.name);
        fs::create_dir_all(&parent).map_err(io(&parent))?;
        sync_parent(&parent)?;
        // Between looking for what was there once and taking its place nothing may be set aside.
        let _lock = self.lock()?;
        if let Some(gone) = self.gone(&release.id)?
            && gone != release.record.digest
        {
            return Ok(Kept::Taken(gone));
        }
        // A folder is only ever renamed onto nothing: renaming onto one with files in it fails.
        match fs::rename(release.folder.path(), &folder) {
            Ok(()) => {
                sync_parent(&folder)?;
                Ok(Kept::New)
            }
            Err(error) => {
                let record: Option<Record> = read_json(&folder.join(RECORD_FILE))?;
                // Whoever kept it may have died before this.
                sync_parent(&folder)?;
                record.map_or_else(
                    || Err(io(&folder)(error)),
                    |record| Ok(Kept::Taken(record.digest)),
                )
            }
        }
    }

    /// Notes the digest of a release that is about to go. It stays noted, also when the release is put back.
    fn note_gone(&self, id: &ReleaseId, folder: &Path) -> Result<(), StoreError> {
        let record: Option<Record> = read_json(&folder.join(RECORD_FILE))?;
        if let Some(Record { digest, .. }) = record {
            let parent = self.gone.join(&id.name);
            fs::create_dir_all(&parent).map_err(io(&parent))?;
            sync_parent(&parent)?;
            create_json(&self.gone_file(id), &self.scratch.folder, &Gone { digest })?;
        }
        Ok(())
    }

    /// Only for a name and version that cannot lead out of the store.
    fn gone_file(&self, id: &ReleaseId) -> PathBuf {
        self.gone.join(&id.name).join(format!("{}.json", id.version))
    }

    fn gone(&self, id: &ReleaseId) -> Result<Option<Digest>, StoreError> {
        if self.release_folder(id).is_none() {
            return Ok(None);
        }
        let gone: Option<Gone> = read_json(&self.gone_file(id))?;
        Ok(gone.map(|gone| gone.digest))
    }

    fn releases(&self) -> Result<Vec<ReleaseId>, StoreError> {
        let mut releases = Vec::new();
        for name in names(&self.releases)? {
            for version in names(&self.releases.join(&name))? {
                let id = ReleaseId {
                    name: name.clone(),
                    version,
                };
                if self.release_folder(&id).is_some() {
                    releases.push(id);
                }
            }
        }
        Ok(releases)
    }

    fn release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        let Some(folder) = self.release_folder(id) else {
            return Ok(None);
        };
        let release = read_json(&folder.join(RELEASE_FILE))?;
        let record = read_json(&folder.join(RECORD_FILE))?;
        Ok(release
            .zip(record)
            .map(|(release, record)| StoredRelease { release, record }))
    }
}

/// What a JSON file says, if there is one.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let Some(text) = found(fs::read(path)).map_err(io(path))? else {
        return Ok(None);
    };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|source| StoreError::Corrupt {
            path: path.to_owned(),
            source,
        })
}

/// The names in a folder, sorted; none if there is no such folder or it is a file.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let Some(entries) = found(fs::read_dir(folder)).map_err(io(folder))? else {
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

/// What there is, or nothing.
pub(super) fn found<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}
