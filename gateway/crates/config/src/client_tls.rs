//! How the gateway verifies a server that it calls over TLS, and identifies itself to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use hyper_rustls::ConfigBuilderExt as _;
use rustls::client::ResolvesClientCert;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, SignatureScheme};

use crate::certificate::{CertificateError, CertificateFiles};
use crate::config_file::ConfigFile;

/// The TLS settings of a client. By default it trusts the roots of the system, and has no
/// certificate.
#[derive(Debug, Clone, Default)]
pub struct ClientTls(Option<Arc<ClientConfig>>);

/// A certificate that is read again when its files change, because those of a cluster are valid for
/// hours.
#[derive(Debug)]
struct ClientCertificate {
    files: CertificateFiles,
    current: ArcSwap<Current>,
}

#[derive(Debug)]
struct Current {
    certificate: Arc<CertifiedKey>,
    modified: [Option<SystemTime>; 2],
}

impl ClientTls {
    /// Loads the files, and reports what is wrong with them. `keys` are the paths of the keys that
    /// name them, and relative paths start at `folder`.
    pub(crate) fn load(
        keys: [&[&str]; 2],
        root: Option<&PathBuf>,
        certificate: Option<&CertificateFiles>,
        folder: &Path,
        file: &mut ConfigFile<'_>,
    ) -> Self {
        let [root_key, certificate_key] = keys;
        let roots = root.and_then(|path| {
            let loaded = load_roots(folder.join(path)).inspect_err(|error| {
                file.problem(root_key, &error.to_string(), "a PEM file of root certificates");
            });
            loaded.ok()
        });
        let certificate = certificate.and_then(|files| {
            let mut files = files.clone();
            files.resolve(folder);
            ClientCertificate::load(files, certificate_key, file)
        });
        if roots.is_none() && certificate.is_none() {
            return Self(None);
        }
        let config = config(roots, certificate.map(Arc::new)).inspect_err(|error| {
            let expected = "a system with root certificates, or one of its own";
            file.problem(certificate_key, &error.to_string(), expected);
        });
        Self(config.ok().map(Arc::new))
    }

    /// The settings, if they are not the default.
    pub fn own(&self) -> Option<Arc<ClientConfig>> {
        self.0.clone()
    }

    /// The settings of the client.
    ///
    /// # Errors
    /// If the root certificates of the system cannot be loaded.
    pub fn config(&self) -> Result<ClientConfig, rustls::Error> {
        match &self.0 {
            Some(config) => Ok(ClientConfig::clone(config)),
            None => config(None, None),
        }
    }
}

impl ClientCertificate {
    fn load(files: CertificateFiles, key: &[&str], file: &mut ConfigFile<'_>) -> Option<Self> {
        let modified = modified(&files);
        let keys = ["certificate", "key"].map(|inner| [key, &[inner]].concat());
        let loaded = files.check([key, &keys[0], &keys[1]], file)?;
        let certificate = Arc::new(loaded.key);
        let current = ArcSwap::from_pointee(Current {
            certificate,
            modified,
        });
        Some(Self { files, current })
    }
}

/// The settings with these roots in place of those of the system, and with this certificate.
fn config(
    roots: Option<RootCertStore>,
    certificate: Option<Arc<ClientCertificate>>,
) -> Result<ClientConfig, rustls::Error> {
    let trust = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?;
    let trust = match roots {
        Some(roots) => trust.with_root_certificates(roots),
        None => trust.try_with_platform_verifier()?,
    };
    Ok(match certificate {
        Some(certificate) => trust.with_client_cert_resolver(certificate),
        None => trust.with_no_client_auth(),
    })
}

impl ResolvesClientCert for ClientCertificate {
    fn resolve(&self, _issuers: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        let modified = modified(&self.files);
        // Of a pair that is just being written, the old one stays until the next connection.
        if modified != self.current.load().modified
            && let Ok(loaded) = self.files.load()
        {
            let certificate = Arc::new(loaded.key);
            self.current.store(Arc::new(Current {
                certificate,
                modified,
            }));
        }
        Some(Arc::clone(&self.current.load().certificate))
    }

    fn has_certs(&self) -> bool {
        true
    }
}

/// When the files were last modified; `None` if they cannot be read.
fn modified(files: &CertificateFiles) -> [Option<SystemTime>; 2] {
    [&files.certificate, &files.key].map(|path| std::fs::metadata(path).ok()?.modified().ok())
}

pub(crate) fn load_roots(path: PathBuf) -> Result<RootCertStore, CertificateError> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(&path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match certificates {
        Err(source) => return Err(CertificateError::Certificate { path, source }),
        Ok(certificates) if certificates.is_empty() => return Err(CertificateError::Empty { path }),
        Ok(certificates) => {
            for certificate in certificates {
                if roots.add(certificate).is_err() {
                    return Err(CertificateError::Invalid { path });
                }
            }
        }
    }
    Ok(roots)
}
