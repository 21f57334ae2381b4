//! The local copies of release files, up to a number of bytes. What is read from it is verified by
//! its digest, so that a damaged copy is only a miss.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use parking_lot::Mutex;
use tempfile::NamedTempFile;

use crate::durable::{create_folder, io};
use crate::error::StoreError;
use crate::read::read;

/// The files of a folder.
#[derive(Debug)]
pub(crate) struct FileCache {
    folder: PathBuf,
    limit: u64,
    index: Mutex<Index>,
}

#[derive(Debug, Default)]
struct Index {
    files: HashMap<String, Cached>,
    bytes: u64,
    /// Rises with each use.
    clock: u64,
    /// The files of the live deployments, which are not evicted.
    pinned: HashSet<String>,
}

#[derive(Debug, Clone, Copy)]
struct Cached {
    size: u64,
    used: u64,
}

impl FileCache {
    /// Opens the cache in a folder, which is created if it does not exist. Blocks.
    pub(crate) fn open(folder: &Path, limit: u64) -> Result<Self, StoreError> {
        create_folder(folder)?;
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).map_err(io(folder))? {
            let entry = entry.map_err(io(folder))?;
            let (Ok(metadata), Ok(name)) = (entry.metadata(), entry.file_name().into_string()) else {
                continue;
            };
            if name.starts_with('.') {
                // Left by a crashed process.
                let _ = fs::remove_file(entry.path());
            } else if metadata.is_file() {
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push((modified, name, metadata.len()));
            }
        }
        found.sort();
        let mut index = Index::default();
        for (_, name, size) in found {
            index.add(name, size);
        }
        let cache = Self {
            folder: folder.to_owned(),
            limit,
            index: Mutex::new(index),
        };
        cache.evict();
        Ok(cache)
    }

    /// Reads a file; `None` if it is not cached. Blocks.
    pub(crate) fn get(&self, name: &str) -> Option<Bytes> {
        self.index.lock().touch(name)?;
        let bytes = read(&self.folder.join(name)).ok().flatten();
        if bytes.is_none() {
            self.remove(name);
        }
        bytes.map(Bytes::from)
    }

    /// Whether a file is cached.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.index.lock().files.contains_key(name)
    }

    /// Adds a file, and evicts those that were not used for longest. If only pinned files are left,
    /// it is not added. Blocks.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let size = bytes.len() as u64;
        if size > self.limit || self.contains(name) {
            return Ok(());
        }
        let path = self.folder.join(name);
        // Not synced: a file that a power failure damages is read again from the store.
        let mut file = NamedTempFile::new_in(&self.folder).map_err(io(&self.folder))?;
        file.write_all(bytes).map_err(io(&path))?;
        file.persist(&path).map_err(|error| io(&path)(error.error))?;
        self.index.lock().add(name.to_owned(), size);
        self.evict();
        if self.index.lock().bytes > self.limit {
            self.remove(name);
        }
        Ok(())
    }

    /// Removes a file. Blocks.
    pub(crate) fn remove(&self, name: &str) {
        self.index.lock().remove(name);
        let _ = fs::remove_file(self.folder.join(name));
    }

    /// Makes these files the ones that are not evicted, in place of others.
    pub(crate) fn pin(&self, names: HashSet<String>) {
        self.index.lock().pinned = names;
    }

    fn evict(&self) {
        let evicted = self.index.lock().evict(self.limit);
        for name in evicted {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Index {
    fn add(&mut self, name: String, size: u64) {
        self.clock += 1;
        let cached = Cached {
            size,
            used: self.clock,
        };
        if let Some(before) = self.files.insert(name, cached) {
            self.bytes -= before.size;
        }
        self.bytes += size;
    }

    fn touch(&mut self, name: &str) -> Option<()> {
        self.clock += 1;
        self.files.get_mut(name)?.used = self.clock;
        Some(())
    }

    fn remove(&mut self, name: &str) {
        if let Some(cached) = self.files.remove(name) {
            self.bytes -= cached.size;
        }
    }

    /// Removes the files that were not used for longest until the rest fits; returns their names.
    fn evict(&mut self, limit: u64) -> Vec<String> {
        if self.bytes <= limit {
            return Vec::new();
        }
        let mut candidates: Vec<(u64, String)> = self
            .files
            .iter()
            .filter(|(name, _)| !self.pinned.contains(*name))
            .map(|(name, cached)| (cached.used, name.clone()))
            .collect();
        candidates.sort();
        let mut evicted = Vec::new();
        for (_, name) in candidates {
            if self.bytes <= limit {
                break;
            }
            self.remove(&name);
            evicted.push(name);
        }
        evicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_over_its_limit_evicts_unused_files_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = FileCache::open(folder.path(), 30).unwrap();
        for name in ["pinned", "used", "unused"] {
            cache.put(name, &[1; 10]).unwrap();
        }
        cache.pin(HashSet::from(["pinned".to_owned()]));
        assert!(cache.get("used").is_some());
        cache.put("new", &[1; 10]).unwrap();
        assert!(cache.get("unused").is_none());
        cache.put("larger than the cache", &[1; 31]).unwrap();
        let reopened = FileCache::open(folder.path(), 20).unwrap();
        let kept = ["pinned", "used", "new"].map(|name| reopened.contains(name));
        assert_eq!(kept.into_iter().filter(|is_kept| *is_kept).count(), 2);
    }
}
