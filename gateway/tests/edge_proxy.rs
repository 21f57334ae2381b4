//! PROXY protocol and X-Forwarded-For: only trusted proxies can set the client address.

use std::io::Write as _;
use std::net::Ipv4Addr;

use crate::support::frames::{self, END_HEADERS, END_STREAM, HEADERS, frame};
use crate::support::{Client, Gateway, Raw, Request, Setup, attack, only_limits, wait_until};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

/// Limits that show which client address the gateway uses: each address may have two connections.
const LIMITS: &str = "max_connections_per_client = 2\nfirst_byte_timeout_ms = 400";

fn gateway_behind_proxy(listen: &str) -> Gateway {
    gateway_behind_proxy_with(listen, &only_limits(LIMITS))
}

fn gateway_behind_proxy_with(listen: &str, limits: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: &format!("trusted_proxies = [\"127.0.1.0/24\"]\n{listen}"),
        extra: limits,
        ..Setup::default()
    })
}

/// A connection that sends `header` and a request for `/healthz`, and stays open.
fn open_with_header(client: &Client, header: &[u8]) -> Raw {
    let mut raw = Raw::open(client);
    raw.send(header);
    raw.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
    raw
}

/// A PROXY protocol version 2 header for this visitor.
fn proxy_v2(visitor: Ipv4Addr) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".to_vec();
    header.extend(visitor.octets());
    header.extend([127, 0, 0, 1, 0x10, 0, 0x1f, 0x90]);
    header
}

fn proxy_v1(visitor: Ipv4Addr) -> Vec<u8> {
    format!("PROXY TCP4 {visitor} 127.0.0.1 4096 8080\r\n").into_bytes()
}

fn is_ok(raw: &mut Raw) -> bool {
    raw.read_exact(12) == b"HTTP/1.1 200"
}

#[test]
fn trusted_proxy_sets_client_address() {
    let gateway = gateway_behind_proxy("proxy_protocol = true");
    let proxy = gateway.site.with_source_ip(PROXY);
    attack(&gateway, || {
        let header: [fn(Ipv4Addr) -> Vec<u8>; 2] = [proxy_v1, proxy_v2];
        for (number, header) in header.into_iter().enumerate() {
            let visitor = |last: u8| Ipv4Addr::new(192, 0, u8::try_from(number).unwrap(), last);
            let mut connections: Vec<Raw> = [1, 1, 2, 2]
                .map(|last| open_with_header(&proxy, &header(visitor(last))))
                .into();
            assert!(connections.iter_mut().all(is_ok));
            // A third connection of the same visitor exceeds the limit.
            let third = open_with_header(&proxy, &header(visitor(1)));
            assert!(!third.read_until_closed().starts_with(b"HTTP/1.1 200"));
        }
        // The proxy may send health checks of its own (LOCAL and UNKNOWN).
        let local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";
        assert!(is_ok(&mut open_with_header(&proxy, local)));
        assert!(is_ok(&mut open_with_header(&proxy, b"PROXY UNKNOWN\r\n")));
    });
}

/// A PROXY header for a visitor in this /64 of `2001:db8::/48`.
fn proxy_v6(subnet: u16) -> Vec<u8> {
    format!("PROXY TCP6 2001:db8:0:{subnet:x}::1 ::1 4096 8080\r\n").into_bytes()
}

#[test]
fn ipv6_networks_have_a_multiple_of_the_client_limit() {
    let gateway = gateway_behind_proxy("proxy_protocol = true");
    let proxy = gateway.site.with_source_ip(PROXY);
    let open = |subnet| open_with_header(&proxy, &proxy_v6(subnet));
    attack(&gateway, || {
        // Each /64 may have 2 connections, so the /56 has 8 and the /48 has 32.
        let mut connections = Vec::new();
        for net in 0..4 {
            let mut new: Vec<Raw> = (0..8).map(|subnet| open(net * 256 + subnet)).collect();
            assert!(new.iter_mut().all(is_ok));
            connections.extend(new);
            let excess = open(net * 256 + 8);
            assert!(!excess.read_until_closed().starts_with(b"HTTP/1.1 200"));
        }
        assert!(!open(4 * 256).read_until_closed().starts_with(b"HTTP/1.1 200"));
    });
}

#[test]
fn ipv6_network_with_many_clients_does_not_block_others() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]\nproxy_protocol = true",
        extra: &only_limits("max_connections = 64"),
        ..Setup::default()
    });
    let proxy = gateway.site.with_source_ip(PROXY);
    attack(&gateway, || {
        let open = |subnet| {
            let mut raw = Raw::open(&proxy);
            raw.send(proxy_v6(subnet));
            raw.send("GET / HTTP/1.1\r\nhost: site.");
            raw
        };
        let mut heads: Vec<_> = (0..64).map(open).collect();
        wait_until("visitors get connections repeatedly", || {
            for (subnet, raw) in (0..).zip(&mut heads) {
                if !raw.send(".") {
                    *raw = open(subnet);
                }
            }
            gateway.closed_connections("evicted") >= 16
        });
    });
}

