//! `[listen.tls]` and `[listen.admin_tls]`: the certificate of a listener.

use std::path::PathBuf;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use serde::Deserialize;

use super::value::path;

/// The PEM files of a certificate and its private key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The certificate chain.
    #[serde(deserialize_with = "path")]
    pub certificate: PathBuf,
    /// The private key.
    #[serde(deserialize_with = "path")]
    pub key: PathBuf,
}

/// Why a certificate cannot be used. The message contains nothing of the private key.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The certificate file cannot be read or parsed.
    #[error("{}: cannot read the certificate: {source}", path.display())]
    Certificate {
        /// The certificate file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The certificate file contains no certificate.
    #[error("{}: contains no certificate", path.display())]
    Empty {
        /// The certificate file.
        path: PathBuf,
    },
    /// The file of the private key cannot be read or parsed.
    #[error("{}: cannot read the private key: {source}", path.display())]
    Key {
        /// The file of the private key.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The private key does not belong to the certificate.
    #[error("{} and {} do not match: {source}", certificate.display(), key.display())]
    Pair {
        /// The certificate file.
        certificate: PathBuf,
        /// The file of the private key.
        key: PathBuf,
        /// How they differ.
        source: rustls::Error,
    },
}

impl Certificate {
    /// Reads both files, and checks that the private key belongs to the certificate.
    pub fn load(&self) -> Result<CertifiedKey, CertificateError> {
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
