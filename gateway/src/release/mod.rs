//! A release as its `release.json` tells it: one immutable, versioned build of a section or of the shell.

mod check;
mod digest;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod range;
#[cfg(test)]
mod tests;

pub(crate) use check::{check, is_file_path, is_name, is_version};
pub(crate) use digest::Digest;
pub(crate) use range::Range;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the section contract this gateway understands.
pub(crate) const CONTRACT: u32 = 1;

/// The name under which the shell is released.
pub(crate) const SHELL: &str = "shell";

/// The file that describes a release, at the root of its folder.
pub(crate) const RELEASE_FILE: &str = "release.json";

/// The contents of `release.json`. Unknown fields are refused, so that a misspelt one is found when it is published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Release {
    /// The section's name, or `shell`.
    pub(crate) name: String,
    /// Its version, by semver.
    pub(crate) version: String,
    /// Whether it is the shell or a section.
    pub(crate) kind: Kind,
    /// The version of the section contract it was built for.
    pub(crate) contract: u32,
    /// The script the browser loads first.
    pub(crate) entry: String,
    /// The global name of a section's Module Federation container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) container: Option<String>,
    /// The stylesheets of the shell's frame, in order.
    pub(crate) styles: Vec<String>,
    /// Files that everything in the release needs besides its entry. Scripts of the shell run before its entry, in this
    /// order.
    pub(crate) assets: Vec<String>,
    /// The pages of a section.
    pub(crate) pages: Vec<Page>,
    /// What a section puts into the shell's named places.
    pub(crate) slots: Vec<Slot>,
    /// Shared packages: the ranges a section needs, or the exact versions the shell provides.
    pub(crate) shared: BTreeMap<String, String>,
    /// The shell's icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<String>,
    /// The shell's icons for home screens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) icons: Vec<Icon>,
    /// What is shown of the site where a page of it is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) social_image: Option<SocialImage>,
    /// What browsers colour their own surroundings of a page with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) theme_color: Option<ThemeColor>,
    /// Modules that pages are rendered with on the server, by the specifiers that import them. Without any, the browser
    /// renders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) modules: BTreeMap<String, String>,
    /// Every file of the folder but `release.json` itself.
    pub(crate) files: Vec<File>,
}

/// What a release is a build of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Section,
    Shell,
}

/// A square picture that stands for the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Icon {
    /// A PNG below `client/`.
    pub(crate) file: String,
    /// Its width and height in pixels.
    pub(crate) size: u32,
    /// Who shows it.
    pub(crate) purpose: Purpose,
}

/// Who shows an icon, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Purpose {
    /// Whoever reads the manifest, as it is.
    Any,
    /// Whoever reads the manifest and cuts it to a shape of its own: what matters stands in the middle.
    Maskable,
    /// Home screens that read the document alone (`apple-touch-icon`).
    Touch,
}

/// A picture that others show beside a link to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SocialImage {
    /// A PNG below `client/`.
    pub(crate) file: String,
    /// In pixels.
    pub(crate) width: u32,
    /// In pixels.
    pub(crate) height: u32,
    /// What is to be seen on it, for who does not see it.
    pub(crate) alt: String,
}

/// A colour for either scheme, as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThemeColor {
    pub(crate) light: String,
    pub(crate) dark: String,
}

/// One page of a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Page {
    /// The paths it answers.
    pub(crate) pattern: String,
    /// What its first view needs besides entry and common assets.
    pub(crate) assets: Vec<String>,
    /// Paths that exist under this pattern, as far as the section names them.
    pub(crate) paths: Vec<NamedPath>,
}

/// One existing path of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedPath {
    /// The path, percent-encoded.
    pub(crate) path: String,
    /// Whether search engines may list it.
    pub(crate) indexable: bool,
}

/// What a section puts into one named place of the shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slot {
    /// The place's name.
    pub(crate) name: String,
    /// What it needs besides entry and common assets.
    pub(crate) assets: Vec<String>,
}

/// One file of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its path in the release folder.
    pub(crate) path: String,
    /// Its length in bytes.
    pub(crate) size: u64,
    /// Its media type, as it is sent.
    #[serde(rename = "type")]
    pub(crate) media_type: String,
    /// Its SHA-384, written as in Subresource Integrity.
    pub(crate) digest: Digest,
}

impl File {
    /// Whether a browser runs it.
    pub(crate) fn is_script(&self) -> bool {
        self.essence() == "text/javascript"
    }

    /// Whether it is a stylesheet.
    pub(crate) fn is_style(&self) -> bool {
        self.essence() == "text/css"
    }

    /// Whether compressing it is worth trying.
    pub(crate) fn is_compressible(&self) -> bool {
        let essence = self.essence();
        essence.starts_with("text/")
            || essence.ends_with("+json")
            || essence.ends_with("+xml")
            || ["application/json", "application/javascript", "application/wasm"].contains(&essence)
    }

    fn essence(&self) -> &str {
        self.media_type.split(';').next().unwrap_or_default().trim()
    }
}
