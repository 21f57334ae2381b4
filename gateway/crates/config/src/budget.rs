//! `[budget]`: size budgets of releases, and quotas of sections.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::config_file::ConfigFile;
use crate::sections::check_section_name;
use crate::value::{UNBOUNDED, integer, map_of_tables};

pub(crate) const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The maximum bytes, compressed with Brotli, that a first view may load from one release (`None`
/// means no limit), and the quota of each section.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Budget {
    /// Scripts of a section's page or extension.
    #[serde(rename = "page_script_kib", deserialize_with = "kibibytes")]
    pub page_script: Option<u64>,
    /// Stylesheets of a section's page or extension.
    #[serde(rename = "page_style_kib", deserialize_with = "kibibytes")]
    pub page_style: Option<u64>,
    /// Scripts of the shell.
    #[serde(rename = "shell_script_kib", deserialize_with = "kibibytes")]
    pub shell_script: Option<u64>,
    /// Stylesheets of the shell.
    #[serde(rename = "shell_style_kib", deserialize_with = "kibibytes")]
    pub shell_style: Option<u64>,
    /// The quota of the shell, and of sections without another: the bytes of all their files, not
    /// compressed.
    #[serde(rename = "max_stored_mib", deserialize_with = "mebibytes")]
    pub max_stored: u64,
    /// The same: the number of releases that are published within 24 hours.
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    pub max_publishes_per_day: u64,
    /// The budgets of single sections, by name.
    #[serde(deserialize_with = "map_of_tables")]
    pub sections: BTreeMap<String, SectionBudget>,
}

/// The budget and the quota of one section. `None` means those of all sections.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionBudget {
    /// Scripts of a page or extension.
    #[serde(rename = "page_script_kib", deserialize_with = "kibibytes")]
    pub page_script: Option<u64>,
    /// Stylesheets of a page or extension.
    #[serde(rename = "page_style_kib", deserialize_with = "kibibytes")]
    pub page_style: Option<u64>,
    /// The bytes of all its files, not compressed.
    #[serde(rename = "max_stored_mib", deserialize_with = "some_mebibytes")]
    pub max_stored: Option<u64>,
    /// The number of its releases that are published within 24 hours.
    #[serde(deserialize_with = "some_number")]
    pub max_publishes_per_day: Option<u64>,
}

/// What a section may store and publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The maximum bytes of all files of its releases, not compressed.
    pub max_stored: u64,
    /// The maximum number of its releases that were published within 24 hours.
    pub max_publishes_per_day: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            page_script: None,
            page_style: None,
            shell_script: None,
            shell_style: None,
            max_stored: 4096 * MIB,
            max_publishes_per_day: 500,
            sections: BTreeMap::new(),
        }
    }
}

impl Budget {
    /// The table is reloaded by SIGHUP.
    pub(crate) const RELOADABLE: &[&str] = &["budget"];

    /// The limits of a section, for scripts and for stylesheets.
    pub fn of_section(&self, name: &str) -> (Option<u64>, Option<u64>) {
        let own = self.sections.get(name);
        (
            own.and_then(|own| own.page_script).or(self.page_script),
            own.and_then(|own| own.page_style).or(self.page_style),
        )
    }

    /// The quota of a section or of the shell.
    pub fn quota(&self, name: &str) -> Quota {
        let own = self.sections.get(name);
        let publishes = own.and_then(|own| own.max_publishes_per_day);
        Quota {
            max_stored: own.and_then(|own| own.max_stored).unwrap_or(self.max_stored),
            max_publishes_per_day: publishes.unwrap_or(self.max_publishes_per_day),
        }
    }

    /// Checks the names of the sections.
    pub(crate) fn resolve(&self, file: &mut ConfigFile<'_>) {
        for name in self.sections.keys() {
            check_section_name(&["budget", "sections", name], file);
        }
    }
}

/// A number of KiB in bytes.
pub(crate) fn kibibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let kibibytes = some_number(deserializer)?;
    Ok(kibibytes.map(|kibibytes| kibibytes.saturating_mul(KIB)))
}

fn mebibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let mebibytes: u64 = integer::<1, UNBOUNDED, _, _>(deserializer)?;
    Ok(mebibytes.saturating_mul(MIB))
}

fn some_mebibytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    mebibytes(deserializer).map(Some)
}

fn some_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    integer::<1, UNBOUNDED, _, _>(deserializer).map(Some)
}
