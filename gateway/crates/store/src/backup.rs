//! Backups: one tar archive with everything that a store needs to serve.
//!
//! Hard links in the scratch folder pin the files, so the lock is held only while files are linked, and garbage collection
//! cannot delete what is being archived. The archive itself shares nothing with the store: a damaged file in one is not
//! damaged in the other. It is not compressed, because most bytes of a release are.
//!
//! In a read-only or full store nothing can be linked. Then the lock is held while the files are archived.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tar::Header;
use tempfile::{NamedTempFile, TempDir};

use colonnade_model::deployment::LiveState;
use colonnade_model::release::ReleaseId;

use super::durable::{io, sync_parent};
use super::paths::{Paths, entry_names, if_exists};
use super::read::{open_file, reject_link};
use super::{StoreError, json};

/// The last file of an archive. Without it, the archive is incomplete.
pub(super) const MANIFEST: &str = "backup.json";

/// The folders of an archive in its order. The history comes first, so that an incomplete copy of a store is recognized as
/// one (see [`StoreError::LiveStateMissing`]).
pub(super) const FOLDERS: [&str; 4] = ["history", "tombstones", "deployments", "releases"];

/// The file of an archive with the live state.
pub(super) const LIVE: &str = "live.json";

/// What a backup contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// When it was made.
    pub created_at: Timestamp,
    /// The revision of its live state; 0 before the first deploy.
    pub revision: u64,
    /// The live deployment, if there is one.
    pub live: Option<u64>,
    /// The number of releases.
    pub releases: usize,
    /// The number of files, without the file with this record.
    pub files: usize,
}

/// Writes a backup of a store to a new file, also while gateways use the store. The keys of previews are not included: a
/// restore must not bring back previews that were ended.
pub fn back_up(store: &Path, target: &Path) -> Result<Backup, StoreError> {
    let store = store.canonicalize().map_err(io(store))?;
    let paths = Paths::of(&store);
    paths.reject_incomplete()?;
    reject_link(&paths.scratch.folder)?;
    match link_all(&paths) {
        Ok((staging, state)) => write(staging.path(), state.as_ref(), target),
        Err(error) if is_unwritable(&error) => {
            let _lock = paths.lock_read_only()?;
            let state = paths.live_state()?;
            write(&store, state.as_ref(), target)
        }
        Err(error) => Err(error),
    }
}

/// Links everything that belongs to the live state in a new folder.
fn link_all(paths: &Paths) -> Result<(TempDir, Option<LiveState>), StoreError> {
    let staging = paths.scratch.create_folder()?;
    let folder = staging.path();
    let state = Staged { paths, folder }.link_all()?;
    Ok((staging, state))
}

/// Whether the store cannot be written to.
fn is_unwritable(error: &StoreError) -> bool {
    use ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error, StoreError::Io { source, .. } if matches!(
        source.kind(),
        PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull
    ))
}

/// Archives the files in a folder, which has the structure of a store.
fn write(folder: &Path, state: Option<&LiveState>, target: &Path) -> Result<Backup, StoreError> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Readable only by its owner.
    let file = NamedTempFile::new_in(parent).map_err(io(parent))?;
    let backup = archive(folder, state, file.as_file())?;
    file.as_file().sync_all().map_err(io(target))?;
    file.persist_noclobber(target)
        .map_err(|error| io(target)(error.error))?;
    sync_parent(target)?;
    Ok(backup)
}

/// A folder of hard links to the files of a store.
struct Staged<'a> {
    paths: &'a Paths,
    folder: &'a Path,
}

