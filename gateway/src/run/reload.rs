//! Reading the configuration and the certificates again while the gateway serves.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::signal::unix::Signal;

use crate::admin::Admin;
use crate::config::{Certificate, Config};
use crate::net::{CurrentSettings, Settings, Tls};

/// How often the certificates' files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// What can be told anew.
pub(super) struct Reload {
    /// The configuration file.
    pub(super) path: PathBuf,
    pub(super) admin: Arc<Admin>,
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
}

/// What tells a changed file from the one that was read.
type Looks = [Option<(SystemTime, u64)>; 2];

impl Reload {
    /// Reloads on SIGHUP, and certificates also when their files change, for as long as the gateway serves.
    pub(super) async fn watch(mut self, mut hangup: Signal) {
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                _ = hangup.recv() => self.reload(),
                _ = look.tick() => {
                    let renewals = [&mut self.site_tls, &mut self.admin_tls];
                    renewals.into_iter().flatten().for_each(Renewal::renew_if_changed);
                }
            }
        }
    }

    /// Reads the configuration again. One that cannot be used changes nothing.
    fn reload(&mut self) {
        let mut config = match Config::load(&self.path) {
            Ok(config) => config,
            Err(error) => {
                tracing::error!(event = "reload_failed", error = %error);
                return;
            }
        };
        self.admin.renew(std::mem::take(&mut config.tokens));
        self.site_settings.store(Arc::new(Settings::site(&config)));
        self.admin_settings.store(Arc::new(Settings::admin(&config)));
        for (renewal, files) in [
            (&mut self.site_tls, config.listen.tls),
            (&mut self.admin_tls, config.listen.admin_tls),
        ] {
            if let Some((renewal, files)) = renewal.as_mut().zip(files) {
                renewal.files = files;
                renewal.renew();
            }
        }
        tracing::info!(event = "reloaded");
    }
}

impl Renewal {
    /// The certificate in use, and where it came from.
    pub(super) fn new(listener: &'static str, files: Certificate, tls: Tls) -> Self {
        let seen = looks(&files);
        Self {
            listener,
            files,
            tls,
            seen,
        }
    }

    fn renew_if_changed(&mut self) {
        if looks(&self.files) != self.seen {
            self.renew();
        }
    }

    /// Reads the files. A certificate that cannot be used leaves the one in use; connections keep theirs either way.
    fn renew(&mut self) {
        // Looked at before they are read: what changes in between is read again.
        self.seen = looks(&self.files);
        match self.files.load() {
            Ok(certificate) => {
                self.tls.renew(certificate);
                tracing::info!(event = "certificate_loaded", listener = self.listener);
            }
            Err(error) => {
                tracing::error!(event = "certificate_failed", listener = self.listener, error = %error);
            }
        }
    }
}

fn looks(files: &Certificate) -> Looks {
    [&files.certificate, &files.key].map(|path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}
