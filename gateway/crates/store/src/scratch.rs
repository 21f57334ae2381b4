//! The scratch folder: incomplete uploads, and releases in quarantine.
//!
//! Uploads have random names. A release that garbage collection quarantines is moved to `quarantine-<name>@<version>`,
//! always whole. If the process crashes, another one can restore or delete it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use colonnade_model::release::ReleaseId;

use super::StoreError;
use super::durable::{io, rename};
use super::paths::entry_names;

/// The age at which uploads are removed. No publish takes that long, so their process must have crashed.
const MAX_AGE: Duration = Duration::from_hours(24);

const QUARANTINE_PREFIX: &str = "quarantine-";

/// The scratch folder of a store.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) folder: PathBuf,
}

impl Scratch {
    /// Creates an empty folder, which is removed when dropped.
    pub(super) fn create_folder(&self) -> Result<TempDir, StoreError> {
        TempDir::new_in(&self.folder).map_err(io(&self.folder))
    }

    /// Atomically moves a release's folder into quarantine; false if it does not exist.
    pub(super) fn quarantine(&self, id: &ReleaseId, folder: &Path) -> Result<bool, StoreError> {
        // A crashed process may have left the same release there, and it was published again since.
        self.delete_quarantined(id)?;
        rename(folder, &self.quarantine_path(id))
    }

    /// Moves a quarantined release back to its folder; false if it is not in quarantine, or was published again.
    pub(super) fn restore(&self, id: &ReleaseId, folder: &Path) -> Result<bool, StoreError> {
        match rename(&self.quarantine_path(id), folder) {
            // It was published again.
            Err(StoreError::Io { source, .. }) if is_taken(&source) => {
                self.delete_quarantined(id).map(|()| false)
            }
            result => result,
        }
    }

    /// Deletes a quarantined release. It is renamed first, so that a partly deleted release is never restored.
    pub(super) fn delete_quarantined(&self, id: &ReleaseId) -> Result<(), StoreError> {
        let trash = self.create_folder()?;
        let target = trash.path().join("release");
        if rename(&self.quarantine_path(id), &target)? {
            trash.close().map_err(io(&target))?;
        }
        Ok(())
    }

    /// The releases in quarantine: those of a garbage collection in progress, and those of a crashed one.
    pub(super) fn quarantined(&self) -> Result<Vec<ReleaseId>, StoreError> {
        let names = entry_names(&self.folder)?;
        let ids = names.iter().filter_map(|name| {
            let (name, version) = name.strip_prefix(QUARANTINE_PREFIX)?.split_once('@')?;
            Some(ReleaseId {
                name: name.to_owned(),
                version: version.to_owned(),
            })
        });
        Ok(ids.collect())
    }

    /// Removes the files of uploads that are older than `MAX_AGE`.
    pub(super) fn remove_old(&self) -> Result<(), StoreError> {
        for name in entry_names(&self.folder)? {
            // A quarantined folder has the release's modification time, not that of the move.
            if name.starts_with(QUARANTINE_PREFIX) {
                continue;
            }
            let path = self.folder.join(name);
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
            let is_old = modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MAX_AGE));
            // Ignore errors: another process may be removing the same files.
            if is_old && fs::remove_dir_all(&path).is_err() {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    fn quarantine_path(&self, id: &ReleaseId) -> PathBuf {
        self.folder.join(format!("{QUARANTINE_PREFIX}{id}"))
    }
}

fn is_taken(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty
    )
}
