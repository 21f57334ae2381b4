//! What the shell's `render` returns.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A page as the shell rendered it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered {
    /// 200, or 404 where the section says that there is no such thing.
    pub(crate) status: u16,
    /// What the document's head says.
    pub(crate) head: Head,
    /// What the shell goes on from in the browser, byte for byte: a section may depend on the order of keys.
    pub(crate) view: Box<RawValue>,
    /// What stands in the document's root.
    pub(crate) html: String,
    /// Whether it depends on the day.
    pub(super) reads_today: bool,
}

/// A page's head, as data.
#[derive(Debug, Deserialize)]
pub(crate) struct Head {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    /// A path on this site.
    pub(crate) canonical: Option<String>,
    pub(crate) robots: Option<String>,
    pub(crate) keywords: Option<String>,
    pub(crate) social: Option<Social>,
    pub(crate) breadcrumbs: Option<Vec<Breadcrumb>>,
}

/// How a page shows where it is shared.
#[derive(Debug, Deserialize)]
pub(crate) struct Social {
    pub(crate) title: String,
    pub(crate) description: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// A path on this site.
    pub(crate) url: String,
}

/// One step of the trail to a page.
#[derive(Debug, Deserialize)]
pub(crate) struct Breadcrumb {
    pub(crate) label: String,
    /// A path on this site.
    pub(crate) path: String,
}
