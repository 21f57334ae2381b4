//! The examples of a release: what its pages and extensions are tried with, before visitors get them.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::pattern::{Pattern, PatternTable};
use crate::release::{PointReference, Release};

/// The maximum length of the file with the examples, in bytes.
pub const MAX_EXAMPLES_FILE: u64 = 1024 << 10;

/// The most characters of a position in the sources.
const MAX_SOURCE_CHARS: usize = 256;

/// The content of the file that `examples` of a manifest names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Of pages.
    pub pages: Vec<PageExample>,
    /// Of extensions.
    pub extensions: Vec<ExtensionExample>,
    /// Where the sources have those of extension points, which are in the manifest.
    #[serde(default)]
    pub points: Vec<PointSources>,
}

/// Where the sources of a release have the examples of an extension point.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointSources {
    /// The point.
    pub point: PointReference,
    /// The position of each example, in order, for messages.
    pub sources: Vec<String>,
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
    /// Where the sources have it, for messages.
    pub source: Option<String>,
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
    /// Where the sources have it, for messages.
    pub source: Option<String>,
}

impl Examples {
    /// The examples in a file.
    ///
    /// # Errors
    /// It is not JSON of this form.
    pub fn parse(file: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(file)
    }

    /// Where the sources have an example of an extension point.
    pub fn source_of(&self, point: &PointReference, index: usize) -> Option<&str> {
        let found = self.points.iter().find(|each| each.point == *point);
        found?.sources.get(index).map(String::as_str)
    }

    /// Examples of what the release does not have, and positions that messages cannot have.
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
        let is_opened = |point: &&PointSources| {
            let mut points = release.extension_points.iter();
            points.any(|opened| opened.reference() == point.point)
        };
        let points = self.points.iter().filter(|point| !is_opened(point));
        let points = points.map(|PointSources { point, .. }| {
            format!("sources are of examples of `{point}`, which the release does not open")
        });
        let sources = self
            .sources()
            .filter(|source| !is_source(source))
            .map(|_| format!("the source of an example is not a line of 1 to {MAX_SOURCE_CHARS} characters"));
        pages.chain(extensions).chain(points).chain(sources).collect()
    }

    fn sources(&self) -> impl Iterator<Item = &String> {
        let pages = self.pages.iter().filter_map(|example| example.source.as_ref());
        let extensions = self.extensions.iter();
        let extensions = extensions.filter_map(|example| example.source.as_ref());
        let points = self.points.iter().flat_map(|point| &point.sources);
        pages.chain(extensions).chain(points)
    }
}

/// Whether a message can have it as a position.
fn is_source(text: &str) -> bool {
    (1..=MAX_SOURCE_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
