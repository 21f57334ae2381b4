//! Proxies in front: those that are configured are believed, nobody else is.

use std::io::Write as _;
use std::net::Ipv4Addr;

use crate::support::{Client, Gateway, Raw, Request, Setup, attack, only, until};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

/// What makes who asks visible: each address may have two connections and no more.
const FEW: &str = "connections_per_client = 2\nfirst_byte_ms = 400";

fn behind_a_proxy(listen: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: &format!("proxies = [\"127.0.1.0/24\"]\n{listen}"),
        extra: &only(FEW),
        ..Setup::default()
    })
}

/// A connection that begins with this and then asks for `/healthz`, and stays.
fn asked(client: &Client, header: &[u8]) -> Raw {
    let mut raw = Raw::open(client);
    raw.say(header);
    raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
    raw
}

/// The header of version 2 that names this visitor.
fn second(visitor: Ipv4Addr) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".to_vec();
    header.extend(visitor.octets());
    header.extend([127, 0, 0, 1, 0x10, 0, 0x1f, 0x90]);
    header
}

fn first(visitor: Ipv4Addr) -> Vec<u8> {
    format!("PROXY TCP4 {visitor} 127.0.0.1 4096 8080\r\n").into_bytes()
}

fn is_answered(raw: &mut Raw) -> bool {
    raw.hear(12) == b"HTTP/1.1 200"
}

#[test]
fn a_known_proxy_says_who_connects() {
    let gateway = behind_a_proxy("proxy_protocol = true");
    let proxy = gateway.site.coming_from(PROXY);
    attack(&gateway, || {
        let header: [fn(Ipv4Addr) -> Vec<u8>; 2] = [first, second];
        for (number, header) in header.into_iter().enumerate() {
            let visitor = |last: u8| Ipv4Addr::new(192, 0, u8::try_from(number).unwrap(), last);
            let mut held: Vec<Raw> = [1, 1, 2, 2]
                .map(|last| asked(&proxy, &header(visitor(last))))
                .into();
            assert!(held.iter_mut().all(is_answered));
            // A third of the same visitor is too many.
            let third = asked(&proxy, &header(visitor(1)));
            assert!(!third.until_closed().starts_with(b"HTTP/1.1 200"));
        }
        // The proxy itself may ask whether the gateway is there.
        let local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";
        assert!(is_answered(&mut asked(&proxy, local)));
        assert!(is_answered(&mut asked(&proxy, b"PROXY UNKNOWN\r\n")));
    });
}

#[test]
fn a_known_proxy_that_says_nothing_sound_is_not_heard() {
    let gateway = behind_a_proxy("proxy_protocol = true");
    let proxy = gateway.site.coming_from(PROXY);
    attack(&gateway, || {
        for header in [
            &b""[..],
            b"PROXY TCP4 192.0.2.1\r\n",
            b"PROXY TCP4 host 127.0.0.1 1 2\r\n",
            b"\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c",
            b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff",
        ] {
            assert_eq!(asked(&proxy, header).until_closed(), b"", "{header:?}");
        }
        for part in [&b"PROXY TCP4 192."[..], b"\r\n\r\n\0\r\nQUIT"] {
            let mut raw = Raw::open(&proxy);
            assert!(raw.say(part));
            assert_eq!(raw.until_closed(), b"", "{part:?}");
        }
    });
}

#[test]
fn a_stranger_who_speaks_like_a_proxy_is_refused() {
    for listen in ["proxy_protocol = true", ""] {
        let gateway = behind_a_proxy(listen);
        attack(&gateway, || {
            for header in [first, second] {
                let raw = asked(&gateway.site, &header(Ipv4Addr::new(192, 0, 2, 1)));
                assert!(raw.until_closed().starts_with(b"HTTP/1.1 400 "));
            }
        });
    }
}

#[test]
fn whom_a_known_proxy_asks_for_is_who_reports() {
    // Each client counts once: so it shows who the gateway takes a visitor for.
    let extra = "[limits]\nrequests_per_client = 1\n";
    let gateway = Gateway::set_up_live(Setup {
        listen: "proxies = [\"127.0.1.0/24\"]",
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
    let ask = |client: &Client, forwarded: &str| {
        let request = Request::new("GET", "/").header("x-forwarded-for", forwarded);
        client.send(request).status
    };
    let (proxy, stranger) = (
        gateway.site.coming_from(PROXY),
        gateway.site.coming_from(Ipv4Addr::new(127, 0, 2, 1)),
    );
    attack(&gateway, || {
        // A request of each is under way, for as long as its body does not come.
        let mut held = Vec::new();
        until("both are under way", || {
            held.push(post(&proxy, "203.0.113.1, 198.51.100.1"));
            held.push(post(&stranger, "198.51.100.2"));
            ask(&proxy, "198.51.100.1") == 503 && ask(&stranger, "") == 503
        });
        assert_eq!(ask(&proxy, "198.51.100.1, 127.0.1.7"), 503);
        // What stands left of it is the visitor's own word.
        assert_eq!(ask(&proxy, "203.0.113.1"), 200);
        assert_eq!(ask(&proxy, "198.51.100.1, 203.0.113.9"), 200);
        // A stranger is who he is, whatever he says.
        assert_eq!(ask(&stranger, "198.51.100.9"), 503);
        assert_eq!(ask(&proxy, "198.51.100.2"), 200);
    });
}
