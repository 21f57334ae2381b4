//! Release manifests (`release.json`). A release is an immutable, versioned build of a section or
//! the shell.

mod digest;
mod examples;
mod extension;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod id;
mod modules;
mod names;
mod navigation;
mod range;
mod shared_exports;
mod source;
#[cfg(test)]
mod tests;
mod validate;

pub use digest::Digest;
pub use examples::{Examples, ExtensionExample, MAX_EXAMPLES_FILE, PageExample, PointSources};
pub use extension::{Extension, ExtensionPoint, InvalidReference, PointReference, is_point_id, point_owner};
pub use id::ReleaseId;
pub use modules::ServerModules;
pub use names::{
    EXPECTED_FACT_NAME, SHELL, is_fact_name, is_file_path, is_name, is_source_map, is_version,
    source_map_path,
};
pub use navigation::{NavigationEntry, NavigationList};
pub use range::VersionRange;
pub use shared_exports::{SharedPackages, omitted_use};
pub use source::ReleaseSource;
pub use validate::{extension_point_problems, validate};

use std::collections::BTreeMap;
use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pattern::{PatternTable, RequestPath};
use crate::search::{canonical_search, split_search};

use crate::policy::Policy;

/// The version of the section contract that this gateway supports.
pub(crate) const CONTRACT: u32 = 1;

/// The maximum number of pages of a release, and of the paths that they list.
pub const MAX_PATHS: usize = 5_000;

/// The maximum number of modules that a release exposes.
pub(crate) const MAX_EXPOSED_MODULES: usize = 100;

/// The maximum number of extension points that a release opens, and of those that it fills.
pub const MAX_EXTENSIONS: usize = 32;

/// The maximum number of links that a release contributes to the navigation.
pub(crate) const MAX_NAVIGATION: usize = 32;

/// The manifest's file name, in the root folder of a release.
pub const RELEASE_FILE: &str = "release.json";

/// The content of `release.json`. Unknown fields are an error, so that publishing finds misspelled
/// ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Release {
    /// The section's name, or `shell`.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// Whether it is the shell or a section.
    pub kind: Kind,
    /// The version of the section contract it implements.
    pub contract: u32,
    /// The entry script.
    pub entry: String,
    /// The global name of a section's Module Federation container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Whether a section's container reads the Module Federation runtime of the shell. `None` means
    /// that it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_federation_runtime: Option<bool>,
    /// The shell's stylesheets, in order.
    pub styles: Vec<String>,
    /// The assets of all pages and extensions, in addition to the entry. Scripts of the shell run
    /// before its entry, in this order.
    pub assets: Vec<String>,
    /// The pages of a section.
    pub pages: Vec<Page>,
    /// The extension points of a section's pages, or of the shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_points: Vec<ExtensionPoint>,
    /// A section's content for extension points, which can be its own or those of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<Extension>,
    /// A section's links for the navigation of the shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub navigation: Vec<NavigationEntry>,
    /// The modules of a section that other sections load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exposes: Vec<ExposedModule>,
    /// Shared packages: the ranges a section needs, or the exact versions the shell provides.
    pub shared: BTreeMap<String, String>,
    /// The scripts of each shared package that the shell loads only with pages that need it, in
    /// addition to those of every document.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shared_assets: BTreeMap<String, Vec<String>>,
    /// The exports of shared packages that the shell omits, by package. The names of a path are joined
    /// by dots.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted_exports: BTreeMap<String, Vec<String>>,
    /// The exports of shared packages that a section uses, as far as it says. An empty path is the
    /// package as a whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub used_exports: BTreeMap<String, Vec<String>>,
    /// The shell's icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The shell's icons for home screens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// The preview image of shared pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub social_image: Option<SocialImage>,
    /// The colors of the browser's user interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme_color: Option<ThemeColor>,
    /// The shell's meta elements of every document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meta: Vec<Meta>,
    /// The server modules: file paths by import specifier. Without any, only the browser renders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, String>,
    /// The file with the examples of a section's pages and extensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// The facts of the site that it reads, with their types.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, FactType>,
    /// The values of its section's configuration that it reads, with their types.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config: BTreeMap<String, FactType>,
    /// What its documents need in addition to the strict default.
    #[serde(default, skip_serializing_if = "Policy::is_empty")]
    pub policy: Policy,
    /// All files of the release except `release.json`.
    pub files: Vec<File>,
}

/// What a release is a build of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A section.
    Section,
    /// The shell.
    Shell,
}

/// A square icon of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Icon {
    /// A PNG below `client/`.
    pub file: String,
    /// The width and height in pixels.
    pub size: u32,
    /// Where it is used.
    pub purpose: Purpose,
}

/// Where an icon is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// In the web app manifest, with the purpose `any`.
    Any,
    /// In the web app manifest, with the purpose `maskable`: a platform may crop it to a shape.
    Maskable,
    /// In the document, as `apple-touch-icon`.
    Touch,
}

