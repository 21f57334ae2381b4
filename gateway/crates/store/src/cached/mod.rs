//! The objects of a bucket, of which a folder keeps what visitors see: so a gateway starts and
//! serves while the bucket is away.
//!
//! The files of releases never change, so they are read from the folder first. Everything else is
//! read from the bucket. A gateway that starts without the bucket reads the copies in the folder
//! until it reaches the bucket: the live state, its deployments and their releases.

mod files;
mod keep;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use colonnade_model::release::ReleaseId;
use colonnade_web::request_scope;
use parking_lot::Mutex;
use serde::de::IgnoredAny;
use tokio::sync::watch;

use self::files::FileCache;
use crate::bucket::BucketObjects;
use crate::bucket_error::BucketError;
use crate::connect::connect;
use crate::durable::create_folder;
use crate::error::{StoreError, if_intact};
use crate::folder::FolderObjects;
use crate::keys::{CACHE_MARKER, LIVE, STORE, file_name, is_secret};
use crate::objects::{Found, Listed, Object, Objects, Pending, Version, When};
use crate::published::FileNames;

/// The settings of the local cache.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    /// The folder.
    pub folder: PathBuf,
    /// The limit of all files of releases in bytes.
    pub limit: u64,
}

/// The objects of a bucket, some of them also in a folder.
#[derive(Debug)]
pub(crate) struct CachedObjects {
    bucket: BucketObjects,
    pub(crate) folder: FolderObjects,
    files: FileCache,
    contact: Mutex<Contact>,
    /// The last live state that was read or written, which the folder is to keep.
    live: watch::Sender<Option<Object>>,
    /// The files of the releases in the folder, which never change: reading all of them at each
    /// change takes long.
    kept: Mutex<BTreeMap<ReleaseId, Arc<FileNames>>>,
    /// The last problem that was logged.
    reported: Mutex<Option<String>>,
}

/// Whether the bucket was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contact {
    /// By the last read of the live state.
    Online,
    /// Not by that read, but before.
    Lost,
    /// Not yet: the gateway starts with the copies.
    Starting,
    /// Not yet: the gateway has started with the copies.
    Offline,
}

impl CachedObjects {
    /// Opens the folder, which is created if it does not exist. Blocks.
    pub(crate) fn open(bucket: BucketObjects, settings: &CacheSettings) -> Result<Self, StoreError> {
        let CacheSettings { folder, limit } = settings;
        let is_store = [STORE, LIVE].iter().any(|name| folder.join(name).exists());
        if is_store && !folder.join(CACHE_MARKER).exists() {
            return Err(StoreError::NotEmpty(folder.clone()));
        }
        create_folder(folder)?;
        let folder = FolderObjects::of(folder)?;
        create_folder(&folder.scratch.folder)?;
        folder.scratch.remove_old()?;
        Ok(Self {
            files: FileCache::open(&folder.path("files"), *limit)?,
            bucket,
            folder,
            contact: Mutex::new(Contact::Online),
            live: watch::Sender::new(None),
            kept: Mutex::default(),
            reported: Mutex::default(),
        })
    }

    /// Checks the bucket, and creates the store in an empty one. While the bucket is away, the
    /// copies are read instead, if there are any.
    pub(crate) async fn connect(&self) -> Result<(), StoreError> {
        match connect(&self.bucket, &self.folder).await {
            Err(error) if error.is_away() && self.fall_back() => {
                tracing::error!(event = "store_unreachable", error = %error);
                Ok(())
            }
            connected => connected,
        }
    }

    /// Starts to read the copies in place of the bucket, until the live state can be read again. Returns
    /// false if the folder has no copies.
    pub(crate) fn fall_back(&self) -> bool {
        let has_copies = matches!(self.copy(LIVE), Ok(Some(_)));
        if has_copies {
            *self.contact.lock() = Contact::Starting;
        }
        has_copies
    }

    /// Whether only the copies can be read. Before the first contact, nothing is read from the bucket
    /// or written to it: it can be that of another store.
    pub(crate) fn is_offline(&self) -> bool {
        matches!(*self.contact.lock(), Contact::Starting | Contact::Offline)
    }

    fn away(&self, key: &str) -> StoreError {
        (&self.bucket as &dyn Objects).error(key, BucketError::Away)
    }

    /// The bucket, unless only the copies can be read.
    fn online(&self, key: &str) -> Result<&BucketObjects, StoreError> {
        if self.is_offline() {
            return Err(self.away(key));
        }
        Ok(&self.bucket)
    }

    /// The copy of a JSON object; `None` if it is not there, or damaged. Blocks shortly.
    fn copy(&self, key: &str) -> Result<Option<Object>, StoreError> {
        let bytes = if_intact(self.folder.read(key))?;
        let intact = bytes.filter(|bytes| serde_json::from_slice::<IgnoredAny>(bytes).is_ok());
        Ok(intact.map(Object::without_version))
    }

