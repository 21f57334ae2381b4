//! Unpacks an untrusted archive.
//!
//! Only regular files are written. A path that leads outside the folder (path traversal) is
//! rejected, and limits on the number of entries and the decompressed size stop a decompression
//! bomb (zip bomb).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::rc::Rc;

use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha384};
use tar::{Archive, Entry, EntryType};

use crate::publish::error::PublishError;
use colonnade_model::release::{Digest, RELEASE_FILE, is_file_path};
use colonnade_store::StoreError;

/// The maximum number of entries in an archive.
pub(super) const MAX_ENTRIES: usize = 5_000;

/// The maximum decompressed size of an archive in bytes.
pub(super) const MAX_EXPANDED: u64 = 256 * 1024 * 1024;

/// The maximum size of `release.json` in bytes.
const MAX_RELEASE_FILE: u64 = 8 * 1024 * 1024;

/// The maximum bytes between the contents of two entries. The tar reader loads long names and
/// extended headers into memory, whatever their declared size.
const MAX_BETWEEN: u64 = 64 * 1024;

/// The contents of an archive.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The text of `release.json`, if present.
    pub(super) release: Option<Vec<u8>>,
    /// Size and digest of every other file, by path.
    pub(super) files: BTreeMap<String, (u64, Digest)>,
    /// Problems of the archive.
    pub(super) problems: Vec<String>,
    /// The sum of the sizes that the entries' headers declare.
    declared_size: u64,
}

/// Unpacks a gzipped tar archive to a folder. Forbidden entries are not written, but reported as
/// problems.
pub(super) fn unpack(archive: impl Read, folder: &Path) -> Result<Contents, PublishError> {
    unpack_tar(GzDecoder::new(BufReader::new(archive)), folder)
}

/// Unpacks a decompressed tar archive to a folder.
pub(super) fn unpack_tar(tar: impl Read, folder: &Path) -> Result<Contents, PublishError> {
    let between = Rc::new(Cell::new(None));
    let expanded = LimitedReader {
        inner: tar,
        remaining: MAX_EXPANDED,
        between: Rc::clone(&between),
    };
    let mut archive = Archive::new(expanded);
    let mut contents = Contents::default();
    let mut entries = archive.entries().map_err(PublishError::InvalidArchive)?;
    for count in 0.. {
        between.set(Some(MAX_BETWEEN));
        let entry = entries.next().transpose().map_err(PublishError::InvalidArchive)?;
        between.set(None);
        let Some(mut entry) = entry else { break };
        if count == MAX_ENTRIES {
            contents
                .problems
                .push(format!("the archive has more than {MAX_ENTRIES} entries"));
            return Ok(contents);
        }
        contents.add(&mut entry, folder)?;
        // Skips a rejected entry. Its content, read between entries, could exceed `MAX_BETWEEN`.
        io::copy(&mut entry, &mut io::sink()).map_err(PublishError::InvalidArchive)?;
    }
    // Reads to the end, so that the gzip checksum is verified.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(PublishError::InvalidArchive)?;
    Ok(contents)
}

impl Contents {
    fn add(&mut self, entry: &mut Entry<'_, impl Read>, folder: &Path) -> Result<(), PublishError> {
        let raw = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        // Checked before anything is written.
        self.declared_size = self.declared_size.saturating_add(entry.size());
        if self.declared_size > MAX_EXPANDED {
            return Err(PublishError::InvalidArchive(too_large()));
        }
        // `tar -C release .` adds this prefix.
        let path = raw.strip_prefix("./").unwrap_or(&raw);
        match entry.header().entry_type() {
            EntryType::Regular => {}
            // Folders are created with their files.
            EntryType::Directory => return Ok(()),
            _ => {
                self.problems
                    .push(format!("`{raw}` is neither a regular file nor a folder"));
                return Ok(());
            }
        }
        if path == RELEASE_FILE {
            return self.add_release(entry, folder);
        }
        if !is_file_path(path) {
            self.problems
                .push(format!("`{raw}` is not a valid path below client/ or server/"));
            return Ok(());
        }
        let target = folder.join(path);
        if let Some(parent) = target.parent()
            && let Err(error) = fs::create_dir_all(parent)
        {
            self.problems.push(format!(
                "`{raw}` cannot be created: a parent of it is a file ({})",
                error.kind()
            ));
            return Ok(());
        }
        let mut file = match File::create_new(&target) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.problems
                    .push(format!("`{raw}` is in the archive twice, or is also a folder"));
                return Ok(());
            }
            Err(source) => return Err(write_error(&target, source)),
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
            .map_err(PublishError::InvalidArchive)?;
        if text.len() as u64 > MAX_RELEASE_FILE {
            self.problems
                .push(format!("`{RELEASE_FILE}` has more than {MAX_RELEASE_FILE} bytes"));
            text.clear();
        }
        let target = folder.join(RELEASE_FILE);
        fs::write(&target, &text).map_err(|source| write_error(&target, source))?;
        self.release = Some(text);
        Ok(())
    }
}

/// Copies a file and returns its size and digest. Read errors are the archive's, write errors the
/// store's.
fn copy(from: &mut impl Read, to: &mut File, path: &Path) -> Result<(u64, Digest), PublishError> {
    let mut hash = Sha384::new();
    let mut size = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = from.read(&mut buffer).map_err(PublishError::InvalidArchive)?;
        if count == 0 {
            return Ok((size, Digest::finish(hash)));
        }
        to.write_all(&buffer[..count])
            .map_err(|source| write_error(path, source))?;
        hash.update(&buffer[..count]);
        size += count as u64;
    }
}

fn write_error(path: &Path, source: io::Error) -> PublishError {
    PublishError::Store(StoreError::Io {
        path: path.to_owned(),
        source,
    })
}

fn too_large() -> io::Error {
    io::Error::other(format!("the archive expands to more than {MAX_EXPANDED} bytes"))
}

/// A reader that fails when more bytes than allowed are read.
struct LimitedReader<R> {
    inner: R,
    /// The bytes that may still be read.
    remaining: u64,
    /// The bytes that may still be read before the next entry's contents; `None` while contents are
    /// read.
    between: Rc<Cell<Option<u64>>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.remaining = self.remaining.checked_sub(count as u64).ok_or_else(too_large)?;
        if let Some(between) = self.between.get() {
            let remaining = between.checked_sub(count as u64).ok_or_else(|| {
                io::Error::other(format!(
                    "the headers of an entry have more than {MAX_BETWEEN} bytes"
                ))
            })?;
            self.between.set(Some(remaining));
        }
        Ok(count)
    }
}
