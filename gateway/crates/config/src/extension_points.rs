//! `[extension_points."<id>"]`: what operators decide about the extensions of single points.

use std::collections::BTreeMap;

use colonnade_model::extension_rules::PointRules;
use colonnade_model::release::{SHELL, is_name, is_point_id};
use serde::{Deserialize, Deserializer};

use crate::budget::kibibytes;
use crate::config_file::ConfigFile;
use crate::value::{as_strings, convert, map_of_tables};

/// The settings of one extension point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtensionPointSettings {
    /// The sections whose extensions come first, in this order.
    #[serde(deserialize_with = "sections")]
    pub order: Vec<String>,
    /// The sections whose extensions are shown. `None` allows all.
    #[serde(deserialize_with = "some_sections")]
    pub allow: Option<Vec<String>>,
    /// The maximum bytes of scripts, compressed with Brotli, that an extension of the point may load.
    /// `None`: that of its section.
    #[serde(rename = "max_script_kib", deserialize_with = "kibibytes")]
    pub max_script: Option<u64>,
}

/// The settings of extension points, by the ID of the point.
pub type ExtensionPoints = BTreeMap<String, ExtensionPointSettings>;

impl ExtensionPointSettings {
    /// Which extensions the point shows, and in which order.
    pub fn rules(&self) -> PointRules {
        PointRules {
            order: self.order.clone(),
            allow: self.allow.clone(),
        }
    }
}

/// Deserializes `[extension_points]`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ExtensionPoints, D::Error> {
    map_of_tables(deserializer)
}

/// Checks the IDs of the points.
pub(crate) fn resolve(points: &ExtensionPoints, file: &mut ConfigFile<'_>) {
    for id in points.keys().filter(|id| !is_point_id(id)) {
        let wrong = format!("`{id}` is not the ID of an extension point");
        let expected = "the name of a section or `shell`, a slash and the point's name, without a version";
        file.problem(&["extension_points", id], &wrong, expected);
    }
}

fn sections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    convert(deserializer, "a list of section names", |value| {
        as_strings(value, |name| {
            if is_name(name) && name != SHELL {
                Ok(name.to_owned())
            } else {
                Err(format!("`{name}` is not a section name"))
            }
        })
    })
}

fn some_sections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    sections(deserializer).map(Some)
}
