//! The configuration file, `site.toml`.
//!
//! Unknown keys are errors. All problems of a file are reported together, each with its line, its
//! key and what was expected. Each table of the file has a module here.

mod acme;
mod admin;
mod asset;
mod budget;
mod build_target;
mod certificate;
mod client_certificates;
mod client_tls;
mod config_file;
mod criterion;
mod environment;
mod extension_points;
mod facts;
mod files;
mod hsts;
mod identity;
pub mod integrations;
mod limits;
mod listen;
mod navigation;
mod permissions;
mod policy;
mod prometheus;
mod render;
mod restart;
mod rollout;
mod secret;
mod secret_headers;
mod sections;
mod site;
mod store;
mod telemetry;
mod upstream;
mod url;
mod value;
mod webhook;

pub use acme::{Acme, AcmeChallenge};
pub use admin::{AdminSettings, Token};
pub use asset::AssetSettings;
pub use budget::{Budget, Quota, SectionBudget};
pub use build_target::BuildTarget;
pub use certificate::{CertificateError, CertificateFiles, LoadedCertificate, Tls};
pub use client_tls::ClientTls;
pub use criterion::{Criterion, QueriedSide};
pub use extension_points::{ExtensionPointSettings, ExtensionPoints};
pub use facts::Facts;
pub use files::FileSettings;
pub use hsts::Hsts;
pub use identity::{CERTIFICATE_CLAIMS, CLIENT_CERTIFICATE, Grant, IdentityProvider};
pub use listen::Listen;
pub use navigation::{LinkSettings, NavigationSettings};
pub use permissions::{Action, PermittedActions, PermittedSections};
pub use policy::PolicySettings;
pub use prometheus::Prometheus;
pub use render::RenderSettings;
pub use restart::{RestartSettings, is_reloadable};
pub use rollout::{AnalysisSettings, RolloutSettings};
pub use sections::{SectionSettings, Sections};
pub use site::SiteSettings;
pub use store::{Retention, StoreAccessKey, StoreSettings};
pub use telemetry::{LoggedRequests, OtlpProtocol, OtlpSignal, TelemetrySettings};
pub use upstream::{Upstream, UpstreamCacheSettings, has_link_local_host, is_link_local};
pub use url::{Origin, check_encrypted};
pub use webhook::Webhook;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use colonnade_web::limits::Limits;
use secrecy::SecretString;
use serde::Deserialize;

use config_file::ConfigFile;
use environment::EnvironmentSetting;
use integrations::Integrations;

/// All settings: the tables of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What every page knows of the site.
    pub site: SiteSettings,
    /// The links in header and footer.
    #[serde(default)]
    pub navigation: NavigationSettings,
    /// The listeners, and which hosts and proxies they trust.
    pub listen: Listen,
    /// Limits and timeouts for clients.
    #[serde(default, with = "limits::LimitsTable")]
    pub limits: Limits,
    /// The store.
    pub store: StoreSettings,
    /// Settings for serving release files.
    #[serde(default)]
    pub assets: AssetSettings,
    /// The operator's files at the root of the site.
    #[serde(default)]
    pub files: FileSettings,
    /// Limits of server-side rendering.
    #[serde(default)]
    pub render: RenderSettings,
    /// How rollouts continue, and when they are aborted automatically.
    #[serde(default)]
    pub rollout: RolloutSettings,
    /// The server that answers the queries of rollouts.
    #[serde(default, deserialize_with = "value::optional_table")]
    pub prometheus: Option<Prometheus>,
    /// Size budgets of releases, and quotas of sections.
    #[serde(default)]
    pub budget: Budget,
    /// Settings of the log and of traces.
    #[serde(default)]
    pub telemetry: TelemetrySettings,
    /// Access to the admin API.
    #[serde(default)]
    pub admin: AdminSettings,
    /// What documents may do in addition to the strict default.
    #[serde(default)]
    pub policy: PolicySettings,
    /// The settings of single sections, by their names.
    #[serde(default, deserialize_with = "sections::deserialize")]
    pub sections: Sections,
    /// What operators decide about the extensions of single points, by the IDs of the points.
    #[serde(default, deserialize_with = "extension_points::deserialize")]
    pub extension_points: ExtensionPoints,
    /// The backends that serve paths below `/api/`, by their names.
    #[serde(default, deserialize_with = "value::map_of_tables")]
    pub upstreams: BTreeMap<String, Upstream>,
    /// The shared cache of upstreams' responses.
    #[serde(default)]
    pub upstream_cache: UpstreamCacheSettings,
    /// The receivers of events, by their names.
    #[serde(default, deserialize_with = "value::map_of_tables")]
    pub webhooks: BTreeMap<String, Webhook>,
    /// The tables of integrations.
    #[serde(skip)]
    pub integrations: Integrations,
    /// The keys that environment variables set, each with the name of its variable.
    #[serde(skip)]
    pub environment: Vec<(String, String)>,
    /// All settings as they are in the file, to tell later which changes need a restart.
    #[serde(skip)]
    pub restart_settings: RestartSettings,
    /// Settings with which the gateway starts, but fails its clients, and tokens that have expired, one
    /// line of text each.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// The problems of a configuration file, one line of text each.
