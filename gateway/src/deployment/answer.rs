//! What a browser is told about releases: parts of the boot payload, and the answers to `/_page`.

use std::sync::Arc;

use serde::Serialize;

/// One file the browser loads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Asset {
    /// Its URL path.
    pub(crate) href: String,
    /// Its file name, by which the bundler's runtime recognises a stylesheet that is there already.
    pub(crate) name: String,
    /// Its Subresource Integrity.
    pub(crate) integrity: String,
    /// How it is loaded.
    #[serde(rename = "type")]
    pub(crate) kind: AssetKind,
}

/// How a file is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AssetKind {
    Script,
    Style,
}

/// How to start a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SectionEntry {
    /// The section's name.
    pub(crate) name: String,
    /// The version of its release.
    pub(crate) version: String,
    /// The global name of its container.
    pub(crate) container: String,
    /// The URL path of its entry.
    pub(crate) entry: String,
    /// The entry's Subresource Integrity.
    pub(crate) integrity: String,
    /// What everything in the section needs besides the entry.
    pub(crate) assets: Vec<Asset>,
}

/// Which section and page a path belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PageAnswer {
    /// The section.
    pub(crate) section: Arc<SectionEntry>,
    /// The page, by its path pattern.
    pub(crate) pattern: String,
    /// What the page's first view needs besides the section's own assets.
    pub(crate) assets: Vec<Asset>,
}

/// Which section fills a slot of the shell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SlotAnswer {
    /// The section.
    pub(crate) section: Arc<SectionEntry>,
    /// What the slot needs besides the section's own assets.
    pub(crate) assets: Vec<Asset>,
}
