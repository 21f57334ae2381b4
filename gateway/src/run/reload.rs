//! Reloads the configuration and the certificates while the gateway serves.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use colonnade_admin::Admin;
use colonnade_config::{Certificate, CertificateError, Config, LoadedCertificate, RestartSettings};
use colonnade_edge::{CurrentSettings, Tls};
use colonnade_site::Site;
use tokio::signal::unix::Signal;
use tokio::task::JoinError;

use super::{StartError, service_manager, settings};
use crate::metrics::ReloadMetrics;

/// How often the certificate files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The timeout for checking or reading files. A disk that fails can block forever.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The parts whose settings can be reloaded.
pub(super) struct Reload {
    /// The configuration file.
    pub(super) path: PathBuf,
    /// The settings that the gateway was started with.
    pub(super) restart_settings: RestartSettings,
    pub(super) admin: Arc<Admin>,
    pub(super) site: Arc<Site>,
    pub(super) site_settings: CurrentSettings,
    pub(super) admin_settings: CurrentSettings,
    pub(super) site_tls: Option<ReloadingCertificate>,
    pub(super) admin_tls: Option<ReloadingCertificate>,
    pub(super) metrics: ReloadMetrics,
}

/// The certificate of a listener, which is reloaded when its files change.
pub(super) struct ReloadingCertificate {
    listener: &'static str,
    files: Certificate,
    tls: Tls,
    /// The certificate that `tls` serves.
    current: LoadedCertificate,
    metrics: ReloadMetrics,
    /// The version of the files that was read last.
    version: FileVersions,
    /// Whether reading the files timed out. Then only SIGHUP reads them again: each attempt would block one more thread.
    timed_out: bool,
}

/// Why files could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("reading the files timed out after {} s", READ_TIMEOUT.as_secs())]
    Timeout,
    #[error(transparent)]
    Panic(#[from] JoinError),
}

/// Inode, length and change time (seconds and nanoseconds) of the certificate and the key, which differ after a change.
/// `None` is a file without metadata.
type FileVersions = [Option<(u64, u64, i64, i64)>; 2];

impl Reload {
    /// Reloads the configuration on SIGHUP, and certificates also when their files change. Never returns.
    pub(super) async fn run(mut self, mut hangup: Signal) {
        let mut check = tokio::time::interval(CHECK_INTERVAL);
        loop {
            tokio::select! {
                _ = hangup.recv() => {
                    service_manager::reloading().await;
                    self.reload().await;
                    service_manager::ready().await;
                }
                _ = check.tick() => {
                    for certificate in [&mut self.site_tls, &mut self.admin_tls].into_iter().flatten() {
                        certificate.reload_if_changed().await;
                    }
                }
            }
        }
    }

    /// Reads the configuration again. An invalid configuration changes nothing.
    async fn reload(&mut self) {
        let path = self.path.clone();
        let loaded = match run_blocking(move || Config::load(&path)).await {
            Ok(loaded) => loaded.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let mut config = match loaded {
            Ok(config) => config,
            Err(error) => {
                self.metrics.failed();
                tracing::error!(event = "config_reload_failed", error);
                return;
            }
        };
        self.admin.set_tokens(std::mem::take(&mut config.admin.tokens));
        self.site.set_signup_limits(config.signup_limits());
        self.site_settings.store(Arc::new(settings::site(&config)));
        let is_secure = self.admin_tls.is_some();
        self.admin_settings
            .store(Arc::new(settings::admin(&config, is_secure)));
        for (certificate, files) in [
            (&mut self.site_tls, config.listen.tls),
            (&mut self.admin_tls, config.listen.admin_tls),
        ] {
            if let Some((certificate, files)) = certificate.as_mut().zip(files) {
                certificate.files = files;
                certificate.reload().await;
            }
        }
        self.metrics.succeeded();
        log_warnings(&config.warnings);
        let changed = self.restart_settings.restart_required(&config.restart_settings);
        tracing::info!(
            event = "config_reloaded",
            restart_required = (!changed.is_empty()).then(|| changed.join(", "))
        );
    }
}

impl ReloadingCertificate {
    /// Reads the certificate of a listener.
    pub(super) async fn load(
        listener: &'static str,
        files: Certificate,
        metrics: &ReloadMetrics,
    ) -> Result<Self, StartError> {
        let read = run_blocking({
            let files = files.clone();
            move || read(&files)
        });
        let (version, certificate) = read.await.map_err(io::Error::other)?;
        let current = certificate?;
        metrics.certificate(listener, current.not_after);
        Ok(Self {
            listener,
            files,
            tls: Tls::new(current.key.clone()),
            current,
            metrics: metrics.clone(),
            version,
            timed_out: false,
        })
    }

