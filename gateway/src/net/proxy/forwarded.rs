//! `X-Forwarded-For`, to which each proxy adds on the right whom it was asked by.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

use super::is_known;

/// The address of the visitor behind a connection from this address.
///
/// Read from the right, for as long as what is said is said by a known proxy: whatever stands further left is of the
/// visitor's own choosing.
pub(in crate::net) fn visitor(proxies: &[IpNet], connected: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut visitor = connected.to_canonical();
    let values = headers.get_all("x-forwarded-for").iter().rev();
    let mut hops = values.flat_map(|value| value.as_bytes().rsplit(|&byte| byte == b','));
    while is_known(proxies, visitor) {
        // Something unreadable is said of nobody: then the last one who was named has to answer for it.
        match hops.next().and_then(address) {
            Some(address) => visitor = address.to_canonical(),
            None => break,
        }
    }
    visitor
}

/// An address, which some proxies write with a port.
fn address(hop: &[u8]) -> Option<IpAddr> {
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

    use super::visitor;
    use crate::testing::cases;

    fn seen(connected: &str, values: &[&str]) -> String {
        let proxies = ["10.0.0.0/8", "::1/128"].map(|network| network.parse().expect("a network"));
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", HeaderValue::from_str(value).expect("a value"));
        }
        visitor(&proxies, connected.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn a_stranger_is_who_he_is_whatever_he_says() {
        assert_eq!(seen("192.0.2.1", &[]), "192.0.2.1");
        assert_eq!(seen("192.0.2.1", &["10.0.0.1", "198.51.100.1"]), "192.0.2.1");
    }

    #[test]
    fn a_known_proxy_is_believed_from_the_right() {
        assert_eq!(seen("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", &["203.0.113.9, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            seen("10.0.0.1", &["203.0.113.9", "198.51.100.1,10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(seen("::1", &[" 198.51.100.1:4711 "]), "198.51.100.1");
        assert_eq!(seen("::1", &["[2001:db8::1]:4711"]), "2001:db8::1");
        assert_eq!(seen("::1", &["[2001:db8::1]"]), "2001:db8::1");
    }

    #[test]
    fn what_cannot_be_read_is_believed_of_nobody() {
        for value in ["", "unknown", "203.0.113.9, x", "203.0.113.9,"] {
            assert_eq!(seen("10.0.0.1", &[value]), "10.0.0.1", "{value}");
        }
        assert_eq!(seen("10.0.0.1", &["203.0.113.9, x, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(seen("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn nothing_that_a_visitor_writes_hides_the_visitor(
            written in vec("[0-9a-f:., \\[\\]]{0,30}", 0..3),
            proxies in 0_u8..4,
        ) {
            let mut values = written;
            values.push("198.51.100.1".to_owned());
            values.extend((0..proxies).map(|proxy| format!("10.0.0.{proxy}")));
            let values: Vec<_> = values.iter().map(String::as_str).collect();
            assert_eq!(seen("::1", &values), "198.51.100.1");
            assert_eq!(seen("192.0.2.1", &values), "192.0.2.1");
        }
    }
}
