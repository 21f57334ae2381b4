//! The size budget of a section, for its team.

use std::collections::BTreeMap;

use serde::Serialize;

use colonnade_model::release::SharedPackages;

use super::budget::{Budget, KIB};
use super::extension_points::ExtensionPoints;

/// The size budget of a section in KiB, without what has no limit.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamBudget {
    /// Scripts of a page or extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_kib: Option<u64>,
    /// Stylesheets of a page or extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style_kib: Option<u64>,
    /// Scripts of the extensions of single points, by the ID of the point.
    pub extension_points: BTreeMap<String, u64>,
    /// What the live shell shares. No section has these packages in its size.
    #[serde(flatten)]
    pub packages: SharedPackages,
}

impl TeamBudget {
    /// The limits of a section, with those of single points, while these packages are shared.
    pub fn new(budget: &Budget, points: &ExtensionPoints, section: &str, packages: SharedPackages) -> Self {
        let (script, style) = budget.of_section(section);
        let limits = points.iter();
        let limits = limits.filter_map(|(id, point)| Some((id.clone(), point.max_script? / KIB)));
        Self {
            script_kib: script.map(|bytes| bytes / KIB),
            style_kib: style.map(|bytes| bytes / KIB),
            extension_points: limits.collect(),
            packages,
        }
    }
}
