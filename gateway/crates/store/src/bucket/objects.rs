//! Objects in a bucket, below a prefix, with errors in the operator's words.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, UpdateVersion};

use crate::bucket_error::{BucketError, code_in, code_of};
use crate::error::StoreError;
use crate::objects::{DELETED, Found, Listed, Object, Objects, Pending, Version, When};

/// The objects below a prefix.
#[derive(Debug, Clone)]
pub(crate) struct BucketObjects {
    client: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The URL of the prefix, for errors.
    url: String,
    is_read_only: bool,
}

impl BucketObjects {
    pub(crate) fn new(client: Arc<dyn ObjectStore>, prefix: &str, url: String, is_read_only: bool) -> Self {
        Self {
            client,
            prefix: Path::from(prefix),
            url,
            is_read_only,
        }
    }

    /// The URL of the prefix.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn key(&self, key: &str) -> Path {
        // Every key of a store is a valid path.
        key.split('/').fold(self.prefix.clone(), Path::join)
    }

    fn failed(&self, key: &str, error: &object_store::Error) -> StoreError {
        self.fault(key, BucketError::of(error))
    }

    fn fault(&self, key: &str, source: BucketError) -> StoreError {
        (self as &dyn Objects).error(key, source)
    }

    fn check_writable(&self, key: &str) -> Result<(), StoreError> {
        if self.is_read_only {
            return Err(self.fault(key, BucketError::ReadOnly));
        }
        Ok(())
    }

    /// Whether there is any object below the prefix.
    pub(crate) async fn is_empty(&self) -> Result<bool, StoreError> {
        let first = self.client.list(Some(&self.prefix)).try_next().await;
        first
            .map(|first| first.is_none())
            .map_err(|error| self.failed("", &error))
    }

    async fn read(&self, key: &str, unless: Option<&Version>) -> Result<Found, StoreError> {
        let options = GetOptions {
            if_none_match: unless.and_then(|version| version.tag.clone()),
            ..GetOptions::default()
        };
        let read = async {
            let result = self.client.get_opts(&self.key(key), options).await?;
            let version = Version {
                tag: result.meta.e_tag.clone(),
                generation: result.meta.version.clone(),
            };
            Ok(Object {
                bytes: result.bytes().await?,
                version,
            })
        };
        match read.await {
            Ok(object) => self.check_body(key, object).map(Found::Object),
            Err(object_store::Error::NotModified { .. }) => Ok(Found::Unchanged),
            Err(error @ object_store::Error::NotFound { .. }) => match code_of(&error).as_deref() {
                Some("NoSuchBucket" | "ContainerNotFound") => Err(self.failed(key, &error)),
                _ => Ok(Found::Missing),
            },
            Err(error) => Err(self.failed(key, &error)),
        }
    }

    /// Fails if an error of the server is in place of a JSON object, which is no damage.
    fn check_body(&self, key: &str, object: Object) -> Result<Object, StoreError> {
        let is_error =
            key.strip_suffix(".json").is_some() && object.bytes.trim_ascii_start().starts_with(b"<");
        let code = is_error.then(|| code_in(&String::from_utf8_lossy(&object.bytes)));
        match code.flatten() {
            Some(code) => Err(self.fault(key, BucketError::ErrorBody(code))),
            None => Ok(object),
        }
    }

    async fn write(&self, key: &str, bytes: Bytes, when: When<'_>) -> Result<Option<Version>, StoreError> {
        self.check_writable(key)?;
        let mode = match when {
            When::Always => PutMode::Overwrite,
            When::Absent => PutMode::Create,
            When::Is(version) if !version.is_usable() => return Err(self.fault(key, BucketError::NoEtag)),
            When::Is(version) => PutMode::Update(UpdateVersion {
                e_tag: version.tag.clone(),
                version: version.generation.clone(),
            }),
        };
        let (key, options) = (self.key(key), PutOptions::from(mode));
        match self.client.put_opts(&key, bytes.into(), options).await {
            Ok(put) => Ok(Some(Version {
                tag: put.e_tag,
                generation: put.version,
            })),
            Err(
                object_store::Error::Precondition { .. }
                | object_store::Error::NotFound { .. }
                | object_store::Error::AlreadyExists { .. },
            ) if !matches!(when, When::Always) => Ok(None),
            Err(error) => Err(self.failed(key.as_ref(), &error)),
        }
    }

    async fn read_list(&self, folder: &str) -> Result<Vec<Listed>, StoreError> {
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
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }
}

impl Objects for BucketObjects {
    fn get<'a>(&'a self, key: &'a str, unless: Option<&'a Version>) -> Pending<'a, Found> {
        Box::pin(self.read(key, unless))
    }

    fn put<'a>(&'a self, key: &'a str, bytes: Bytes, when: When<'a>) -> Pending<'a, Option<Version>> {
        Box::pin(self.write(key, bytes, when))
    }

    fn delete<'a>(&'a self, key: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            self.check_writable(key)?;
            match self.client.delete(&self.key(key)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(self.failed(key, &error)),
            }
        })
    }

    fn list<'a>(&'a self, folder: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(self.read_list(folder))
    }

    /// The URL of an object.
    fn path(&self, key: &str) -> PathBuf {
        PathBuf::from(format!("{}/{key}", self.url))
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }
}

impl Version {
    /// Whether writes can depend on it.
    pub(super) fn is_usable(&self) -> bool {
        self.tag.is_some() || self.generation.is_some()
    }

    /// A version that no object has.
    pub(super) fn impossible(&self) -> Self {
        Self {
            tag: self
                .tag
                .as_ref()
                .map(|_| "\"00000000000000000000000000000000\"".to_owned()),
            generation: self.generation.as_ref().map(|_| "1".to_owned()),
        }
    }
}