/// The image that other sites show with a link to a page (Open Graph).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocialImage {
    /// A PNG below `client/`.
    pub file: String,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The alternative text.
    pub alt: String,
}

/// A color for each color scheme, as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeColor {
    /// The color of the light scheme.
    pub light: String,
    /// The color of the dark scheme.
    pub dark: String,
}

/// A `<meta name content>` element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// What it says.
    pub name: String,
    /// The value.
    pub content: String,
}

/// The type of a fact of the site, or of a value of a section's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactType {
    /// A text.
    #[serde(rename = "string")]
    String,
    /// A number.
    #[serde(rename = "number")]
    Number,
    /// True or false.
    #[serde(rename = "boolean")]
    Boolean,
    /// A list of texts.
    #[serde(rename = "string[]")]
    Strings,
    /// A list of numbers.
    #[serde(rename = "number[]")]
    Numbers,
    /// A list of booleans.
    #[serde(rename = "boolean[]")]
    Booleans,
}

impl FactType {
    /// All types.
    const ALL: [Self; 6] = [
        Self::String,
        Self::Number,
        Self::Boolean,
        Self::Strings,
        Self::Numbers,
        Self::Booleans,
    ];

    /// Whether a value has this type. An empty list has each type of lists.
    pub fn fits(self, value: &Value) -> bool {
        let all = |is_item: fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(is_item));
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Strings => all(Value::is_string),
            Self::Numbers => all(Value::is_number),
            Self::Booleans => all(Value::is_boolean),
        }
    }

    /// The name of a value's type, which is not always one that a release can list.
    pub fn name_of(value: &Value) -> &'static str {
        let mut types = Self::ALL.into_iter().filter(|kind| kind.fits(value));
        match (types.next(), types.next()) {
            (Some(kind), None) => kind.name(),
            (Some(_), Some(_)) => "list without items",
            (None, _) => "list of several types",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Strings => "string[]",
            Self::Numbers => "number[]",
            Self::Booleans => "boolean[]",
        }
    }

    /// A value of this type, as TOML.
    pub fn example(self) -> &'static str {
        match self {
            Self::String => "\"…\"",
            Self::Number => "1",
            Self::Boolean => "true",
            Self::Strings => "[\"…\"]",
            Self::Numbers => "[1]",
            Self::Booleans => "[true]",
        }
    }
}

/// One page of a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Page {
    /// Its path pattern.
    pub pattern: String,
    /// The assets of its first view, in addition to the section's own.
    pub assets: Vec<String>,
    /// The shared packages that its first view loads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// The known paths of the page.
    pub paths: Vec<NamedPath>,
    /// The names of the query parameters that it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// Whether the server renders only its fallback.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub browser_only: bool,
    /// Those of the release's extension points that the page can show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension_points: Vec<PointReference>,
}

impl Page {
    /// Whether a text is one of its paths, with or without a query in its canonical form. `patterns` are
    /// those of the release.
    fn has_path(&self, patterns: &PatternTable<()>, text: &str) -> bool {
        let (path, search) = split_search(text);
        let path = RequestPath::parse(path).ok();
        let found = path.as_ref().and_then(|path| patterns.find(path));
        found.is_some_and(|(pattern, ())| pattern.as_str() == self.pattern)
            && !text.ends_with('?')
            && canonical_search(&self.search, search).is_ok_and(|canonical| canonical == search)
    }
}

/// One known path of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPath {
    /// The path, percent-encoded, with an optional query in its canonical form.
    pub path: String,
    /// Whether search engines may index it.
    pub indexable: bool,
}

/// A module that a section offers to other sections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExposedModule {
    /// Its name in the container, such as `./PriceTag`.
    pub name: String,
    /// All that it needs at first, except the entry.
    pub assets: Vec<String>,
}

/// One file of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The path in the release's folder.
    pub path: String,
    /// The length in bytes.
    pub size: u64,
    /// The value of its `Content-Type`.
    #[serde(rename = "type")]
    pub media_type: String,
    /// The SHA-384 digest, in the format of Subresource Integrity.
    pub digest: Digest,
}

impl File {
    /// Whether it is a JavaScript file.
    pub fn is_script(&self) -> bool {
        self.essence() == "text/javascript"
    }

    /// Whether it is a stylesheet.
    pub fn is_style(&self) -> bool {
        self.essence() == "text/css"
    }

    /// Whether it is a WebAssembly module.
    pub fn is_wasm(&self) -> bool {
        self.essence() == "application/wasm"
    }

    /// Whether compression can reduce its size, by its media type.
    pub fn is_compressible(&self) -> bool {
        let essence = self.essence();
        essence.starts_with("text/")
            || essence.ends_with("+json")
            || essence.ends_with("+xml")
            || self.is_wasm()
            || ["application/json", "application/javascript"].contains(&essence)
    }

    fn essence(&self) -> &str {
        self.media_type.split(';').next().unwrap_or_default().trim()
    }
}
