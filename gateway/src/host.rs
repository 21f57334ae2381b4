//! The name a request asks for: Host, or `:authority`.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A host, and a port if one is named (RFC 9110, 7.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    /// In lower case, without the dot that may end a name.
    name: String,
    port: Option<u16>,
}

impl Host {
    /// Reads one. Stricter than RFC 3986, which would let a user, percent-encodings and nothing at all stand there.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, port) = if text.starts_with('[') {
            let end = text.find(']')? + 1;
            let address: Ipv6Addr = text[1..end - 1].parse().ok()?;
            (format!("[{address}]"), &text[end..])
        } else {
            let end = text.find(':').unwrap_or(text.len());
            (registered(&text[..end])?, &text[end..])
        };
        let port = match port {
            "" => None,
            port => Some(number(port.strip_prefix(':')?)?),
        };
        Some(Self { name, port })
    }

    /// Whether nobody can make it lead somewhere else: an address, for which no name is looked up, or `localhost`
    /// (RFC 6761, 6.3).
    pub(crate) fn is_fixed(&self) -> bool {
        self.name.starts_with('[') || self.name.parse::<Ipv4Addr>().is_ok() || self.name == "localhost"
    }

    /// Whether a host is this one; without a port this one is any of that name.
    pub(crate) fn covers(&self, asked: &Self) -> bool {
        self.name == asked.name && self.port.is_none_or(|port| asked.port == Some(port))
    }
}

fn registered(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let whole = !name.is_empty()
        && name.len() <= 253
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !name.contains("..");
    whole.then(|| name.to_ascii_lowercase())
}

fn number(port: &str) -> Option<u16> {
    port.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| port.parse().ok())?
}

#[cfg(any(test, feature = "fuzzing"))]
/// What must hold of a host that is accepted: it can be written and is read as the same again, and nothing in it could
/// be taken for another part of an address.
pub(crate) fn fuzz(text: &str) {
    let Some(host) = Host::parse(text) else {
        return;
    };
    let written = match host.port {
        Some(port) => format!("{}:{port}", host.name),
        None => host.name.clone(),
    };
    assert_eq!(
        Host::parse(&written).as_ref(),
        Some(&host),
        "{written:?} of {text:?}"
    );
    assert_eq!(
        Host::parse(&text.to_ascii_uppercase()).as_ref(),
        Some(&host),
        "{text:?}"
    );
    assert!(host.covers(&host), "{text:?}");
    assert!(host.name.len() <= 253 && !host.name.is_empty(), "{text:?}");
    let is_odd = |c: char| !c.is_ascii_graphic() || c.is_ascii_uppercase() || "/\\@?#%,;".contains(c);
    assert!(!host.name.contains(is_odd), "{text:?}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_oneof, proptest};

    use super::{Host, fuzz};
    use crate::testing::cases;

    #[test]
    fn hosts_are_told_from_what_is_none() {
        for host in [
            "site.example",
            "SITE.example:8443",
            "site.example.",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:80",
            "a_b",
        ] {
            assert!(Host::parse(host).is_some(), "{host}");
        }
        for none in [
            "", ":80", "a:", "a:b", "a:+1", "a:65536", "a b", "a/b", "a@b", "a,b", "..", "a..", "a..:80",
            ".a", "a..b", "[::1", "[::1]80", "[::1]:", "[x]", "::1", "a%41", "a\u{e4}",
        ] {
            assert_eq!(Host::parse(none), None, "{none}");
        }
    }

    #[test]
    fn without_a_port_any_port_is_meant() {
        let host = |text| Host::parse(text).expect("a host");
        assert!(host("site.example").covers(&host("Site.Example.:8443")));
        assert!(host("site.example:443").covers(&host("site.example:443")));
        assert!(!host("site.example:443").covers(&host("site.example")));
        assert!(!host("site.example").covers(&host("other.example")));
    }

    #[test]
    fn addresses_and_localhost_are_fixed() {
        let is_fixed = |text| Host::parse(text).expect("a host").is_fixed();
        for fixed in ["127.0.0.1:9090", "10.0.0.1", "[::1]:9090", "LOCALHOST.:9090"] {
            assert!(is_fixed(fixed), "{fixed}");
        }
        for name in [
            "site.example",
            "localhost.example",
            "a.localhost",
            "127.0.0.1.example",
            "127.1",
        ] {
            assert!(!is_fixed(name), "{name}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn a_host_is_read_as_it_was_written(name in "[a-z0-9_-]{1,9}(\\.[a-z0-9_-]{1,9}){0,3}", port in any::<u16>()) {
            let host = Host::parse(&name).expect("a host");
            let with_port = Host::parse(&format!("{name}:{port}")).expect("a host");
            assert_eq!((host.name.as_str(), host.port), (name.as_str(), None));
            assert_eq!((with_port.name, with_port.port), (name, Some(port)));
        }

        #[test]
        fn no_host_is_too_odd(text in prop_oneof![
            "[\\PC]{0,20}",
            "[a-zA-Z0-9._-]{0,9}\\.{0,2}(:[0-9+]{0,6}){0,2}",
            "\\[[0-9a-f:.]{0,20}\\]{0,2}(:[0-9]{0,6})?",
        ]) {
            fuzz(&text);
        }
    }
}
