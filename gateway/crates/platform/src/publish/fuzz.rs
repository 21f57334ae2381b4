//! Fuzzing: invariants of unpacking.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::publish::unpack::{Contents, MAX_ENTRIES, MAX_EXPANDED, unpack, unpack_tar};
use colonnade_model::release::{Digest, RELEASE_FILE, is_file_path};

/// Unpacking creates only regular files, only below its folder and within the limits. If it
/// succeeds, the files match the returned contents.
///
/// # Panics
///
/// If an invariant is violated.
pub fn tar(bytes: &[u8]) {
    // In memory, if the system supports it.
    let parent = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
    let parent = parent.expect("a folder");
    let folder = parent.path().join("release");
    fs::create_dir(&folder).expect("a folder");
    let is_gzipped = bytes.starts_with(&[0x1f, 0x8b]);
    let outcome = if is_gzipped {
        unpack(bytes, &folder)
    } else {
        unpack_tar(bytes, &folder)
    };
    let written = written(parent.path());
    assert!(
        written.iter().all(|path| path.starts_with("release/")),
        "{written:?}"
    );
    assert!(written.len() <= MAX_ENTRIES);
    let size = |path: &String| fs::metadata(parent.path().join(path)).map_or(0, |file| file.len());
    assert!(written.iter().map(size).sum::<u64>() <= MAX_EXPANDED);
    if let Ok(contents) = outcome {
        check(&contents, &folder, &written);
    }
}

fn check(contents: &Contents, folder: &Path, written: &BTreeSet<String>) {
    let mut expected: BTreeSet<_> = contents
        .files
        .keys()
        .map(|path| format!("release/{path}"))
        .collect();
    if let Some(text) = &contents.release {
        assert_eq!(
            &fs::read(folder.join(RELEASE_FILE)).expect("the file exists"),
            text
        );
        expected.insert(format!("release/{RELEASE_FILE}"));
    }
    assert_eq!(&expected, written);
    for (path, (size, digest)) in &contents.files {
        assert!(is_file_path(path), "{path:?}");
        let bytes = fs::read(folder.join(path)).expect("the file exists");
        assert_eq!(
            (bytes.len() as u64, Digest::of(&bytes)),
            (*size, *digest),
            "{path:?}"
        );
    }
}

/// The paths of all files below a folder. Panics if it contains anything but files and folders.
fn written(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).expect("an entry").file_type();
            assert!(
                kind.is_file() || kind.is_dir(),
                "{} is neither file nor folder",
                path.display()
            );
            if kind.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(folder).expect("the path is below the folder");
                found.insert(below.to_string_lossy().into_owned());
            }
        }
    }
    found
}
