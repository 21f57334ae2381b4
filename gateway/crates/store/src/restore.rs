//! Restoring a store from a backup.

use std::fs::{self, File, TryLockError};
use std::io::{self as std_io, Read};
use std::path::{Component, Path};

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
    create_folder(store)?;
    let store = &store.canonicalize().map_err(io(store))?;
    let marker = &Paths::of(store).restoring;
    if !marker.exists() && fs::read_dir(store).map_err(io(store))?.next().is_some() {
        return Err(StoreError::NotEmpty(store.clone()));
    }
    let lock = open_lock(marker)?;
    match lock.try_lock() {
        Ok(()) => {}
        // Another restore is running.
        Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
        Err(TryLockError::Error(error)) => return Err(io(marker)(error)),
    }
    sync_parent(marker)?;
    remove_entries(store, Some(marker))?;
    let restored = Restore {
        backup,
        store,
        files: 0,
        live: None,
        manifest: None,
    }
    .run(Archive::new(file));
    if restored.is_err() {
        remove_entries(store, None)?;
    }
    restored
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
        // Last, because without it a store counts as complete.
        fs::remove_file(&paths.restoring).map_err(io(&paths.restoring))?;
        sync_parent(&paths.restoring)?;
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
