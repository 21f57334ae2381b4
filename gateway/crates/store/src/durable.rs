//! Crash-safe writes by atomic replacement: once a function returns, the new state is on disk. A
//! crash before that leaves the old state.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::StoreError;

/// Creates a file, readable only by its owner; false if it exists already.
pub(crate) fn create(path: &Path, scratch: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let file = write_temporary(path, scratch, bytes)?;
    let is_new = match file.persist_noclobber(path) {
        Ok(_) => true,
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(io(path)(error.error)),
    };
    // Even if the file exists: the process that created it may have crashed before it synced the
    // folder.
    sync_parent(path)?;
    Ok(is_new)
}

/// Replaces a file, readable only by its owner, as a whole.
pub(crate) fn replace(path: &Path, scratch: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let file = write_temporary(path, scratch, bytes)?;
    file.persist(path).map_err(|error| io(path)(error.error))?;
    sync_parent(path)
}

/// Creates a folder and its missing parents.
pub(crate) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| is_missing(folder)).collect();
    fs::create_dir_all(path).map_err(io(path))?;
    missing.into_iter().rev().try_for_each(sync_parent)
}

/// Removes a file, folder or link, if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    let removed = match if_exists(fs::symlink_metadata(path)).map_err(io(path))? {
        None => return Ok(()),
        Some(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Some(_) => fs::remove_file(path),
    };
    if_exists(removed).map_err(io(path)).map(drop)
}

/// Syncs the entry of a path in its folder.
pub(crate) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        // A path of one segment is relative to the working directory.
        Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
        Some(parent) => sync(parent),
        None => Ok(()),
    }
}

/// Syncs a file's content or a folder's list of entries.
pub(crate) fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(io(path))
}

/// Turns an I/O error about a path into a `StoreError`.
pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

/// Turns "not found" into `None`.
pub(crate) fn if_exists<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names of a folder's entries, sorted; empty if there is no such folder or it is a file.
pub(crate) fn entry_names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let Some(entries) = if_exists(fs::read_dir(folder)).map_err(io(folder))? else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io(folder))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

fn is_missing(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.exists()
}

/// Writes a synced temporary file in `scratch`. Errors name `path`.
pub(crate) fn write_temporary(
    path: &Path,
    scratch: &Path,
    bytes: &[u8],
) -> Result<NamedTempFile, StoreError> {
    let mut file = NamedTempFile::new_in(scratch).map_err(io(scratch))?;
    file.write_all(bytes).map_err(io(path))?;
    file.as_file().sync_all().map_err(io(path))?;
    Ok(file)
}
