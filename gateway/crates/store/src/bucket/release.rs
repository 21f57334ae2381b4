//! The record of a release in a bucket. It is one object: if it has content, the release is published.

use std::collections::BTreeMap;

use colonnade_model::release::{Digest, ReleaseId};
use colonnade_web::content_negotiation::Coding;
use serde::{Deserialize, Serialize};

use super::objects::Objects;
use crate::release_file::damaged;
use crate::{ReleaseRecord, StoreError, StoredRelease, variant_path};

/// The files of a release: the names of their objects in `files/`, by the path in the release's folder.
pub(super) type FileNames = BTreeMap<String, String>;

/// A release in a bucket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BucketRelease {
    /// The text of `release.json`, whose digest the record has.
    manifest: String,
    pub(super) record: ReleaseRecord,
    pub(super) files: FileNames,
    /// The ID of the upload or of the claim that wrote this version, by which a repeated request recognizes it.
    pub(super) upload: String,
    /// The mark of garbage collection, if it is about to delete the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mark: Option<String>,
}

impl BucketRelease {
    pub(super) fn new(manifest: String, record: ReleaseRecord, files: FileNames, upload: String) -> Self {
        Self {
            manifest,
            record,
            files,
            upload,
            mark: None,
        }
    }

    /// The next version of the object, which differs from all before.
    pub(super) fn with_mark(self, mark: Option<String>) -> Self {
        Self {
            upload: new_write_id(),
            mark,
            ..self
        }
    }

    /// Whether its paths and names stay in their folders. Anyone who can write to the bucket can change them.
    pub(super) fn is_safe(&self) -> bool {
        let mut names = self.files.values();
        let is_name = |name: &String| {
            !name.starts_with('.')
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        names.all(is_name) && self.files.keys().all(|path| is_safe(path))
    }

    /// The text of `release.json`.
    pub(super) fn manifest(&self) -> &str {
        &self.manifest
    }

    /// The release, if its manifest is as it was published.
    pub(super) fn stored(self, key: &str, objects: &Objects) -> Result<StoredRelease, StoreError> {
        let path = objects.path(key);
        if Digest::of(self.manifest.as_bytes()) != self.record.digest {
            return Err(damaged(&path));
        }
        let release = serde_json::from_str(&self.manifest);
        let release = release.map_err(|source| StoreError::Corrupt { path, source })?;
        Ok(StoredRelease {
            release,
            record: self.record,
        })
    }
}

/// The ID of a write, which no other one has.
pub(super) fn new_write_id() -> String {
    format!("{:032x}", colonnade_random::random::<u128>())
}

/// Whether a path stays in its folder.
pub(super) fn is_safe(path: &str) -> bool {
    path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

/// The path of a file in a coding, in the release's folder.
pub(super) fn file_path(path: &str, coding: Coding) -> String {
    match coding {
        Coding::Identity => path.to_owned(),
        _ => variant_path(path, coding),
    }
}

/// The name of a new object with these bytes. It begins with their digest, so that equal files are found. The rest is random:
/// a name that was deleted never comes back, so that a late deletion cannot hit a new object.
pub(super) fn new_file_name(digest: &Digest) -> String {
    format!(
        "{}.{:016x}",
        digest_part(digest),
        colonnade_random::random::<u64>()
    )
}

/// The first part of the names of objects with these bytes.
pub(super) fn digest_part(digest: &Digest) -> String {
    digest.base64().replace('+', "-").replace('/', "_")
}

/// The ID in the key of a release below `releases/`.
pub(super) fn release_id(name: &str) -> Option<ReleaseId> {
    let (name, version) = name.strip_suffix(".json")?.split_once('/')?;
    let id = ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    };
    super::is_valid(&id).then_some(id)
}
