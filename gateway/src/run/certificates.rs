//! The certificates of a listener, which are reloaded when their files change.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use colonnade_config::{CertificateError, CertificateFiles, LoadedCertificate};
use colonnade_edge::{NamedCertificate, SharedTls, Tls};
use colonnade_model::event::EventType;
use colonnade_platform::events::EventStream;
use rustls::server::danger::ClientCertVerifier;
use tokio::task::JoinError;

use crate::metrics::ReloadMetrics;
use crate::run::error::StartError;

/// The timeout for checking or reading files. A disk that fails can block forever.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The certificates of a listener.
pub(super) struct ReloadingCertificates {
    listener: &'static str,
    /// The configured certificates. The first is the default certificate.
    files: Vec<CertificateFiles>,
    /// The hosts that the certificates must cover.
    hosts: Vec<String>,
    tls: Tls,
    /// The certificates that `tls` serves, and the hosts at that time.
    current: CurrentCertificates,
    metrics: ReloadMetrics,
    /// The versions of the files that were read last.
    versions: Vec<FileVersions>,
    /// Whether reading the files timed out. Then only SIGHUP reads them again: each attempt would
    /// block one more thread.
    timed_out: bool,
}

/// A certificate that is served.
struct Current {
    files: CertificateFiles,
    certificate: Arc<LoadedCertificate>,
}

/// The certificates that a listener serves, replaced as a whole on reload.
pub(super) type CurrentCertificates = Arc<ArcSwap<Certificates>>;

/// The certificates that a listener serves.
pub(super) struct Certificates {
    listener: &'static str,
    hosts: Vec<String>,
    served: Vec<Current>,
}

impl Certificates {
    /// What visitors miss, if clients reject every certificate.
    pub(super) fn degradation(&self) -> Option<String> {
        let mut certificates = self.served.iter().map(|current| &current.certificate);
        let is_useless = certificates.all(|certificate| !certificate.time_problems().is_empty());
        is_useless.then(|| format!("the {} listener has no valid certificate", self.listener))
    }

    /// The names of the certificates and the hosts that they must cover, and whether clients accept
    /// the certificate for each.
    pub(super) fn names(&self) -> BTreeMap<String, bool> {
        let certificates = || self.served.iter().map(|current| &current.certificate);
        let is_accepted = |name: &String| {
            let mut valid = certificates().filter(|certificate| certificate.time_problems().is_empty());
            valid.any(|certificate| certificate.names.contains(name) || certificate.covers(name))
        };
        let names = certificates().flat_map(|certificate| &certificate.names);
        let names = names.chain(&self.hosts);
        names
            .map(|name| (format!("{name} ({} listener)", self.listener), is_accepted(name)))
            .collect()
    }
}

/// Why files could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("reading the files timed out after {} s", READ_TIMEOUT.as_secs())]
    Timeout,
    #[error(transparent)]
    Panic(#[from] JoinError),
}

/// Inode, length and change time (seconds and nanoseconds) of a file, which differ after a change.
/// `None` is a file without metadata.
pub(super) type FileVersion = Option<(u64, u64, i64, i64)>;

/// The versions of the certificate and the key.
type FileVersions = [FileVersion; 2];

type Loaded = Result<Arc<LoadedCertificate>, CertificateError>;

