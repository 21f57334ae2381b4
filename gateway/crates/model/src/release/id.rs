//! The ID of a release.

use std::fmt;

/// The name and version of a release. Its text form is `name@version`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReleaseId {
    /// The section's name, or `shell`.
    pub name: String,
    /// The version.
    pub version: String,
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}
