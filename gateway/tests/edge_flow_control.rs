//! Flow control (RFC 9113, section 6.9): clients that read slowly hold bounded memory and keep their permits.

use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, WINDOW_UPDATE, frame,
};
use crate::support::{
    Backend, Client, Gateway, Raw, Release, Reply, Request, SCRIPT, SIGN_UP, Setup, TOKEN, attack,
    min_growth_kib, only_limits, resident_kib, wait_until,
};

/// The identifier of `SETTINGS_INITIAL_WINDOW_SIZE` (RFC 9113, section 6.5.2).
const INITIAL_WINDOW_SIZE: u16 = 4;

const TARGET: &str = "/assets/large/1.0.0/large.bin";

/// A gateway with an asset of `length` bytes.
fn gateway_with_file(extra: &str, length: usize) -> Gateway {
    with_file(Gateway::start_live(extra, &[]), length)
}

fn with_file(gateway: Gateway, length: usize) -> Gateway {
    let release = Release::section("large", "1.0.0", &["/large"]);
    gateway.publish(&release.bytes("client/large.bin", "application/octet-stream", vec![0; length]));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

/// Sends `times` requests for `target` and reads the one byte of each response that the window allows.
fn open_responses(client: &Client, target: &str, times: u32, fields: &[(&str, &str)]) -> Raw {
    let mut raw = frames::open(client, &[(INITIAL_WINDOW_SIZE, 1)]);
    let head = [frames::get(target), frames::block(fields)].concat();
    for number in 0..times {
        assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, &head)));
    }
    for _ in 0..times {
        let (_, flags, _, payload) = frames::read_until(&mut raw, DATA);
        assert_eq!((flags & END_STREAM, payload.len()), (0, 1));
    }
    raw
}

#[test]
fn unread_response_holds_permit_and_logs_bytes_sent() {
    let length = 12 << 20;
    let gateway = gateway_with_file("[limits]\nmax_requests_in_flight = 4\n", length);
    let raw = open_responses(&gateway.site, TARGET, 4, &[]);
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 503);
    }
    let is_aborted = |line: &serde_json::Value| {
        let bytes = line["bytes"].as_u64().unwrap_or(0);
        line["event"] == "request" && line["status"] == 200 && (1..1 << 20).contains(&bytes)
    };
    drop(raw);
    gateway.wait_for_event(is_aborted);
    wait_until("a permit is free", || gateway.get("/").status == 200);
    assert!(!gateway.output().contains(&format!("\"bytes\":{length}")));
}

#[test]
fn unread_short_response_holds_permit() {
    let gateway = Gateway::start_live("[limits]\nmax_requests_in_flight = 4\n", &[]);
    // One byte of each response has arrived. hyper holds the rest until the window opens.
    let mut raw = open_responses(&gateway.site, "/", 4, &[]);
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 503);
    }
    // Reading one response releases its permit.
    assert!(raw.send(frame(WINDOW_UPDATE, 0, 1, &[0, 1, 0, 0])));
    while frames::read_until(&mut raw, DATA).1 & END_STREAM == 0 {}
    wait_until("a permit is free", || gateway.get("/").status == 200);
}

#[test]
fn unread_range_responses_use_no_extra_memory() {
    let gateway = gateway_with_file("", (1 << 20) - 4096);
    attack(&gateway, || {
        let range = [("range", "bytes=1-")];
        // Warm up everything that is allocated once.
        drop(open_responses(&gateway.site, TARGET, 1, &range));
        let mut connections = Vec::new();
        let grown = min_growth_kib(
            || resident_kib(gateway.pid()),
            |_| {
                connections.push(open_responses(&gateway.site, TARGET, 40, &range));
            },
        );
        // Forty responses of 1 MiB each are in flight.
        assert!(grown < 10 * 1024, "{grown} KiB");
    });
}

/// Asserts that forty unread responses of almost 1 MiB each take the memory of a few.
fn assert_unread_responses_share_memory(gateway: &Gateway, target: &str) {
    attack(gateway, || {
        drop(open_responses(&gateway.site, target, 1, &[]));
        let mut connections = Vec::new();
        let grown = min_growth_kib(
            || resident_kib(gateway.pid()),
            |_| {
                connections.push(open_responses(&gateway.site, target, 40, &[]));
            },
        );
        assert!(grown < 10 * 1024, "{grown} KiB");
    });
}

#[test]
fn unread_sitemap_responses_share_memory() {
    let gateway = Gateway::start_live("", &[]);
    let paths: Vec<_> = (0..5000).map(|number| format!("/large/{number:0150}")).collect();
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    gateway.publish(&Release::section("large", "1.0.0", &["/large/:x"]).with_paths(&paths));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    assert_unread_responses_share_memory(&gateway, "/sitemap.xml");
}

#[test]
fn unread_page_data_responses_share_memory() {
    let gateway = Gateway::start_live("", &[]);
    let files: Vec<_> = (0..1200)
        .map(|number| format!("client/{number:0200}.js"))
        .collect();
    let page = serde_json::json!({ "pattern": "/large", "assets": files, "paths": [] });
    let release = Release::section("large", "1.0.0", &[]).with("pages", serde_json::json!([page]));
    let release = files
        .iter()
        .fold(release, |release, file| release.bytes(file, SCRIPT, "//"));
    gateway.publish(&release);
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    assert_unread_responses_share_memory(&gateway, "/_page/2?path=/large");
}

#[test]
fn min_rate_applies_to_each_response() {
    let gateway = gateway_with_file(&only_limits("min_rate_window_ms = 3000"), 12 << 20);
    attack(&gateway, || {
        let mut raw = open_responses(&gateway.site, TARGET, 90, &[]);
        assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        // One response takes more than the minimum rate of all together, for so long that only the other responses can close
        // the connection.
        let more = frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0x20, 0]).repeat(116);
        raw.drip_until_closed(more);
    });
}

