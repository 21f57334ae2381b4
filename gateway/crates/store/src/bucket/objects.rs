//! The objects of a bucket below a prefix: reads and conditional writes with errors in the operator's words.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use object_store::path::Path;
use object_store::{
    GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutResult, UpdateVersion,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{BucketError, code_in};
use crate::{StoreError, json};

/// The content of the object of a deleted release or deployment. A truncated object is damaged instead.
pub(super) const DELETED: &[u8] = br#"{"deleted":true}"#;

/// The objects below a prefix.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    client: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The URL of the prefix, for errors.
    url: String,
    is_read_only: bool,
}

/// The version of an object: its entity tag, or what the provider has instead.
#[derive(Debug, Clone)]
pub(super) struct ObjectVersion(UpdateVersion);

/// An object as it was read.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) bytes: Bytes,
    pub(super) version: ObjectVersion,
}

impl Object {
    /// Whether its release or deployment was deleted.
    pub(super) fn is_deleted(&self) -> bool {
        self.bytes == DELETED
    }
}

/// An object in a list.
#[derive(Debug)]
pub(super) struct Listed {
    /// Its key below the listed folder.
    pub(super) name: String,
    /// When it was written.
    pub(super) written_at: Timestamp,
    /// Whether its release or deployment was deleted. Other objects are longer.
    pub(super) is_deleted: bool,
}

/// The result of reading an object only if it differs from a known version.
#[derive(Debug)]
pub(super) enum Fetched {
    /// It is the known version.
    Unchanged,
    /// It does not exist.
    Missing,
    /// It is another version.
    Changed(Object),
}

impl ObjectVersion {
    fn of_put(put: PutResult) -> Self {
        Self(UpdateVersion::from(put))
    }

    fn of_object(meta: &ObjectMeta) -> Self {
        Self(UpdateVersion {
            e_tag: meta.e_tag.clone(),
            version: meta.version.clone(),
        })
    }

    /// Whether writes can depend on it.
    pub(super) fn is_usable(&self) -> bool {
        self.0.e_tag.is_some() || self.0.version.is_some()
    }

    /// A version that no object has.
    pub(super) fn impossible(&self) -> Self {
        Self(UpdateVersion {
            e_tag: self
                .0
                .e_tag
                .as_ref()
                .map(|_| "\"00000000000000000000000000000000\"".to_owned()),
            version: self.0.version.as_ref().map(|_| "1".to_owned()),
        })
    }
}

impl Objects {
    pub(super) fn new(client: Arc<dyn ObjectStore>, prefix: &str, url: String, is_read_only: bool) -> Self {
        Self {
            client,
            prefix: Path::from(prefix),
            url,
            is_read_only,
        }
    }

    /// The URL of the prefix.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Whether every write fails, without a request.
    pub(super) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Fails if every write does.
    pub(super) fn check_writable(&self, key: &str) -> Result<(), StoreError> {
        if self.is_read_only {
            return Err(self.error(key, BucketError::ReadOnly));
        }
        Ok(())
    }

    /// The URL of an object, in place of the path of a file in errors.
    pub(super) fn path(&self, key: &str) -> PathBuf {
        PathBuf::from(format!("{}/{key}", self.url))
    }

    fn key(&self, key: &str) -> Path {
        // Every key of a store is a valid path.
        key.split('/').fold(self.prefix.clone(), Path::join)
    }

    pub(super) fn error(&self, key: &str, error: BucketError) -> StoreError {
        StoreError::Bucket {
            object: self.path(key).display().to_string(),
            source: error,
        }
    }

    fn failed(&self, key: &str, error: &object_store::Error) -> StoreError {
        self.error(key, BucketError::of(error))
    }

    /// Reads an object; `None` if it does not exist.
    pub(super) async fn get(&self, key: &str) -> Result<Option<Object>, StoreError> {
        match self.fetch(key, None).await? {
            Fetched::Changed(object) => Ok(Some(object)),
            Fetched::Missing | Fetched::Unchanged => Ok(None),
        }
    }

