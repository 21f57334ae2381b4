//! The one configuration file, `site.toml`.
//!
//! It is read strictly: an unknown key is an error. Every problem is reported at once, with file and line, and with
//! what was expected. One file here for each concern of the configuration.

mod admin;
mod asset;
mod budget;
mod certificate;
mod limits;
mod listen;
mod partner;
mod reader;
mod render;
mod rollout;
mod secret;
mod signup;
mod signup_limits;
mod site;
mod store;
mod telemetry;
#[cfg(test)]
mod tests;
mod url;
mod written;

pub(crate) use admin::{Action, Token};
pub(crate) use asset::Assets;
pub(crate) use budget::Budget;
pub(crate) use certificate::{Certificate, CertificateError};
pub(crate) use limits::Limits;
pub(crate) use listen::Listen;
pub(crate) use partner::Partner;
pub(crate) use render::Render;
pub(crate) use rollout::Rollout;
pub(crate) use signup::{Signup, SignupPages};
pub(crate) use signup_limits::{CurrentSignupLimits, SignupLimits};
pub(crate) use site::{Navigation, Site};
pub(crate) use store::{Keep, Store};
pub(crate) use telemetry::Telemetry;
pub(crate) use url::Origin;
pub(crate) use written::Written;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use reader::Reader;

/// Everything the configuration says.
#[derive(Debug)]
pub(crate) struct Config {
    /// What the site says about itself.
    pub(crate) site: Site,
    /// The links of header and footer.
    pub(crate) navigation: Navigation,
    /// Where to listen.
    pub(crate) listen: Listen,
    /// What clients may send, hold open and wait for.
    pub(crate) limits: Limits,
    /// Where releases and deployments are kept.
    pub(crate) store: Store,
    /// How files are served.
    pub(crate) assets: Assets,
    /// When a candidate is taken back by itself.
    pub(crate) rollout: Rollout,
    /// What rendering on the server may cost.
    pub(crate) render: Render,
    /// How much a release may make a visitor download.
    pub(crate) budget: Budget,
    /// What is told of requests.
    pub(crate) telemetry: Telemetry,
    /// Who may use the admin API.
    pub(crate) tokens: Vec<Token>,
    /// Where sign-ups go, if anywhere.
    pub(crate) signup: Option<Signup>,
    /// The pages a sign-up form leads to.
    pub(crate) signup_pages: SignupPages,
    /// Targets of affiliate links, by their id.
    pub(crate) partners: BTreeMap<String, Partner>,
    /// All of it as it was written, to tell later what has changed.
    pub(crate) written: Written,
}

/// Everything that is wrong with a configuration file: one line for each problem.
#[derive(Debug, thiserror::Error)]
pub(crate) struct ConfigError(Vec<String>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl Config {
    /// Reads the file, and the secrets it names.
    pub(crate) fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError(vec![format!("{}: cannot be read: {error}", path.display())]))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&name, &text, folder)
    }

    /// Reads the text of a file of this name; paths in it start from `folder`.
    pub(crate) fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, ConfigError> {
        let reader = Reader::new(name, text);
        let config = Self::read(&reader, text, folder);
        let problems = reader.into_problems();
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            _ => Err(ConfigError(problems)),
        }
    }

    fn read(reader: &Reader<'_>, text: &str, folder: &Path) -> Option<Self> {
        let document = reader.document(text)?;
        let mut root = reader.root(&document);
        let site = root.table("site").and_then(site::read);
        let navigation = root.table("navigation").and_then(site::read_navigation);
        let listen = root.table("listen").and_then(|table| listen::read(table, folder));
        let limits = root
            .optional_table("limits")
            .map_or(Some(Limits::default()), limits::read);
        let store = root.table("store").and_then(|table| store::read(table, folder));
        let assets = root
            .optional_table("assets")
            .map_or(Some(Assets::default()), asset::read);
        let rollout = root
            .optional_table("rollout")
            .map_or(Some(Rollout::default()), rollout::read);
        let rendering = root
            .optional_table("render")
            .map_or(Some(Render::default()), render::read);
        let budget = root
            .optional_table("budget")
            .map_or(Some(Budget::default()), budget::read);
        let telemetry = root
            .optional_table("telemetry")
            .map_or(Some(Telemetry::default()), telemetry::read);
        let tokens = root.optional_table("admin").map_or(Some(Vec::new()), admin::read);
        let partners = root
            .optional_table("partners")
            .map_or(Some(BTreeMap::new()), partner::read);
        let signup_table = root.optional_table("signup");
        let has_signup = signup_table.is_some();
        let (signup, signup_pages) = match signup_table {
            Some(table) => signup::read(table, folder, partners.as_ref()),
            None => (None, Some(SignupPages::default())),
        };
        root.finish();
        Some(Self {
            site: site?,
            navigation: navigation?,
            listen: listen?,
            limits: limits?,
            store: store?,
            assets: assets?,
            rollout: rollout?,
            render: rendering?,
            budget: budget?,
            telemetry: telemetry?,
            tokens: tokens?,
            written: Written::read(document.get_ref(), signup.as_ref()),
            signup: if has_signup { Some(signup?) } else { None },
            signup_pages: signup_pages?,
            partners: partners?,
        })
    }

    /// How much of sign-up there may be, also where it leads nowhere.
    pub(crate) fn signup_limits(&self) -> SignupLimits {
        self.signup
            .as_ref()
            .map_or_else(SignupLimits::default, |signup| signup.limits)
    }

    /// The partner to whom visitors are taken when sign-up is out of reach.
    pub(crate) fn signup_partner(&self) -> Option<(&str, &Partner)> {
        let id = self.signup.as_ref()?.partner.as_deref()?;
        Some((id, self.partners.get(id)?))
    }
}
