//! What the build of a section must fit into: what a site allows it, and shares with it.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use colonnade_model::policy::Policy;
use colonnade_model::release::SharedPackages;

use crate::budget::{Budget, KIB};
use crate::extension_points::ExtensionPoints;
use crate::policy::PolicySettings;

/// What a site allows a section, and shares with it. Sizes are those of a first view, in KiB after Brotli compression.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BuildTarget {
    /// Scripts of a page or extension. Absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub script_kib: Option<u64>,
    /// Stylesheets of a page or extension. Absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub style_kib: Option<u64>,
    /// Scripts of the extensions of single points, by the ID of the point.
    pub extension_points: BTreeMap<String, u64>,
    /// The versions of the packages that the live shell shares, by name. They are in no view's size.
    pub shared: BTreeMap<String, String>,
    /// The exports that it omits, by package. The names of a path are joined by dots. Absent if it omits none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted_exports: BTreeMap<String, Vec<String>>,
    /// What documents of the section may do, as `policy` in `release.json`.
    #[schema(value_type = Object)]
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
            shared: packages.shared,
            omitted_exports: packages.omitted_exports,
            policy: policy.of(std::iter::once(section)),
        }
    }
}
