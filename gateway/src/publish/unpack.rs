//! Unpacking an archive that someone else made: plain files only, within bounds, never outside the folder.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::rc::Rc;

use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha384};
use tar::{Archive, Entry, EntryType};

use super::PublishError;
use crate::release::{Digest, RELEASE_FILE, is_file_path};
use crate::store::StoreError;

/// The most entries an archive may have.
pub(super) const MAX_ENTRIES: usize = 5_000;

/// The most bytes it may have once expanded.
pub(super) const MAX_EXPANDED: u64 = 256 * 1024 * 1024;

/// The most bytes `release.json` may have.
const MAX_RELEASE_FILE: u64 = 8 * 1024 * 1024;

/// The most bytes that may stand between the contents of two entries. Long names and extended headers are read into
/// memory, however long they say they are.
const MAX_BETWEEN: u64 = 64 * 1024;

/// What an archive held.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The text of `release.json`, if there was one.
    pub(super) release: Option<Vec<u8>>,
    /// Length and digest of every other file, by its path.
    pub(super) files: BTreeMap<String, (u64, Digest)>,
    /// What was wrong with the archive itself.
    pub(super) problems: Vec<String>,
    /// The bytes its entries claim to have so far.
    claimed: u64,
}

/// Unpacks a gzipped tar into a folder. What may not be in an archive is not written but noted as a problem.
pub(super) fn unpack(archive: impl Read, folder: &Path) -> Result<Contents, PublishError> {
    unpack_tar(GzDecoder::new(BufReader::new(archive)), folder)
}

/// The same of a tar as it comes out of its compression.
pub(super) fn unpack_tar(tar: impl Read, folder: &Path) -> Result<Contents, PublishError> {
    let between = Rc::new(Cell::new(None));
    let expanded = Bounded {
        inner: tar,
        left: MAX_EXPANDED,
        between: Rc::clone(&between),
    };
    let mut archive = Archive::new(expanded);
    let mut contents = Contents::default();
    let mut entries = archive.entries().map_err(PublishError::Archive)?;
    for count in 0.. {
        between.set(Some(MAX_BETWEEN));
        let entry = entries.next().transpose().map_err(PublishError::Archive)?;
        between.set(None);
        let Some(mut entry) = entry else { break };
        if count == MAX_ENTRIES {
            contents
                .problems
                .push(format!("the archive has more than {MAX_ENTRIES} entries"));
            return Ok(contents);
        }
        contents.add(&mut entry, folder)?;
        // What is refused is read past here, where it may be long.
        io::copy(&mut entry, &mut io::sink()).map_err(PublishError::Archive)?;
    }
    // The checksum stands at the very end, behind what tar reads.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(PublishError::Archive)?;
    Ok(contents)
}

impl Contents {
    fn add(&mut self, entry: &mut Entry<'_, impl Read>, folder: &Path) -> Result<(), PublishError> {
        let raw = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        // Refused before it is written: what claims to be too much is not worth the disk.
        self.claimed = self.claimed.saturating_add(entry.size());
        if self.claimed > MAX_EXPANDED {
            return Err(PublishError::Archive(too_much()));
        }
        // Archives made with `tar -C release .` write every path with this in front.
        let path = raw.strip_prefix("./").unwrap_or(&raw);
        match entry.header().entry_type() {
            EntryType::Regular => {}
            // Folders are made as files need them; a release has no empty ones.
            EntryType::Directory => return Ok(()),
            _ => {
                self.problems
                    .push(format!("`{raw}` is neither a file nor a folder"));
                return Ok(());
            }
        }
        if path == RELEASE_FILE {
            return self.add_release(entry, folder);
        }
        if !is_file_path(path) {
            self.problems
                .push(format!("`{raw}` is not a plain path below client/ or server/"));
            return Ok(());
        }
        let target = folder.join(path);
        if let Some(parent) = target.parent()
            && let Err(error) = fs::create_dir_all(parent)
        {
            self.problems
                .push(format!("`{raw}` cannot stand below a file ({})", error.kind()));
            return Ok(());
        }
        let mut file = match File::create_new(&target) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.problems
                    .push(format!("`{raw}` is in the archive twice, or is a folder too"));
                return Ok(());
            }
            Err(source) => return Err(failed(&target, source)),
        };
        let measured = copy(entry, &mut file, &target)?;
        self.files.insert(path.to_owned(), measured);
        Ok(())
    }

    fn add_release(&mut self, entry: &mut Entry<'_, impl Read>, folder: &Path) -> Result<(), PublishError> {
        if self.release.is_some() {
            self.problems
                .push(format!("`{RELEASE_FILE}` is in the archive twice"));
            return Ok(());
        }
        let mut text = Vec::new();
        entry
            .take(MAX_RELEASE_FILE + 1)
            .read_to_end(&mut text)
            .map_err(PublishError::Archive)?;
        if text.len() as u64 > MAX_RELEASE_FILE {
            self.problems
                .push(format!("`{RELEASE_FILE}` has more than {MAX_RELEASE_FILE} bytes"));
            text.clear();
        }
        let target = folder.join(RELEASE_FILE);
        fs::write(&target, &text).map_err(|source| failed(&target, source))?;
        self.release = Some(text);
        Ok(())
    }
}

/// Copies one file, measuring it on the way. Reading fails because of the archive, writing because of the store.
fn copy(from: &mut impl Read, to: &mut File, path: &Path) -> Result<(u64, Digest), PublishError> {
    let mut hash = Sha384::new();
    let mut size = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = from.read(&mut buffer).map_err(PublishError::Archive)?;
        if count == 0 {
            return Ok((size, Digest::finish(hash)));
        }
        to.write_all(&buffer[..count])
            .map_err(|source| failed(path, source))?;
        hash.update(&buffer[..count]);
        size += count as u64;
    }
}

fn failed(path: &Path, source: io::Error) -> PublishError {
    PublishError::Store(StoreError::Io {
        path: path.to_owned(),
        source,
    })
}

fn too_much() -> io::Error {
    io::Error::other(format!("it expands to more than {MAX_EXPANDED} bytes"))
}

/// A reader that fails once more bytes come out than it allows, however few went in.
struct Bounded<R> {
    inner: R,
    /// How many bytes may still come out.
    left: u64,
    /// How many of them in a row, while it is not the contents of an entry that are read.
    between: Rc<Cell<Option<u64>>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_much)?;
        if let Some(between) = self.between.get() {
            let left = between.checked_sub(count as u64).ok_or_else(|| {
                io::Error::other(format!(
                    "the headers of an entry have more than {MAX_BETWEEN} bytes"
                ))
            })?;
            self.between.set(Some(left));
        }
        Ok(count)
    }
}