impl Staged<'_> {
    /// Links everything that belongs to the live state, and returns it.
    fn link_all(&self) -> Result<Option<LiveState>, StoreError> {
        for folder in FOLDERS {
            let path = self.folder.join(folder);
            fs::create_dir(&path).map_err(io(&path))?;
        }
        // Most releases are linked before the lock is taken.
        let mut linked = BTreeSet::new();
        for id in self.paths.releases()? {
            if self.link_release(&id)? {
                linked.insert(id);
            }
        }
        let _lock = self.paths.lock()?;
        let state = self.paths.live_state()?;
        if state.is_some() {
            link(&self.paths.live, &self.folder.join(LIVE))?;
        }
        link_tree(&self.paths.history, &self.folder.join("history"))?;
        link_tree(&self.paths.tombstones, &self.folder.join("tombstones"))?;
        link_tree(&self.paths.deployments, &self.folder.join("deployments"))?;
        let needed: BTreeSet<ReleaseId> = self.paths.releases()?.into_iter().collect();
        for id in needed.difference(&linked) {
            self.link_release(id)?;
        }
        for deleted in linked.difference(&needed) {
            let folder = self.release(deleted);
            fs::remove_dir_all(&folder).map_err(io(&folder))?;
        }
        Ok(state)
    }

    fn release(&self, id: &ReleaseId) -> PathBuf {
        self.folder.join("releases").join(&id.name).join(&id.version)
    }

    /// Links the files of a release; false if it was deleted in the meantime.
    fn link_release(&self, id: &ReleaseId) -> Result<bool, StoreError> {
        let (Some(from), to) = (self.paths.release_folder(id), self.release(id)) else {
            return Ok(false);
        };
        fs::create_dir_all(&to).map_err(io(&to))?;
        let is_complete = link_tree(&from, &to)?;
        if !is_complete || !from.exists() {
            fs::remove_dir_all(&to).map_err(io(&to))?;
            return Ok(false);
        }
        Ok(true)
    }
}

fn archive(folder: &Path, state: Option<&LiveState>, file: &File) -> Result<Backup, StoreError> {
    let mut archive = Archive {
        tar: tar::Builder::new(BufWriter::new(file)),
        files: 0,
    };
    for name in FOLDERS {
        archive.add_tree(&folder.join(name), name)?;
    }
    if state.is_some() {
        archive.add(LIVE, &folder.join(LIVE))?;
    }
    let backup = Backup {
        created_at: colonnade_clock::now(),
        revision: state.map_or(0, LiveState::revision),
        live: state.map(LiveState::live),
        releases: Paths::of(folder).releases()?.len(),
        files: archive.files,
    };
    archive.finish(&backup)?;
    Ok(backup)
}

/// An archive in progress.
struct Archive<'a> {
    tar: tar::Builder<BufWriter<&'a File>>,
    files: usize,
}

impl Archive<'_> {
    fn add_tree(&mut self, folder: &Path, name: &str) -> Result<(), StoreError> {
        for entry in entry_names(folder)? {
            let (path, name) = (folder.join(&entry), format!("{name}/{entry}"));
            if path.is_dir() {
                self.add_tree(&path, &name)?;
            } else {
                self.add(&name, &path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, path: &Path) -> Result<(), StoreError> {
        let file = open_file(path)?.ok_or_else(|| io(path)(ErrorKind::NotFound.into()))?;
        let size = file.metadata().map_err(io(path))?.len();
        self.tar
            .append_data(&mut header(size), name, file)
            .map_err(io(path))?;
        self.files += 1;
        Ok(())
    }

    fn finish(mut self, backup: &Backup) -> Result<(), StoreError> {
        let path = Path::new(MANIFEST);
        let text = json::text(path, backup)?;
        self.tar
            .append_data(&mut header(text.len() as u64), path, &*text)
            .and_then(|()| self.tar.into_inner()?.flush())
            .map_err(io(path))
    }
}

fn header(size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header
}

/// Links the files of a folder; false if one was deleted in the meantime.
fn link_tree(from: &Path, to: &Path) -> Result<bool, StoreError> {
    reject_link(from)?;
    let mut is_complete = true;
    for name in entry_names(from)? {
        let (from, to) = (from.join(&name), to.join(&name));
        let Some(metadata) = if_exists(fs::symlink_metadata(&from)).map_err(io(&from))? else {
            is_complete = false;
            continue;
        };
        if metadata.is_dir() {
            fs::create_dir(&to).map_err(io(&to))?;
            is_complete &= link_tree(&from, &to)?;
        } else if metadata.is_file() {
            is_complete &= link(&from, &to)?;
        } else if metadata.is_symlink() {
            return Err(StoreError::SymbolicLink(from));
        } else {
            return Err(StoreError::NotAFile(from));
        }
    }
    Ok(is_complete)
}

/// Links a file; false if it was deleted in the meantime.
fn link(from: &Path, to: &Path) -> Result<bool, StoreError> {
    let linked = if_exists(fs::hard_link(from, to)).map_err(io(from))?;
    Ok(linked.is_some())
}
