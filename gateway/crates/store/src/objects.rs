//! The waist of the store: objects with keys, read and written as a whole.
//!
//! [`Objects`] has two implementations, a folder and a bucket. Everything above is written once.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bucket_error::BucketError;
use crate::error::StoreError;
use crate::json;

/// The content of the object of a deleted release or deployment. A truncated object is damaged
/// instead.
pub(crate) const DELETED: &[u8] = br#"{"deleted":true}"#;

/// The pending result of an operation on an object.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Objects with keys such as `history/1.json`. Each operation is atomic, and durable when it
/// returns.
pub(crate) trait Objects: fmt::Debug + Send + Sync + 'static {
    /// Reads an object, unless it still has a known version.
    fn get<'a>(&'a self, key: &'a str, unless: Option<&'a Version>) -> Pending<'a, Found>;

    /// Writes an object and returns its version; `None` if the condition does not hold. A bucket's
    /// client repeats requests, so the condition can fail because of the first request: compare
    /// what is there.
    fn put<'a>(&'a self, key: &'a str, bytes: Bytes, when: When<'a>) -> Pending<'a, Option<Version>>;

    /// Deletes an object, if it exists.
    fn delete<'a>(&'a self, key: &'a str) -> Pending<'a, ()>;

    /// The objects below a folder, sorted by key.
    fn list<'a>(&'a self, folder: &'a str) -> Pending<'a, Vec<Listed>>;

    /// The path or the URL of an object, for errors.
    fn path(&self, key: &str) -> PathBuf;

    /// Whether every write fails.
    fn is_read_only(&self) -> bool {
        false
    }
}

/// The condition of a write.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When<'a> {
    /// None.
    Always,
    /// There is no object with the key.
    Absent,
    /// The object has this version.
    Is(&'a Version),
}

/// The version of an object. The default is that of an object which is never replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Version {
    /// The entity tag, or the digest of a file.
    pub(crate) tag: Option<String>,
    /// What some providers have in addition, or instead.
    pub(crate) generation: Option<String>,
}

/// An object as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) bytes: Bytes,
    pub(crate) version: Version,
}

impl Object {
    /// An object that is never replaced.
    pub(crate) fn without_version(bytes: Bytes) -> Self {
        Self {
            bytes,
            version: Version::default(),
        }
    }

    /// Whether its release or deployment was deleted.
    pub(crate) fn is_deleted(&self) -> bool {
        self.bytes == DELETED
    }
}

/// The result of reading an object.
#[derive(Debug)]
pub(crate) enum Found {
    /// It has the known version.
    Unchanged,
    /// It does not exist.
    Missing,
    /// It exists.
    Object(Object),
}

/// An object in a list.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Its key below the listed folder.
    pub(crate) name: String,
    /// When it was written, by the clock of the folder or of the bucket.
    pub(crate) written_at: Timestamp,
    /// Whether its release or deployment was deleted. Other objects are longer.
    pub(crate) is_deleted: bool,
}

impl dyn Objects {
    /// Reads an object; `None` if it does not exist.
    pub(crate) async fn read_bytes(&self, key: &str) -> Result<Option<Object>, StoreError> {
        match self.get(key, None).await? {
            Found::Object(object) => Ok(Some(object)),
            Found::Missing | Found::Unchanged => Ok(None),
        }
    }

    /// Parses a JSON object.
    pub(crate) fn parse<T: DeserializeOwned>(&self, key: &str, bytes: &[u8]) -> Result<T, StoreError> {
        json::parse(&self.path(key), bytes)
    }

    /// Reads a JSON object; `None` if it does not exist.
    pub(crate) async fn read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let object = self.read_bytes(key).await?;
        object.map(|object| self.parse(key, &object.bytes)).transpose()
    }

    /// Reads a JSON object with its version; `None` if it does not exist, or is that of something
    /// deleted.
    pub(crate) async fn read_content<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<(T, Version)>, StoreError> {
        let object = self.read_bytes(key).await?.filter(|object| !object.is_deleted());
        let read = object.map(|object| Ok((self.parse(key, &object.bytes)?, object.version)));
        read.transpose()
    }

    /// Writes a JSON object, as [`Objects::put`] does.
    pub(crate) async fn write(
        &self,
        key: &str,
        value: &impl Serialize,
        when: When<'_>,
    ) -> Result<Option<Version>, StoreError> {
        let text = json::text(&self.path(key), value)?;
        self.put(key, text.into(), when).await
    }

    /// The error of an object of a bucket.
    pub(crate) fn error(&self, key: &str, source: BucketError) -> StoreError {
        StoreError::Bucket {
            object: self.path(key).display().to_string(),
            source,
        }
    }
}
