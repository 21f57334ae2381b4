//! Clients that ask for much and take it by the byte (RFC 9113, 6.9): what they hold is bounded, and counted.

use crate::support::frames::{
    self, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, WINDOW_UPDATE, frame,
};
use crate::support::{Client, Gateway, Raw, Release, Request, TOKEN, attack, least_growth_kib, only, until};

/// `SETTINGS_INITIAL_WINDOW_SIZE`
const WINDOW: u16 = 4;

const TARGET: &str = "/assets/large/1.0.0/large.bin";

/// A gateway with a file of so many bytes.
fn with_file(extra: &str, length: usize) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    let release = Release::section("large", "1.0.0", &["/large"]);
    gateway.publish(&release.bytes("client/large.bin", "application/octet-stream", vec![0; length]));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

/// Asks so many times for this, and reads the one byte of each answer that it lets come.
fn begun(client: &Client, target: &str, times: u32, fields: &[(&str, &str)]) -> Raw {
    let mut raw = frames::open(client, &[(WINDOW, 1)]);
    let head = [frames::get(target), frames::block(fields)].concat();
    for number in 0..times {
        assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, &head)));
    }
    for _ in 0..times {
        let (_, flags, _, payload) = frames::read_until(&mut raw, DATA);
        assert_eq!((flags & END_STREAM, payload.len()), (0, 1));
    }
    raw
}

#[test]
fn an_answer_that_is_not_read_keeps_its_seat_and_is_logged_with_what_was_sent() {
    let length = 12 << 20;
    let gateway = with_file("[limits]\nrequests = 4\n", length);
    let raw = begun(&gateway.site, TARGET, 4, &[]);
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 503);
    }
    let is_given_up = |line: &serde_json::Value| {
        let bytes = line["bytes"].as_u64().unwrap_or(0);
        line["event"] == "request" && line["status"] == 200 && (1..1 << 20).contains(&bytes)
    };
    drop(raw);
    gateway.wait_for(is_given_up);
    until("there is room again", || gateway.get("/").status == 200);
    assert!(!gateway.output().contains(&format!("\"bytes\":{length}")));
}

#[test]
fn an_answer_of_one_slice_that_is_not_taken_keeps_its_seat() {
    let gateway = Gateway::start_live("[limits]\nrequests = 4\n", &[]);
    // Of each answer a byte has come, and hyper has all the rest, which waits for a window.
    let mut raw = begun(&gateway.site, "/", 4, &[]);
    for _ in 0..20 {
        assert_eq!(gateway.get("/").status, 503);
    }
    // One is taken, and its seat is given back.
    assert!(raw.say(frame(WINDOW_UPDATE, 0, 1, &[0, 1, 0, 0])));
    while frames::read_until(&mut raw, DATA).1 & END_STREAM == 0 {}
    until("there is room again", || gateway.get("/").status == 200);
}

#[test]
fn ranges_that_are_not_read_cost_no_memory() {
    let gateway = with_file("", (1 << 20) - 4096);
    attack(&gateway, || {
        let ranges = [("range", "bytes=0-0,1-")];
        // What is made once is made.
        drop(begun(&gateway.site, TARGET, 1, &ranges));
        let mut held = Vec::new();
        let grown = least_growth_kib(gateway.pid(), |_| {
            held.push(begun(&gateway.site, TARGET, 40, &ranges));
        });
        // Forty answers of a mebibyte each have begun.
        assert!(grown < 10 * 1024, "{grown} KiB");
    });
}

#[test]
fn sitemaps_that_are_not_read_are_one() {
    let gateway = Gateway::start_live("", &[]);
    let paths: Vec<_> = (0..5000).map(|number| format!("/large/{number:0150}")).collect();
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    gateway.publish(&Release::section("large", "1.0.0", &["/large/:x"]).naming(&paths));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    attack(&gateway, || {
        drop(begun(&gateway.site, "/sitemap.xml", 1, &[]));
        let mut held = Vec::new();
        let grown = least_growth_kib(gateway.pid(), |_| {
            held.push(begun(&gateway.site, "/sitemap.xml", 40, &[]));
        });
        // Forty answers of almost a mebibyte each have begun.
        assert!(grown < 10 * 1024, "{grown} KiB");
    });
}