    /// The TLS settings of the listener, which follow the reloads.
    pub(super) fn tls(&self) -> Tls {
        self.tls.clone()
    }

    async fn reload_if_changed(&mut self) {
        if self.timed_out {
            return;
        }
        let files = self.files.clone();
        match run_blocking(move || versions(&files)).await {
            Ok(version) if version == self.version => {}
            Ok(_) => self.reload().await,
            Err(error) => self.fail(&error),
        }
    }

    /// Reads the files. A certificate that is invalid, or that clients of the old one reject, is rejected; the old one stays.
    /// Open connections keep their certificate.
    async fn reload(&mut self) {
        let files = self.files.clone();
        let (version, certificate) = match run_blocking(move || read(&files)).await {
            Ok(read) => read,
            Err(error) => return self.fail(&error),
        };
        self.timed_out = false;
        self.version = version;
        match certificate {
            Ok(certificate) => {
                let problems = certificate.regressions(&self.current);
                if !problems.is_empty() {
                    let path = self.files.certificate.display();
                    let error = format!("{path} {}", problems.join(" and "));
                    tracing::error!(
                        event = "certificate_reload_failed",
                        listener = self.listener,
                        error
                    );
                    return;
                }
                self.tls.set_certificate(certificate.key.clone());
                self.metrics.certificate(self.listener, certificate.not_after);
                self.current = certificate;
                tracing::info!(event = "certificate_reloaded", listener = self.listener);
            }
            Err(error) => {
                tracing::error!(event = "certificate_reload_failed", listener = self.listener, error = %error);
            }
        }
    }

    fn fail(&mut self, error: &ReadError) {
        self.timed_out = matches!(error, ReadError::Timeout);
        tracing::error!(event = "certificate_reload_failed", listener = self.listener, error = %error);
    }
}

/// Logs the warnings about a configuration.
pub(super) fn log_warnings(warnings: &[String]) {
    for warning in warnings {
        tracing::warn!(event = "config_warning", warning);
    }
}

/// Runs blocking work on a thread for it, with a timeout.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ReadError> {
    let task = tokio::task::spawn_blocking(work);
    let outcome = tokio::time::timeout(READ_TIMEOUT, task).await;
    Ok(outcome.map_err(|_elapsed| ReadError::Timeout)??)
}

/// The versions of the files and their content. The versions come first: a change in between causes another reload.
fn read(files: &Certificate) -> (FileVersions, Result<LoadedCertificate, CertificateError>) {
    (versions(files), files.load())
}

