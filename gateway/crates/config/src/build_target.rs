//! What the build of a section must fit into: what a site allows it, and shares with it.

use std::collections::BTreeMap;

use serde::Serialize;

use colonnade_model::policy::Policy;
use colonnade_model::release::SharedPackages;

use crate::budget::{Budget, KIB};
use crate::extension_points::ExtensionPoints;
use crate::policy::PolicySettings;

/// What a site allows a section, and shares with it. Sizes are in KiB, and absent without a limit.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildTarget {
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
    /// What documents of the section may do.
    pub policy: Policy,
}

impl BuildTarget {
    /// The target of a section by these settings, while these packages are shared.
    pub fn new(
        budget: &Budget,
        points: &ExtensionPoints,
        policy: &PolicySettings,
        section: &str,
        packages: SharedPackages,
    ) -> Self {
        let (script, style) = budget.of_section(section);
        let limits = points.iter();
        let limits = limits.filter_map(|(id, point)| Some((id.clone(), point.max_script? / KIB)));
        Self {
            script_kib: script.map(|bytes| bytes / KIB),
            style_kib: style.map(|bytes| bytes / KIB),
            extension_points: limits.collect(),
            packages,
            policy: policy.of(std::iter::once(section)),
        }
    }
}
