//! The file with tokens and grants of the admin API, which is read again when it changes.

use std::path::PathBuf;
use std::sync::Arc;

use colonnade_admin::Admin;

use crate::metrics::ReloadMetrics;
use crate::run::certificates::{FileVersion, ReadError, file_version, run_blocking};
use crate::run::settings::log_warnings;

/// The token file of the configuration, if it has one.
pub(super) struct TokenFile {
    admin: Arc<Admin>,
    metrics: ReloadMetrics,
    /// The path and the version of the file that was read last.
    read: Option<(PathBuf, FileVersion)>,
    /// Whether reading the file timed out. Then only SIGHUP reads it again: each attempt would block
    /// one more thread.
    timed_out: bool,
}

impl TokenFile {
    /// Reads nothing: the configuration was read with the file, which the first check reads again.
    pub(super) fn new(admin: Arc<Admin>, metrics: ReloadMetrics) -> Self {
        Self {
            admin,
            metrics,
            read: None,
            timed_out: false,
        }
    }

    /// Reads the file again, also after a timeout, because the configuration was read with it.
    pub(super) async fn reload(&mut self) {
        (self.read, self.timed_out) = (None, false);
        self.reload_if_changed().await;
    }

    /// Reads the file if it changed. A file with problems changes nothing.
    pub(super) async fn reload_if_changed(&mut self) {
        let mut access = self.admin.access();
        let Some(path) = access.token_file.clone() else {
            self.metrics.token_file(true);
            return;
        };
        if self.timed_out {
            return;
        }
        let before = self.read.take();
        let checked = run_blocking(move || {
            let version = file_version(&path);
            let read = Some((path, version));
            if read == before {
                return (read, None);
            }
            // It may have changed after the configuration was read.
            let is_first = before.is_none();
            let outcome = access.read_token_file();
            (read, Some(outcome.map(|notes| (access, notes, is_first))))
        });
        match checked.await {
            Ok((read, outcome)) => {
                self.read = read;
                match outcome {
                    Some(Ok((access, notes, is_first))) => {
                        self.admin.set_access(access);
                        self.metrics.token_file(true);
                        if !is_first {
                            log_warnings(&notes);
                            tracing::info!(event = "token_file_reloaded");
                        }
                    }
                    Some(Err(problems)) => self.failed(&problems.join("; ")),
                    None => {}
                }
            }
            Err(error) => {
                self.timed_out = matches!(error, ReadError::Timeout);
                self.failed(&error.to_string());
            }
        }
    }

    fn failed(&self, error: &str) {
        self.metrics.token_file(false);
        tracing::error!(event = "token_file_reload_failed", error);
    }
}
