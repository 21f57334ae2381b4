//! The keys of the store's objects.

use colonnade_model::release::{Digest, ReleaseId, is_name, is_version};
use colonnade_model::rotating_keys::KeyPurpose;

/// The ID of the store, without which a folder or a prefix is no store.
pub(crate) const STORE: &str = "store.json";

/// The live state.
pub(crate) const LIVE: &str = "live.json";

/// The live state that a recovery has replaced.
pub(crate) const DAMAGED_LIVE: &str = "live.json.damaged";

/// When garbage was last collected.
pub(crate) const COLLECTION: &str = "collection.json";

/// What makes a folder the cache of a store in a bucket.
pub(crate) const CACHE_MARKER: &str = "cache.json";

/// What makes a folder or a prefix the target of an incomplete copy.
pub(crate) const COPY_MARKER: &str = "copy.json";

/// The folders of objects that are written once, in the order of a copy: what refers to others
/// comes later.
pub(crate) const FOLDERS: [&str; 5] = ["files", "releases", "tombstones", "deployments", "history"];

/// Whether a release can be in a store: its name and version must not lead out of a folder.
pub(crate) fn is_valid(id: &ReleaseId) -> bool {
    is_name(&id.name) && is_version(&id.version)
}

/// The key of the record of a release.
pub(crate) fn release_key(id: &ReleaseId) -> String {
    format!("releases/{}/{}.json", id.name, id.version)
}

/// The ID in the key of a release below `releases/`.
pub(crate) fn release_id(name: &str) -> Option<ReleaseId> {
    let (name, version) = name.strip_suffix(".json")?.split_once('/')?;
    let id = ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    };
    is_valid(&id).then_some(id)
}

pub(crate) fn tombstone_key(id: &ReleaseId) -> String {
    format!("tombstones/{}/{}.json", id.name, id.version)
}

pub(crate) fn deployment_key(number: u64) -> String {
    format!("deployments/{number}.json")
}

pub(crate) fn history_key(revision: u64) -> String {
    format!("history/{revision}.json")
}

pub(crate) fn audit_key(number: u64) -> String {
    format!("audit/{number}.json")
}

pub(crate) fn webhook_key(name: &str) -> String {
    format!("webhooks/{name}.json")
}

pub(crate) fn upload_key(id: &str) -> String {
    format!("uploads/{id}.json")
}

/// Whether the object with this key is secret.
pub(crate) fn is_secret(key: &str) -> bool {
    key.ends_with("-keys.json")
}

pub(crate) fn keys_key(purpose: KeyPurpose) -> &'static str {
    match purpose {
        KeyPurpose::Previews => "preview-keys.json",
        KeyPurpose::Tickets => "ticket-keys.json",
    }
}

pub(crate) fn file_key(name: &str) -> String {
    format!("files/{name}")
}

/// The name in the key of a file of a release.
pub(crate) fn file_name(key: &str) -> Option<&str> {
    key.strip_prefix("files/")
}

/// The name of a new object with these bytes. It begins with their digest, so that equal files are
/// found. The rest is random: a deleted name never comes back, so that a late deletion cannot hit a
/// new object.
pub(crate) fn new_file_name(digest: &Digest) -> String {
    format!(
        "{}.{:016x}",
        digest_part(digest),
        colonnade_random::random::<u64>()
    )
}

/// The first part of the names of objects with these bytes.
pub(crate) fn digest_part(digest: &Digest) -> String {
    digest.base64().replace('+', "-").replace('/', "_")
}

/// Whether these are the bytes of the object with this key or name in `files/`.
pub(crate) fn is_intact(name: &str, bytes: &[u8]) -> bool {
    name.contains(&digest_part(&Digest::of(bytes)))
}

/// The numbers in the names of JSON files, ascending.
pub(crate) fn numbers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<u64> {
    let number = |name: &str| name.strip_suffix(".json")?.parse().ok();
    let mut numbers: Vec<u64> = names.into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}
