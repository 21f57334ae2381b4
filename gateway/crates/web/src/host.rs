//! The host of a request: `Host` or `:authority`.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A host with an optional port (RFC 9110, section 7.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Lower case, without a trailing dot.
    name: String,
    port: Option<u16>,
}

impl Host {
    /// Parses a host. Stricter than RFC 3986: no user information, no percent-encoding, no empty
    /// host.
    pub fn parse(text: &str) -> Option<Self> {
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

    /// The name or the address, in lower case and without the port. An IPv6 address has brackets.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether DNS cannot redirect this host: it is an IP address, or `localhost` (RFC
    /// 6761, section 6.3). Such a host is safe from DNS rebinding.
    pub fn resists_dns_rebinding(&self) -> bool {
        self.name.starts_with('[') || self.name.parse::<Ipv4Addr>().is_ok() || self.name == "localhost"
    }

    /// Returns whether another host equals this one. Without a port this host matches every port.
    pub fn matches(&self, other: &Self) -> bool {
        self.name == other.name && self.port.is_none_or(|port| other.port == Some(port))
    }
}

fn registered(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_valid = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut labels = name.as_bytes().split(|byte| *byte == b'.');
    (name.len() <= 253 && labels.all(|label| !label.is_empty() && label.iter().all(is_valid)))
        .then(|| name.to_ascii_lowercase())
}

fn number(port: &str) -> Option<u16> {
    port.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| port.parse().ok())?
}

/// Checks that a valid host roundtrips and contains no character that is special elsewhere in a
/// URL.
///
/// # Panics
///
/// Panics if an invariant is broken.
#[cfg(any(test, feature = "testing"))]
pub fn fuzz(text: &str) {
    let Some(host) = Host::parse(text) else {
        return;
    };
    let formatted = match host.port {
        Some(port) => format!("{}:{port}", host.name),
        None => host.name.clone(),
    };
    assert_eq!(
        Host::parse(&formatted).as_ref(),
        Some(&host),
        "{formatted:?} of {text:?}"
    );
    assert_eq!(
        Host::parse(&text.to_ascii_uppercase()).as_ref(),
        Some(&host),
        "{text:?}"
    );
    assert!(host.matches(&host), "{text:?}");
    assert!(host.name.len() <= 253 && !host.name.is_empty(), "{text:?}");
    let is_forbidden = |c: char| !c.is_ascii_graphic() || c.is_ascii_uppercase() || "/\\@?#%,;".contains(c);
    assert!(!host.name.contains(is_forbidden), "{text:?}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_oneof, proptest};

    use colonnade_testing::cases;

    use super::{Host, fuzz};

    #[test]
    fn parse_accepts_hosts_and_rejects_others() {
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
        for invalid in [
            "", ":80", "a:", "a:b", "a:+1", "a:65536", "a b", "a/b", "a@b", "a,b", "..", "a..", "a..:80",
            ".a", "a..b", "[::1", "[::1]80", "[::1]:", "[x]", "::1", "a%41", "a\u{e4}",
        ] {
            assert_eq!(Host::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn host_without_port_matches_every_port() {
        let host = |text| Host::parse(text).expect("a host");
        assert!(host("site.example").matches(&host("Site.Example.:8443")));
        assert!(host("site.example:443").matches(&host("site.example:443")));
        assert!(!host("site.example:443").matches(&host("site.example")));
        assert!(!host("site.example").matches(&host("other.example")));
    }

    #[test]
    fn addresses_and_localhost_resist_dns_rebinding() {
        let resists = |text| Host::parse(text).expect("a host").resists_dns_rebinding();
        for host in ["127.0.0.1:9090", "10.0.0.1", "[::1]:9090", "LOCALHOST.:9090"] {
            assert!(resists(host), "{host}");
        }
        for name in [
            "site.example",
            "localhost.example",
            "a.localhost",
            "127.0.0.1.example",
            "127.1",
        ] {
            assert!(!resists(name), "{name}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn host_roundtrips(name in "[a-z0-9_-]{1,9}(\\.[a-z0-9_-]{1,9}){0,3}", port in any::<u16>()) {
            let host = Host::parse(&name).expect("a host");
            let with_port = Host::parse(&format!("{name}:{port}")).expect("a host");
            assert_eq!((host.name.as_str(), host.port), (name.as_str(), None));
            assert_eq!((with_port.name, with_port.port), (name, Some(port)));
        }

        #[test]
        fn arbitrary_hosts_hold_invariants(text in prop_oneof![
            "[\\PC]{0,20}",
            "[a-zA-Z0-9._-]{0,9}\\.{0,2}(:[0-9+]{0,6}){0,2}",
            "\\[[0-9a-f:.]{0,20}\\]{0,2}(:[0-9]{0,6})?",
        ]) {
            fuzz(&text);
        }
    }
}
