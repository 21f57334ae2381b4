//! Slow clients: each is closed by the one timeout that it violates, and no other client is affected.

use std::net::Ipv4Addr;

use crate::support::frames::{
    self, CONTINUATION, DATA, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, WINDOW_UPDATE, frame,
};
use crate::support::{
    Connection, Gateway, Raw, Release, Request, TOKEN, attack, is_soak, only_limits, raise_descriptor_limit,
    resident_kib, wait_until,
};

/// The size of [`LARGE`], which exceeds the socket buffers.
const LENGTH: usize = 12 << 20;

const LARGE: &str = "/assets/large/1.0.0/large.bin";

/// A gateway with an asset of [`LENGTH`] bytes.
fn gateway_with_large_asset(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    let release = Release::section("large", "1.0.0", &["/large"]);
    let release = release.bytes("client/large.bin", "application/octet-stream", vec![0; LENGTH]);
    gateway.publish(&release);
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

#[test]
fn first_byte_timeout_closes_connection() {
    let gateway = Gateway::start_live(&only_limits("first_byte_timeout_ms = 400"), &[]);
    let handshake_rejections = "colonnade_connections_rejected_total{listener=\"site\",cause=\"handshake\"}";
    attack(&gateway, || {
        for sent in [&b""[..], &PREFACE[..10], b"P"] {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(sent));
            assert_eq!(raw.read_until_closed(), b"", "{sent:?}");
        }
        wait_until("the rejections are counted", || {
            gateway.metric(handshake_rejections) == 3
        });
        // Empty lines before a request and an HTTP/2 preface are not requests.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send("\r\n"));
        assert_eq!(raw.read_until_reset(), b"");
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send(PREFACE));
        raw.read_until_reset();
        gateway.wait_for_closed_connections("first_byte_timeout", 2);
    });
}

#[test]
fn header_timeout_resets_connection() {
    let gateway = Gateway::start_live(&only_limits("request_header_timeout_ms = 400"), &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send("GET / HTTP/1.1\r\nhost: site.example\r\n"));
        assert_eq!(raw.read_until_reset(), b"");
        // A steady trickle does not extend the timeout.
        let raw = Raw::open(&gateway.site);
        let head = b"GET / HTTP/1.1\r\nhost: site.example\r\nx: ".iter().copied();
        assert_eq!(
            raw.drip_until_closed(head.chain(std::iter::repeat_n(b'a', 10_000))),
            b""
        );
        // The same after another request on the connection.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\nGET / HTT"));
        assert!(raw.read_until_reset().starts_with(b"HTTP/1.1 200 "));
        gateway.wait_for_closed_connections("header_timeout", 3);
        // Over HTTP/2: a HEADERS frame without END_HEADERS, and half a HEADERS frame.
        let open = frame(HEADERS, END_STREAM, 1, &frames::get("/"));
        for part in [&open[..], &open[..20]] {
            let mut raw = frames::open(&gateway.site, &[]);
            assert!(raw.send(part));
            raw.read_until_reset();
        }
        let raw = frames::open(&gateway.site, &[]);
        let continuations = std::iter::repeat_n(frame(CONTINUATION, 0, 1, b""), 10_000).flatten();
        raw.drip_until_closed(open.into_iter().chain(continuations));
        gateway.wait_for_closed_connections("header_timeout", 6);
    });
}

/// The head of a request with a body, up to the field with its length.
const POST: &str = "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                    content-type: application/json\r\n";

#[test]
fn slow_body_resets_connection() {
    let gateway = Gateway::start_live(&only_limits("min_rate_window_ms = 400"), &[]);
    attack(&gateway, || {
        for (length, body) in [
            ("content-length: 500", "{"),
            ("transfer-encoding: chunked", "ff\r\n{"),
        ] {
            let start = format!("{POST}{length}\r\n\r\n{body}");
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(&start));
            assert_eq!(raw.read_until_reset(), b"");
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(&start));
            let received = raw.drip_until_closed(std::iter::repeat_n(b' ', 10_000));
            assert_eq!(received, b"");
        }
        gateway.wait_for_closed_connections("body_timeout", 4);
    });
}

