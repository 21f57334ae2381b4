//! Reading the files of a release, verified: what is not as it was published is never returned.

use std::io::Read as _;
use std::path::Path;

use bytes::Bytes;

use colonnade_model::release::{Digest, File, ReleaseId, is_file_path};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::decode::decoder;

use super::paths::Paths;
use super::read::read;
use super::{StoreError, variant_path};

/// A file of a release, as `release.json` lists it.
#[derive(Debug, Clone, Copy)]
pub struct ListedFile<'a> {
    /// The path in the release's folder.
    pub path: &'a str,
    /// The length in bytes.
    pub size: u64,
    /// The digest.
    pub digest: Digest,
}

impl<'a> From<&'a File> for ListedFile<'a> {
    fn from(file: &'a File) -> Self {
        Self {
            path: &file.path,
            size: file.size,
            digest: file.digest,
        }
    }
}

impl Paths {
    /// The bytes of a file in a coding; `None` if the release is not stored. Fails if they do not decode to the listed
    /// bytes.
    pub(super) fn release_file(
        &self,
        id: &ReleaseId,
        file: ListedFile<'_>,
        coding: Coding,
    ) -> Result<Option<Bytes>, StoreError> {
        let Some(folder) = self.release_folder(id).filter(|_| is_file_path(file.path)) else {
            return Ok(None);
        };
        let path = match coding {
            Coding::Identity => folder.join(file.path),
            _ => folder.join(variant_path(file.path, coding)),
        };
        let Some(bytes) = read(&path)? else {
            // Garbage collection deletes a release as a whole.
            return if folder.exists() {
                Err(StoreError::MissingFile(path))
            } else {
                Ok(None)
            };
        };
        if !matches_digest(&bytes, file, coding) {
            return Err(damaged(&path));
        }
        Ok(Some(bytes.into()))
    }
}

/// Whether bytes decode to those of a listed file. A digest of each variant in the store would not cover the releases that
/// were stored before it was recorded.
pub(super) fn matches_digest(bytes: &[u8], file: ListedFile<'_>, coding: Coding) -> bool {
    let decoded = decoder(bytes, coding).and_then(|decoder| {
        // One byte more than expected is enough to differ.
        Digest::of_reader(decoder.take(file.size + 1))
    });
    decoded.is_ok_and(|digest| digest == file.digest)
}

/// The error for a file that is not as it was published.
pub(super) fn damaged(path: &Path) -> StoreError {
    StoreError::Damaged {
        path: path.to_owned(),
    }
}
