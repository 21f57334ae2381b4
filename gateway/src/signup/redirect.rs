//! Where a successful sign-up may lead.

use url::{Position, Url};

use crate::config::Origin;
use crate::pattern::RequestPath;

/// The targets a backend may name.
pub(super) struct Redirects {
    origin: Url,
    hosts: Vec<String>,
}

impl Redirects {
    /// This origin, and https at these hosts.
    pub(super) fn new(origin: &Origin, hosts: Vec<String>) -> Self {
        Self {
            origin: origin.url().clone(),
            hosts,
        }
    }

    /// The target as it may be passed on, or `None` if it may not. It is read and written anew, so that what a
    /// browser makes of it is what was checked; a path stays a path.
    pub(super) fn admit(&self, target: &str) -> Option<String> {
        let is_path = target.starts_with('/');
        let url = if is_path {
            self.origin.join(target).ok()?
        } else {
            Url::parse(target).ok()?
        };
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        if url.origin() == self.origin.origin() {
            let written = if is_path {
                &url[Position::BeforePath..]
            } else {
                url.as_str()
            };
            return may_be_page(url.path()).then(|| written.to_owned());
        }
        let is_named = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| self.hosts.iter().any(|known| known == host));
        // What looks like a path is to stay on this origin.
        (is_named && !is_path).then(|| url.into())
    }
}

/// Whether a path of this origin can be a page's. What is below `/go`, say, can not: a sign-up that ended there would
/// lead to a partner by a link that nobody labelled.
fn may_be_page(path: &str) -> bool {
    // An empty segment would also let a path such as `//host` be written, which names another host.
    RequestPath::parse(path).is_ok_and(|path| !path.is_reserved() && !path.has_empty_segment())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use url::Url;

    use super::Redirects;

    /// The table that the form in the browser is tested with, too.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        origin: String,
        hosts: Vec<String>,
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        target: String,
        /// The address it leads to, or none where it is not admitted.
        leads: Option<String>,
    }

    #[test]
    fn targets_follow_the_shared_table() {
        let table = include_str!("../../../tests/tables/redirects.json");
        let Table { origin, hosts, cases } = serde_json::from_str(table).expect("the table is well-formed");
        let origin = Url::parse(&origin).expect("an origin");
        let redirects = Redirects { origin, hosts };
        for Case { target, leads } in cases {
            let admitted = redirects.admit(&target);
            let led = admitted.map(|target| redirects.origin.join(&target).expect("an address").to_string());
            assert_eq!(led, leads, "{target}");
        }
    }

    #[test]
    fn a_path_stays_a_path_and_is_written_anew() {
        let redirects = Redirects {
            origin: Url::parse("https://site.example").expect("an origin"),
            hosts: Vec::new(),
        };
        let admitted = redirects.admit("/a/../New York?a=1#b");
        assert_eq!(admitted.as_deref(), Some("/New%20York?a=1#b"));
    }
}
