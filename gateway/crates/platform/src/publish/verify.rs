//! Checking the contents of an archive against its `release.json`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::publish::error::PublishError;
use crate::publish::style;
use crate::publish::unpack::Contents;
use colonnade_model::release::ReleaseId;
use colonnade_model::release::{
    Digest, Examples, File, Kind, MAX_EXAMPLES_FILE, RELEASE_FILE, Release, validate,
};
use colonnade_store::StoreError;

/// A release and its problems so far.
pub(super) struct Verified {
    /// The parsed `release.json`.
    pub(super) release: Release,
    /// The digest of `release.json`.
    pub(super) digest: Digest,
    /// The problems.
    pub(super) problems: Vec<String>,
}

/// Checks an unpacked archive. Fails at once only if `release.json` is missing or invalid.
pub(super) fn verify(id: &ReleaseId, contents: &Contents, folder: &Path) -> Result<Verified, PublishError> {
    let mut problems = contents.problems.clone();
    let Some(text) = &contents.release else {
        problems.push(format!("`{RELEASE_FILE}` is missing at the root of the archive"));
        return Err(PublishError::Rejected(problems));
    };
    let release: Release = match serde_json::from_slice(text) {
        Ok(release) => release,
        Err(error) => {
            problems.push(format!("`{RELEASE_FILE}`: {error}"));
            return Err(PublishError::Rejected(problems));
        }
    };
    if release.name != id.name || release.version != id.version {
        problems.push(format!(
            "`{RELEASE_FILE}` is of {}@{}, but the release was uploaded as {id}",
            release.name, release.version
        ));
    }
    problems.extend(validate(&release));
    compare_files(&release, contents, &mut problems);
    // The shell's stylesheets apply to the whole document.
    if release.kind == Kind::Section {
        check_styles(&release, contents, folder, &mut problems)?;
        check_examples(&release, contents, folder, &mut problems)?;
    }
    Ok(Verified {
        release,
        digest: Digest::of(text),
        problems,
    })
}

/// The files that are both listed and in the archive, without duplicates.
pub(super) fn present<'a>(release: &'a Release, contents: &Contents) -> Vec<&'a File> {
    let mut seen = BTreeSet::new();
    let mut files: Vec<&File> = release.files.iter().collect();
    files.retain(|file| contents.files.contains_key(&file.path) && seen.insert(&file.path));
    files
}

/// Checks that the archive contains exactly the listed files, with the listed sizes and digests.
fn compare_files(release: &Release, contents: &Contents, problems: &mut Vec<String>) {
    let mut listed = BTreeSet::new();
    for file in &release.files {
        listed.insert(&file.path);
        match contents.files.get(&file.path) {
            None => problems.push(format!(
                "file `{}` is listed in `{RELEASE_FILE}`, but missing in the archive",
                file.path
            )),
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
        problems.push(format!("file `{path}` is not listed in `{RELEASE_FILE}`"));
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
            let bytes = read(folder, &file.path)?;
            problems.extend(style::check(&release.name, &file.path, &bytes));
        }
    }
    Ok(())
}

/// Checks the examples, if the file that the manifest names is in the archive.
fn check_examples(
    release: &Release,
    contents: &Contents,
    folder: &Path,
    problems: &mut Vec<String>,
) -> Result<(), StoreError> {
    let file = release.examples.as_ref().filter(|path| {
        let file = contents.files.get(*path);
        path.starts_with("server/") && file.is_some_and(|(size, _)| *size <= MAX_EXAMPLES_FILE)
    });
    if let Some(path) = file {
        match Examples::parse(&read(folder, path)?) {
            Ok(examples) => problems.extend(examples.problems(release)),
            Err(error) => problems.push(format!("`{path}`: {error}")),
        }
    }
    Ok(())
}

fn read(folder: &Path, path: &str) -> Result<Vec<u8>, StoreError> {
    let path = folder.join(path);
    std::fs::read(&path).map_err(|source| StoreError::Io { path, source })
}