    /// Reads an object unless it is a known version.
    pub(super) async fn fetch(
        &self,
        key: &str,
        known: Option<&ObjectVersion>,
    ) -> Result<Fetched, StoreError> {
        let options = GetOptions {
            if_none_match: known.and_then(|version| version.0.e_tag.clone()),
            ..GetOptions::default()
        };
        let read = async {
            let result = self.client.get_opts(&self.key(key), options).await?;
            let version = ObjectVersion::of_object(&result.meta);
            Ok(Object {
                bytes: result.bytes().await?,
                version,
            })
        };
        match read.await {
            Ok(object) => Ok(Fetched::Changed(object)),
            Err(object_store::Error::NotModified { .. }) => Ok(Fetched::Unchanged),
            Err(error @ object_store::Error::NotFound { .. }) => {
                match super::error::code_of(&error).as_deref() {
                    Some("NoSuchBucket" | "ContainerNotFound") => Err(self.failed(key, &error)),
                    _ => Ok(Fetched::Missing),
                }
            }
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// Whether an object exists.
    pub(super) async fn exists(&self, key: &str) -> Result<bool, StoreError> {
        match self.client.head(&self.key(key)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// Parses an object. An error of the server in place of the object is no damage.
    pub(super) fn parse<T: DeserializeOwned>(&self, key: &str, bytes: &[u8]) -> Result<T, StoreError> {
        let parsed = json::parse(&self.path(key), bytes);
        if parsed.is_err()
            && bytes.trim_ascii_start().starts_with(b"<")
            && let Some(code) = code_in(&String::from_utf8_lossy(bytes))
        {
            return Err(self.error(key, BucketError::ErrorBody(code)));
        }
        parsed
    }

    /// Reads a JSON object with its version; `None` if it does not exist.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<(T, ObjectVersion)>, StoreError> {
        self.parsed(key, self.get(key).await?)
    }

    /// Reads a JSON object with its version; `None` if it does not exist, or is that of something deleted.
    pub(super) async fn read_content<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<(T, ObjectVersion)>, StoreError> {
        let object = self.get(key).await?;
        self.parsed(key, object.filter(|object| !object.is_deleted()))
    }

    fn parsed<T: DeserializeOwned>(
        &self,
        key: &str,
        object: Option<Object>,
    ) -> Result<Option<(T, ObjectVersion)>, StoreError> {
        let read = object.map(|object| Ok((self.parse(key, &object.bytes)?, object.version)));
        read.transpose()
    }

    async fn put(&self, key: &str, bytes: Bytes, mode: PutMode) -> Result<PutResult, object_store::Error> {
        let options = PutOptions::from(mode);
        self.client.put_opts(&self.key(key), bytes.into(), options).await
    }

    /// Creates an object; false if it exists already. A repeated request may find the object of the first one: compare it.
    pub(super) async fn create_bytes(&self, key: &str, bytes: Bytes) -> Result<bool, StoreError> {
        self.check_writable(key)?;
        match self.put(key, bytes, PutMode::Create).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// Creates a JSON object; false if it exists already.
    pub(super) async fn create(&self, key: &str, value: &impl Serialize) -> Result<bool, StoreError> {
        self.create_bytes(key, text(key, value)?).await
    }

    /// Replaces a version of a JSON object; `None` if it is another version now, and also if the first of two tries succeeded.
    pub(super) async fn update(
        &self,
        key: &str,
        value: &impl Serialize,
        version: &ObjectVersion,
    ) -> Result<Option<ObjectVersion>, StoreError> {
        self.update_bytes(key, text(key, value)?, version).await
    }

    /// Replaces a version of an object: see [`Objects::update`].
    pub(super) async fn update_bytes(
        &self,
        key: &str,
        bytes: Bytes,
        version: &ObjectVersion,
    ) -> Result<Option<ObjectVersion>, StoreError> {
        self.check_writable(key)?;
        if !version.is_usable() {
            return Err(self.error(key, BucketError::NoEtag));
        }
        match self.put(key, bytes, PutMode::Update(version.0.clone())).await {
            Ok(put) => Ok(Some(ObjectVersion::of_put(put))),
            Err(
                object_store::Error::Precondition { .. }
                | object_store::Error::NotFound { .. }
                | object_store::Error::AlreadyExists { .. },
            ) => Ok(None),
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// Writes a JSON object, whether it exists or not.
    pub(super) async fn write(&self, key: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.write_bytes(key, text(key, value)?).await
    }

    /// Writes an object, whether it exists or not.
    pub(super) async fn write_bytes(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.check_writable(key)?;
        let written = self.put(key, bytes, PutMode::Overwrite).await;
        written.map(drop).map_err(|error| self.failed(key, &error))
    }

    /// Deletes an object, if it exists.
    pub(super) async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.check_writable(key)?;
        match self.client.delete(&self.key(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// The objects below a folder, sorted by key.
    pub(super) async fn list(&self, folder: &str) -> Result<Vec<Listed>, StoreError> {
        let prefix = self.key(folder);
        let listed = self.client.list(Some(&prefix)).try_collect::<Vec<_>>().await;
        let listed = listed.map_err(|error| self.failed(folder, &error))?;
        let below = format!("{prefix}/");
        let mut listed: Vec<Listed> = listed
            .into_iter()
            .filter_map(|meta| {
                Some(Listed {
                    name: meta.location.as_ref().strip_prefix(&below)?.to_owned(),
                    written_at: Timestamp::from_second(meta.last_modified.timestamp()).ok()?,
                    is_deleted: meta.size == DELETED.len() as u64,
                })
            })
            .collect();
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// Whether there is any object below the prefix.
    pub(super) async fn is_empty(&self) -> Result<bool, StoreError> {
        let first = self.client.list(Some(&self.prefix)).try_next().await;
        first
            .map(|first| first.is_none())
            .map_err(|error| self.failed("", &error))
    }
}

/// The JSON of an object.
fn text(key: &str, value: &impl Serialize) -> Result<Bytes, StoreError> {
    json::text(FilePath::new(key), value).map(Bytes::from)
}