    fn read_copy(&self, key: &str) -> Result<Found, StoreError> {
        match self.copy(key)? {
            Some(object) => Ok(Found::Object(object)),
            // The folder has no secrets: previews need the bucket.
            None if is_secret(key) => Ok(Found::Missing),
            None => Err(self.away(key)),
        }
    }

    /// Reads the live state. In a replica of the bucket, it is the newest one of which all that
    /// visitors see has arrived: so they see an old deployment rather than a part of a new one.
    async fn read_live(self: &Arc<Self>, unless: Option<&Version>) -> Result<Found, StoreError> {
        let contact = *self.contact.lock();
        if contact == Contact::Starting {
            *self.contact.lock() = Contact::Offline;
            return self.read_copy(LIVE);
        }
        let is_offline = contact == Contact::Offline;
        let read = async {
            if is_offline {
                // Nothing is known about what is there now.
                connect(&self.bucket, &self.folder).await?;
            }
            self.bucket.get(LIVE, unless).await
        };
        let read = read.await;
        match &read {
            Ok(_) => *self.contact.lock() = Contact::Online,
            Err(error) if error.is_away() && !is_offline => *self.contact.lock() = Contact::Lost,
            Err(_) => {}
        }
        let object = match read? {
            Found::Object(object) => object,
            found => return Ok(found),
        };
        if self.bucket.is_read_only() {
            match self.keep(&object).await {
                Err(
                    error @ StoreError::Bucket {
                        source: BucketError::NotReplicated { .. },
                        ..
                    },
                ) => {
                    let before = self.live.borrow().clone();
                    let before = before.map_or_else(|| self.copy(LIVE), |before| Ok(Some(before)))?;
                    return before.map(Found::Object).ok_or(error);
                }
                Err(error @ StoreError::Bucket { .. }) => return Err(error),
                // Reported when the folder is to keep it.
                _ => {}
            }
        }
        self.live.send_replace(Some(object.clone()));
        Ok(Found::Object(object))
    }

    async fn read_file(self: &Arc<Self>, key: &str, name: &str) -> Result<Found, StoreError> {
        let (own, owned) = (Arc::clone(self), name.to_owned());
        let cached = request_scope::run_blocking(move || own.files.get(&owned)).await;
        if let Some(bytes) = cached {
            return Ok(Found::Object(Object::without_version(bytes)));
        }
        // The poll is what tries again.
        if *self.contact.lock() != Contact::Online {
            return Err(self.away(key));
        }
        let found = self.bucket.get(key, None).await?;
        if let Found::Object(object) = &found {
            self.add_file(name, &object.bytes).await;
        }
        Ok(found)
    }

    /// Adds a file to the folder. Without it, it is read from the bucket again.
    async fn add_file(self: &Arc<Self>, name: &str, bytes: &Bytes) {
        let (own, name, bytes) = (Arc::clone(self), name.to_owned(), bytes.clone());
        request_scope::run_blocking(move || {
            if let Err(error) = own.files.put(&name, &bytes) {
                own.report(&error);
            }
        })
        .await;
    }

    /// Logs a problem of the folder, once.
    fn report(&self, problem: &dyn std::fmt::Display) {
        let problem = problem.to_string();
        if self.is_new(&problem) {
            tracing::warn!(event = "store_cache_failed", error = %problem);
        }
    }

    /// Whether another event than the last one is to be logged.
    fn is_new(&self, event: &str) -> bool {
        let mut reported = self.reported.lock();
        let is_new = reported.as_deref() != Some(event);
        *reported = Some(event.to_owned());
        is_new
    }
}

impl Objects for Arc<CachedObjects> {
    fn get<'a>(&'a self, key: &'a str, unless: Option<&'a Version>) -> Pending<'a, Found> {
        Box::pin(async move {
            match file_name(key) {
                Some(name) => self.read_file(key, name).await,
                None if key == LIVE => self.read_live(unless).await,
                None if self.is_offline() => self.read_copy(key),
                None => self.bucket.get(key, unless).await,
            }
        })
    }

    fn put<'a>(&'a self, key: &'a str, bytes: Bytes, when: When<'a>) -> Pending<'a, Option<Version>> {
        Box::pin(async move {
            let version = self.online(key)?.put(key, bytes.clone(), when).await?;
            if let (Some(version), LIVE) = (&version, key) {
                let version = version.clone();
                self.live.send_replace(Some(Object { bytes, version }));
            } else if let Some(name) = file_name(key) {
                self.add_file(name, &bytes).await;
            }
            Ok(version)
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> Pending<'a, ()> {
        Box::pin(async move { self.online(key)?.delete(key).await })
    }

    fn list<'a>(&'a self, folder: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            if self.is_offline() && folder == "deployments" {
                return self.folder.entries(folder);
            }
            self.online(folder)?.list(folder).await
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.bucket.path(key)
    }

    fn is_read_only(&self) -> bool {
        self.bucket.is_read_only()
    }
}
