//! The files of ACME: the account, the certificate, and the pending challenges. Only their owner
//! can read them.

use std::fs::{File, TryLockError};

use colonnade_web::request_scope;

use super::durable::{create_folder, io};
use super::error::StoreError;
use super::folder::FolderObjects;
use super::objects::{Objects as _, When};
use super::read::{open_lock, reject_link};

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
    fn key(self) -> &'static str {
        match self {
            Self::Account => "acme/account.json",
            Self::Certificate => "acme/certificate.pem",
            Self::Challenges => "acme/challenges.json",
        }
    }
}

/// The files of ACME in the folder of a store, which all gateways on it share.
#[derive(Debug, Clone)]
pub struct AcmeFiles(FolderObjects);

impl AcmeFiles {
    pub(crate) fn new(objects: FolderObjects) -> Self {
        Self(objects)
    }

    /// Reads a file; `None` if it does not exist.
    pub async fn read(&self, file: AcmeFile) -> Result<Option<Vec<u8>>, StoreError> {
        let own = self.clone();
        let read = request_scope::run_blocking(move || own.0.read(file.key())).await?;
        Ok(read.map(Vec::from))
    }

    /// Replaces a file.
    pub async fn replace(&self, file: AcmeFile, bytes: Vec<u8>) -> Result<(), StoreError> {
        let put = self.0.put(file.key(), bytes.into(), When::Always);
        put.await.map(drop)
    }

    /// Locks the files until the returned file is dropped, so that one gateway at a time orders a
    /// certificate; `None` if another one does.
    pub async fn try_lock(&self) -> Result<Option<File>, StoreError> {
        let path = self.0.path("acme/lock");
        request_scope::run_blocking(move || {
            if let Some(folder) = path.parent() {
                create_folder(folder)?;
                reject_link(folder)?;
            }
            let lock = open_lock(&path)?;
            match lock.try_lock() {
                Ok(()) => Ok(Some(lock)),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(io(&path)(error)),
            }
        })
        .await
    }
}
