//! Building archives.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A release archive with this `release.json` and these files.
pub(super) fn archive(json: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let manifest = ("release.json", json);
    let files = files.iter().map(|(path, bytes)| (path.as_str(), &bytes[..]));
    for (path, bytes) in std::iter::once(manifest).chain(files) {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, path, bytes).unwrap();
    }
    gzip(&tar.into_inner().unwrap())
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