#[test]
fn progress_on_one_answer_is_none_on_the_others() {
    let gateway = with_file(&only("progress_ms = 3000"), 12 << 20);
    attack(&gateway, || {
        let mut raw = begun(&gateway.site, TARGET, 90, &[]);
        assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        // As much as one answer must move, and more; for so long that only who is given up is heard no more.
        let more = frame(WINDOW_UPDATE, 0, 1, &[0, 0, 8, 0]).repeat(116);
        raw.drip_until_closed(more);
    });
}

/// The head of a call of the admin API, with a body to come.
fn call() -> Vec<u8> {
    frames::block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", "/api/v1/collect"),
        ("authorization", &format!("Bearer {TOKEN}")),
    ])
}

/// A connection with such a call begun.
fn calling(gateway: &Gateway) -> Raw {
    let mut raw = frames::open(&gateway.admin, &[]);
    assert!(raw.say(frame(HEADERS, END_HEADERS, 1, &call())));
    raw
}

#[test]
fn a_body_that_comes_slowly_is_reset_whatever_else_moves_on_its_connection() {
    let gateway = Gateway::start_live(&only("progress_ms = 1000"), &[]);
    let given_up = || gateway.count("colonnade_requests_given_up_total{listener=\"admin\"}");
    attack(&gateway, || {
        for drop in [&b""[..], b" "] {
            let before = given_up();
            let mut raw = calling(&gateway);
            for number in 1.. {
                // A request that is answered, a sign of life, and of the body too little.
                let other = frame(
                    HEADERS,
                    END_STREAM | END_HEADERS,
                    2 * number + 1,
                    &frames::get("/healthz"),
                );
                let more = [other, frame(PING, 0, 0, &[0; 8]), frame(DATA, 0, 1, drop)];
                let more = if drop.is_empty() { &more[..2] } else { &more[..] };
                raw.say_slowly([more.concat()]);
                if given_up() > before {
                    break;
                }
                assert!(number < 400, "the gateway listens for ever");
            }
            let (_, _, stream, code) = frames::read_until(&mut raw, RST_STREAM);
            assert_eq!((stream, code), (1, vec![0, 0, 0, 8]), "cancelled");
            // The connection goes on.
            assert!(raw.say(frame(
                HEADERS,
                END_STREAM | END_HEADERS,
                999,
                &frames::get("/healthz")
            )));
            while frames::read_until(&mut raw, HEADERS).2 != 999 {}
        }
    });
}

#[test]
fn a_body_in_frames_that_makes_progress_is_waited_for() {
    let gateway = Gateway::start_live(&only("progress_ms = 1000\nprogress_bytes = 100"), &[]);
    attack(&gateway, || {
        let mut raw = calling(&gateway);
        assert!(raw.say(frame(DATA, 0, 1, b"{")));
        // Three times as long as a client that makes no progress has.
        raw.say_slowly(vec![frame(DATA, 0, 1, &[b' '; 10]); 150]);
        assert!(raw.say(frame(DATA, END_STREAM, 1, b"}")));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!(frames::status(&block), "200");
    });
}

#[test]
fn an_answer_of_many_slices_says_its_length_and_is_whole() {
    let gateway = with_file("", 1_000_003);
    let whole = gateway.get(TARGET);
    assert_eq!(whole.header("content-length"), "1000003");
    assert!(!whole.has("transfer-encoding") && whole.body == vec![0; 1_000_003]);
    assert_eq!(gateway.event_of(&whole)["bytes"], 1_000_003);
    let parts = Request::new("GET", TARGET).header("range", "bytes=0-0,1-");
    let parts = gateway.site.send(parts);
    assert_eq!(parts.status, 206);
    assert_eq!(parts.header("content-length"), parts.body.len().to_string());
    assert_eq!(gateway.event_of(&parts)["bytes"], parts.body.len());
}
