//! Comparing what an archive held with what its `release.json` says.

use super::unpack::Contents;
use crate::release::{Digest, RELEASE_FILE, Release, check};
use crate::store::ReleaseId;

/// The release and the digest of its `release.json`, or everything that is wrong with it.
pub(super) fn verify(id: &ReleaseId, contents: &Contents) -> Result<(Release, Digest), Vec<String>> {
    let mut problems = contents.problems.clone();
    let Some(text) = &contents.release else {
        problems.push(format!("there is no `{RELEASE_FILE}` at the root of the archive"));
        return Err(problems);
    };
    let release: Release = match serde_json::from_slice(text) {
        Ok(release) => release,
        Err(error) => {
            problems.push(format!("`{RELEASE_FILE}`: {error}"));
            return Err(problems);
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
    if problems.is_empty() {
        Ok((release, Digest::of(text)))
    } else {
        Err(problems)
    }
}

/// The folder must hold exactly the listed files, with exactly the listed bytes.
fn compare_files(release: &Release, contents: &Contents, problems: &mut Vec<String>) {
    for file in &release.files {
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
    for path in contents.files.keys() {
        if !release.files.iter().any(|file| &file.path == path) {
            problems.push(format!("file `{path}` is there but not listed"));
        }
    }
}
