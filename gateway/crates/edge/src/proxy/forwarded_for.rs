//! `X-Forwarded-For`, to which each proxy appends the address of its peer.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

use crate::proxy::is_trusted;

/// Returns the address of the client behind a peer.
///
/// Reads the header from the right, and stops at the first address that is not a trusted proxy: the
/// client controls everything further left.
pub(crate) fn client_address(trusted_proxies: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    // The search for the header takes much longer.
    if !is_trusted(trusted_proxies, client) {
        return client;
    }
    let values = headers.get_all("x-forwarded-for").iter().rev();
    let mut hops = values.flat_map(|value| value.as_bytes().rsplit(|&byte| byte == b','));
    while is_trusted(trusted_proxies, client) {
        // After an invalid address, the proxy that sent it counts as the client.
        match hops.next().and_then(parse_address) {
            Some(address) => client = address.to_canonical(),
            None => break,
        }
    }
    client
}

/// Parses an address, to which some proxies add a port.
fn parse_address(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop.trim_ascii()).ok()?;
    let plain = text.trim_start_matches('[').trim_end_matches(']');
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    plain.parse().or_else(|_| with_port()).ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use super::client_address;
    use colonnade_testing::cases;

    fn client(peer: &str, values: &[&str]) -> String {
        let proxies = ["10.0.0.0/8", "::1/128"].map(|network| network.parse().expect("a network"));
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", HeaderValue::from_str(value).expect("a value"));
        }
        client_address(&proxies, peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn forwarded_for_untrusted_peer_is_ignored() {
        assert_eq!(client("192.0.2.1", &[]), "192.0.2.1");
        assert_eq!(client("192.0.2.1", &["10.0.0.1", "198.51.100.1"]), "192.0.2.1");
    }

    #[test]
    fn forwarded_for_trusted_proxy_is_read_from_right() {
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["203.0.113.9, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            client("10.0.0.1", &["203.0.113.9", "198.51.100.1,10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(client("::1", &[" 198.51.100.1:4711 "]), "198.51.100.1");
        assert_eq!(client("::1", &["[2001:db8::1]:4711"]), "2001:db8::1");
        assert_eq!(client("::1", &["[2001:db8::1]"]), "2001:db8::1");
    }

    #[test]
    fn forwarded_for_invalid_address_is_ignored() {
        for value in ["", "unknown", "203.0.113.9, x", "203.0.113.9,"] {
            assert_eq!(client("10.0.0.1", &[value]), "10.0.0.1", "{value}");
        }
        assert_eq!(client("10.0.0.1", &["203.0.113.9, x, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn forwarded_for_client_cannot_hide_its_address(
            forged in vec("[0-9a-f:., \\[\\]]{0,30}", 0..3),
            proxies in 0_u8..4,
        ) {
            let mut values = forged;
            values.push("198.51.100.1".to_owned());
            values.extend((0..proxies).map(|proxy| format!("10.0.0.{proxy}")));
            let values: Vec<_> = values.iter().map(String::as_str).collect();
            assert_eq!(client("::1", &values), "198.51.100.1");
            assert_eq!(client("192.0.2.1", &values), "192.0.2.1");
        }
    }
}