#[test]
fn body_above_min_rate_completes() {
    let limits = only_limits("min_rate_window_ms = 1000\nmin_rate_bytes = 100");
    let gateway = Gateway::start_live(&limits, &[]);
    attack(&gateway, || {
        // Three times the minimum rate window.
        let pieces = || vec![vec![b' '; 10]; 150];
        let mut raw = Raw::open(&gateway.admin);
        assert!(raw.send(format!(
            "POST /api/v1/garbage-collection HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
             connection: close\r\ncontent-length: 1502\r\n\r\n{{"
        )));
        raw.send_slowly(pieces());
        assert!(raw.send("}"));
        assert_eq!(raw.read_response().status, 200);
        assert_eq!(gateway.metric(ADMIN_SLOW_BODIES), 0);
    });
}

const ADMIN_SLOW_BODIES: &str =
    "colonnade_connections_closed_total{listener=\"admin\",cause=\"body_timeout\"}";

#[test]
fn unread_response_resets_connection() {
    let gateway = gateway_with_large_asset(&only_limits("min_rate_window_ms = 400"));
    let head = format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n");
    // Sent in one write, so that the invalid chunk is detected while the response is still being sent.
    let with_malformed_next = format!("{head}{POST}transfer-encoding: chunked\r\n\r\nx\r\n");
    let request = frames::request(1, LARGE);
    attack(&gateway, || {
        for (number, sent) in (1..).zip([head, with_malformed_next]) {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send(&sent));
            gateway.wait_for_closed_connections("write_timeout", number);
            assert!(raw.read_until_reset().len() < LENGTH, "{sent}");
        }
        // A zero window that never opens (RFC 9113, section 6.9.2).
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.send(&request));
        raw.read_until_reset();
        // One more byte from time to time, and PINGs.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.send(&request));
        let more = [
            frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
            frame(PING, 0, 0, &[0; 8]),
        ];
        raw.drip_until_closed(more.concat().into_iter().cycle());
        // Large windows, but nothing is read from the socket.
        let mut raw = frames::open(&gateway.site, &[(4, 0x7fff_ffff)]);
        assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0])) && raw.send(&request));
        gateway.wait_for_closed_connections("write_timeout", 5);
        raw.read_until_reset();
        assert_eq!(gateway.closed_connections("protocol_error"), 0);
    });
}

#[test]
fn reader_above_min_rate_completes() {
    let gateway = gateway_with_large_asset(&only_limits("min_rate_window_ms = 1000"));
    let request = format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
    attack(&gateway, || {
        // Three times the minimum rate window.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send(request));
        raw.read_slowly(LENGTH, LENGTH / 150);
        assert!(
            !raw.read_until_closed().is_empty(),
            "the response body is truncated"
        );
        // Over HTTP/2, one window at a time.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        assert!(raw.send(frames::request(1, LARGE)));
        let mut received_bytes = 0;
        while received_bytes < LENGTH {
            raw.send_slowly([frame(WINDOW_UPDATE, 0, 1, &[0, 2, 0, 0])]);
            let allowed = LENGTH.min(received_bytes + 0x2_0000);
            while received_bytes < allowed {
                received_bytes += frames::read_until(&mut raw, DATA).3.len();
            }
        }
        assert_eq!(gateway.closed_connections("write_timeout"), 0);
    });
}

#[test]
fn keepalive_timeout_closes_idle_connection() {
    let gateway = Gateway::start_live(&only_limits("keepalive_timeout_ms = 400"), &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
        assert!(raw.read_until_closed().ends_with(b"ok\n"));
        gateway.wait_for_closed_connections("keepalive_timeout", 1);
        // Empty lines are not requests, however they arrive.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send(HEALTH_REQUEST));
        let received = raw.drip_until_closed(b"\r\n".iter().copied().cycle());
        assert!(received.ends_with(b"ok\n"));
        gateway.wait_for_closed_connections("keepalive_timeout", 2);
        // An HTTP/2 client that does not respond to GOAWAY.
        let mut raw = frames::open(&gateway.site, &[]);
        frames::read_until(&mut raw, GOAWAY);
        raw.read_until_closed();
        gateway.wait_for_closed_connections("keepalive_timeout", 3);
        // PINGs are not requests, either.
        let raw = frames::open(&gateway.site, &[]);
        let pings = frame(PING, 0, 0, &[0; 8]).into_iter().cycle();
        raw.drip_until(pings, |received| frames::kinds(received).contains(&GOAWAY));
        gateway.wait_for_closed_connections("keepalive_timeout", 4);
    });
}

/// Waits until `times` connections have reached the maximum age. On a busy machine the visitor's own may be
/// among them.
fn wait_until_max_age(gateway: &Gateway, times: u64) {
    wait_until("the connection reached its maximum age", || {
        gateway.closed_connections("max_age") >= times
    });
}

#[test]
fn max_connection_age_closes_after_last_response() {
    let gateway = Gateway::start_live(&only_limits("max_connection_age_ms = 400"), &[]);
    attack(&gateway, || {
        let mut connection = Connection::open(&gateway.site).unwrap();
        let get = || Request::new("GET", "/").header("host", "site.example");
        // The last response announces the close.
        wait_until("the last response", || {
            let response = connection.exchange(get()).unwrap();
            assert_eq!(response.status, 200);
            response.has("connection")
        });
        assert!(
            connection.exchange(get()).is_err(),
            "the connection must be closed"
        );
        wait_until_max_age(&gateway, 1);
        let mut raw = frames::open(&gateway.site, &[]);
        let (_, _, _, payload) = frames::read_until(&mut raw, GOAWAY);
        assert_eq!(payload[4..8], [0; 4], "NO_ERROR");
        drop(raw);
        wait_until_max_age(&gateway, 2);
    });
}

