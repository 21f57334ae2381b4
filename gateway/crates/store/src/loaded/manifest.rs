//! What the browser needs to load sections: parts of the boot payload and of the responses of
//! `/_page` and `/_remotes`.

use std::collections::BTreeMap;
use std::ops::Not;
use std::sync::Arc;

use colonnade_model::extension_rules::{ExtensionRules, Refusal};
use colonnade_model::release::PointReference;
use serde::Serialize;

/// One file the browser loads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asset {
    /// Its URL path.
    pub href: String,
    /// Its file name. The bundler's runtime finds a stylesheet that is loaded already by this name.
    pub name: String,
    /// Its Subresource Integrity digest.
    pub integrity: String,
    /// How it is loaded.
    #[serde(rename = "type")]
    pub kind: AssetKind,
}

/// How a file is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AssetKind {
    /// With `<script>`.
    Script,
    /// With `<link rel="stylesheet">`.
    Style,
}

/// How to load a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionEntry {
    /// The section's name.
    pub name: String,
    /// The version of its release.
    pub version: String,
    /// The global name of its Module Federation container.
    pub container: String,
    /// The URL path of its entry script.
    pub entry: String,
    /// The entry's Subresource Integrity digest.
    pub integrity: String,
    /// Whether its container reads the Module Federation runtime of the shell.
    #[serde(rename = "needsFederationRuntime", skip_serializing_if = "Not::not")]
    pub needs_federation_runtime: bool,
    /// The assets of all its pages and extensions, in addition to the entry.
    pub assets: Vec<Asset>,
}

/// How to load a page.
#[derive(Debug, Serialize)]
pub struct PageManifest {
    /// The section.
    pub section: Arc<SectionEntry>,
    /// The page's path pattern, which identifies it in the section.
    pub pattern: String,
    /// The names of the query parameters that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// The assets of the page's first view, in addition to the section's own.
    pub assets: Vec<Asset>,
    /// The length in bytes of what the page loads: the entry, the section's assets and these.
    #[serde(skip)]
    pub bytes: u64,
    /// The shared packages that its first view loads.
    #[serde(skip)]
    pub shared: Vec<String>,
    /// The extension points that it can show.
    #[serde(skip)]
    pub points: Vec<PointReference>,
}

/// How others load a section and the modules that it exposes. As JSON, it is what they need only
/// once they use a module. The list of a set has the rest.
#[derive(Debug, Serialize)]
pub struct RemoteManifest {
    /// The section.
    #[serde(skip)]
    pub section: Arc<SectionEntry>,
    /// The modules that it exposes, by name.
    #[serde(skip)]
    exposes: BTreeMap<String, ExposedModule>,
    /// All that each module needs at first, except the entry.
    assets: BTreeMap<String, Vec<Asset>>,
}

/// A module that a section exposes, in the list of a set.
#[derive(Debug, Serialize)]
struct ExposedModule {
    /// The length in bytes of its assets and the entry. Browsers wait longer for more.
    bytes: u64,
}

/// A section in the list of a set. Every browser loads it, so it has no digest but the entry's.
#[derive(Serialize)]
struct ListedRemote<'a> {
    name: &'a str,
    version: &'a str,
    container: &'a str,
    entry: &'a str,
    integrity: &'a str,
    #[serde(rename = "needsFederationRuntime", skip_serializing_if = "Not::not")]
    needs_federation_runtime: bool,
    exposes: &'a BTreeMap<String, ExposedModule>,
}

impl RemoteManifest {
    /// Describes a section with these modules: the name of each, its assets, and the length of
    /// these and the entry in bytes.
    pub fn new(
        section: Arc<SectionEntry>,
        modules: impl IntoIterator<Item = (String, Vec<Asset>, u64)>,
    ) -> Self {
        let (mut exposes, mut assets) = (BTreeMap::new(), BTreeMap::new());
        for (name, of_module, bytes) in modules {
            exposes.insert(name.clone(), ExposedModule { bytes });
            assets.insert(name, of_module);
        }
        Self {
            section,
            exposes,
            assets,
        }
    }

    /// Returns its part of the list of a set.
    pub fn listed(&self) -> impl Serialize {
        let section = &*self.section;
        ListedRemote {
            name: &section.name,
            version: &section.version,
            container: &section.container,
            entry: &section.entry,
            integrity: &section.integrity,
            needs_federation_runtime: section.needs_federation_runtime,
            exposes: &self.exposes,
        }
    }
}

/// How to load what a section contributes to an extension point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExtensionManifest {
    /// The section that fills the point.
    pub section: Arc<SectionEntry>,
    /// The point.
    #[serde(skip)]
    pub point: PointReference,
    /// Its place among the extensions of the point: a lower one comes first.
    #[serde(skip)]
    pub order: i64,
    /// The extension's assets, in addition to the section's own.
    pub assets: Vec<Asset>,
    /// The length in bytes of what the extension loads, as in [`PageManifest::bytes`].
    pub bytes: u64,
    /// The shared packages that it loads at first. In a set, `assets` and `bytes` contain their scripts.
    #[serde(skip)]
    pub shared: Vec<String>,
}

impl ExtensionManifest {
    /// Its place among the extensions of its point with these rules: a lower one comes first.
    pub fn rank(&self, rules: &ExtensionRules) -> (usize, i64, &str) {
        let name = &*self.section.name;
        (rules.place(name, self.point.id()), self.order, name)
    }

    /// Why an operator does not want it to be shown; `None` if it may be.
    pub fn refusal(&self, rules: &ExtensionRules) -> Option<Refusal> {
        rules.refusal(&self.section.name, self.point.id())
    }
}
