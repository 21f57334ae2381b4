//! The examples of a release: what its pages and extensions are tried with, before visitors get them.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{PointReference, Release};
use crate::pattern::{Pattern, PatternTable};

/// The maximum length of the file with the examples, in bytes.
pub const MAX_EXAMPLES_FILE: u64 = 1024 << 10;

/// The content of the file that `examples` of a manifest names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Of pages.
    pub pages: Vec<PageExample>,
    /// Of extensions.
    pub extensions: Vec<ExtensionExample>,
}

/// A path of a page, with results of its queries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageExample {
    /// The pattern of the page.
    pub pattern: String,
    /// The path, percent-encoded.
    pub path: String,
    /// The results by name, as the page gets them.
    pub results: Box<RawValue>,
}

/// Props of an extension, with results of its queries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionExample {
    /// The point that the extension fills.
    pub point: PointReference,
    /// What a page passes to the point.
    pub props: Map<String, Value>,
    /// The results by name, as the extension gets them.
    pub results: Box<RawValue>,
}

impl Examples {
    /// The examples in a file.
    ///
    /// # Errors
    /// It is not JSON of this form.
    pub fn parse(file: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(file)
    }

    /// Examples of what the release does not have.
    pub fn problems(&self, release: &Release) -> Vec<String> {
        let mut table = PatternTable::default();
        for pattern in release
            .pages
            .iter()
            .filter_map(|page| Pattern::parse(&page.pattern).ok())
        {
            // The manifest has a problem if two collide.
            let _ = table.insert(pattern, ());
        }
        let is_of_page = |example: &PageExample| {
            let mut pages = release.pages.iter();
            let page = pages.find(|page| page.pattern == example.pattern);
            page.is_some_and(|page| page.has_path(&table, &example.path))
        };
        let is_filled = |example: &ExtensionExample| {
            let mut extensions = release.extensions.iter();
            extensions.any(|extension| extension.point == example.point)
        };
        let pages = self.pages.iter().filter(|example| !is_of_page(example));
        let pages = pages.map(|PageExample { path, pattern, .. }| {
            format!("the example `{path}` is not one of page `{pattern}`")
        });
        let extensions = self.extensions.iter().filter(|example| !is_filled(example));
        let extensions = extensions.map(|example| {
            format!(
                "an example is of `{}`, which the release does not fill",
                example.point
            )
        });
        pages.chain(extensions).collect()
    }
}
