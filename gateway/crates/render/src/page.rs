//! The return value of the shell's `render` function.

use serde::Deserialize;
use serde_json::value::RawValue;

use colonnade_web::request_scope;

/// A rendered page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderedPage {
    /// 200, or 404 if the section reports that the path does not exist.
    pub status: u16,
    /// The content of the document's head.
    pub head: PageHead,
    /// The hydration data, kept byte for byte: a section may depend on the order of object keys.
    pub view: Box<RawValue>,
    /// The HTML of the document's root element.
    pub html: String,
    /// Whether the page depends on the current date.
    pub(super) reads_today: bool,
}

impl RenderedPage {
    /// Parses a return value of `render`.
    pub(super) fn parse(json: &[u8]) -> serde_json::Result<Self> {
        debug_assert!(request_scope::may_block());
        serde_json::from_slice(json)
    }
}

/// The head of a page.
#[derive(Debug, Deserialize)]
pub struct PageHead {
    /// The title.
    pub title: String,
    /// The meta description.
    pub description: Option<String>,
    /// The canonical URL, as a path on this site.
    pub canonical: Option<String>,
    /// The content of the robots meta tag.
    pub robots: Option<String>,
    /// The meta keywords.
    pub keywords: Option<String>,
    /// The preview of the shared page.
    pub social: Option<Social>,
    /// The breadcrumbs, from the root.
    pub breadcrumbs: Option<Vec<Breadcrumb>>,
}

/// The preview of a shared page (Open Graph).
#[derive(Debug, Deserialize)]
pub struct Social {
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The Open Graph type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The URL, as a path on this site.
    pub url: String,
}

/// One breadcrumb.
#[derive(Debug, Deserialize)]
pub struct Breadcrumb {
    /// The text.
    pub label: String,
    /// The target, as a path on this site.
    pub path: String,
}
