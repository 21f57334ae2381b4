//! Crash-safe writes by atomic replacement: once a function returns, the new state is on disk. A crash before that leaves the old state.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use super::paths::if_exists;
use super::{StoreError, json};

/// Creates a JSON file atomically; false if it exists already.
pub(super) fn create_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<bool, StoreError> {
    let file = write_temporary(path, scratch, &json::text(path, value)?)?;
    let is_new = match file.persist_noclobber(path) {
        Ok(_) => true,
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(io(path)(error.error)),
    };
    // Even if the file exists: the process that created it may have crashed before it synced the folder.
    sync_parent(path)?;
    Ok(is_new)
}

/// Replaces a JSON file atomically.
pub(super) fn replace_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    replace(path, scratch, &json::text(path, value)?)
}

/// Replaces a file, readable only by its owner, as a whole.
pub(super) fn replace(path: &Path, scratch: &Path, text: &[u8]) -> Result<(), StoreError> {
    let file = write_temporary(path, scratch, text)?;
    file.persist(path).map_err(|error| io(path)(error.error))?;
    sync_parent(path)
}

/// Creates a folder and its missing parents.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| is_missing(folder)).collect();
    fs::create_dir_all(path).map_err(io(path))?;
    missing.into_iter().rev().try_for_each(sync_parent)
}

/// Renames a folder atomically; false if it does not exist. A power failure leaves it under one of the two names.
pub(super) fn rename(from: &Path, to: &Path) -> Result<bool, StoreError> {
    if if_exists(fs::rename(from, to)).map_err(io(from))?.is_none() {
        return Ok(false);
    }
    // The new parent first, so that one of the two always has the entry.
    sync_parent(to)?;
    sync_parent(from)?;
    Ok(true)
}

/// Removes a file or folder, if possible.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
}

/// Syncs everything in a folder: each file, then its folder, innermost first.
pub(super) fn sync_tree(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(io(folder))? {
        let entry = entry.map_err(io(folder))?;
        let path = entry.path();
        if entry.file_type().map_err(io(&path))?.is_dir() {
            sync_tree(&path)?;
        } else {
            sync(&path)?;
        }
    }
    sync(folder)
}

/// Syncs the entry of a path in its folder.
pub(super) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        // A path of one segment is relative to the working directory.
        Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
        Some(parent) => sync(parent),
        None => Ok(()),
    }
}

/// Syncs a file's content or a folder's list of entries.
pub(super) fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(io(path))
}

/// Turns an I/O error about a path into a `StoreError`.
pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

fn is_missing(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.exists()
}

/// Writes a synced temporary file in `scratch`. Errors name `path`.
fn write_temporary(path: &Path, scratch: &Path, text: &[u8]) -> Result<NamedTempFile, StoreError> {
    let mut file = NamedTempFile::new_in(scratch).map_err(io(scratch))?;
    file.write_all(text).map_err(io(path))?;
    file.as_file().sync_all().map_err(io(path))?;
    Ok(file)
}
