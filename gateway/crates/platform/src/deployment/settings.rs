//! The settings that releases need: the facts of the site and the configuration of their section that
//! they read, and what the policy of their documents permits. Which are missing, or have another type.

use std::collections::BTreeMap;
use std::fmt;

use colonnade_config::{Config, Facts, PolicySettings, Sections};
use colonnade_model::policy::PolicyKey;
use colonnade_model::release::{FactType, ReleaseId, SHELL};
use colonnade_store::loaded::LoadedRelease;

/// A setting that a release needs, and that the configuration does not have with this type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    pub(super) release: ReleaseId,
    /// The table of the configuration file, such as `site.facts`.
    table: String,
    name: String,
    need: Need,
}

/// What a release needs of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Need {
    /// A value that it reads.
    Value {
        expected: FactType,
        /// The type that the setting has; `None` if there is no such setting.
        found: Option<&'static str>,
    },
    /// A permission of the policy.
    Permission {
        /// The setting with what the release needs.
        needed: String,
        /// The setting with what it has now, too.
        line: String,
    },
}

impl SettingProblem {
    /// The path of the key in the configuration file, such as `site.facts.city`.
    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }

    pub(super) fn log(&self) {
        let (release, key) = (&self.release, self.key());
        let (expected, found) = match &self.need {
            Need::Value { expected, found } => (expected.name(), *found),
            Need::Permission { needed, .. } => (needed.as_str(), None),
        };
        tracing::warn!(event = "setting_missing_or_mistyped", %release, key, expected, found);
    }
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            release, table, name, ..
        } = self;
        let key = self.key();
        // A second line for the same key would make the file invalid.
        match &self.need {
            Need::Value {
                expected,
                found: None,
            } => {
                let (expected, example) = (expected.name(), expected.example());
                write!(
                    f,
                    "{release} reads `{key}` (a {expected}), which the configuration does not have; the \
                     operator adds `{name} = {example}` to `[{table}]` of site.toml"
                )?;
            }
            Need::Value {
                expected,
                found: Some(found),
            } => {
                let (expected, example) = (expected.name(), expected.example());
                write!(
                    f,
                    "{release} reads `{key}` as a {expected}, but in the configuration it is a {found}; the \
                     operator changes its line in `[{table}]` of site.toml to `{name} = {example}`"
                )?;
            }
            Need::Permission { needed, line } => write!(
                f,
                "{release} needs the policy `{needed}`, which the site does not permit; the operator sets \
                 `{line}` in `[{table}]` of site.toml"
            )?,
        }
        f.write_str(", and reloads the gateway")
    }
}

/// What the operator gives to releases.
#[derive(Debug)]
pub(super) struct Settings {
    facts: Facts,
    sections: Sections,
    policy: PolicySettings,
}

impl Settings {
    /// The settings of a configuration.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            facts: config.site.facts.clone(),
            sections: config.sections.clone(),
            policy: config.policy.clone(),
        }
    }

    /// What a release needs, but the configuration lacks or has with another type.
    pub(super) fn problems_of(&self, release: &LoadedRelease) -> Vec<SettingProblem> {
        let name = &release.id.name;
        let config = self.sections.get(name).map(|section| &section.config);
        let mut problems = problems_in("site.facts", Some(&self.facts), &release.facts, &release.id);
        let table = format!("sections.{name}.config");
        problems.extend(problems_in(&table, config, &release.config, &release.id));
        problems.extend(self.policy_problems(release));
        problems
    }

    /// What a release needs, but the policy of its documents does not permit.
    fn policy_problems(&self, release: &LoadedRelease) -> Vec<SettingProblem> {
        let (name, policy) = (&release.id.name, &self.policy);
        let permitted = policy.of([name.as_str()].into_iter());
        let (table, own) = if name == SHELL {
            ("policy".to_owned(), Some(&policy.site))
        } else {
            (format!("policy.sections.{name}"), policy.sections.get(name))
        };
        let mut together = own.cloned().unwrap_or_default();
        together.extend(&release.policy);
        let missing = release.policy.missing_in(&permitted).into_iter();
        let problem = |key| SettingProblem {
            release: release.id.clone(),
            table: table.clone(),
            name: PolicyKey::name(key).to_owned(),
            need: Need::Permission {
                needed: release.policy.line(key),
                line: together.line(key),
            },
        };
        missing.map(problem).collect()
    }
}

/// The problems of the settings that a release reads in one table, whose values are `None` if the
/// configuration does not have it.
fn problems_in(
    table: &str,
    values: Option<&Facts>,
    read: &BTreeMap<String, FactType>,
    release: &ReleaseId,
) -> Vec<SettingProblem> {
    let problem = |(name, expected): (&String, &FactType)| {
        let value = values.and_then(|values| values.get(name));
        let fits = value.is_some_and(|value| expected.fits(value));
        (!fits).then(|| SettingProblem {
            release: release.clone(),
            table: table.to_owned(),
            name: name.clone(),
            need: Need::Value {
                expected: *expected,
                found: value.map(FactType::name_of),
            },
        })
    };
    read.iter().filter_map(problem).collect()
}
