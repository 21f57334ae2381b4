//! The record of a release. It is one object: if it has content, the release is published.

use std::collections::BTreeMap;
use std::path::Path;

use colonnade_model::release::Digest;
use colonnade_model::unknown_fields::UnknownFields;
use serde::{Deserialize, Serialize};

use crate::error::{StoreError, damaged};
use crate::types::{ReleaseRecord, StoredRelease, random_id};

/// The files of a release: the names of their objects in `files/`, by the path in the release's
/// folder.
pub(crate) type FileNames = BTreeMap<String, String>;

/// A published release.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PublishedRelease {
    /// The text of `release.json`, whose digest the record has.
    manifest: String,
    pub(crate) record: ReleaseRecord,
    pub(crate) files: FileNames,
    /// The ID of the upload or of the claim that wrote this version, by which a repeated request
    /// recognizes it.
    pub(crate) upload: String,
    /// The mark of garbage collection, if it is about to delete the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<String>,
    #[serde(flatten)]
    unknown: UnknownFields,
}

/// The content of a tombstone.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    pub(crate) digest: Digest,
}

impl PublishedRelease {
    pub(crate) fn new(manifest: String, record: ReleaseRecord, files: FileNames, upload: String) -> Self {
        Self {
            manifest,
            record,
            files,
            upload,
            mark: None,
            unknown: UnknownFields::default(),
        }
    }

    /// The next version of the object, which differs from all before.
    pub(crate) fn with_mark(self, mark: Option<String>) -> Self {
        Self {
            upload: random_id(),
            mark,
            ..self
        }
    }

    /// Whether the names of its files stay in their folder. Anyone who can write to the store can
    /// change them.
    pub(crate) fn is_safe(&self) -> bool {
        let mut names = self.files.values();
        names.all(|name| {
            !name.starts_with('.')
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        })
    }

    /// The release, if its manifest is as it was published. `path` is that of the object, for
    /// errors. A manifest can be large.
    pub(crate) fn stored(self, path: &Path) -> Result<StoredRelease, StoreError> {
        if Digest::of(self.manifest.as_bytes()) != self.record.digest {
            return Err(damaged(path));
        }
        // Published by a team, so it has no schema of the store.
        let release = serde_json::from_str(&self.manifest);
        let release = release.map_err(|source| StoreError::Corrupt {
            path: path.to_owned(),
            source,
        })?;
        Ok(StoredRelease {
            release,
            record: self.record,
        })
    }
}
