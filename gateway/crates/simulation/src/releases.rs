//! The releases that are published: small, and with contents that say where they belong.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};

use colonnade_model::release::{Digest, File as ListedFile, ReleaseId, SHELL};
use colonnade_model::testing::{Sample, shell, small_section};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The file that each release of a section has, and that is sent once.
const COMMON: &str = "client/common.png";

/// The path of a section's only page.
pub(crate) fn path(section: &str) -> String {
    format!("/{section}")
}

/// The archive of a release. Releases of one version with other `contents` have other bytes.
pub(crate) fn archive(id: &ReleaseId, contents: u32) -> File {
    let sample = sample(id, contents);
    let manifest = serde_json::to_vec(&sample.release).unwrap();
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let files = sample.files.iter().map(|(path, bytes)| (path.as_str(), bytes));
    for (path, bytes) in files.chain([("release.json", &manifest)]) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes.as_slice()).unwrap();
    }
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn sample(id: &ReleaseId, contents: u32) -> Sample {
    let mut sample = if id.name == SHELL {
        shell(&id.version)
    } else {
        small_section(&id.name, &id.version, &path(&id.name))
    };
    let release = &mut sample.release;
    release.styles.clear();
    release.assets.clear();
    release.icon = None;
    let files = [
        // Each release of a section has the first file.
        (COMMON.to_owned(), format!("// {}", id.name)),
        (release.entry.clone(), format!("// {id} {contents}")),
    ];
    release.files = files.iter().map(|(path, text)| listed(path, text)).collect();
    sample.files = BTreeMap::from(files.map(|(path, text)| (path, text.into_bytes())));
    sample
}

fn listed(path: &str, text: &str) -> ListedFile {
    ListedFile {
        path: path.to_owned(),
        size: text.len() as u64,
        // Images are not compressed, which takes most of the time of a publish.
        media_type: if path == COMMON {
            "image/png".to_owned()
        } else {
            "text/javascript; charset=utf-8".to_owned()
        },
        digest: Digest::of(text.as_bytes()),
    }
}

/// Whether these bytes can be a public file of a release.
pub(crate) fn belongs(id: &ReleaseId, path: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    if path == "common.png" {
        text == format!("// {}", id.name)
    } else {
        text.starts_with(&format!("// {id} "))
    }
}
