//! `[listen.tls]` and `[listen.admin_tls]`: the certificates of a listener.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustls::client::verify_server_name;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use serde::Deserialize;
use x509_parser::prelude::{ASN1Time, FromDer as _, GeneralName, X509Certificate};

use crate::config_file::ConfigFile;
use crate::value::{path, tables};

/// What a certificate must be, in warnings.
const ACCEPTED: &str = "a certificate that is accepted";

/// The PEM files of a certificate and its private key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFiles {
    /// The certificate chain.
    #[serde(deserialize_with = "path")]
    pub certificate: PathBuf,
    /// The private key.
    #[serde(deserialize_with = "path")]
    pub key: PathBuf,
}

/// The certificates of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The chain of the default certificate.
    #[serde(deserialize_with = "path")]
    certificate: PathBuf,
    /// The private key of the default certificate.
    #[serde(deserialize_with = "path")]
    key: PathBuf,
    /// The certificates for other hosts.
    #[serde(default, deserialize_with = "tables")]
    additional_certificates: Vec<CertificateFiles>,
    /// The hosts that the certificates must cover.
    #[serde(skip)]
    pub hosts: Vec<String>,
    /// Whether the gateway gets the certificate itself, so that it may be missing at first.
    #[serde(skip)]
    pub is_issued: bool,
}

/// A certificate with its private key.
#[derive(Debug)]
pub struct LoadedCertificate {
    /// The certificate chain and the private key.
    pub key: CertifiedKey,
    /// The DNS names in the certificate, in lower case. A name may start with the wildcard label
    /// `*`.
    pub names: Vec<String>,
    /// When the certificate becomes valid.
    pub not_before: Timestamp,
    /// When the certificate expires.
    pub not_after: Timestamp,
}

impl LoadedCertificate {
    /// Why clients reject the certificate now, whatever its hosts. Empty if they accept it.
    pub fn time_problems(&self) -> Vec<String> {
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

    /// Why clients that accept `current` now reject this certificate. `hosts` are the hosts that no
    /// other certificate covers. Empty if it can replace `current`.
    ///
    /// A problem of `current` is no reason: a certificate that lacks a host is still renewed.
    pub fn regressions<'h>(&self, current: &Self, hosts: impl Iterator<Item = &'h str>) -> Vec<String> {
        if !current.time_problems().is_empty() {
            return Vec::new();
        }
        let mut problems = self.time_problems();
        let lost = hosts.filter(|host| current.covers(host) && !self.covers(host));
        problems.extend(lost.map(|host| format!("does not cover `{host}`")));
        problems
    }

    /// Whether the certificate covers a host, by the rules that clients apply, or has this wildcard.
    pub fn covers(&self, host: &str) -> bool {
        if host.starts_with("*.") {
            return self.names.iter().any(|name| name == host);
        }
        let own = self.key.end_entity_cert().ok();
        let certificate = own.and_then(|own| ParsedCertificate::try_from(own).ok());
        // A URL has brackets around an IPv6 address.
        let name = ServerName::try_from(host.trim_matches(['[', ']'])).ok();
        certificate
            .zip(name)
            .is_some_and(|(certificate, name)| verify_server_name(&certificate, &name).is_ok())
    }
}

impl Tls {
    /// The certificate that the gateway gets by ACME and stores with its private key in one file.
    pub(crate) fn issued(store: &Path, hosts: Vec<String>) -> Self {
        let file = store.join("acme/certificate.pem");
        Self {
            certificate: file.clone(),
            key: file,
            additional_certificates: Vec::new(),
            hosts,
            is_issued: true,
        }
    }

    /// The files of all certificates. The first is the default certificate.
    pub fn files(&self) -> Vec<CertificateFiles> {
        let first = CertificateFiles {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
        };
        let mut files = vec![first];
        files.extend(self.additional_certificates.iter().cloned());
        files
    }

    /// Makes relative paths start at `folder`, and checks the certificates. `name` is the table's
    /// name in `[listen]`, and `hosts` are the hosts that they must cover.
    pub(crate) fn resolve(
        &mut self,
        name: &str,
        folder: &Path,
        hosts: Vec<String>,
        file: &mut ConfigFile<'_>,
    ) {
        if self.is_issued {
            return;
        }
        self.certificate = folder.join(&self.certificate);
        self.key = folder.join(&self.key);
        for files in &mut self.additional_certificates {
            files.resolve(folder);
        }
        self.hosts = hosts;
        self.check(name, file);
    }

