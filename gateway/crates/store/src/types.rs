//! What callers of the store hand in and get back.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use colonnade_model::release::{Digest, File, Release, ReleaseId, ReleaseSource};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::decode::decoder;

/// A validated release in a scratch folder, ready to be stored.
#[derive(Debug)]
pub struct StagedRelease {
    /// The release's name and version.
    pub id: ReleaseId,
    /// The scratch folder.
    pub folder: TempDir,
    /// The store's record of it.
    pub record: ReleaseRecord,
}

/// What the store records about a release in addition to its `release.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRecord {
    /// When it was published.
    pub published_at: Timestamp,
    /// The name of the token that published it.
    pub by: String,
    /// Where it comes from, if its publisher said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ReleaseSource>,
    /// The digest of `release.json`, which lists the digest of every file: equal digests mean equal
    /// bytes throughout.
    pub digest: Digest,
    /// The compressed variants of its files, by file path.
    pub variants: BTreeMap<String, Vec<Coding>>,
}

/// A release in the store.
#[derive(Debug)]
pub struct StoredRelease {
    /// Its `release.json`.
    pub release: Release,
    /// The store's record of it.
    pub record: ReleaseRecord,
}

/// The outcome of [`Store::put_release`](crate::Store::put_release).
#[derive(Debug)]
pub enum PutOutcome {
    /// The release is stored.
    Created,
    /// The version exists, or has a tombstone: the digest of that release.
    VersionTaken(Digest),
}

/// The mark of a release that garbage collection is about to delete. Each mark has its own ID, so
/// that a garbage collection deletes a release only if its mark is still there: no deploy has
/// claimed the release, and no other collection has marked it.
#[derive(Debug, Clone)]
pub struct UnusedMark {
    /// The release.
    pub release: ReleaseId,
    pub(crate) id: String,
}

impl UnusedMark {
    pub(crate) fn new(release: &ReleaseId) -> Self {
        Self {
            release: release.clone(),
            id: random_id(),
        }
    }
}

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

/// Whether bytes in a coding decode to those of a file with this length and digest. Blocks.
pub(crate) fn decode_to(bytes: &[u8], coding: Coding, (size, digest): (u64, Digest)) -> bool {
    use std::io::Read as _;
    // One byte more than expected is enough to differ.
    let decoded = decoder(bytes, coding).and_then(|decoder| Digest::of_reader(decoder.take(size + 1)));
    decoded.is_ok_and(|decoded| decoded == digest)
}

/// What tells the processes on one store apart: a random number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayId(u128);

impl GatewayId {
    /// A new one.
    pub fn random() -> Self {
        Self(colonnade_random::random())
    }
}

impl fmt::Display for GatewayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// An ID that no other write has.
pub(crate) fn random_id() -> String {
    format!("{:032x}", colonnade_random::random::<u128>())
}

/// The path of a file's compressed variant, relative to the release's folder.
pub fn variant_path(path: &str, coding: Coding) -> String {
    format!("compressed/{path}.{coding}")
}

/// The path of a file in a coding, relative to the release's folder.
pub(crate) fn file_path(path: &str, coding: Coding) -> String {
    match coding {
        Coding::Identity => path.to_owned(),
        _ => variant_path(path, coding),
    }
}
