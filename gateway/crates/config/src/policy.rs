//! `[policy]`: what documents may do in addition to the strict default.

use std::collections::BTreeMap;

use colonnade_model::policy::{Policy, PolicyKey};
use serde::Deserialize;
use strum::VariantArray as _;
use toml::Value as Toml;

use crate::config_file::ConfigFile;
use crate::sections::check_section_name;
use crate::value::{table, wrong_type};

/// What documents may do, on the whole site and with single sections.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct PolicySettings {
    /// That of all documents.
    #[serde(skip)]
    pub site: Policy,
    /// What those with pages or extensions of single sections may do, too, by the name of the section.
    #[serde(skip)]
    pub sections: BTreeMap<String, Policy>,
    /// The table, until it is resolved.
    #[serde(deserialize_with = "table")]
    values: BTreeMap<String, Toml>,
}

impl PolicySettings {
    /// The policy of documents with these sections.
    pub fn of<'a>(&self, sections: impl Iterator<Item = &'a str>) -> Policy {
        let mut policy = self.site.clone();
        for own in sections.filter_map(|section| self.sections.get(section)) {
            policy.extend(own);
        }
        policy
    }

    /// The permissions of documents with these sections: all that are configured for any section, so
    /// that those of two documents tell which one may do more.
    pub fn permissions<'a>(&self, sections: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut policy = self.of(sections);
        for other in self.sections.values() {
            policy.extend_within(other);
        }
        policy.permissions()
    }

    /// Checks the values.
    pub(crate) fn resolve(&mut self, file: &mut ConfigFile<'_>) {
        let mut values = std::mem::take(&mut self.values);
        let path = ["policy", "sections"];
        let sections = match values.remove(path[1]) {
            None => toml::Table::new(),
            Some(Toml::Table(sections)) => sections,
            Some(other) => {
                file.problem(&path, &wrong_type(&other), "a table");
                return;
            }
        };
        self.site = policy(values, &["policy"], ", `sections`", file);
        for (name, values) in sections {
            let path = [path[0], path[1], &name];
            check_section_name(&path, file);
            match values {
                Toml::Table(values) => {
                    let own = policy(values, &path, "", file);
                    self.sections.insert(name, own);
                }
                other => file.problem(&path, &wrong_type(&other), "a table"),
            }
        }
    }
}

/// The policy in a table. `others` are keys of the table that are not of the policy, for errors.
fn policy(
    values: impl IntoIterator<Item = (String, Toml)>,
    path: &[&str],
    others: &str,
    file: &mut ConfigFile<'_>,
) -> Policy {
    let mut policy = Policy::default();
    for (name, value) in values {
        let path = [path, &[&name]].concat();
        let keys = PolicyKey::VARIANTS.iter();
        let Some(key) = keys.clone().find(|key| key.name() == name) else {
            let names: Vec<_> = keys.map(|key| format!("`{}`", key.name())).collect();
            file.unknown_key(&path, &format!("one of {}{others}", names.join(", ")));
            continue;
        };
        let value = serde_json::to_value(value).unwrap_or_default();
        if let Err(wrong) = policy.add(*key, &value) {
            file.problem(&path, &wrong, key.expected());
        }
    }
    policy
}
