//! Opening files without following symbolic links, which could lead out of the store.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::durable::{self, if_exists};
use crate::error::StoreError;

/// The bytes of a file; `None` if it does not exist. The path must be absolute and without links up
/// to the store's folder.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let bytes = open_file(path)?.map(|mut file| {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_| bytes)
    });
    bytes.transpose().map_err(durable::io(path))
}

/// Opens a file to read it; `None` if it does not exist.
fn open_file(path: &Path) -> Result<Option<File>, StoreError> {
    let Some(file) = open_to_read(path)? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(durable::io(path))?;
    if metadata.is_file() {
        Ok(Some(file))
    } else {
        Err(StoreError::NotAFile(path.to_owned()))
    }
}

/// Opens a file or folder. `NONBLOCK`, because opening a FIFO otherwise blocks until a process
/// writes to it.
fn open_to_read(path: &Path) -> Result<Option<File>, StoreError> {
    open(path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())
}

/// Opens the lock file, and creates it if it does not exist.
pub(crate) fn open_lock(path: &Path) -> Result<File, StoreError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK;
    let lock = open(path, flags, Mode::from_raw_mode(0o666))?;
    lock.ok_or_else(|| durable::io(path)(ErrorKind::NotFound.into()))
}

/// Fails if the path of a folder contains a link. A folder that does not exist is none.
pub(crate) fn reject_link(folder: &Path) -> Result<(), StoreError> {
    open_to_read(folder).map(drop)
}

/// Opens a file; `None` if it does not exist. The system refuses links when it opens the file, so a
/// link cannot appear after a check.
fn open(path: &Path, flags: OFlags, mode: Mode) -> Result<Option<File>, StoreError> {
    match if_exists(open_without_links(path, flags, mode)) {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            Err(StoreError::SymbolicLink(path.to_owned()))
        }
        // A socket.
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            Err(StoreError::NotAFile(path.to_owned()))
        }
        file => file.map_err(durable::io(path)),
    }
}

fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        match openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
            // Linux before 5.6.
            Err(Errno::NOSYS) => {}
            file => return Ok(file?.into()),
        }
    }
    // Other systems follow links of folders.
    Ok(rustix::fs::open(path, flags, mode)?.into())
}
