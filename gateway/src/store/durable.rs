//! Writing that survives a crash: after it returns, the new state is on the disk; before, the old one is.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use super::StoreError;

/// Writes a JSON file in whose place there is none yet; false if there is one. Never leaves half a file.
pub(super) fn create_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<bool, StoreError> {
    let file = written(path, scratch, value)?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_parent(path).map(|()| true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(io(path)(error.error)),
    }
}

/// Puts a JSON file in the place of what was there.
pub(super) fn replace_json(path: &Path, scratch: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let file = written(path, scratch, value)?;
    file.persist(path).map_err(|error| io(path)(error.error))?;
    sync_parent(path)
}

/// Makes everything in a folder durable: each file, then the folders from the innermost out.
pub(super) fn sync_tree(folder: &Path) -> Result<(), StoreError> {
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
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
    path.parent().map_or(Ok(()), sync)
}

/// Names the path an I/O error is about.
pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

fn sync(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(io(path))
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