    /// Checks the certificates: that they can be used, and cover all hosts.
    fn check(&self, name: &str, file: &mut ConfigFile<'_>) {
        let table = ["listen", name];
        let (certificate, key) = (["listen", name, "certificate"], ["listen", name, "key"]);
        let additional = ["listen", name, "additional_certificates"];
        let mut loaded = Vec::new();
        for (index, files) in self.files().iter().enumerate() {
            let keys = match index {
                0 => [&table[..], &certificate, &key],
                _ => [&additional[..]; 3],
            };
            loaded.extend(files.check(keys, file));
        }
        // A certificate that cannot be read may cover the host.
        if loaded.len() <= self.additional_certificates.len() {
            return;
        }
        let is_covered = |host: &str| loaded.iter().any(|loaded| loaded.covers(host));
        for host in self.hosts.iter().filter(|host| !is_covered(host)) {
            let wrong = format!("{} does not cover `{host}`", self.certificate.display());
            file.warning(&certificate, &wrong, ACCEPTED);
        }
    }
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

impl CertificateFiles {
    /// Makes relative paths start at `folder`.
    pub(crate) fn resolve(&mut self, folder: &Path) {
        self.certificate = folder.join(&self.certificate);
        self.key = folder.join(&self.key);
    }

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
        let (names, [not_before, not_after]) = contents(own).ok_or_else(|| CertificateError::Invalid {
            path: self.certificate.clone(),
        })?;
        let key = self.load_key()?;
        let key = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider()).map_err(|source| {
            CertificateError::Pair {
                certificate: self.certificate.clone(),
                key: self.key.clone(),
                source,
            }
        })?;
        Ok(LoadedCertificate {
            key,
            names,
            not_before,
            not_after,
        })
    }

    fn load_key(&self) -> Result<PrivateKeyDer<'static>, CertificateError> {
        PrivateKeyDer::from_pem_file(&self.key).map_err(|source| CertificateError::Key {
            path: self.key.clone(),
            source,
        })
    }

    /// Loads the certificate, and reports what is wrong with it. The keys of the configuration are
    /// those of the table, the certificate and the private key.
    pub(crate) fn check(
        &self,
        [table, certificate, key]: [&[&str]; 3],
        file: &mut ConfigFile<'_>,
    ) -> Option<LoadedCertificate> {
        if self.is_key_world_readable() {
            let wrong = format!("every user can read {}", self.key.display());
            let expected = "a file that only its owner or group can read (chmod o-r)";
            file.warning(key, &wrong, expected);
        }
        let loaded = match self.load() {
            Ok(loaded) => loaded,
            Err(error) => {
                // Of the first file that is invalid.
                let of_key = self.load_key().err().map(|error| error.to_string());
                let of_key = of_key.filter(|text| *text != error.to_string());
                for wrong in [Some(error.to_string()), of_key].into_iter().flatten() {
                    let expected = "PEM files of a certificate chain and its private key";
                    file.problem(table, &wrong, expected);
                }
                return None;
            }
        };
        for problem in loaded.time_problems() {
            let wrong = format!("{} {problem}", self.certificate.display());
            file.warning(certificate, &wrong, ACCEPTED);
        }
        Some(loaded)
    }

    /// Whether every user of the machine can read the private key.
    fn is_key_world_readable(&self) -> bool {
        let metadata = std::fs::metadata(&self.key);
        metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o004 != 0)
    }
}

/// The DNS names in a certificate, when it becomes valid, and when it expires.
fn contents(certificate: &CertificateDer<'_>) -> Option<(Vec<String>, [Timestamp; 2])> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let names = certificate.subject_alternative_name().ok()?;
    let names = names.iter().flat_map(|names| &names.value.general_names);
    let names = names.filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    let names = names.collect();
    let validity = certificate.validity();
    let second = |time: ASN1Time| Timestamp::from_second(time.timestamp()).ok();
    Some((names, [second(validity.not_before)?, second(validity.not_after)?]))
}