#[test]
fn stalled_response_does_not_end_connection_of_proxy() {
    let gateway = Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.0.0/8\"]",
        extra: &only_limits("min_rate_window_ms = 1500"),
        ..Setup::default()
    });
    let gateway = with_file(gateway, 12 << 20);
    let mut raw = open_responses(&gateway.site, TARGET, 2, &[]);
    assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
    // The second response stalls for several windows.
    let more = frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0x20, 0]).repeat(100);
    raw.drip_until(more, |received| received.len() > 320 << 10);
    assert_eq!(gateway.closed_connections("write_timeout"), 0);
}

/// A gateway with these limits and a sign-up backend that trusts every client as a proxy.
fn gateway_behind_proxy(limits: &str, backend: &Backend) -> Gateway {
    let gateway = Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.0.0/8\"]",
        extra: &(only_limits(limits) + &backend.signup_table()),
        variables: &[("KEY", "the-key")],
        ..Setup::default()
    });
    with_file(gateway, 12 << 20)
}

#[test]
fn stalled_response_of_proxy_spares_other_requests() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    let gateway = gateway_behind_proxy("min_rate_window_ms = 500", &backend);
    let mut raw = open_responses(&gateway.site, TARGET, 1, &[]);
    assert!(raw.send(frame(HEADERS, END_HEADERS, 3, &frames::post_signup())));
    assert!(raw.send(frame(DATA, END_STREAM, 3, SIGN_UP.as_bytes())));
    backend.wait_for_request();
    // The response stalls, so the connection ends, but only after the other request.
    frames::read_until(&mut raw, GOAWAY);
    backend.release_held();
    assert_eq!(frames::read_until(&mut raw, HEADERS).2, 3);
    assert_eq!(gateway.closed_connections("write_timeout"), 0);
}

#[test]
fn stalled_connection_of_proxy_ends_after_drain_timeout() {
    let backend = Backend::start(Reply::Hold("{}".to_owned()));
    let gateway = gateway_behind_proxy("min_rate_window_ms = 500\ndrain_timeout_ms = 500", &backend);
    let mut raw = open_responses(&gateway.site, TARGET, 1, &[]);
    frames::read_until(&mut raw, GOAWAY);
    raw.read_until_reset();
    assert_eq!(gateway.closed_connections("write_timeout"), 1);
}

/// The header block of an admin API call whose body follows.
fn admin_call_headers() -> Vec<u8> {
    frames::block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", "/api/v1/garbage-collection"),
        ("authorization", &format!("Bearer {TOKEN}")),
    ])
}

/// A connection that has sent the headers of an admin API call.
fn open_admin_call(gateway: &Gateway) -> Raw {
    let mut raw = frames::open(&gateway.admin, &[]);
    assert!(raw.send(frame(HEADERS, END_HEADERS, 1, &admin_call_headers())));
    raw
}

#[test]
fn slow_http2_body_is_reset_despite_other_traffic() {
    let gateway = Gateway::start_live(&only_limits("min_rate_window_ms = 1000"), &[]);
    let body_timeouts = || gateway.metric("colonnade_http2_body_timeouts_total{listener=\"admin\"}");
    attack(&gateway, || {
        for body_part in [&b""[..], b" "] {
            let before = body_timeouts();
            let mut raw = open_admin_call(&gateway);
            for number in 1.. {
                // Another request, a PING, and too little of the body.
                let other = frames::request(2 * number + 1, "/healthz");
                let more = [other, frame(PING, 0, 0, &[0; 8]), frame(DATA, 0, 1, body_part)];
                let more = if body_part.is_empty() {
                    &more[..2]
                } else {
                    &more[..]
                };
                raw.send_slowly([more.concat()]);
                if body_timeouts() > before {
                    break;
                }
                assert!(number < 400, "the stream is never reset");
            }
            let (_, _, stream, code) = frames::read_until(&mut raw, RST_STREAM);
            assert_eq!((stream, code), (1, vec![0, 0, 0, 8]), "CANCEL");
            // The connection stays open.
            assert!(raw.send(frames::request(999, "/healthz")));
            while frames::read_until(&mut raw, HEADERS).2 != 999 {}
        }
    });
}

#[test]
fn http2_body_above_min_rate_completes() {
    let gateway = Gateway::start_live(
        &only_limits("min_rate_window_ms = 1000\nmin_rate_bytes = 100"),
        &[],
    );
    attack(&gateway, || {
        let mut raw = open_admin_call(&gateway);
        assert!(raw.send(frame(DATA, 0, 1, b"{")));
        // Three times the minimum rate window.
        raw.send_slowly(vec![frame(DATA, 0, 1, &[b' '; 10]); 150]);
        assert!(raw.send(frame(DATA, END_STREAM, 1, b"}")));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!(frames::status(&block), "200");
    });
}

#[test]
fn large_response_has_content_length_and_full_body() {
    let gateway = gateway_with_file("", 1_000_003);
    let response = gateway.get(TARGET);
    assert_eq!(response.header("content-length"), "1000003");
    assert!(!response.has("transfer-encoding") && response.body == vec![0; 1_000_003]);
    assert_eq!(gateway.request_event(&response)["bytes"], 1_000_003);
    let part = Request::new("GET", TARGET).header("range", "bytes=1-");
    let part = gateway.site.send(part);
    assert_eq!(part.status, 206);
    assert_eq!(part.header("content-length"), part.body.len().to_string());
    assert_eq!(gateway.request_event(&part)["bytes"], part.body.len());
}
