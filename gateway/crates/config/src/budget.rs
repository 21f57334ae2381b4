//! `[budget]`: size budgets of releases.

use std::collections::BTreeMap;

use colonnade_model::release::{SHELL, is_name};
use serde::{Deserialize, Deserializer};

use super::config_file::ConfigFile;
use super::value::{UNBOUNDED, integer, map_of_tables};

/// The maximum bytes, compressed with Brotli, that a first view may load from one release. `None` means no limit.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Budget {
    /// Scripts of a section's page or slot.
    #[serde(rename = "page_script_kib", deserialize_with = "kibibytes")]
    pub page_script: Option<u64>,
    /// Stylesheets of a section's page or slot.
    #[serde(rename = "page_style_kib", deserialize_with = "kibibytes")]
    pub page_style: Option<u64>,
    /// Scripts of the shell.
    #[serde(rename = "shell_script_kib", deserialize_with = "kibibytes")]
    pub shell_script: Option<u64>,
    /// Stylesheets of the shell.
    #[serde(rename = "shell_style_kib", deserialize_with = "kibibytes")]
    pub shell_style: Option<u64>,
    /// The budgets of single sections, by name.
    #[serde(deserialize_with = "map_of_tables")]
    pub sections: BTreeMap<String, SectionBudget>,
}

/// The budget of one section. `None` means the limit of all sections.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionBudget {
    /// Scripts of a page or slot.
    #[serde(rename = "page_script_kib", deserialize_with = "kibibytes")]
    pub page_script: Option<u64>,
    /// Stylesheets of a page or slot.
    #[serde(rename = "page_style_kib", deserialize_with = "kibibytes")]
    pub page_style: Option<u64>,
}

impl Budget {
    /// The limits of a section, for scripts and for stylesheets.
    pub fn of_section(&self, name: &str) -> (Option<u64>, Option<u64>) {
        let own = self.sections.get(name);
        (
            own.and_then(|own| own.page_script).or(self.page_script),
            own.and_then(|own| own.page_style).or(self.page_style),
        )
    }

    /// Checks the names of the sections.
    pub(crate) fn resolve(&self, file: &mut ConfigFile<'_>) {
        for name in self.sections.keys() {
            if !is_name(name) || name == SHELL {
                let wrong = format!("`{name}` is not a section name");
                let expected = "the name of a section, which matches [a-z][a-z0-9-]{0,31}";
                file.problem(&["budget", "sections", name], &wrong, expected);
            }
        }
    }
}

fn kibibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let kibibytes: u64 = integer::<1, UNBOUNDED, _, _>(deserializer)?;
    Ok(Some(kibibytes.saturating_mul(1024)))
}
