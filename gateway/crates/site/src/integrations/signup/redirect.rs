//! Where a successful sign-up may redirect to, to prevent open redirects.

use url::{Position, Url};

use colonnade_config::Origin;
use colonnade_model::pattern::RequestPath;

/// The redirect targets that are allowed.
pub(super) struct AllowedRedirects {
    origin: Url,
    hosts: Vec<String>,
}

impl AllowedRedirects {
    /// Allows pages of this origin, and HTTPS URLs of these hosts.
    pub(super) fn new(origin: &Origin, hosts: Vec<String>) -> Self {
        Self {
            origin: origin.url().clone(),
            hosts,
        }
    }

    /// The normalized target, or `None` if it is not allowed. The target is parsed and serialized
    /// again, so that browsers interpret it as it was checked. A path stays a path.
    pub(super) fn check(&self, target: &str) -> Option<String> {
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
            let normalized = if is_path {
                &url[Position::BeforePath..]
            } else {
                url.as_str()
            };
            return is_page_path(url.path()).then(|| normalized.to_owned());
        }
        let is_allowed_host = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| self.hosts.iter().any(|known| known == host));
        // A target that looks like a path must stay on this origin.
        (is_allowed_host && !is_path).then(|| url.into())
    }
}

/// Whether a path of this origin can be a page. Reserved paths cannot: a redirect to `/go/…`, for
/// example, would take the visitor to a partner by a link that is not labeled as an advertisement.
fn is_page_path(path: &str) -> bool {
    // A path with an empty segment, such as `//host`, can name another host.
    RequestPath::parse(path).is_ok_and(|path| !path.is_reserved() && !path.has_empty_segment())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use url::Url;

    use super::AllowedRedirects;

    /// The test cases, which the form in the browser has in common.
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
        /// The resulting URL; absent if the target is not allowed.
        resolved: Option<String>,
    }

    #[test]
    fn redirects_follow_the_shared_table() {
        let table = include_str!("../../../../../../tests/tables/redirects.json");
        let Table { origin, hosts, cases } = serde_json::from_str(table).expect("the table is well-formed");
        let origin = Url::parse(&origin).expect("a valid origin");
        let redirects = AllowedRedirects { origin, hosts };
        for Case { target, resolved } in cases {
            let allowed = redirects.check(&target);
            let url = allowed.map(|target| redirects.origin.join(&target).expect("a valid URL").to_string());
            assert_eq!(url, resolved, "{target}");
        }
    }

    #[test]
    fn path_stays_path_and_is_normalized() {
        let redirects = AllowedRedirects {
            origin: Url::parse("https://site.example").expect("a valid origin"),
            hosts: Vec::new(),
        };
        let allowed = redirects.check("/a/../New York?a=1#b");
        assert_eq!(allowed.as_deref(), Some("/New%20York?a=1#b"));
    }
}
