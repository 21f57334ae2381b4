//! Links that sections contribute to the navigation of the shell.

use serde::{Deserialize, Serialize};

/// The most characters of a label.
pub(super) const MAX_LABEL_CHARS: usize = 64;

/// The most bytes of a path with its fragment.
pub(super) const MAX_PATH_BYTES: usize = 512;

/// A link that a section contributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NavigationEntry {
    /// The list that shows it.
    pub to: NavigationList,
    /// The text of the link.
    pub label: String,
    /// The path of a page of the section. It can have a fragment.
    pub path: String,
    /// Its place in the list. A lower one comes first, then the section's name decides.
    #[serde(default)]
    pub order: i64,
}

/// A list of links that the shell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NavigationList {
    /// In the header.
    #[serde(rename = "shell/menu")]
    Menu,
    /// In the footer.
    #[serde(rename = "shell/footer")]
    Footer,
}
