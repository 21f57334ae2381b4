//! Writing that survives a crash: after it returns, the new state is on the disk; before, the old one is.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use super::StoreError;
use super::folder::found;

/// Writes a JSON file in whose place there is none yet; false if there is one. Never leaves half a file.
pub(super) fn create_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<bool, StoreError> {
    let file = written(path, scratch, value)?;
    let is_new = match file.persist_noclobber(path) {
        Ok(_) => true,
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(io(path)(error.error)),
    };
    // Also where it was there already: whoever made it may have died before this, and what follows builds on it.
    sync_parent(path)?;
    Ok(is_new)
}

/// Puts a JSON file in the place of what was there.
pub(super) fn replace_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let file = written(path, scratch, value)?;
    file.persist(path).map_err(|error| io(path)(error.error))?;
    sync_parent(path)
}

/// Makes a folder, and what is missing above it.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| is_missing(folder)).collect();
    fs::create_dir_all(path).map_err(io(path))?;
    missing.into_iter().rev().try_for_each(sync_parent)
}

/// Renames a folder: power may fail before or after, and it is in one place or the other. False if there is none.
pub(super) fn rename(from: &Path, to: &Path) -> Result<bool, StoreError> {
    if found(fs::rename(from, to)).map_err(io(from))?.is_none() {
        return Ok(false);
    }
    // Where it is now, before where it was: it is never in neither.
    sync_parent(to)?;
    sync_parent(from)?;
    Ok(true)
}

/// Makes everything in a folder durable: each file, then the folders from the innermost out.
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

/// Makes the entry of a path in its folder durable.
pub(super) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        // The parent of a single name is the working folder.
        Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
        Some(parent) => sync(parent),
        None => Ok(()),
    }
}

/// Makes a file durable, or which entries a folder has.
pub(super) fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(io(path))
}

/// Names the path an I/O error is about.
pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

fn is_missing(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.exists()
}

fn written(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<NamedTempFile, StoreError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|source| StoreError::Corrupt {
        path: path.to_owned(),
        source,
    })?;
    text.push(b'\n');
    let mut file = NamedTempFile::new_in(scratch).map_err(io(scratch))?;
    file.write_all(&text).map_err(io(path))?;
    file.as_file().sync_all().map_err(io(path))?;
    Ok(file)
}
