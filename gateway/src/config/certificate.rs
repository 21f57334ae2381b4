//! `[listen.tls]` and `[listen.admin_tls]`: where a listener's certificate is.

use std::path::{Path, PathBuf};

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::reader::{Table, path};

/// The files of a certificate and its key, both PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// The certificate, and those that lead from it to a root.
    pub(crate) certificate: PathBuf,
    /// Its private key.
    pub(crate) key: PathBuf,
}

/// Why a certificate cannot be used. Nothing of a key is in the words.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CertificateError {
    #[error("{}: no certificate can be read: {source}", path.display())]
    Certificate { path: PathBuf, source: pem::Error },
    #[error("{}: there is no certificate in it", path.display())]
    Empty { path: PathBuf },
    #[error("{}: no private key can be read: {source}", path.display())]
    Key { path: PathBuf, source: pem::Error },
    #[error("{} and {} do not go together: {source}", certificate.display(), key.display())]
    Pair {
        certificate: PathBuf,
        key: PathBuf,
        source: rustls::Error,
    },
}

impl Certificate {
    /// Reads both files, and checks that one belongs to the other.
    pub(crate) fn load(&self) -> Result<CertifiedKey, CertificateError> {
        let failed = |source| CertificateError::Certificate {
            path: self.certificate.clone(),
            source,
        };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(&self.certificate)
            .map_err(failed)?
            .collect();
        let chain = chain.map_err(failed)?;
        if chain.is_empty() {
            return Err(CertificateError::Empty {
                path: self.certificate.clone(),
            });
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|source| CertificateError::Key {
            path: self.key.clone(),
            source,
        })?;
        CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|source| {
            CertificateError::Pair {
                certificate: self.certificate.clone(),
                key: self.key.clone(),
                source,
            }
        })
    }
}

/// Reads such a table; relative paths start from `folder`.
pub(super) fn read(mut table: Table<'_>, folder: &Path) -> Option<Certificate> {
    let certificate = table.required("certificate", "the path of a PEM file", path);
    let key = table.required("key", "the path of a PEM file", path);
    let files = certificate.zip(key).map(|(certificate, key)| Certificate {
        certificate: folder.join(certificate),
        key: folder.join(key),
    });
    let usable = files.filter(|files| match files.load() {
        Ok(_) => true,
        Err(error) => {
            table.refuse_whole(&error.to_string(), "a certificate and its private key, both PEM");
            false
        }
    });
    table.finish();
    usable
}
