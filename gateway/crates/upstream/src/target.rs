//! The path and query of a request for an upstream.

use http::Uri;
use http::uri::PathAndQuery;

/// A path and query below the prefix of an upstream. Cloning it copies no text.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    whole: PathAndQuery,
    /// Where the part after the prefix begins.
    rest: usize,
}

impl Target {
    /// A target whose prefix has this number of segments.
    pub(crate) fn new(whole: PathAndQuery, prefix_segments: usize) -> Self {
        let path = whole.path();
        // Each slash begins a segment.
        let mut slashes = path.match_indices('/').map(|(index, _)| index);
        let rest = slashes.nth(prefix_segments).unwrap_or(path.len());
        Self { whole, rest }
    }

    /// The path and query as the visitor has requested them.
    pub(crate) fn as_str(&self) -> &str {
        self.whole.as_str()
    }

    /// What is appended to the base URL: the rest of the path as the client has encoded it, and the
    /// query.
    pub(crate) fn rest(&self) -> &str {
        self.as_str().get(self.rest..).unwrap_or_default()
    }

    /// The path and query as a URI.
    pub(crate) fn uri(&self) -> Uri {
        self.whole.clone().into()
    }
}
