//! Reading the configuration and the certificates again while the gateway serves.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::sign::CertifiedKey;
use tokio::signal::unix::Signal;
use tokio::task::JoinError;

use super::StartError;
use crate::admin::Admin;
use crate::config::{Certificate, CertificateError, Config, Written};
use crate::net::{CurrentSettings, Settings, Tls};
use crate::site::Site;

/// How often the certificates' files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// How long files may take to be looked at or read. Those of a disk that is gone never answer.
const READ: Duration = Duration::from_secs(5);

/// What can be told anew.
pub(super) struct Reload {
    /// The configuration file.
    pub(super) path: PathBuf,
    /// What it said when the gateway was started.
    pub(super) written: Written,
    pub(super) admin: Arc<Admin>,
    pub(super) site: Arc<Site>,
    pub(super) site_settings: CurrentSettings,
    pub(super) admin_settings: CurrentSettings,
    pub(super) site_tls: Option<Renewal>,
    pub(super) admin_tls: Option<Renewal>,
}

/// The certificate of a listener, and the files it is from.
pub(super) struct Renewal {
    listener: &'static str,
    files: Certificate,
    tls: Tls,
    seen: Looks,
    /// Its files did not answer in time. They are left alone until SIGHUP: each look would leave one more thread waiting.
    stuck: bool,
}

/// What was to be read has not been.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    #[error("the files did not answer within {} s", READ.as_secs())]
    Late,
    #[error(transparent)]
    Broken(#[from] JoinError),
}

/// What tells a changed file from the one that was read: its number, length, and when anything of it changed.
type Looks = [Option<(u64, u64, i64, i64)>; 2];

impl Reload {
    /// Reloads on SIGHUP, and certificates also when their files change, for as long as the gateway serves.
    pub(super) async fn watch(mut self, mut hangup: Signal) {
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                _ = hangup.recv() => self.reload().await,
                _ = look.tick() => {
                    for renewal in [&mut self.site_tls, &mut self.admin_tls].into_iter().flatten() {
                        renewal.renew_if_changed().await;
                    }
                }
            }
        }
    }

    /// Reads the configuration again. One that cannot be used changes nothing.
    async fn reload(&mut self) {
        let path = self.path.clone();
        let mut config = match aside(move || Config::load(&path)).await {
            Ok(Ok(config)) => config,
            Ok(Err(error)) => {
                tracing::error!(event = "reload_failed", error = %error);
                return;
            }
            Err(error) => {
                tracing::error!(event = "reload_failed", error = %error);
                return;
            }
        };
        self.admin.renew(std::mem::take(&mut config.tokens));
        self.site.limit_sign_ups(config.signup_limits());
        self.site_settings.store(Arc::new(Settings::site(&config)));
        let is_secure = self.admin_tls.is_some();
        self.admin_settings
            .store(Arc::new(Settings::admin(&config, is_secure)));
        for (renewal, files) in [
            (&mut self.site_tls, config.listen.tls),
            (&mut self.admin_tls, config.listen.admin_tls),
        ] {
            if let Some((renewal, files)) = renewal.as_mut().zip(files) {
                renewal.files = files;
                renewal.renew().await;
            }
        }
        let restart = self.written.awaiting_restart(&config.written).join(", ");
        tracing::info!(
            event = "reloaded",
            restart = (!restart.is_empty()).then_some(restart)
        );
    }
}

impl Renewal {
    /// Reads the certificate of a listener for the first time.
    pub(super) async fn load(listener: &'static str, files: Certificate) -> Result<Self, StartError> {
        let read = aside({
            let files = files.clone();
            move || read(&files)
        });
        let (seen, certificate) = read.await.map_err(io::Error::other)?;
        Ok(Self {
            listener,
            files,
            tls: Tls::new(certificate?),
            seen,
            stuck: false,
        })
    }

    /// What the listener speaks.
    pub(super) fn tls(&self) -> Tls {
        self.tls.clone()
    }

    async fn renew_if_changed(&mut self) {
        if self.stuck {
            return;
        }
        let files = self.files.clone();
        match aside(move || looks(&files)).await {
            Ok(looks) if looks == self.seen => {}
            Ok(_) => self.renew().await,
            Err(error) => self.fail(&error),
        }
    }

    /// Reads the files. A certificate that cannot be used leaves the one in use; connections keep theirs either way.
    async fn renew(&mut self) {
        let files = self.files.clone();
        let (seen, certificate) = match aside(move || read(&files)).await {
            Ok(read) => read,
            Err(error) => return self.fail(&error),
        };
        self.stuck = false;
        self.seen = seen;
        match certificate {
            Ok(certificate) => {
                self.tls.renew(certificate);
                tracing::info!(event = "certificate_loaded", listener = self.listener);
            }
            Err(error) => {
                tracing::error!(event = "certificate_failed", listener = self.listener, error = %error);
            }
        }
    }

    fn fail(&mut self, error: &Unread) {
        self.stuck = matches!(error, Unread::Late);
        tracing::error!(event = "certificate_failed", listener = self.listener, error = %error);
    }
}

/// Does something where it holds up nobody: files may be slow, and may never answer.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unread> {
    let working = tokio::task::spawn_blocking(work);
    let outcome = tokio::time::timeout(READ, working).await;
    Ok(outcome.map_err(|_late| Unread::Late)??)
}

/// How the files look, and what is in them. Looked at before they are read: what changes in between is read again.
fn read(files: &Certificate) -> (Looks, Result<CertifiedKey, CertificateError>) {
    (looks(files), files.load())
}

fn looks(files: &Certificate) -> Looks {
    [&files.certificate, &files.key].map(|path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((
            metadata.ino(),
            metadata.len(),
            metadata.ctime(),
            metadata.ctime_nsec(),
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::{Certificate, Renewal, looks};

    #[tokio::test]
    async fn a_certificate_that_changes_while_it_is_read_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Certificate {
            certificate: folder.path().join("certificate"),
            key: folder.path().join("key"),
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["site.example".to_owned()]).expect("a certificate");
        fs::write(&files.certificate, cert.pem()).expect("written");
        // Whoever reads the key from a pipe waits here, and has read the certificate.
        assert!(
            Command::new("mkfifo")
                .arg(&files.key)
                .status()
                .expect("run")
                .success()
        );
        let (renewal, ()) = tokio::join!(Renewal::load("site", files.clone()), async {
            // On the one thread of this test, which is not held up by reading.
            let key = fs::OpenOptions::new().write(true).open(&files.key);
            let mut key = key.expect("opened");
            fs::write(&files.certificate, cert.pem() + "\n").expect("written");
            std::io::Write::write_all(&mut key, signing_key.serialize_pem().as_bytes()).expect("written");
        });
        let renewal = renewal.expect("a certificate");
        assert_ne!(renewal.seen[0], looks(&files)[0]);
    }
}
