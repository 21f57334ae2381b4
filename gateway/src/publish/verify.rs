//! Comparing what an archive held with what its `release.json` says.

use std::collections::BTreeSet;
use std::path::Path;

use super::unpack::Contents;
use super::{PublishError, style};
use crate::release::{Digest, File, Kind, RELEASE_FILE, Release, check};
use crate::store::{ReleaseId, StoreError};

/// A release as its archive tells it, and everything that is wrong with it so far.
pub(super) struct Verified {
    /// What `release.json` says.
    pub(super) release: Release,
    /// The digest of `release.json`.
    pub(super) digest: Digest,
    /// What is wrong.
    pub(super) problems: Vec<String>,
}

/// Checks what was unpacked to a folder. Only what no further check could build on ends it at once.
pub(super) fn verify(id: &ReleaseId, contents: &Contents, folder: &Path) -> Result<Verified, PublishError> {
    let mut problems = contents.problems.clone();
    let Some(text) = &contents.release else {
        problems.push(format!("there is no `{RELEASE_FILE}` at the root of the archive"));
        return Err(PublishError::Refused(problems));
    };
    let release: Release = match serde_json::from_slice(text) {
        Ok(release) => release,
        Err(error) => {
            problems.push(format!("`{RELEASE_FILE}`: {error}"));
            return Err(PublishError::Refused(problems));
        }
    };
    if release.name != id.name || release.version != id.version {
        problems.push(format!(
            "it calls itself {}@{}, but was sent as {id}",
            release.name, release.version
        ));
    }
    problems.extend(check(&release));
    compare_files(&release, contents, &mut problems);
    // The shell's stylesheets are everyone's.
    if release.kind == Kind::Section {
        check_styles(&release, contents, folder, &mut problems)?;
    }
    Ok(Verified {
        release,
        digest: Digest::of(text),
        problems,
    })
}

/// The files that are both listed and there, each once, whatever else is wrong.
pub(super) fn present<'a>(release: &'a Release, contents: &Contents) -> Vec<&'a File> {
    let mut seen = BTreeSet::new();
    let mut files: Vec<&File> = release.files.iter().collect();
    files.retain(|file| contents.files.contains_key(&file.path) && seen.insert(&file.path));
    files
}

/// The folder must hold exactly the listed files, with exactly the listed bytes.
fn compare_files(release: &Release, contents: &Contents, problems: &mut Vec<String>) {
    let mut listed = BTreeSet::new();
    for file in &release.files {
        listed.insert(&file.path);
        match contents.files.get(&file.path) {
            None => problems.push(format!("file `{}` is listed but missing", file.path)),
            Some((size, _)) if *size != file.size => problems.push(format!(
                "file `{}` has {size} bytes instead of {}",
                file.path, file.size
            )),
            Some((_, digest)) if *digest != file.digest => {
                problems.push(format!("file `{}` does not match its digest", file.path));
            }
            Some(_) => {}
        }
    }
    for path in contents.files.keys().filter(|path| !listed.contains(path)) {
        problems.push(format!("file `{path}` is there but not listed"));
    }
}

fn check_styles(
    release: &Release,
    contents: &Contents,
    folder: &Path,
    problems: &mut Vec<String>,
) -> Result<(), StoreError> {
    for file in present(release, contents) {
        if file.is_style() {
            let path = folder.join(&file.path);
            let bytes = std::fs::read(&path).map_err(|source| StoreError::Io { path, source })?;
            problems.extend(style::check(&release.name, &file.path, &bytes));
        }
    }
    Ok(())
}
