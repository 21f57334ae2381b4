//! Restoring a store from a backup.

use std::fs::{self, File, TryLockError};
use std::io::{self as std_io, Read};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Entry, EntryType};

use colonnade_model::deployment::LiveState;

use super::backup::{Backup, FOLDERS, LIVE, MANIFEST};
use super::durable::{create_folder, io, remove, replace_json, sync_parent, sync_tree};
use super::paths::{Paths, entry_names};
use super::read::open_lock;
use super::{StoreError, json};

/// Restores a store from a backup to a folder, which must be empty, missing, or left by an interrupted restore. The restored
/// store starts a new timeline.
pub fn restore(backup: &Path, store: &Path) -> Result<Backup, StoreError> {
    let file = File::open(backup).map_err(io(backup))?;
    let target = Incomplete::begin(store)?;
    let restored = Restore {
        backup,
        store: &target.folder,
        files: 0,
        live: None,
        manifest: None,
    }
    .run(Archive::new(file));
    match restored {
        Ok(restored) => target.complete().map(|()| restored),
        Err(error) => target.abandon().and(Err(error)),
    }
}

/// A folder in which a store is being written, and which counts as incomplete until that is done.
pub(super) struct Incomplete {
    /// The folder, as an absolute path without links.
    pub(super) folder: PathBuf,
    marker: PathBuf,
    _lock: File,
}

impl Incomplete {
    /// Begins in a folder that is empty, missing, or left by an interrupted process, whose files are removed.
    pub(super) fn begin(folder: &Path) -> Result<Self, StoreError> {
        create_folder(folder)?;
        let folder = folder.canonicalize().map_err(io(folder))?;
        let marker = Paths::of(&folder).restoring;
        if !marker.exists() && fs::read_dir(&folder).map_err(io(&folder))?.next().is_some() {
            return Err(StoreError::NotEmpty(folder));
        }
        let lock = open_lock(&marker)?;
        match lock.try_lock() {
            Ok(()) => {}
            // Another process does the same.
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
            Err(TryLockError::Error(error)) => return Err(io(&marker)(error)),
        }
        sync_parent(&marker)?;
        remove_entries(&folder, Some(&marker))?;
        Ok(Self {
            folder,
            marker,
            _lock: lock,
        })
    }

    /// Makes the store complete.
    pub(super) fn complete(self) -> Result<(), StoreError> {
        fs::remove_file(&self.marker).map_err(io(&self.marker))?;
        sync_parent(&self.marker)
    }

    /// Removes what was written.
    pub(super) fn abandon(self) -> Result<(), StoreError> {
        remove_entries(&self.folder, None)
    }
}

/// Removes the entries of a folder except one.
fn remove_entries(folder: &Path, except: Option<&Path>) -> Result<(), StoreError> {
    for name in entry_names(folder)? {
        let path = folder.join(name);
        if Some(&*path) != except {
            // If this fails, the folder has no live.json: a gateway does not start with it.
            remove(&path);
        }
    }
    Ok(())
}

/// A restore in progress.
struct Restore<'a> {
    backup: &'a Path,
    store: &'a Path,
    files: usize,
    live: Option<LiveState>,
    manifest: Option<Backup>,
}

impl Restore<'_> {
    fn run(mut self, mut archive: Archive<File>) -> Result<Backup, StoreError> {
        let entries = archive.entries().map_err(|error| self.invalid(&error))?;
        for entry in entries {
            let entry = entry.map_err(|error| self.invalid(&error))?;
            self.add(entry)?;
        }
        let Some(manifest) = self.manifest.take() else {
            return Err(self.invalid(&"the backup is incomplete, or it is another file"));
        };
        let has_live_state = self.live.is_some() == manifest.live.is_some();
        if manifest.files != self.files || !has_live_state {
            return Err(self.invalid(&"the backup lacks files, or has others"));
        }
        let paths = Paths::create(self.store)?;
        sync_tree(self.store)?;
        if let Some(state) = self.live.take() {
            replace_json(&paths.live, &paths.scratch.folder, &state.with_new_timeline())?;
        }
        Ok(manifest)
    }

    fn add(&mut self, mut entry: Entry<'_, File>) -> Result<(), StoreError> {
        let path = entry.path().map_err(|error| self.invalid(&error))?.into_owned();
        let is_file = entry.header().entry_type() == EntryType::Regular;
        let is_inside = path
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !is_file || !is_inside {
            return Err(self.invalid(&format_args!("{} is not a file of a store", path.display())));
        }
        if path == Path::new(MANIFEST) {
            self.manifest = Some(self.read_json(entry)?);
            return Ok(());
        }
        self.files += 1;
        if path == Path::new(LIVE) {
            self.live = Some(self.read_json(entry)?);
            return Ok(());
        }
        if !FOLDERS.iter().any(|folder| path.starts_with(folder)) {
            return Err(self.invalid(&format_args!("{} is not a file of a store", path.display())));
        }
        let target = self.store.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(io(parent))?;
        }
        let size = entry.size();
        let mut file = File::create_new(&target).map_err(io(&target))?;
        let copied = std_io::copy(&mut entry, &mut file).map_err(io(&target))?;
        if copied != size {
            return Err(self.invalid(&"the backup is incomplete"));
        }
        Ok(())
    }

    fn read_json<T: serde::de::DeserializeOwned>(&self, mut entry: impl Read) -> Result<T, StoreError> {
        let mut text = Vec::new();
        entry
            .read_to_end(&mut text)
            .map_err(|error| self.invalid(&error))?;
        json::parse(self.backup, &text)
    }

    fn invalid(&self, reason: &dyn std::fmt::Display) -> StoreError {
        StoreError::InvalidBackup {
            path: self.backup.to_owned(),
            reason: reason.to_string(),
        }
    }
}
