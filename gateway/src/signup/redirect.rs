//! Where a successful sign-up may lead.

use url::Url;

use crate::config::Origin;

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
        if target.starts_with('/') {
            let url = self.origin.join(target).ok()?;
            let own = url.origin() == self.origin.origin();
            // A path like `/.//host` is written anew as `//host`, which is another host again.
            let path = &url[url::Position::BeforePath..];
            return (own && !path.starts_with("//")).then(|| path.to_owned());
        }
        let url = Url::parse(target).ok()?;
        let plain = url.username().is_empty() && url.password().is_none();
        let own = url.origin() == self.origin.origin();
        let named = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| self.hosts.iter().any(|known| known == host));
        (plain && (own || named)).then(|| url.into())
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Redirects;

    #[test]
    fn only_this_origin_and_named_hosts_are_admitted() {
        let redirects = Redirects {
            origin: Url::parse("https://site.example").expect("an origin"),
            hosts: vec!["members.example.com".to_owned()],
        };
        let admitted = [
            ("/welcome?a=1#b", "/welcome?a=1#b"),
            ("/", "/"),
            ("/a/../b", "/b"),
            ("https://site.example/in", "https://site.example/in"),
            ("https://members.example.com", "https://members.example.com/"),
            ("https://MEMBERS.example.com/x", "https://members.example.com/x"),
        ];
        for (target, expected) in admitted {
            assert_eq!(redirects.admit(target).as_deref(), Some(expected), "{target}");
        }
        let refused = [
            "",
            "welcome",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/.//evil.example",
            "http://members.example.com/",
            "https://members.example.com:8443/",
            "https://members.example.com.evil.example/",
            "https://members.example.com@evil.example/",
            "https://user@members.example.com/",
            "http://site.example/",
            "https://evil.example/",
            "javascript:alert(1)",
            "data:text/html,x",
        ];
        for target in refused {
            assert_eq!(redirects.admit(target), None, "{target}");
        }
    }
}
