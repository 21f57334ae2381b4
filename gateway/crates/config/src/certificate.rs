//! `[listen.tls]` and `[listen.admin_tls]`: the certificate of a listener.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use jiff::Timestamp;
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use serde::Deserialize;
use x509_parser::prelude::{ASN1Time, FromDer as _, X509Certificate};

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
    /// The hosts that the certificate must cover.
    #[serde(skip)]
    pub hosts: Vec<String>,
}

/// A certificate with its private key.
#[derive(Debug)]
pub struct LoadedCertificate {
    /// The certificate chain and the private key.
    pub key: CertifiedKey,
    /// When the certificate becomes valid.
    pub not_before: Timestamp,
    /// When the certificate expires.
    pub not_after: Timestamp,
    /// The hosts that it must cover, and does not.
    missing_hosts: Vec<String>,
}

impl LoadedCertificate {
    /// Why clients reject the certificate now. Empty if they accept it.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.time_problems();
        problems.extend(self.missing_hosts.iter().map(|host| does_not_cover(host)));
        problems
    }

    /// Why clients that accept `current` now reject this certificate. Empty if it can replace `current`.
    ///
    /// What is wrong with `current`, too, is no reason: a certificate that lacks a host is still renewed.
    pub fn regressions(&self, current: &Self) -> Vec<String> {
        if !current.time_problems().is_empty() {
            return Vec::new();
        }
        let mut problems = self.time_problems();
        let lost = self.missing_hosts.iter().filter(|host| current.covers(host));
        problems.extend(lost.map(|host| does_not_cover(host)));
        problems
    }

    fn covers(&self, host: &String) -> bool {
        let own = self.key.end_entity_cert().ok();
        let missing = own.and_then(|own| missing_hosts(own, std::slice::from_ref(host)));
        missing.is_some_and(|missing| missing.is_empty())
    }

    fn time_problems(&self) -> Vec<String> {
        let now = colonnade_clock::now();
        let mut problems = Vec::new();
        if self.not_after <= now {
            problems.push(format!("expired at {}", self.not_after));
        }
        if self.not_before > now {
            problems.push(format!("is not valid before {}", self.not_before));
        }
        problems
    }
}

fn does_not_cover(host: &str) -> String {
    format!("does not cover `{host}`")
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
    /// The certificate file contains something that is not an X.509 certificate.
    #[error("{}: contains an invalid certificate", path.display())]
    Invalid {
        /// The certificate file.
        path: PathBuf,
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
    pub fn load(&self) -> Result<LoadedCertificate, CertificateError> {
        let failed = |source| CertificateError::Certificate {
            path: self.certificate.clone(),
            source,
        };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(&self.certificate)
            .map_err(failed)?
            .collect();
        let chain = chain.map_err(failed)?;
        let Some(own) = chain.first() else {
            return Err(CertificateError::Empty {
                path: self.certificate.clone(),
            });
        };
        let invalid = || CertificateError::Invalid {
            path: self.certificate.clone(),
        };
        let [not_before, not_after] = validity(own).ok_or_else(invalid)?;
        let missing_hosts = missing_hosts(own, &self.hosts).ok_or_else(invalid)?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|source| CertificateError::Key {
            path: self.key.clone(),
            source,
        })?;
        let key = CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|source| {
            CertificateError::Pair {
                certificate: self.certificate.clone(),
                key: self.key.clone(),
                source,
            }
        })?;
        Ok(LoadedCertificate {
            key,
            not_before,
            not_after,
            missing_hosts,
        })
    }

    /// Whether every user of the machine can read the private key.
    pub(crate) fn is_key_world_readable(&self) -> bool {
        let metadata = std::fs::metadata(&self.key);
        metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o004 != 0)
    }
}

/// When a certificate becomes valid, and when it expires.
fn validity(certificate: &CertificateDer<'_>) -> Option<[Timestamp; 2]> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let validity = certificate.validity();
    let second = |time: ASN1Time| Timestamp::from_second(time.timestamp()).ok();
    Some([second(validity.not_before)?, second(validity.not_after)?])
}

/// The hosts that a certificate does not cover, by the rules that clients apply.
fn missing_hosts(certificate: &CertificateDer<'_>, hosts: &[String]) -> Option<Vec<String>> {
    let certificate = ParsedCertificate::try_from(certificate).ok()?;
    let is_covered = |host: &str| {
        // A URL has brackets around an IPv6 address.
        let name = ServerName::try_from(host.trim_matches(['[', ']']));
        name.is_ok_and(|name| verify_server_name(&certificate, &name).is_ok())
    };
    let missing = hosts.iter().filter(|host| !is_covered(host));
    Some(missing.cloned().collect())
}
