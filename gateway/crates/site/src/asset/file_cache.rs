//! The in-memory cache of assets.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::HeaderValue;
use parking_lot::Mutex;

use colonnade_store::loaded::{LoadedFile, LoadedRelease};
use colonnade_store::{Store, StoreError};
use colonnade_web::byte_cache::ByteCache;
use colonnade_web::coalesce::RequestCoalescer;
use colonnade_web::content_negotiation::Coding;

use crate::asset::file_response::PreparedFile;

/// The estimated bytes of a cache entry besides the file and its path: most are the prepared
/// headers.
const ENTRY_OVERHEAD_BYTES: usize = 2560;

/// The URL path of a file, and its coding.
type FileKey = (Arc<str>, Coding);

/// The result of reading a file; `None` if it does not exist.
type ReadResult = Result<Option<Arc<PreparedFile>>, Arc<StoreError>>;

/// Caches files up to a number of bytes. Files are immutable, so entries are never stale.
pub(super) struct FileCache {
    cache: ByteCache<FileKey, PreparedFile>,
    reads: RequestCoalescer<FileKey, ReadResult>,
    in_use: InUse,
    /// The Content Security Policy of scripts.
    worker_policy: HeaderValue,
}

impl FileCache {
    /// A cache of this many bytes. With 0 bytes nothing is cached.
    pub(super) fn new(capacity: usize, worker_policy: HeaderValue) -> Self {
        Self {
            cache: ByteCache::new(capacity),
            reads: RequestCoalescer::default(),
            in_use: InUse::default(),
            worker_policy,
        }
    }

    /// Halves the cache while memory is short.
    pub(super) fn shrink(&self) {
        self.cache.shrink();
    }

    /// A file in a coding, from memory or from the store. Concurrent requests share one read.
    pub(super) async fn get(
        &self,
        store: &Store,
        release: &LoadedRelease,
        file: &LoadedFile,
        coding: Coding,
    ) -> ReadResult {
        let key = (Arc::clone(&file.url_path), coding);
        if let Some(prepared) = self.cache.get(&key) {
            return Ok(Some(prepared));
        }
        let read = async {
            let bytes = match self.in_use.get(&key) {
                Some(bytes) => bytes,
                None => match store.read_file(&release.id, file.listed(), coding).await {
                    Ok(Some(bytes)) => self.in_use.insert(key.clone(), bytes),
                    Ok(None) => return Ok(None),
                    Err(error) => return Err(Arc::new(error)),
                },
            };
            let weight = bytes.len() + key.0.len() + ENTRY_OVERHEAD_BYTES;
            let prepared = PreparedFile::new(release, file, coding, bytes, &self.worker_policy);
            let prepared = Arc::new(prepared);
            self.cache.put(key.clone(), Arc::clone(&prepared), weight);
            Ok(Some(prepared))
        };
        // Boxed, because it is much larger than the state of a cache hit.
        Box::pin(self.reads.run(&key, read)).await
    }
}

/// The files whose bytes are in use by responses, cached or not. So a large file is in memory once,
/// no matter how many clients read it slowly.
#[derive(Default)]
struct InUse(Mutex<HashMap<FileKey, Weak<Bytes>>>);

/// A counted reference to the bytes of a file.
struct SharedBytes(Arc<Bytes>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl InUse {
    /// The bytes of a file if a response uses them.
    fn get(&self, key: &FileKey) -> Option<Bytes> {
        let files = self.0.lock();
        let bytes = files.get(key)?.upgrade()?;
        Some(Bytes::from_owner(SharedBytes(bytes)))
    }

    /// Adds the bytes of a file, and removes files that are no longer in use.
    fn insert(&self, key: FileKey, bytes: Bytes) -> Bytes {
        let bytes = Arc::new(bytes);
        let mut files = self.0.lock();
        files.retain(|_, bytes| bytes.strong_count() > 0);
        files.insert(key, Arc::downgrade(&bytes));
        Bytes::from_owner(SharedBytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::{Coding, InUse};

    #[test]
    fn file_in_use_is_shared_and_unused_file_is_removed() {
        let in_use = InUse::default();
        let key = |name: &str| (Arc::from(name), Coding::Br);
        let first = in_use.insert(key("a"), Bytes::from_static(b"bytes"));
        let part = first.slice(1..3);
        drop(first);
        let again = in_use.get(&key("a")).expect("a slice of it is still in use");
        assert_eq!(again, "bytes");
        assert_eq!(again[1..].as_ptr(), part.as_ptr());
        drop((again, part));
        assert!(in_use.get(&key("a")).is_none());
        let _other = in_use.insert(key("b"), Bytes::from_static(b"other"));
        assert_eq!(in_use.0.lock().len(), 1);
    }
}