#[derive(Debug, thiserror::Error)]
pub struct ConfigError(Vec<String>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// The text of a file.
fn read(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path)
        .map_err(|error| ConfigError(vec![format!("{}: cannot be read: {error}", path.display())]))
}

/// The name and the folder of a file.
fn split(path: &Path) -> (Cow<'_, str>, &Path) {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    (name, path.parent().unwrap_or(Path::new("")))
}

impl Config {
    /// Reads the file, and the secrets and certificates it refers to.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::read(path, false)
    }

    /// Like [`Config::load`], but rejects a file with warnings, except for tokens that have expired:
    /// their holders are refused, and nobody else is concerned.
    pub fn check(path: &Path) -> Result<Self, ConfigError> {
        Self::read(path, true)
    }

    fn read(path: &Path, rejects_warnings: bool) -> Result<Self, ConfigError> {
        let (name, folder) = split(path);
        let variables = environment::variables();
        Self::parse_file(&name, &read(path)?, folder, variables, rejects_warnings)
    }

    /// Reads only the path of the control socket. The rest of the file may be invalid, and the
    /// secrets it refers to may be missing here: they are those of the running gateway.
    pub fn control_socket(path: &Path) -> Result<PathBuf, ConfigError> {
        let (name, folder) = split(path);
        let socket = Self::text(path, &["listen", "control_socket"])?.map(PathBuf::from);
        Ok(folder.join(socket.unwrap_or_else(|| listen::default_control_socket(&name))))
    }

    /// Reads only the folder of the store, as [`Config::control_socket`] does.
    pub fn store_folder(path: &Path) -> Result<PathBuf, ConfigError> {
        match Self::text(path, &["store", "folder"])? {
            Some(folder) => Ok(split(path).1.join(folder)),
            // The errors say what is expected.
            None => Self::load(path).map(|config| config.store.folder),
        }
    }

    /// Reads only the address of the admin listener and the path of its certificate, if it has one,
    /// as [`Config::control_socket`] does.
    pub fn admin_listener(path: &Path) -> Result<(SocketAddr, Option<PathBuf>), ConfigError> {
        let address = Self::text(path, &["listen", "admin"])?.and_then(|text| text.parse().ok());
        let address = match address {
            Some(address) => address,
            None => Self::load(path)?.listen.admin,
        };
        let certificate = Self::text(path, &["listen", "admin_tls", "certificate"])?;
        Ok((address, certificate.map(|file| split(path).1.join(file))))
    }

    /// Reads only the text that is the value of a key, if it has one.
    fn text(path: &Path, key: &[&str]) -> Result<Option<String>, ConfigError> {
        let (name, _) = split(path);
        let text = read(path)?;
        let settings = EnvironmentSetting::all(environment::variables(), text.len());
        let file = ConfigFile::parse(&name, &text, &settings).map_err(ConfigError)?;
        let value = file.get(key).and_then(|value| value.get_ref().as_str());
        Ok(value.filter(|value| !value.is_empty()).map(ToOwned::to_owned))
    }

    /// Parses the text of a file. `name` is the file's name in errors; relative paths start at
    /// `folder`.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, ConfigError> {
        Self::parse_with(name, text, folder, std::iter::empty())
    }

    /// The same with these environment variables, of which those with the names of settings take
    /// precedence over the file.
    pub fn parse_with(
        name: &str,
        text: &str,
        folder: &Path,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        Self::parse_file(name, text, folder, variables, false)
    }

    fn parse_file(
        name: &str,
        text: &str,
        folder: &Path,
        variables: impl Iterator<Item = (String, String)>,
        rejects_warnings: bool,
    ) -> Result<Self, ConfigError> {
        let settings = EnvironmentSetting::all(variables, text.len());
        let mut file = ConfigFile::parse(name, text, &settings).map_err(ConfigError)?;
        file.require_tables();
        let mut config: Option<Self> = file.deserialize_without(Integrations::TABLES);
        let integrations = file.deserialize_only(Integrations::TABLES);
        if let Some(config) = &mut config {
            config.integrations = integrations.unwrap_or_default();
            config.resolve(folder, &mut file);
            let settings = settings.iter();
            config.environment = settings
                .map(|setting| (file.key_of(setting), setting.variable.clone()))
                .collect();
        }
        if rejects_warnings {
            file.reject_warnings();
        }
        if let Some(config) = &mut config {
            config.warnings = file.warnings();
        }
        let problems = file.into_problems();
        config
            .filter(|_| problems.is_empty())
            .ok_or(ConfigError(problems))
    }

    /// Makes relative paths start at `folder`, reads the secrets, and checks settings that depend
    /// on each other.
    fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        self.store.resolve(folder, file);
        // Listeners are checked with the origin of the site.
        if !file.is_substituted("site.origin") {
            self.listen
                .resolve(folder, &self.site.origin, &self.store.folder, file);
        }
        limits::warn(&self.limits, file);
        self.admin.resolve(folder, file);
        self.budget.resolve(file);
        self.telemetry.resolve(folder, file);
        self.files.resolve(folder, file);
        self.site.facts.resolve(&["site", "facts"], file);
        self.policy.resolve(file);
        sections::resolve(&self.sections, file);
        extension_points::resolve(&self.extension_points, file);
        self.integrations.resolve(folder, file);
        for (name, upstream) in &mut self.upstreams {
            upstream.resolve(name, folder, file);
        }
        upstream::check_paths(&self.upstreams, file);
        webhook::resolve(&mut self.webhooks, folder, file);
        if let Some(prometheus) = &mut self.prometheus {
            prometheus.resolve(folder, file);
        }
        criterion::resolve(&self.rollout.criteria, self.prometheus.is_some(), file);
        let tables = file.deserialize().unwrap_or_default();
        self.restart_settings = RestartSettings::new(tables, self.secrets());
    }

    /// The secrets that only a restart applies, by the keys that refer to them.
    fn secrets(&self) -> BTreeMap<String, Vec<SecretString>> {
        let upstreams = self.upstreams.iter().map(|(name, upstream)| {
            let secrets = upstream.request_headers.iter().map(|(_, secret)| secret.clone());
            (format!("upstreams.{name}"), secrets.collect())
        });
        let webhooks = self.webhooks.iter();
        let webhooks = webhooks.map(|(name, webhook)| (format!("webhooks.{name}"), webhook.secrets.clone()));
        let prometheus = self
            .prometheus
            .iter()
            .filter_map(|server| server.bearer_token.clone());
        let prometheus = prometheus.map(|token| ("prometheus.bearer_token".to_owned(), vec![token]));
        let store = self.store.access_key.iter();
        let store = store.map(|key| ("store.access_key".to_owned(), vec![key.secret.clone()]));
        let headers = self.telemetry.otlp_headers.iter();
        let headers = headers.map(|(_, secret)| secret.clone()).collect();
        self.integrations
            .secrets()
            .chain(upstreams)
            .chain(webhooks)
            .chain(prometheus)
            .chain(store)
            .chain([("telemetry.otlp_headers".to_owned(), headers)])
            .collect()
    }
}
