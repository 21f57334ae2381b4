//! Files of releases in a folder, up to a number of bytes. What is read is verified by the digest
//! in its name, so that a damaged file is only a miss.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;
use parking_lot::Mutex;
use tempfile::NamedTempFile;

use crate::durable::{self, create_folder, entry_names};
use crate::error::StoreError;
use crate::keys::is_intact;
use crate::read::read;

/// The files of a folder. The time of a file is that of its last use.
#[derive(Debug)]
pub(super) struct FileCache {
    folder: PathBuf,
    limit: u64,
    /// The length of all files, or more. Held while files are removed to make space.
    bytes: Mutex<u64>,
    /// The files that are not removed.
    pinned: Mutex<BTreeSet<String>>,
}

impl FileCache {
    /// Opens the cache in a folder, which is created if it does not exist. Blocks.
    pub(super) fn open(folder: &Path, limit: u64) -> Result<Self, StoreError> {
        create_folder(folder)?;
        for name in entry_names(folder)? {
            if name.starts_with('.') {
                // Left by a crashed process.
                let _ = fs::remove_file(folder.join(name));
            }
        }
        let cache = Self {
            folder: folder.to_owned(),
            limit,
            bytes: Mutex::default(),
            pinned: Mutex::default(),
        };
        *cache.bytes.lock() = cache.make_space()?;
        Ok(cache)
    }

    /// Reads a file; `None` if it is not there, or damaged. Blocks.
    pub(super) fn get(&self, name: &str) -> Option<Bytes> {
        let path = self.folder.join(name);
        let bytes = read(&path).ok().flatten().filter(|bytes| is_intact(name, bytes));
        // Without its time, the file is removed earlier.
        let _ = match &bytes {
            Some(_) => File::options()
                .write(true)
                .open(&path)
                .and_then(|file| use_now(&file)),
            None => fs::remove_file(&path),
        };
        bytes.map(Bytes::from)
    }

    /// Those of the files that are not there. Blocks.
    pub(super) fn missing<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Vec<String> {
        let is_missing = |name: &&String| !self.folder.join(name).exists();
        names.into_iter().filter(is_missing).cloned().collect()
    }

    /// Adds a file, unless it is damaged, and removes those that were not used for longest. If only
    /// pinned files are left, it is not added. Blocks.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let (path, size) = (self.folder.join(name), bytes.len() as u64);
        if size > self.limit || path.exists() || !is_intact(name, bytes) {
            return Ok(());
        }
        // Not synced: a file that a power failure damages is read again from the bucket.
        let mut file = NamedTempFile::new_in(&self.folder).map_err(durable::io(&self.folder))?;
        let written = file.write_all(bytes).and_then(|()| use_now(file.as_file()));
        written.map_err(durable::io(&path))?;
        file.persist(&path)
            .map_err(|error| durable::io(&path)(error.error))?;
        let mut total = self.bytes.lock();
        *total += size;
        if *total > self.limit {
            *total = self.make_space()?;
        }
        if *total > self.limit && fs::remove_file(&path).is_ok() {
            *total -= size;
        }
        Ok(())
    }

    /// Makes these files the ones that are not removed, in place of others.
    pub(super) fn pin(&self, names: BTreeSet<String>) {
        *self.pinned.lock() = names;
    }

    /// Removes files if there are too many bytes, and then more than necessary, because this reads
    /// the whole folder. Returns the length of the rest.
    fn make_space(&self) -> Result<u64, StoreError> {
        let mut files = Vec::new();
        for name in entry_names(&self.folder)? {
            // Another process may remove it meanwhile.
            if let Ok(metadata) = fs::symlink_metadata(self.folder.join(&name)) {
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((used, name, metadata.len()));
            }
        }
        let mut total = files.iter().map(|(_, _, size)| size).sum();
        if total <= self.limit {
            return Ok(total);
        }
        files.sort_unstable();
        let pinned = self.pinned.lock();
        for (_, name, size) in files.into_iter().filter(|(_, name, _)| !pinned.contains(name)) {
            if total <= self.limit - self.limit / 8 {
                break;
            }
            if fs::remove_file(self.folder.join(name)).is_ok() {
                total -= size;
            }
        }
        Ok(total)
    }
}

/// Marks a file as used now.
fn use_now(file: &File) -> io::Result<()> {
    file.set_modified(colonnade_clock::precise().into())
}

#[cfg(test)]
mod tests {
    use colonnade_model::release::Digest;

    use super::*;
    use crate::keys::new_file_name;

    #[test]
    fn cache_over_its_limit_removes_unused_files_first() {
        let folder = tempfile::tempdir().unwrap();
        let open = |limit| FileCache::open(folder.path(), limit).unwrap();
        let cache = open(35);
        let files = [1, 2, 3, 4].map(|byte| [byte; 10].to_vec());
        let names = files.each_ref().map(|bytes| new_file_name(&Digest::of(bytes)));
        let [pinned, used, unused, _] = &names;
        let add = |index: usize| cache.put(&names[index], &files[index]).unwrap();
        (0..3).for_each(add);
        cache.pin(BTreeSet::from([pinned.clone()]));
        assert!(cache.get(used).is_some());
        add(3);
        assert_eq!(cache.missing(&names), std::slice::from_ref(unused));
        let large = vec![5; 36];
        cache.put(&new_file_name(&Digest::of(&large)), &large).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        cache.pin(names.clone().into());
        add(2);
        assert_eq!(
            cache.missing(&names),
            std::slice::from_ref(unused),
            "only pinned files are left"
        );
        assert_eq!(open(20).missing(&names).len(), 3);
    }
}
