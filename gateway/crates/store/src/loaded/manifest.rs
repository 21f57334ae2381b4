//! What the browser needs to load sections: parts of the boot payload and of the responses of
//! `/_page` and `/_remotes`.

use std::collections::BTreeMap;
use std::ops::Not;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use colonnade_web::encoded_content::EncodedContent;
use serde::Serialize;
use serde_json::value::RawValue;

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
    /// The assets of all its pages and slots, in addition to the entry.
    pub assets: Vec<Asset>,
}

/// How to load a page.
#[derive(Debug, Serialize)]
pub struct PageManifest {
    /// The section.
    pub section: Arc<SectionEntry>,
    /// The page's path pattern, which identifies it in the section.
    pub pattern: String,
    /// The assets of the page's first view, in addition to the section's own.
    pub assets: Vec<Asset>,
    /// The length in bytes of what the page loads: the entry, the section's assets and these.
    /// Browsers wait longer for more.
    pub bytes: u64,
    /// This manifest as JSON, with the configuration of the section that was asked for last.
    #[serde(skip)]
    json: ArcSwapOption<PageJson>,
}

/// The configuration of a section, as JSON. Each load of it is another one.
pub type SectionConfig = Arc<RawValue>;

/// A page as JSON.
#[derive(Debug)]
struct PageJson {
    config: Option<SectionConfig>,
    content: Arc<EncodedContent>,
}

/// A page with the configuration of its section.
#[derive(Serialize)]
struct ConfiguredPage<'a> {
    #[serde(flatten)]
    page: &'a PageManifest,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
}

impl PageManifest {
    /// Describes the page with this pattern. Its files have `bytes` bytes, with those of the
    /// section.
    pub fn new(section: Arc<SectionEntry>, pattern: String, assets: Vec<Asset>, bytes: u64) -> Self {
        Self {
            section,
            pattern,
            assets,
            bytes,
            json: ArcSwapOption::empty(),
        }
    }

    /// Returns this manifest as JSON, with the configuration of its section. It is encoded at the
    /// first call with this configuration.
    pub async fn json(self: &Arc<Self>, config: Option<&SectionConfig>) -> Arc<EncodedContent> {
        let is_same = |json: &PageJson| match (&json.config, config) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        if let Some(json) = self.json.load().as_ref().filter(|json| is_same(json)) {
            return Arc::clone(&json.content);
        }
        let (page, config) = (Arc::clone(self), config.cloned());
        let of_page = config.clone();
        // Only maps with keys that are not strings cannot be serialized.
        let encoding = EncodedContent::compress(move || {
            let (page, config) = (&*page, of_page.as_deref());
            serde_json::to_vec(&ConfiguredPage { page, config }).unwrap_or_default()
        });
        let content = Arc::new(encoding.await);
        self.json.store(Some(Arc::new(PageJson {
            config,
            content: Arc::clone(&content),
        })));
        content
    }
}

/// How to load a section and the modules that it exposes.
#[derive(Debug, PartialEq, Serialize)]
pub struct RemoteManifest {
    /// The section.
    #[serde(flatten)]
    pub section: Arc<SectionEntry>,
    /// The modules that it exposes, by name.
    pub exposes: BTreeMap<String, ExposedModuleManifest>,
}

/// How to load a module that a section exposes.
#[derive(Debug, PartialEq, Serialize)]
pub struct ExposedModuleManifest {
    /// All that the module needs at first, except the entry.
    pub assets: Vec<Asset>,
    /// The length in bytes of the entry and these.
    pub bytes: u64,
}

/// How to load the content of a slot of the shell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlotManifest {
    /// The section that fills the slot.
    pub section: Arc<SectionEntry>,
    /// The slot's assets, in addition to the section's own.
    pub assets: Vec<Asset>,
    /// The length in bytes of what the slot loads, as in [`PageManifest::bytes`].
    pub bytes: u64,
}
