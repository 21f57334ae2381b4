//! The server modules of a release, as they are sent to render workers.

use serde::{Deserialize, Serialize};

/// The server modules of one release.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerModules {
    /// The release's ID: `name@version`.
    pub release: String,
    /// Pairs of a module specifier and its source text.
    pub sources: Vec<(String, String)>,
}
