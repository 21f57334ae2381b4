//! Deleting releases that garbage collection finds unused.
//!
//! It marks a release, and then reads which deployments there are. A deploy stores its deployment, and then removes the marks of
//! its releases. So either garbage collection sees the deployment, or the mark is gone when it deletes the release.

use std::fs;

use serde::{Deserialize, Serialize};

use colonnade_model::release::ReleaseId;

use super::durable::{io, remove, rename, replace_json, sync_parent};
use super::paths::{Paths, if_exists};
use super::read::{if_intact, read_json};
use super::{StoreError, StoredRelease, UnusedMark};

/// The content of a mark.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    id: String,
}

impl Paths {
    pub(super) fn mark_unused(&self, id: &ReleaseId) -> Result<Option<UnusedMark>, StoreError> {
        let Some(folder) = self.release_folder(id) else {
            return Ok(None);
        };
        let _lock = self.lock()?;
        if !folder.exists() {
            return Ok(None);
        }
        let mark = UnusedMark::new(id);
        let content = Mark { id: mark.id.clone() };
        replace_json(&self.scratch.mark(id), &self.scratch.folder, &content)?;
        Ok(Some(mark))
    }

    pub(super) fn claim_release(&self, id: &ReleaseId) -> Result<Option<StoredRelease>, StoreError> {
        if self.release_folder(id).is_none() {
            return Ok(None);
        }
        let mark = self.scratch.mark(id);
        // A mark that appears afterwards is of a garbage collection that sees the deployment.
        if mark.exists() {
            let _lock = self.lock()?;
            if_exists(fs::remove_file(&mark)).map_err(io(&mark))?;
        }
        self.release(id)
    }

    pub(super) fn delete_unused(&self, mark: &UnusedMark) -> Result<bool, StoreError> {
        let id = &mark.release;
        let Some(folder) = self.release_folder(id) else {
            return Ok(false);
        };
        let path = self.scratch.mark(id);
        // Removed with the release when it is dropped. If this process crashes, it is removed when it is old.
        let trash = self.scratch.create_folder()?;
        let lock = self.lock()?;
        let current: Option<Mark> = if_intact(read_json(&path))?;
        if current.is_none_or(|current| current.id != mark.id) {
            return Ok(false);
        }
        self.write_tombstone(id, &folder)?;
        let is_deleted = rename(&folder, &trash.path().join("release"))?;
        remove(&path);
        sync_parent(&path)?;
        drop(lock);
        trash.close().map_err(io(&folder))?;
        Ok(is_deleted)
    }
}
