//! The store in a folder:
//!
//! ```text
//! releases/<name>/<version>/     release.json, stored.json, client/, server/, compressed/
//! deployments/<n>.json
//! live.json                      {"live": <n>}
//! lock                           held while live.json changes
//! scratch/                       what is not yet kept
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::durable::{create_json, io, replace_json, sync_parent, sync_tree};
use super::{
    Answer, Kept, Prepared, RECORD_FILE, Record, ReleaseId, Store, StoreError, StoredRelease, variant_path,
};
use crate::deployment::Deployment;
use crate::negotiate::Coding;
use crate::release::{RELEASE_FILE, is_file_path, is_name, is_version};

/// Scratch left behind by a process that died is removed when it is older than any publishing can be.
const SCRATCH_LIFETIME: Duration = Duration::from_hours(24);

/// A store in a folder of this machine. Several processes may share it.
#[derive(Debug, Clone)]
pub(crate) struct FolderStore {
    paths: Arc<Paths>,
}

#[derive(Debug)]
struct Paths {
    releases: PathBuf,
    deployments: PathBuf,
    scratch: PathBuf,
    live: PathBuf,
    lock: PathBuf,
}

/// The contents of `live.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Live {
    live: u64,
}

impl FolderStore {
    /// Opens the store in a folder, making the folder if there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let paths = Paths {
            releases: folder.join("releases"),
            deployments: folder.join("deployments"),
            scratch: folder.join("scratch"),
            live: folder.join("live.json"),
            lock: folder.join("lock"),
        };
        for path in [&paths.releases, &paths.deployments, &paths.scratch] {
            fs::create_dir_all(path).map_err(io(path))?;
        }
        remove_old_scratch(&paths.scratch)?;
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
        self.run(|paths| TempDir::new_in(&paths.scratch).map_err(io(&paths.scratch)))
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
        self.run(|paths| {
            let names = names(&paths.deployments)?;
            let number = |name: &String| name.strip_suffix(".json")?.parse().ok();
            let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
            numbers.sort_unstable();
            Ok(numbers)
        })
    }

    fn deployment(&self, number: u64) -> Answer<'_, Option<Deployment>> {
        self.run(move |paths| read_json(&paths.deployment(number)))
    }

    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> Answer<'a, bool> {
        let deployment = deployment.clone();
        self.run(move |paths| {
            let path = paths.deployment(deployment.number);
            create_json(&path, &paths.scratch, &deployment)
        })
    }

    fn live(&self) -> Answer<'_, Option<u64>> {
        self.run(Paths::live)
    }

    fn swap_live(&self, expected: Option<u64>, next: u64) -> Answer<'_, bool> {
        self.run(move |paths| {
            let lock = File::create(&paths.lock).map_err(io(&paths.lock))?;
            lock.lock().map_err(io(&paths.lock))?;
            if paths.live()? != expected {
                return Ok(false);
            }
            replace_json(&paths.live, &paths.scratch, &Live { live: next })?;
            Ok(true)
        })
    }
}

impl Paths {
    /// The folder of a release; `None` where the name or version could lead out of the store.
    fn release_folder(&self, id: &ReleaseId) -> Option<PathBuf> {
        let safe = is_name(&id.name) && is_version(&id.version);
        safe.then(|| self.releases.join(&id.name).join(&id.version))
    }

    fn deployment(&self, number: u64) -> PathBuf {
        self.deployments.join(format!("{number}.json"))
    }

    fn live(&self) -> Result<Option<u64>, StoreError> {
        let live: Option<Live> = read_json(&self.live)?;
        Ok(live.map(|live| live.live))
    }

    fn keep(&self, release: &Prepared) -> Result<Kept, StoreError> {
        let Some(folder) = self.release_folder(&release.id) else {
            return Err(io(&self.releases)(ErrorKind::InvalidInput.into()));
        };
        let record = release.folder.path().join(RECORD_FILE);
        create_json(&record, &self.scratch, &release.record)?;
        sync_tree(release.folder.path())?;
        let parent = self.releases.join(&release.id.name);
        fs::create_dir_all(&parent).map_err(io(&parent))?;
        sync_parent(&parent)?;
        // A folder is only ever renamed onto nothing: renaming onto one with files in it fails.
        match fs::rename(release.folder.path(), &folder) {
            Ok(()) => {
                sync_parent(&folder)?;
                Ok(Kept::New)
            }
            Err(error) => {
                let record: Option<Record> = read_json(&folder.join(RECORD_FILE))?;
                record.map_or_else(
                    || Err(io(&folder)(error)),
                    |record| Ok(Kept::Taken(record.digest)),
                )
            }
        }
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

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
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
fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
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

fn found<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove_old_scratch(scratch: &Path) -> Result<(), StoreError> {
    for name in names(scratch)? {
        let path = scratch.join(name);
        let age = fs::metadata(&path).and_then(|metadata| metadata.modified());
        let old = age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SCRATCH_LIFETIME));
        // Another process may be removing the same: that it is gone is all that matters.
        if old && fs::remove_dir_all(&path).is_err() {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}
