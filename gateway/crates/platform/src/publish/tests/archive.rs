//! Building archives with arbitrary headers.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};

/// One entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) kind: u8,
    /// The size in the header; the contents are always `data`.
    pub(super) size: u64,
    pub(super) link: Vec<u8>,
    pub(super) data: Vec<u8>,
    /// Bytes to overwrite in the header before its checksum is computed.
    pub(super) noise: Vec<(usize, u8)>,
}

impl Entry {
    pub(super) fn file(path: &str, data: &[u8]) -> Self {
        Self::new(EntryType::Regular.as_byte(), path.as_bytes(), data)
    }

    pub(super) fn new(kind: u8, path: &[u8], data: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            size: data.len() as u64,
            link: Vec::new(),
            data: data.to_owned(),
            noise: Vec::new(),
        }
    }

    /// An entry with the long name of the next entry (GNU tar).
    pub(super) fn long_name(path: &[u8]) -> Self {
        Self::new(b'L', b"././@LongLink", &[path, b"\0"].concat())
    }

    /// The extended header of the next entry (POSIX pax).
    pub(super) fn extended(records: &[(&[u8], &[u8])]) -> Self {
        let mut data = Vec::new();
        for (key, value) in records {
            // The length includes its own digits.
            let rest = key.len() + value.len() + 3;
            let mut length = rest + 1;
            while length != rest + length.to_string().len() {
                length += 1;
            }
            data.extend_from_slice(length.to_string().as_bytes());
            data.extend_from_slice(&[b" ", *key, b"=", value, b"\n"].concat());
        }
        Self::new(b'x', b"PaxHeaders/x", &data)
    }

    fn write(&self, tar: &mut Vec<u8>) {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::new(self.kind));
        header.set_mode(0o644);
        header.set_size(self.size);
        let gnu = header.as_gnu_mut().unwrap();
        fill(&mut gnu.name, &self.path);
        fill(&mut gnu.linkname, &self.link);
        for (at, byte) in &self.noise {
            header.as_mut_bytes()[at % 512] = *byte;
        }
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(&self.data);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
}

/// The entries of a release as the build packs it.
pub(super) fn entries(json: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Vec<Entry> {
    let mut entries = vec![Entry::file("release.json", json)];
    entries.extend(files.iter().map(|(path, bytes)| Entry::file(path, bytes)));
    entries
}

pub(super) fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Vec::new();
    for entry in entries {
        entry.write(&mut tar);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn fill(field: &mut [u8], text: &[u8]) {
    let length = text.len().min(field.len());
    field[..length].copy_from_slice(&text[..length]);
}
