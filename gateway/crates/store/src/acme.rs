//! The files of ACME: the account, the certificate, and the pending challenges. Only their owner can read them.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::durable::{create_folder, io, replace};
use super::paths::Paths;
use super::read::{open_lock, read, reject_link};
use super::{FolderStore, StoreError, StoreFuture};

/// A file of ACME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcmeFile {
    /// The credentials of the account, as JSON.
    Account,
    /// The certificate chain and its private key, as PEM.
    Certificate,
    /// The pending challenges, as JSON.
    Challenges,
}

impl AcmeFile {
    fn name(self) -> &'static str {
        match self {
            Self::Account => "account.json",
            Self::Certificate => "certificate.pem",
            Self::Challenges => "challenges.json",
        }
    }
}

impl Paths {
    fn acme_file(&self, file: AcmeFile) -> PathBuf {
        self.acme.join(file.name())
    }
}

impl FolderStore {
    /// Reads a file; `None` if it does not exist.
    pub fn acme_file(&self, file: AcmeFile) -> StoreFuture<'static, Option<Vec<u8>>> {
        self.run("acme_file", move |paths| read(&paths.acme_file(file)))
    }

    /// Replaces a file.
    pub fn replace_acme_file(&self, file: AcmeFile, bytes: Vec<u8>) -> StoreFuture<'static, ()> {
        self.run("replace_acme_file", move |paths| {
            create(&paths.acme)?;
            replace(&paths.acme_file(file), &paths.scratch.folder, &bytes)
        })
    }

    /// Locks the files until the returned file is dropped, so that one gateway at a time orders a certificate; `None` if
    /// another one does.
    pub fn try_lock_acme(&self) -> StoreFuture<'static, Option<File>> {
        self.run("try_lock_acme", |paths| {
            create(&paths.acme)?;
            let path = paths.acme.join("lock");
            let lock = open_lock(&path)?;
            match lock.try_lock() {
                Ok(()) => Ok(Some(lock)),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(io(&path)(error)),
            }
        })
    }
}

fn create(folder: &Path) -> Result<(), StoreError> {
    create_folder(folder)?;
    reject_link(folder)
}