fn versions(files: &Certificate) -> FileVersions {
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
    use std::path::Path;
    use std::process::Command;

    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::{Certificate, Config, ReloadMetrics, ReloadingCertificate, settings, versions};

    /// The committed configuration with all of its documented keys, but without certificates: SIGHUP reloads these files.
    fn documented_config() -> String {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../site.toml"));
        let mut table = "";
        let mut lines = Vec::new();
        let text = text.expect("site.toml is readable");
        for line in text.lines() {
            let setting = line.trim_start_matches("# ");
            let is_table = setting.starts_with('[');
            if is_table {
                table = setting;
            }
            let is_key = setting.split(' ').nth(1) == Some("=");
            if (is_table || is_key) && !table.ends_with("tls]") {
                lines.push(setting);
            }
        }
        // A second partner that `fallback_partner` may name.
        lines.extend([
            "[partners.examplx]",
            "name = \"Other\"",
            "url = \"https://other.example\"",
        ]);
        let text = lines
            .join("\n")
            .replace("<64 hexadecimal digits>", &"0".repeat(64));
        text.replace("{ env = \"SIGNUP_BACKEND_KEY\" }", "{ file = \"key\" }")
    }

    /// Another valid value: the next smaller number, the opposite of a boolean, or the last letter or digit replaced.
    fn changed(value: &str) -> String {
        if let Ok(number) = value.parse::<u64>() {
            return (number - 1).to_string();
        }
        match value {
            "true" => return "false".to_owned(),
            "false" => return "true".to_owned(),
            "\"/\"" => return "\"/x\"".to_owned(),
            "[\"*\"]" => return "[\"legal\"]".to_owned(),
            _ if value.starts_with("[\"publish\"") => return "[\"publish\"]".to_owned(),
            _ => {}
        }
        let last = value.rfind(|char: char| char.is_ascii_alphanumeric());
        let last = last.expect("a letter or a digit");
        let other = match &value[last..=last] {
            "1" => "2",
            digit if digit.parse::<u8>().is_ok() => "1",
            _ => "x",
        };
        [&value[..last], other, &value[last + 1..]].concat()
    }

    /// The settings that [`super::Reload::reload`] applies.
    fn applied(config: &Config) -> String {
        let listeners = (settings::site(config), settings::admin(config, true));
        format!(
            "{listeners:?} {:?} {:?}",
            config.signup_limits(),
            config.admin.tokens
        )
    }

    #[test]
    fn documented_key_is_either_reloaded_or_needs_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["key", "kex"] {
            fs::write(folder.path().join(name), "the-key").expect("the key is written");
        }
        let parse =
            |text: &str| Config::parse("site.toml", text, folder.path()).expect("a valid configuration");
        let text = documented_config();
        let before = parse(&text);
        let lines: Vec<&str> = text.lines().collect();
        let mut reloaded = 0;
        for (index, line) in lines.iter().enumerate() {
            let Some((key, value)) = line.split_once(" = ") else {
                continue;
            };
            let line_after = format!("{key} = {}", changed(value));
            let text = [&lines[..index], &[line_after.as_str()], &lines[index + 1..]]
                .concat()
                .join("\n");
            let after = parse(&text);
            let restart_required = before.restart_settings.restart_required(&after.restart_settings);
            let is_reloaded = applied(&before) != applied(&after);
            assert_eq!(
                is_reloaded,
                restart_required.is_empty(),
                "{line_after}: {restart_required:?}"
            );
            reloaded += usize::from(is_reloaded);
        }
        // All of [limits], four keys of [listen], five of a token and five of [signup].
        assert_eq!(reloaded, 19 + 4 + 5 + 5);
    }

    #[tokio::test]
    async fn certificate_changed_while_read_is_reloaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Certificate {
            certificate: folder.path().join("certificate"),
            key: folder.path().join("key"),
            hosts: Vec::new(),
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["site.example".to_owned()]).expect("a certificate");
        fs::write(&files.certificate, cert.pem()).expect("the certificate is written");
        // A pipe: after reading the certificate, the reader of the key waits for this test.
        let status = Command::new("mkfifo").arg(&files.key).status();
        assert!(status.expect("mkfifo runs").success());
        let metrics = ReloadMetrics::default();
        let (certificate, ()) = tokio::join!(
            ReloadingCertificate::load("site", files.clone(), &metrics),
            async {
                // Runs on the test's only thread; the files are read on another one.
                let key = fs::OpenOptions::new().write(true).open(&files.key);
                let mut key = key.expect("the pipe opens");
                fs::write(&files.certificate, cert.pem() + "\n").expect("the certificate is written");
                std::io::Write::write_all(&mut key, signing_key.serialize_pem().as_bytes())
                    .expect("the key is written");
            }
        );
        let certificate = certificate.expect("a valid certificate");
        assert_ne!(certificate.version[0], versions(&files)[0]);
    }
}