#[test]
fn response_past_max_connection_age_completes() {
    let gateway = gateway_with_large_asset(&only_limits(
        "max_connection_age_ms = 400\ndrain_timeout_ms = 100",
    ));
    attack(&gateway, || {
        // Many times both timeouts together.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send(format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n")));
        raw.read_slowly(LENGTH, LENGTH / 150);
        assert!(
            !raw.read_until_closed().is_empty(),
            "the response body is truncated"
        );
        wait_until_max_age(&gateway, 1);
        // A client that ignores GOAWAY: its new streams are refused.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        assert!(raw.send(frames::request(1, LARGE)));
        let (mut received_bytes, mut stream, mut reset_code) = (0, 1, None);
        while received_bytes < LENGTH {
            stream += 2;
            let more = |stream| frame(WINDOW_UPDATE, 0, stream, &[0, 2, 0, 0]);
            raw.send_slowly([[more(1), frames::request(stream, "/nothing"), more(stream)].concat()]);
            let allowed = LENGTH.min(received_bytes + 0x2_0000);
            while received_bytes < allowed {
                let (kind, _, of, payload) = frames::read(&mut raw);
                match kind {
                    DATA if of == 1 => received_bytes += payload.len(),
                    RST_STREAM => reset_code = Some(payload),
                    _ => {}
                }
            }
        }
        assert_eq!(reset_code, Some(vec![0, 0, 0, 7]), "REFUSED_STREAM");
        raw.read_until_closed();
        wait_until_max_age(&gateway, 2);
    });
}

/// The descriptors that 10,000 connections of the site listener need.
const ENOUGH_DESCRIPTORS: u64 = 16_000;

#[test]
fn idle_connections_at_limit_do_not_block_new_ones() {
    // As many as the default limit in a soak test, if the system grants enough descriptors.
    let limit = if is_soak() && raise_descriptor_limit() >= ENOUGH_DESCRIPTORS {
        10_000
    } else {
        1000
    };
    let gateway = Gateway::start_live(&only_limits(&format!("max_connections = {limit}")), &[]);
    let before = resident_kib(gateway.pid());
    let mut idle = Vec::new();
    for number in 0..limit {
        // No more per address than the per-client limit.
        let source = Ipv4Addr::from_bits(0x7f01_0000 + u32::try_from(number / 200).unwrap());
        let client = gateway.site.with_source_ip(source);
        // One half over HTTP/1, one quarter over HTTP/2, and the rest silent.
        let raw = if number % 4 == 1 {
            frames::open(&client, &[])
        } else {
            let mut raw = Raw::open(&client);
            if number % 2 == 0 {
                assert!(raw.send(HEALTH_REQUEST));
            }
            raw
        };
        idle.push(raw);
    }
    // Those that sent a request are answered, and none is evicted while there are free slots.
    for raw in idle.iter_mut().step_by(2) {
        assert_eq!(raw.read_exact(12), b"HTTP/1.1 200");
    }
    let open = "colonnade_connections_open{listener=\"site\"}";
    wait_until("every slot is taken", || {
        gateway.metric(open) == u64::try_from(limit).unwrap()
    });
    // The growth comes from the connections: everything else was allocated before or is small.
    let bytes_per_connection = (resident_kib(gateway.pid()) - before) * 1024 / u64::try_from(limit).unwrap();
    assert!(
        bytes_per_connection <= 32 * 1024,
        "{bytes_per_connection} bytes per connection"
    );
    // A connection that sent nothing was never served, so its eviction counts as a rejection.
    let rejections = "colonnade_connections_rejected_total{listener=\"site\",cause=\"limit\"}";
    let evictions = || gateway.closed_connections("evicted") + gateway.metric(rejections);
    assert_eq!(evictions(), 0);
    attack(&gateway, || {
        for _ in 0..100 {
            assert_eq!(gateway.get("/").status, 200);
        }
    });
    // Freed slots are reused: two visitors at a time need few.
    let few = u64::try_from(limit / 2).unwrap();
    assert!((1..few).contains(&evictions()), "{}", evictions());
    // Connections that were idle for a shorter time stay open.
    let youngest = idle.last_mut().unwrap();
    assert!(youngest.send(HEALTH_REQUEST));
    assert_eq!(youngest.read_exact(12), b"HTTP/1.1 200");
    let with_burst = resident_kib(gateway.pid());
    drop(idle);
    wait_until("most memory of the connections is returned", || {
        2 * resident_kib(gateway.pid()) < before + with_burst
    });
}

/// A request whose response ends with `ok\n`.
const HEALTH_REQUEST: &str = "GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n";
