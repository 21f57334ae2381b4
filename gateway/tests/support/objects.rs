//! The objects of a store in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Gateway, wait_until};

impl Gateway {
    /// The record of a release, such as `legal/1.0.0`.
    pub(crate) fn record(&self, release: &str) -> PathBuf {
        self.store().join(format!("releases/{release}.json"))
    }

    /// The object with a file of a release, such as `client/entry.js` or `compressed/client/entry.js.br`.
    pub(crate) fn object(&self, release: &str, path: &str) -> PathBuf {
        let name = read_json(&self.record(release))["files"][path].clone();
        let name = name.as_str().unwrap_or_else(|| panic!("{release} has no {path}"));
        self.store().join("files").join(name)
    }

    /// The sorted names of the objects in a folder of the store, without those of what was deleted.
    pub(crate) fn object_names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = entries(&self.store().join(folder))
            .filter(|path| fs::read(path).is_ok_and(|bytes| bytes != br#"{"deleted":true}"#))
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    }

    /// The number of uploads and unpacked archives in the store's scratch folder. Its files belong to writes of any object.
    pub(crate) fn scratch_folders(&self) -> usize {
        let scratch = self.store().join("scratch");
        entries(&scratch).filter(|path| path.is_dir()).count()
    }

    /// Waits until nothing is left in the store's scratch folder. Writes of any object have a file there while they last.
    pub(crate) fn wait_for_empty_scratch(&self) {
        let scratch = self.store().join("scratch");
        wait_until("the scratch folder is empty", || {
            entries(&scratch).next().is_none()
        });
    }
}

/// The paths in a folder; none if it does not exist.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path())
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Changes a JSON object as another gateway would.
pub(crate) fn edit_json(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = read_json(path);
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}
