//! The scratch folder: what is not yet kept, and what is no longer.
//!
//! Uploads and releases in the making lie here under names of chance. A release that a collection takes out of sight
//! lies here as `aside-<name>@<version>`, always whole: it can be put back until it is discarded, even by another
//! process, should the one that set it aside die.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::durable::{io, rename};
use super::folder::names;
use super::{ReleaseId, StoreError};

/// What a process that died left behind is removed when it is older than any publishing can be.
const LIFETIME: Duration = Duration::from_hours(24);

const ASIDE: &str = "aside-";

/// The scratch folder of a store.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) folder: PathBuf,
}

impl Scratch {
    /// An empty folder, gone when dropped.
    pub(super) fn new_folder(&self) -> Result<TempDir, StoreError> {
        TempDir::new_in(&self.folder).map_err(io(&self.folder))
    }

    /// Takes a release's folder out of sight, in one step; false if it is not there.
    pub(super) fn set_aside(&self, id: &ReleaseId, folder: &Path) -> Result<bool, StoreError> {
        // Left there by a process that died, after which the release was published anew.
        self.discard(id)?;
        rename(folder, &self.aside(id))
    }

    /// Puts a release that was set aside into the folder it had; false if it does not lie aside any more.
    pub(super) fn put_back(&self, id: &ReleaseId, folder: &Path) -> Result<bool, StoreError> {
        match rename(&self.aside(id), folder) {
            // Published anew meanwhile.
            Err(StoreError::Io { source, .. }) if is_taken(&source) => self.discard(id).map(|()| false),
            result => result,
        }
    }

    /// Removes a release that was set aside. It loses its name before its files, so that nobody puts back a part.
    pub(super) fn discard(&self, id: &ReleaseId) -> Result<(), StoreError> {
        let grave = self.new_folder()?;
        let nameless = grave.path().join("release");
        if rename(&self.aside(id), &nameless)? {
            grave.close().map_err(io(&nameless))?;
        }
        Ok(())
    }

    /// The releases that lie aside. Between two calls of a collection in another process, or for good after its end.
    pub(super) fn lying_aside(&self) -> Result<Vec<ReleaseId>, StoreError> {
        let names = names(&self.folder)?;
        let ids = names.iter().filter_map(|name| {
            let (name, version) = name.strip_prefix(ASIDE)?.split_once('@')?;
            Some(ReleaseId {
                name: name.to_owned(),
                version: version.to_owned(),
            })
        });
        Ok(ids.collect())
    }

    /// Removes what nobody can still be working on.
    pub(super) fn remove_old(&self) -> Result<(), StoreError> {
        for name in names(&self.folder)? {
            // As old as the release in it, which says nothing about how long it has lain here.
            if name.starts_with(ASIDE) {
                continue;
            }
            let path = self.folder.join(name);
            let age = fs::metadata(&path).and_then(|metadata| metadata.modified());
            let old = age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LIFETIME));
            // Another process may be removing the same: that it is gone is all that matters.
            if old && fs::remove_dir_all(&path).is_err() {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// Where a release lies between being taken out of sight and being gone.
    fn aside(&self, id: &ReleaseId) -> PathBuf {
        self.folder.join(format!("{ASIDE}{id}"))
    }
}

fn is_taken(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty
    )
}
