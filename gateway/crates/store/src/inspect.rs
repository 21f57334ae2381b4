//! Looking into a store by hand.

use std::fmt::Write as _;

use bytes::Bytes;
use colonnade_model::rotating_keys::KeyPurpose;
use serde_json::Value;

use crate::error::StoreError;
use crate::keys::{FOLDERS, LIVE, STORE, keys_key};
use crate::place::Place;
use crate::published::PublishedRelease;

/// Why an object is not shown.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The object has secrets.
    #[error("{0}: the object has secrets, which are never shown")]
    Secret(String),
    /// There is no such object.
    #[error("{0}: there is no such object; `gateway store ls` lists them")]
    Missing(String),
}

/// The keys of the objects that begin with a folder, such as `releases/directory`; of all, if it is
/// empty.
///
/// # Errors
/// If there is no store, or it cannot be read.
pub async fn list(place: &Place, folder: &str) -> Result<Vec<String>, StoreError> {
    let objects = place.existing().await?.objects;
    let folder = folder.trim_end_matches('/');
    let folders = if folder.is_empty() {
        FOLDERS.to_vec()
    } else {
        vec![folder]
    };
    let mut keys = Vec::new();
    for folder in folders {
        let listed = objects.list(folder).await?.into_iter();
        let stored = listed.filter(|listed| !listed.is_deleted);
        keys.extend(stored.map(|listed| format!("{folder}/{}", listed.name)));
    }
    if folder.is_empty() {
        for key in [LIVE, STORE] {
            keys.extend(objects.read_bytes(key).await?.map(|_| key.to_owned()));
        }
    }
    Ok(keys)
}

/// The bytes of an object, without the keys of rollouts.
///
/// # Errors
/// If there is no store or no such object, if it cannot be read, or if it has secrets.
pub async fn show(place: &Place, key: &str) -> Result<Bytes, InspectError> {
    let is_secret = |purpose| key == keys_key(purpose);
    let is_path = key.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if is_secret(KeyPurpose::Previews) || is_secret(KeyPurpose::Tickets) || key.starts_with("acme/") {
        return Err(InspectError::Secret(key.to_owned()));
    }
    let objects = place.existing().await?.objects;
    let object = if is_path {
        objects.read_bytes(key).await?
    } else {
        None
    };
    let object = object.ok_or_else(|| InspectError::Missing(key.to_owned()))?;
    if key != LIVE {
        return Ok(object.bytes);
    }
    let mut state: Value = objects.parse(key, &object.bytes)?;
    for rollout in state["visible"]["rollouts"].as_array_mut().into_iter().flatten() {
        rollout["key"] = "(secret)".into();
    }
    Ok(format!("{state:#}\n").into())
}

/// The files of the releases whose keys begin with a folder, such as `directory` or
/// `directory/1.0.0.json`: a line for each release, and below it one for each file with its object.
///
/// # Errors
/// As [`list`].
pub async fn tree(place: &Place, folder: &str) -> Result<String, StoreError> {
    let objects = place.existing().await?.objects;
    let mut tree = String::new();
    for key in list(place, "releases").await? {
        let name = key.trim_start_matches("releases/").trim_end_matches(".json");
        if !name.starts_with(folder) {
            continue;
        }
        let _ = writeln!(tree, "{name}");
        match objects.read_content::<PublishedRelease>(&key).await {
            Ok(release) => {
                for (path, file) in release.into_iter().flat_map(|(release, _)| release.files) {
                    let _ = writeln!(tree, "  {path}  files/{file}");
                }
            }
            Err(error) if error.is_damage() => drop(writeln!(tree, "  {error}")),
            Err(error) => return Err(error),
        }
    }
    Ok(tree)
}
