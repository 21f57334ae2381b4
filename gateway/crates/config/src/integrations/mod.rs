//! The tables of integrations: what a gateway does for one kind of site, if it is configured.

mod partner;
mod signup;

pub use partner::Partner;
pub use signup::{CurrentSignupLimits, Signup, SignupLimits};

use std::collections::BTreeMap;
use std::path::Path;

use secrecy::SecretString;
use serde::Deserialize;

use crate::config_file::ConfigFile;
use crate::limits;
use crate::value::map_of_tables;

/// The integrations that are configured.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Integrations {
    /// The sign-up backend. Without it there is no sign-up.
    pub signup: Option<Signup>,
    /// The targets of affiliate links by their ids.
    #[serde(deserialize_with = "map_of_tables")]
    pub partners: BTreeMap<String, Partner>,
}

impl Integrations {
    /// The tables of the file.
    pub(crate) const TABLES: &[&str] = &["signup", "partners"];

    /// The keys that SIGHUP reloads.
    pub(crate) const RELOADABLE: &[&str] = Signup::RELOADABLE;

    /// Makes relative paths start at `folder`, reads the secrets, and checks settings that depend
    /// on each other.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        for (id, partner) in &mut self.partners {
            partner.resolve(id, file);
        }
        if let Some(signup) = &mut self.signup {
            signup.resolve(folder, file);
            let limits = signup.limits();
            limits::warn_of_pair(
                "signup",
                ["rate_limit_per_minute", "rate_limit_per_client_per_minute"],
                (
                    limits.rate_limit_per_minute,
                    limits.rate_limit_per_client_per_minute,
                ),
                file,
            );
        }
    }

    /// The secrets that only a restart applies, by the keys that refer to them.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = (String, Vec<SecretString>)> {
        self.signup.iter().map(|signup| {
            let secrets = vec![signup.backend_api_key.clone()];
            ("signup.backend_api_key".to_owned(), secrets)
        })
    }

    /// The limits, which SIGHUP reloads.
    pub fn limits(&self) -> Option<SignupLimits> {
        self.signup.as_ref().map(Signup::limits)
    }

    /// The id and the settings of the partner that visitors are sent to when the sign-up backend is
    /// unavailable.
    pub fn fallback_partner(&self) -> Option<(&str, &Partner)> {
        let id = self.signup.as_ref()?.fallback_partner.as_deref()?;
        Some((id, self.partners.get(id)?))
    }
}
