//! The scratch folder: incomplete uploads, with random names. All of it can be removed at any time,
//! except for uploads that are under way.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use crate::durable::{entry_names, io};
use crate::error::StoreError;

/// The age at which files in the scratch folder are removed. No publish takes that long, so the
/// process has crashed.
const MAX_AGE: Duration = Duration::from_hours(24);

/// The scratch folder of a store.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
}

impl Scratch {
    /// Creates an empty folder, which is removed when dropped.
    pub(crate) fn create_folder(&self) -> Result<TempDir, StoreError> {
        TempDir::new_in(&self.folder).map_err(io(&self.folder))
    }

    /// Removes what is older than `MAX_AGE`.
    pub(crate) fn remove_old(&self) -> Result<(), StoreError> {
        for name in entry_names(&self.folder)? {
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
}
