//! `[sections.<name>]`: the settings of each section.

use std::collections::BTreeMap;

use colonnade_model::release::{SHELL, is_name};
use serde::{Deserialize, Deserializer};

use crate::config_file::ConfigFile;
use crate::facts::Facts;
use crate::value::map_of_tables;

/// The settings of one section.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionSettings {
    /// What its pages read as their configuration.
    pub config: Facts,
}

/// The settings of the sections, by name.
pub type Sections = BTreeMap<String, SectionSettings>;

/// Deserializes `[sections]`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sections, D::Error> {
    map_of_tables(deserializer)
}

/// Checks the names of the sections and of their values.
pub(crate) fn resolve(sections: &Sections, file: &mut ConfigFile<'_>) {
    for (name, settings) in sections {
        check_section_name(&["sections", name], file);
        settings.config.resolve(&["sections", name, "config"], file);
    }
}

/// Checks that the last key of a path is the name of a section.
pub(crate) fn check_section_name(path: &[&str], file: &mut ConfigFile<'_>) {
    let name = path.last().copied().unwrap_or_default();
    if !is_name(name) || name == SHELL {
        let wrong = format!("`{name}` is not a section name");
        let expected = "the name of a section, which matches [a-z][a-z0-9-]{0,31}";
        file.problem(path, &wrong, expected);
    }
}
