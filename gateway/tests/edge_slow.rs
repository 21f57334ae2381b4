//! Clients that take their time: each is given up, and no other visitor notices.

use std::net::Ipv4Addr;

use crate::support::frames::{
    self, CONTINUATION, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, WINDOW_UPDATE, frame,
};
use crate::support::{Connection, Gateway, Raw, Release, Request, attack, soak};

/// Deadlines so short that a test need not wait.
const SHORT: &str =
    "[limits]\nfirst_byte_ms = 400\nhead_ms = 400\nprogress_ms = 400\nidle_ms = 400\ndrain_ms = 400\n";

/// An asset so large that no buffer of the system holds it.
fn with_large_asset(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    let release = Release::section("large", "1.0.0", &["/large"]);
    let release = release.bytes("client/large.bin", "application/octet-stream", vec![0; 12 << 20]);
    gateway.publish(&release);
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

const LARGE: &str = "/assets/large/1.0.0/large.bin";

#[test]
fn who_says_nothing_is_given_up() {
    let gateway = Gateway::start_live(SHORT, &[]);
    attack(&gateway, || {
        for said in [&b""[..], b"\r\n", &PREFACE[..10], b"P"] {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(said));
            assert_eq!(raw.until_closed(), b"", "{said:?}");
        }
    });
}

#[test]
fn a_head_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(SHORT, &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("GET / HTTP/1.1\r\nhost: site.example\r\n"));
        assert_eq!(raw.until_closed(), b"");
        // However diligently it goes on.
        let raw = Raw::open(&gateway.site);
        let head = b"GET / HTTP/1.1\r\nhost: site.example\r\nx: ".iter().copied();
        assert_eq!(
            raw.drip_until_closed(head.chain(std::iter::repeat_n(b'a', 10_000))),
            b""
        );
        // Also behind another request.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\nGET / HTT"));
        assert!(raw.until_closed().starts_with(b"HTTP/1.1 200 "));
    });
}

#[test]
fn a_body_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(SHORT, &[]);
    let head = "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                content-type: application/json\r\n";
    attack(&gateway, || {
        for (length, body) in [
            ("content-length: 5000", "{"),
            ("transfer-encoding: chunked", "fff\r\n{"),
        ] {
            let start = format!("{head}{length}\r\n\r\n{body}");
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(&start));
            raw.until_closed();
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(&start));
            raw.drip_until_closed(std::iter::repeat_n(b' ', 10_000));
        }
    });
}

#[test]
fn who_does_not_read_is_given_up() {
    let gateway = with_large_asset(SHORT);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n")));
        // Nothing is read. That the gateway closes is seen by what it takes no more.
        raw.say_until_closed([b' '; 4096]);
    });
}

#[test]
fn a_connection_on_which_nothing_is_asked_is_closed() {
    let gateway = Gateway::start_live(SHORT, &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
        assert!(raw.until_closed().ends_with(b"ok\n"));
        let said = frames::open(&gateway.site, &[]).until_closed();
        assert!(frames::kinds(&said).contains(&GOAWAY), "{said:?}");
    });
}

#[test]
fn pings_do_not_keep_a_connection_on_which_nothing_is_asked() {
    let gateway = Gateway::start_live(SHORT, &[]);
    attack(&gateway, || {
        let raw = frames::open(&gateway.site, &[]);
        let said = raw.drip_until_closed(frame(PING, 0, 0, &[0; 8]).into_iter().cycle());
        assert!(frames::kinds(&said).contains(&GOAWAY), "{said:?}");
    });
}

#[test]
fn a_connection_that_has_lived_long_enough_ends_after_what_is_under_way() {
    let gateway = Gateway::start_live("[limits]\nlife_ms = 400\n", &[]);
    attack(&gateway, || {
        let mut connection = Connection::open(&gateway.site).unwrap();
        let get = || Request::new("GET", "/").header("host", "site.example");
        while let Ok(answer) = connection.exchange(get()) {
            assert_eq!(answer.status, 200);
        }
        let mut raw = frames::open(&gateway.site, &[]);
        let (_, _, _, payload) = frames::read_until(&mut raw, GOAWAY);
        assert_eq!(payload[4..8], [0; 4], "no error");
    });
}

#[test]
fn a_head_in_frames_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(SHORT, &[]);
    let head = frames::get("/");
    attack(&gateway, || {
        // A HEADERS that is not the last of its head, and half a HEADERS.
        let open = frame(HEADERS, END_STREAM, 1, &head);
        for part in [&open[..], &open[..20]] {
            let mut raw = frames::open(&gateway.site, &[]);
            assert!(raw.say(part));
            raw.until_closed();
        }
        let raw = frames::open(&gateway.site, &[]);
        let many = std::iter::repeat_n(frame(CONTINUATION, 0, 1, b""), 10_000).flatten();
        raw.drip_until_closed(open.into_iter().chain(many));
    });
}

#[test]
fn who_takes_no_frames_is_given_up() {
    let gateway = with_large_asset(SHORT);
    attack(&gateway, || {
        // A window of nothing, and never more (RFC 9113, 6.9.2).
        let request = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get(LARGE));
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.say(&request));
        raw.until_closed();
        // A byte more from time to time, and proof of life.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.say(&request));
        let more = [
            frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
            frame(PING, 0, 0, &[0; 8]),
        ];
        raw.drip_until_closed(more.concat().into_iter().cycle());
        // Large windows, and nothing is read.
        let mut raw = frames::open(&gateway.site, &[(4, 0x7fff_ffff)]);
        assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0])) && raw.say(&request));
        raw.say_until_closed(frame(PING, 1, 0, &[0; 8]).repeat(100));
    });
}

#[test]
fn many_idle_connections_leave_room_for_others() {
    let gateway = Gateway::start_live("[limits]\nconnections = 12000\n", &[]);
    attack(&gateway, || {
        let mut idle = Vec::new();
        for number in 0..soak(10_000) {
            // As many from one address as one may have.
            let source = Ipv4Addr::from_bits(0x7f01_0000 + u32::try_from(number / 200).unwrap());
            let mut raw = Raw::open(&gateway.site.coming_from(source));
            if number % 2 == 0 {
                assert!(raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
            }
            idle.push(raw);
        }
        // Those who asked are answered, and none is closed to make room.
        for raw in idle.iter_mut().step_by(2) {
            assert_eq!(raw.hear(12), b"HTTP/1.1 200");
        }
        assert_eq!(gateway.get("/").status, 200);
    });
}
