//! Reading files without following symbolic links, which could lead out of the store.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use serde::de::DeserializeOwned;

use super::durable;
use super::paths::if_exists;
use super::{StoreError, json};

/// The bytes of a file; `None` if it does not exist. The path must be absolute and without links up to the store's folder.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let bytes = open(path).and_then(|mut file| {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match if_exists(bytes) {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            Err(StoreError::SymbolicLink(path.to_owned()))
        }
        bytes => bytes.map_err(durable::io(path)),
    }
}

/// Reads a JSON file; `None` if it does not exist.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let text = read(path)?;
    text.map(|text| json::parse(path, &text)).transpose()
}

/// Opens a file. The system refuses links when it opens the file, so a link cannot appear after a check.
fn open(path: &Path) -> io::Result<File> {
    // A named pipe must not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Linux before 5.6.
            Err(Errno::NOSYS) => {}
            file => return Ok(file?.into()),
        }
    }
    // Other systems follow links of folders.
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}
