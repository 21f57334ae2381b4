//! Reloads the configuration and the certificates while the gateway serves.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use colonnade_admin::Admin;
use colonnade_config::{Config, RestartSettings};
use colonnade_platform::events::EventStream;
use colonnade_site::Site;
use tokio::signal::unix::Signal;

use crate::metrics::ReloadMetrics;
use crate::run::certificates::{ReloadingCertificates, run_blocking};
use crate::run::service_manager;
use crate::run::settings::{CurrentListenerSettings, log_warnings};
use crate::run::token_file::TokenFile;

/// How often the certificate files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The parts whose settings can be reloaded.
pub(super) struct Reload {
    /// The configuration file.
    pub(super) path: PathBuf,
    /// The settings that the gateway was started with.
    pub(super) restart_settings: RestartSettings,
    pub(super) admin: Arc<Admin>,
    pub(super) site: Arc<Site>,
    pub(super) settings: CurrentListenerSettings,
    pub(super) site_tls: Option<ReloadingCertificates>,
    pub(super) admin_tls: Option<ReloadingCertificates>,
    pub(super) token_file: TokenFile,
    pub(super) events: EventStream,
    pub(super) metrics: ReloadMetrics,
}

impl Reload {
    /// Reloads the configuration on SIGHUP, and certificates also when their files change. Never
    /// returns.
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
                    for certificates in [&mut self.site_tls, &mut self.admin_tls].into_iter().flatten() {
                        certificates.reload_if_changed(&self.events).await;
                    }
                    self.token_file.reload_if_changed().await;
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
        self.admin.reload(&mut config);
        self.site.reload(&config).await;
        self.settings.replace(&config);
        if let Some(certificates) = &self.admin_tls {
            certificates.set_clients(config.listen.admin_client_verifier.clone());
        }
        for (certificates, settings) in [
            (&mut self.site_tls, &config.listen.tls),
            (&mut self.admin_tls, &config.listen.admin_tls),
        ] {
            if let Some((certificates, settings)) = certificates.as_mut().zip(settings.as_ref()) {
                certificates.set_files(settings, &self.events).await;
            }
        }
        self.metrics.succeeded();
        self.token_file.reload().await;
        log_warnings(&config.warnings);
        let changed = self.restart_settings.restart_required(&config.restart_settings);
        tracing::info!(
            event = "config_reloaded",
            restart_required = (!changed.is_empty()).then(|| changed.join(", "))
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use colonnade_site::document::SiteView;

    use super::super::settings;
    use super::Config;

    /// The committed configuration with all of its documented keys, but without certificates:
    /// SIGHUP reloads these files.
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
            // Certificates of clients need a certificate of the listener.
            let is_key = setting.split(' ').nth(1) == Some("=") && !setting.starts_with("admin_client_");
            if (is_table || is_key) && !["tls", "acme"].iter().any(|name| table.contains(name)) {
                lines.push(setting);
            }
        }
        let text = lines
            .join("\n")
            .replace("<64 hexadecimal digits>", &"0".repeat(64));
        // Each secret of the environment is in a file.
        let mut parts = text.split("{ env = \"");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            let (_, rest) = part.split_once("\" }").expect("the end of the secret");
            text + "{ file = \"key\" }" + rest
        })
    }

    /// Another valid value: the next smaller number, the opposite of a boolean, or the last letter
    /// or digit replaced.
    fn changed(value: &str) -> String {
        if let Ok(number) = value.parse::<u64>() {
            return (number - 1).to_string();
        }
        match value {
            "true" => return "false".to_owned(),
            "false" => return "true".to_owned(),
            "\"/\"" => return "\"/x\"".to_owned(),
            "\"all\"" => return "\"none\"".to_owned(),
            "\"enforce\"" => return "\"report\"".to_owned(),
            "\"http\"" => return "\"grpc\"".to_owned(),
            "[\"traces\"]" => return "[\"logs\"]".to_owned(),
            "[\"*\"]" => return "[\"legal\"]".to_owned(),
            _ if value.starts_with("[\"publish\"") => return "[\"publish\"]".to_owned(),
            _ if value.starts_with("[\"release.") => return "[\"release.published\"]".to_owned(),
            _ if value.starts_with("[\"GET\"") => return "[\"GET\"]".to_owned(),
            _ if value.starts_with("[\"fullscreen\"") => return "[\"fullscreen\"]".to_owned(),
            _ if value.starts_with("[\"RS256\"") => return "[\"RS256\"]".to_owned(),
            // Steps.
            _ if value.ends_with(" 100%\"") => return "\"1% for 1m, 100%\"".to_owned(),
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

    /// The settings that [`super::Reload::reload`] applies to a gateway that was started with others.
    fn applied(started: &SiteView, config: &Config) -> String {
        let listeners = (settings::site(config, true), settings::admin(config, true));
        let site = started.reloaded(config);
        let values = site.values();
        format!(
            "{listeners:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            values.site,
            values.navigation,
            values.configs,
            values.policy,
            config.extension_points,
            config.budget,
            config.integrations.limits(),
            config.admin
        )
    }

    #[test]
    fn documented_key_is_either_reloaded_or_needs_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["key", "kex"] {
            let secret = "whsec_thekeythekeythekeythekeythekeyth";
            fs::write(folder.path().join(name), secret).expect("the key is written");
        }
        for name in ["tokens.toml", "tokens.tomx"] {
            fs::write(folder.path().join(name), "").expect("the tokens are written");
        }
        // Certificates that the gateway shows, and roots that it trusts.
        let pair = rcgen::generate_simple_self_signed(["client".to_owned()]).expect("a certificate");
        let (certificate, key) = (pair.cert.pem(), pair.signing_key.serialize_pem());
        for (name, text) in [
            ("certificate", &certificate),
            ("key", &key),
            ("root", &certificate),
        ] {
            for end in ["pem", "pex"] {
                let path = folder.path().join(format!("{name}.{end}"));
                fs::write(path, text).expect("the file is written");
            }
        }
        for name in ["files", "filex"] {
            fs::create_dir(folder.path().join(name)).expect("the folder is created");
        }
        let parse = |text: &str| Config::parse("site.toml", text, folder.path());
        let text = documented_config();
        let before = parse(&text).expect("a valid configuration");
        let started = SiteView::new(&before);
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
            let after = match parse(&text) {
                Ok(after) => after,
                // The key names another table.
                Err(error) if error.to_string().contains(": there is no [") => continue,
                Err(error) => panic!("{line_after}: {error}"),
            };
            let restart_required = before.restart_settings.restart_required(&after.restart_settings);
            let is_reloaded = applied(&started, &before) != applied(&started, &after);
            assert_eq!(
                is_reloaded,
                restart_required.is_empty(),
                "{line_after}: {restart_required:?}"
            );
            reloaded += usize::from(is_reloaded);
        }
        // All of [limits], four keys of [listen], three of [listen.hsts], five of a token, the token file, eight
        // keys of an identity provider, three of a grant, seven of integrations; three keys of [site], five facts, a value of a section, three keys of an extension
        // point, twelve of [navigation], ten of [policy], and ten of that of a section; six of [budget], and
        // four of that of a section.
        assert_eq!(
            reloaded,
            20 + 4 + 3 + 5 + 1 + 8 + 3 + 7 + 3 + 5 + 1 + 3 + 12 + 2 * 10 + 6 + 4
        );
    }
}