#[test]
fn invalid_proxy_header_closes_connection() {
    let gateway = gateway_behind_proxy("proxy_protocol = true");
    let proxy = gateway.site.with_source_ip(PROXY);
    attack(&gateway, || {
        for header in [
            &b""[..],
            b"PROXY TCP4 192.0.2.1\r\n",
            b"PROXY TCP4 host 127.0.0.1 1 2\r\n",
            b"PROXY TCP4 192.0.2.1 127.0.0.1 +80 443\r\n",
            b"PROXY TCP4 192.0.2.1 127.0.0.1 080 443\r\n",
            b"PROXY TCP4 192.0.2.1 127.0.0.1  443\r\n",
            b"PROXY TCP4 192.0.2.1 127.0.0.1 80 65536\r\n",
            b"PROXY TCP4 192.0.2.1 127.0.0.1 80 -1\r\n",
            b"\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c",
            b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff",
        ] {
            assert_eq!(
                open_with_header(&proxy, header).read_until_closed(),
                b"",
                "{header:?}"
            );
        }
        for part in [&b"PROXY TCP4 192."[..], b"\r\n\r\n\0\r\nQUIT"] {
            let mut raw = Raw::open(&proxy);
            assert!(raw.send(part));
            assert_eq!(raw.read_until_closed(), b"", "{part:?}");
        }
    });
}

#[test]
fn trusted_proxy_may_send_either_scheme() {
    let status = |client: &Client, header: &[u8], scheme| {
        let mut raw = Raw::open(client);
        assert!(raw.send(header));
        assert!(raw.send(frames::client_preface(&[])));
        let head = frames::get_with_scheme(scheme, "/healthz");
        assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, &head)));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        frames::status(&block)
    };
    let visitor = proxy_v1(Ipv4Addr::new(192, 0, 2, 1));
    for (listen, header) in [("", vec![]), ("proxy_protocol = true", visitor)] {
        // Without limits, because the gateway may still count connections that the client has closed.
        let gateway = gateway_behind_proxy_with(listen, "");
        let proxy = gateway.site.with_source_ip(PROXY);
        attack(&gateway, || {
            for (scheme, expected) in [("http", "200"), ("https", "200"), ("ftp", "400")] {
                assert_eq!(status(&proxy, &header, scheme), expected, "{scheme} {listen}");
            }
        });
    }
}

#[test]
fn proxy_header_from_untrusted_peer_returns_400() {
    for listen in ["proxy_protocol = true", ""] {
        let gateway = gateway_behind_proxy(listen);
        attack(&gateway, || {
            for header in [proxy_v1, proxy_v2] {
                let raw = open_with_header(&gateway.site, &header(Ipv4Addr::new(192, 0, 2, 1)));
                assert!(raw.read_until_closed().starts_with(b"HTTP/1.1 400 "));
            }
        });
    }
}

#[test]
fn forwarded_for_counts_only_from_trusted_proxy() {
    // One request per client, which shows the client address that the gateway uses.
    let extra = "[limits]\nmax_requests_in_flight_per_client = 1\n";
    let gateway = Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]",
        extra,
        ..Setup::default()
    });
    let post = |client: &Client, forwarded: &str| {
        let mut stream = client.connect();
        write!(
            stream,
            "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
             x-forwarded-for: {forwarded}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{{"
        )
        .unwrap();
        stream
    };
    let get_status = |client: &Client, forwarded: &str| {
        let request = Request::new("GET", "/").header("x-forwarded-for", forwarded);
        client.send(request).status
    };
    let (proxy, untrusted) = (
        gateway.site.with_source_ip(PROXY),
        gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 2, 1)),
    );
    attack(&gateway, || {
        // Each has a request in flight that waits for its body.
        let mut connections = Vec::new();
        wait_until("both requests are in flight", || {
            connections.push(post(&proxy, "203.0.113.1, 198.51.100.1"));
            connections.push(post(&untrusted, "198.51.100.2"));
            get_status(&proxy, "198.51.100.1") == 503 && get_status(&untrusted, "") == 503
        });
        assert_eq!(get_status(&proxy, "198.51.100.1, 127.0.1.7"), 503);
        // Addresses to the left of the proxy's entry come from the visitor.
        assert_eq!(get_status(&proxy, "203.0.113.1"), 200);
        assert_eq!(get_status(&proxy, "198.51.100.1, 203.0.113.9"), 200);
        // The header of an untrusted peer is ignored.
        assert_eq!(get_status(&untrusted, "198.51.100.9"), 503);
        assert_eq!(get_status(&proxy, "198.51.100.2"), 200);
    });
}
