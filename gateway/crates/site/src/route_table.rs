//! Finds the route of a path.

use colonnade_model::pattern::RequestPath;
use colonnade_web::router::{Route, Router};

use crate::integrations::is_link;

/// All routes of the site listener.
pub(crate) struct RouteTable<H> {
    /// The route of all paths below `/assets`, which most requests are for.
    pub(crate) asset: Route<H>,
    /// The routes below the other reserved first segments.
    pub(crate) reserved: Router<H>,
    /// The route of every other path.
    pub(crate) document: Route<H>,
    /// The route of the operator's files at the root.
    pub(crate) file: Route<H>,
    /// The route of all paths below `/api`.
    pub(crate) upstream: Route<H>,
    /// The route of links that no integration serves, such as `/go/x` if that one is off. People
    /// follow links, so it responds with the not-found document.
    pub(crate) unknown_link: Route<H>,
    /// The route of other reserved paths.
    pub(crate) not_found: Route<H>,
}

impl<H> RouteTable<H> {
    /// The route of a path and the parameter in the path.
    pub(crate) fn find<'p>(&self, path: &'p RequestPath) -> (&Route<H>, &'p str) {
        let decoded = &path.decoded()[1..];
        match decoded.split_once('/').unwrap_or((decoded, "")) {
            ("assets", file) if !path.has_trailing_slash() => return (&self.asset, file),
            // Upstreams have paths of their own, also with a trailing slash.
            ("api", _) => return (&self.upstream, ""),
            _ if !path.is_reserved() => return (&self.document, ""),
            _ => {}
        }
        if !path.has_trailing_slash()
            && let Some((route, params)) = self.reserved.find(path.decoded())
        {
            let parameter = params.iter().next().map(|(_, value)| value);
            return (route, parameter.unwrap_or_default());
        }
        let route = if is_link(path) {
            &self.unknown_link
        } else {
            &self.not_found
        };
        (route, "")
    }
}