impl ReloadingCertificates {
    /// Reads the certificates of a listener. `clients` checks those of its clients.
    pub(super) async fn load(
        listener: &'static str,
        settings: &colonnade_config::Tls,
        clients: Option<Arc<dyn ClientCertVerifier>>,
        shared_tls: &SharedTls,
        metrics: &ReloadMetrics,
    ) -> Result<Self, StartError> {
        let files = settings.files();
        let (versions, loaded) = read(files.clone()).await.map_err(io::Error::other)?;
        let mut current = Vec::new();
        for (files, certificate) in files.iter().cloned().zip(loaded) {
            match certificate {
                Ok(certificate) => current.push(Current { files, certificate }),
                // The gateway orders a new certificate.
                Err(error) if settings.is_issued => {
                    let exists = versions != [[None, None]];
                    if exists {
                        tracing::error!(event = "certificate_reload_failed", listener, error = %error);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        let tls = Tls::new(named(&current), listener, clients, shared_tls);
        let current = Certificates {
            listener,
            hosts: settings.hosts.clone(),
            served: current,
        };
        let own = Self {
            listener,
            files,
            hosts: settings.hosts.clone(),
            tls,
            current: Arc::new(ArcSwap::from_pointee(current)),
            metrics: metrics.clone(),
            versions,
            timed_out: false,
        };
        own.report_expiry();
        Ok(own)
    }

    /// The TLS settings of the listener, which follow the reloads.
    pub(super) fn tls(&self) -> Tls {
        self.tls.clone()
    }

    /// The certificates that the listener serves, which follow the reloads.
    pub(super) fn current(&self) -> CurrentCertificates {
        Arc::clone(&self.current)
    }

    /// Replaces the files, and reads them.
    pub(super) async fn set_files(&mut self, settings: &colonnade_config::Tls, events: &EventStream) {
        self.files = settings.files();
        self.hosts.clone_from(&settings.hosts);
        self.reload(events).await;
    }

    /// Replaces what checks the certificates of clients of new connections.
    pub(super) fn set_clients(&self, clients: Option<Arc<dyn ClientCertVerifier>>) {
        self.tls.set_clients(clients);
    }

    /// Reads the files if one of them changed.
    pub(super) async fn reload_if_changed(&mut self, events: &EventStream) {
        if self.timed_out {
            return;
        }
        let files = self.files.clone();
        match run_blocking(move || versions(&files)).await {
            Ok(versions) if versions == self.versions => {}
            Ok(_) => self.reload(events).await,
            Err(error) => self.read_failed(&error, events),
        }
    }

    /// Reads the files. A certificate that is invalid, or that clients of the old one reject, is
    /// rejected; the old one stays. Open connections keep their certificate.
    async fn reload(&mut self, events: &EventStream) {
        let (versions, loaded) = match read(self.files.clone()).await {
            Ok(read) => read,
            Err(error) => return self.read_failed(&error, events),
        };
        self.timed_out = false;
        self.versions = versions;
        let before = self.current.load_full();
        let (mut next, mut reloaded) = (Vec::new(), Vec::new());
        for (index, files) in self.files.iter().enumerate() {
            // The default certificate may move to other files.
            let is_same = |current: &&Current| index == 0 || current.files == *files;
            let current = before.served.iter().find(is_same);
            let current = current.map(|current| &current.certificate);
            let certificate = match self.check(index, &loaded, current) {
                Ok(certificate) => {
                    let is_new = current.is_none_or(|current| current.key.cert != certificate.key.cert);
                    if is_new {
                        reloaded.push(files.certificate.clone());
                    }
                    Some(certificate)
                }
                Err(error) => {
                    self.report_failure(error, events);
                    current
                }
            };
            next.extend(certificate.map(|certificate| Current {
                files: files.clone(),
                certificate: Arc::clone(certificate),
            }));
        }
        self.tls.set_certificates(named(&next));
        self.current.store(Arc::new(Certificates {
            listener: self.listener,
            hosts: self.hosts.clone(),
            served: next,
        }));
        self.report_expiry();
        for path in reloaded {
            let path = path.display();
            tracing::info!(event = "certificate_reloaded", listener = self.listener, certificate = %path);
            events.report(EventType::CertificateRenewed, self.subject(), None);
        }
    }

    /// The certificate that was loaded from the files at `index`, if it can replace `current`.
    fn check<'l>(
        &self,
        index: usize,
        loaded: &'l [Loaded],
        current: Option<&Arc<LoadedCertificate>>,
    ) -> Result<&'l Arc<LoadedCertificate>, String> {
        let certificate = loaded[index].as_ref().map_err(ToString::to_string)?;
        let Some(current) = current else {
            return Ok(certificate);
        };
        let others = || loaded.iter().enumerate().filter(|(other, _)| *other != index);
        let others = || others().filter_map(|(_, other)| other.as_ref().ok());
        let hosts = self.hosts.iter().map(String::as_str);
        let hosts = hosts.filter(|host| !others().any(|other| other.covers(host)));
        let problems = certificate.regressions(current, hosts);
        if problems.is_empty() {
            return Ok(certificate);
        }
        let path = self.files[index].certificate.display();
        Err(format!("{path} {}", problems.join(" and ")))
    }

    fn read_failed(&mut self, error: &ReadError, events: &EventStream) {
        self.timed_out = matches!(error, ReadError::Timeout);
        self.report_failure(error.to_string(), events);
    }

    fn report_failure(&self, error: String, events: &EventStream) {
        tracing::error!(
            event = "certificate_reload_failed",
            listener = self.listener,
            error
        );
        events.report(EventType::CertificateFailing, self.subject(), Some(error));
    }

    /// The subject of events.
    fn subject(&self) -> String {
        format!("{} listener", self.listener)
    }

    /// Reports when the first of the certificates expires.
    fn report_expiry(&self) {
        let current = self.current.load();
        let expiries = current.served.iter().map(|current| current.certificate.not_after);
        self.metrics.certificate(self.listener, expiries.min());
    }
}

/// The certificates with the names they are served for.
fn named(current: &[Current]) -> Vec<NamedCertificate> {
    let named = current
        .iter()
        .map(|Current { certificate, .. }| NamedCertificate {
            key: certificate.key.clone(),
            names: certificate.names.clone(),
        });
    named.collect()
}

/// Runs blocking work on a thread for it, with a timeout.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ReadError> {
    let task = tokio::task::spawn_blocking(work);
    let outcome = tokio::time::timeout(READ_TIMEOUT, task).await;
    Ok(outcome.map_err(|_elapsed| ReadError::Timeout)??)
}

/// The versions of the files and their content. The versions come first: a change in between causes
/// another reload.
async fn read(files: Vec<CertificateFiles>) -> Result<(Vec<FileVersions>, Vec<Loaded>), ReadError> {
    run_blocking(move || {
        let versions = versions(&files);
        let loaded = files.iter().map(|files| files.load().map(Arc::new)).collect();
        (versions, loaded)
    })
    .await
}

/// The version of a file.
pub(super) fn file_version(path: &Path) -> FileVersion {
    let metadata = std::fs::metadata(path).ok()?;
    Some((
        metadata.ino(),
        metadata.len(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}

fn versions(files: &[CertificateFiles]) -> Vec<FileVersions> {
    let versions = files
        .iter()
        .map(|files| [&files.certificate, &files.key].map(|path| file_version(path)));
    versions.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use colonnade_config::Tls;
    use colonnade_edge::TicketKeys;
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::{Arc, Duration, ReloadMetrics, ReloadingCertificates, SharedTls, versions};

    #[tokio::test]
    async fn certificate_changed_while_read_is_reloaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let (certificate, key) = (path("certificate"), path("key"));
        let settings = serde_json::json!({ "certificate": &certificate, "key": &key });
        let settings: Tls = serde_json::from_value(settings).expect("valid settings");
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["site.example".to_owned()]).expect("a certificate");
        fs::write(&certificate, cert.pem()).expect("the certificate is written");
        // A pipe: after reading the certificate, the reader of the key waits for this test.
        let status = Command::new("mkfifo").arg(&key).status();
        assert!(status.expect("mkfifo runs").success());
        let shared = SharedTls {
            ticket_keys: Arc::new(TicketKeys::new(Duration::ZERO)),
            challenges: Arc::default(),
        };
        let metrics = ReloadMetrics::default();
        let (loaded, ()) = tokio::join!(
            ReloadingCertificates::load("site", &settings, None, &shared, &metrics),
            async {
                // Runs on the test's only thread; the files are read on another one.
                let pipe = fs::OpenOptions::new().write(true).open(&key);
                let mut pipe = pipe.expect("the pipe opens");
                fs::write(&certificate, cert.pem() + "\n").expect("the certificate is written");
                std::io::Write::write_all(&mut pipe, signing_key.serialize_pem().as_bytes())
                    .expect("the key is written");
            }
        );
        let loaded = loaded.expect("a valid certificate");
        assert_ne!(loaded.versions[0][0], versions(&settings.files())[0][0]);
    }
}
