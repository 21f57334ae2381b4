//! The queries of a page, as a worker returns them, and what fetches them.

use std::collections::BTreeMap;
use std::pin::Pin;

use parking_lot::Mutex;
use tokio::time::Instant;

use colonnade_model::release::ReleaseId;
use colonnade_web::client::ClientKey;
use colonnade_web::query::{QueryResult, Revision, UnusableResult};

use crate::site_url;

/// The most queries of a page.
const MAX_QUERIES: usize = 8;

/// The most bytes of a query's name.
const MAX_NAME_BYTES: usize = 64;

/// The prefix of paths that upstreams serve.
const PREFIX: &str = "/api/";

/// Fetches the queries of pages.
pub trait QuerySource: Send + Sync {
    /// The result for a path of this site below `/api/`, with an optional query: percent-encoded,
    /// without a fragment, dot segments or empty segments. Limits per client count `client`, if it
    /// is known. Never fails. If the caller stops waiting, a response that others may get is still
    /// received. The source limits the size of the result.
    fn fetch<'a>(
        &'a self,
        path: &'a str,
        client: Option<ClientKey>,
    ) -> Pin<Box<dyn Future<Output = QueryResult> + Send + 'a>>;

    /// The result for such a path that the source has, and need not ask for; `None` without one.
    fn cached<'a>(&'a self, path: &'a str) -> Pin<Box<dyn Future<Output = Option<QueryResult>> + Send + 'a>>;

    /// Whether results of this revision are neither purged nor invalidated.
    fn is_current(&self, revision: Revision) -> bool;

    /// Records that a page of this release cannot use the result for a path.
    fn record_unusable(&self, path: &str, release: &ReleaseId, reason: UnusableResult);
}

/// The queries of a page: paths below `/api/` of this site, by name.
///
/// `queries` of a page is pure: they depend only on the releases, the page's path and the date.
#[derive(Debug)]
pub(crate) struct Queries {
    paths: BTreeMap<String, String>,
    /// Until then, no document waits for the results.
    late_until: Mutex<Option<Instant>>,
}

impl Queries {
    /// Checks the queries that a worker returned. The gateway does not trust it: it executes the
    /// code of a section.
    ///
    /// # Errors
    /// The rule that they break.
    pub(crate) fn new(paths: BTreeMap<String, String>) -> Result<Self, String> {
        if paths.len() > MAX_QUERIES {
            let count = paths.len();
            return Err(format!(
                "the page has {count} queries; a page may have at most {MAX_QUERIES}"
            ));
        }
        for (name, path) in &paths {
            if name.is_empty() || name.len() > MAX_NAME_BYTES || name.contains(char::is_control) {
                return Err(format!(
                    "a query's name must have 1 to {MAX_NAME_BYTES} bytes and no control characters"
                ));
            }
            let parsed =
                site_url::parse(path).map_err(|rule| format!("the path of query {name:?} {rule}"))?;
            if !path.starts_with(PREFIX) || parsed.segments().nth(1).is_none() {
                return Err(format!("the path of query {name:?} is not below {PREFIX}"));
            }
        }
        Ok(Self {
            paths,
            late_until: Mutex::default(),
        })
    }

    /// The names and paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.paths.iter()
    }

    /// The path of a query.
    pub(crate) fn path(&self, name: &str) -> Option<&str> {
        self.paths.get(name).map(String::as_str)
    }

    /// Records that a result was late: until then, no document waits for the results.
    pub(crate) fn record_late(&self, until: Instant) {
        *self.late_until.lock() = Some(until);
    }

    /// Whether a result was late a short time ago.
    pub(crate) fn are_late(&self) -> bool {
        self.late_until.lock().is_some_and(|until| Instant::now() < until)
    }

    /// The bytes of names and paths.
    pub(crate) fn weight(&self) -> usize {
        self.iter().map(|(name, path)| name.len() + path.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Queries;

    fn problem(queries: &[(&str, &str)]) -> Option<String> {
        let owned = queries
            .iter()
            .map(|(name, path)| ((*name).to_owned(), (*path).to_owned()));
        Queries::new(owned.collect()).err()
    }

    #[test]
    fn queries_below_api_are_accepted() {
        assert_eq!(problem(&[]), None);
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_eq!(
            problem(&names.map(|name| (name, "/api/listings?state=New%20York"))),
            None
        );
    }

    #[test]
    fn query_that_breaks_rule_is_named() {
        let long = "a".repeat(65);
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let nine = names.map(|name| (name, "/api/x"));
        for (queries, rule) in [
            (&nine[..], "the page has 9 queries; a page may have at most 8"),
            (&[("", "/api/x")], "1 to 64 bytes"),
            (&[(&long, "/api/x")], "1 to 64 bytes"),
            (&[("a\n", "/api/x")], "no control characters"),
            (&[("a", "/other")], "the path of query \"a\" is not below /api/"),
            (&[("a", "/api")], "not below /api/"),
            (&[("a", "/api/")], "not below /api/"),
            (&[("a", "/api?x")], "not below /api/"),
            (&[("a", "/%61pi/x")], "not below /api/"),
            (&[("a", "/apis/x")], "not below /api/"),
            (&[("a", "//evil.example/api/x")], "two slashes"),
            (&[("a", "/api/../admin")], "parent folder"),
            (&[("a", "https://evil.example/api/x")], "must begin with a slash"),
        ] {
            let problem = problem(queries).expect(rule);
            assert!(problem.contains(rule), "{queries:?}: {problem}");
        }
    }
}
