//! Clients that take their time: each is given up for the one limit it does not keep, and no other visitor notices.

use std::net::Ipv4Addr;

use crate::support::frames::{
    self, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM,
    WINDOW_UPDATE, frame,
};
use crate::support::{
    Connection, Gateway, Raw, Release, Request, TOKEN, attack, descriptors, only, resident_kib, until,
};

/// The bytes of [`LARGE`]: no buffer of the system holds them.
const LENGTH: usize = 12 << 20;

const LARGE: &str = "/assets/large/1.0.0/large.bin";

/// A gateway with a file of so many bytes.
fn with_large_asset(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    let release = Release::section("large", "1.0.0", &["/large"]);
    let release = release.bytes("client/large.bin", "application/octet-stream", vec![0; LENGTH]);
    gateway.publish(&release);
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

#[test]
fn who_says_nothing_is_given_up() {
    let gateway = Gateway::start_live(&only("first_byte_ms = 400"), &[]);
    let greeting = "colonnade_connections_refused_total{listener=\"site\",cause=\"greeting\"}";
    attack(&gateway, || {
        for said in [&b""[..], &PREFACE[..10], b"P"] {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(said));
            assert_eq!(raw.until_closed(), b"", "{said:?}");
        }
        until("they are counted", || gateway.count(greeting) == 3);
        // Empty lines may come before a request, and are none; a preface asks for nothing either.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("\r\n"));
        assert_eq!(raw.until_reset(), b"");
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(PREFACE));
        raw.until_reset();
        gateway.until_ended("silent", 2);
    });
}

#[test]
fn a_head_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(&only("head_ms = 400"), &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("GET / HTTP/1.1\r\nhost: site.example\r\n"));
        assert_eq!(raw.until_reset(), b"");
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
        assert!(raw.until_reset().starts_with(b"HTTP/1.1 200 "));
        gateway.until_ended("slow_head", 3);
    });
}

/// The head of a request with a body, up to what says how long that is.
const POST: &str = "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                    content-type: application/json\r\n";

#[test]
fn a_body_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(&only("progress_ms = 400"), &[]);
    attack(&gateway, || {
        for (length, body) in [
            ("content-length: 5000", "{"),
            ("transfer-encoding: chunked", "fff\r\n{"),
        ] {
            let start = format!("{POST}{length}\r\n\r\n{body}");
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(&start));
            assert_eq!(raw.until_reset(), b"");
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(&start));
            let said = raw.drip_until_closed(std::iter::repeat_n(b' ', 10_000));
            assert_eq!(said, b"");
        }
        gateway.until_ended("slow_body", 4);
    });
}

#[test]
fn a_body_that_makes_progress_is_waited_for() {
    let limits = only("progress_ms = 1000\nprogress_bytes = 100");
    let gateway = Gateway::start_live(&limits, &[]);
    attack(&gateway, || {
        // Three times as long as a client that makes no progress has.
        let pieces = || vec![vec![b' '; 10]; 150];
        let mut raw = Raw::open(&gateway.admin);
        assert!(raw.say(format!(
            "POST /api/v1/collect HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
             connection: close\r\ncontent-length: 1502\r\n\r\n{{"
        )));
        raw.say_slowly(pieces());
        assert!(raw.say("}"));
        assert_eq!(raw.answer().status, 200);
        assert_eq!(gateway.count(SLOW_BODY_OF_ADMIN), 0);
    });
}

const SLOW_BODY_OF_ADMIN: &str = "colonnade_connections_ended_total{listener=\"admin\",cause=\"slow_body\"}";

#[test]
fn who_does_not_read_is_given_up() {
    let gateway = with_large_asset(&only("progress_ms = 400"));
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n")));
        gateway.until_ended("slow_reader", 1);
        assert!(raw.until_reset().len() < LENGTH);
    });
}

#[test]
fn who_does_not_read_is_given_up_as_slow_also_with_a_broken_chunk_behind_the_request() {
    let gateway = with_large_asset(&only("progress_ms = 400"));
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        // In one piece: the chunk has been found broken by the time the answer is owed.
        assert!(raw.say(format!(
            "GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n{POST}transfer-encoding: chunked\r\n\r\nx\r\n"
        )));
        gateway.until_ended("slow_reader", 1);
        assert!(raw.until_reset().len() < LENGTH);
        assert_eq!(gateway.ended("malformed"), 0);
    });
}

#[test]
fn who_reads_slowly_but_reads_is_waited_for() {
    let gateway = with_large_asset(&only("progress_ms = 2000"));
    let request = format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
    attack(&gateway, || {
        // Three times as long as a client that makes no progress has.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(request));
        raw.hear_slowly(LENGTH, LENGTH / 300);
        assert!(!raw.until_closed().is_empty(), "the head's length is left");
        // Over HTTP/2, as much as it allows at a time.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get(LARGE))));
        let mut heard = 0;
        while heard < LENGTH {
            raw.say_slowly([frame(WINDOW_UPDATE, 0, 1, &[0, 1, 0, 0])]);
            let allowed = LENGTH.min(heard + 0x1_0000);
            while heard < allowed {
                heard += frames::read_until(&mut raw, DATA).3.len();
            }
        }
        assert_eq!(gateway.ended("slow_reader"), 0);
    });
}

#[test]
fn a_connection_on_which_nothing_is_asked_is_closed() {
    let gateway = Gateway::start_live(&only("idle_ms = 400"), &[]);
    attack(&gateway, || {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n"));
        assert!(raw.until_closed().ends_with(b"ok\n"));
        gateway.until_ended("idle", 1);
        // Empty lines ask for nothing, however they come.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(HEALTH));
        let said = raw.drip_until_closed(b"\r\n".iter().copied().cycle());
        assert!(said.ends_with(b"ok\n"));
        gateway.until_ended("idle", 2);
        let mut raw = frames::open(&gateway.site, &[]);
        frames::read_until(&mut raw, GOAWAY);
        drop(raw);
        gateway.until_ended("idle", 3);
    });
}

#[test]
fn pings_do_not_keep_a_connection_on_which_nothing_is_asked() {
    let gateway = Gateway::start_live(&only("idle_ms = 400"), &[]);
    attack(&gateway, || {
        let raw = frames::open(&gateway.site, &[]);
        let pings = frame(PING, 0, 0, &[0; 8]).into_iter().cycle();
        raw.drip_until(pings, |said| frames::kinds(said).contains(&GOAWAY));
        gateway.until_ended("idle", 1);
    });
}

/// Waits until so many connections have lived long enough. A visitor's own may have, too, where the machine is busy.
fn until_lived(gateway: &Gateway, times: u64) {
    until("it has lived long enough", || gateway.ended("life") >= times);
}

#[test]
fn a_connection_that_has_lived_long_enough_ends_after_what_is_under_way() {
    let gateway = Gateway::start_live(&only("life_ms = 400"), &[]);
    attack(&gateway, || {
        let mut connection = Connection::open(&gateway.site).unwrap();
        let get = || Request::new("GET", "/").header("host", "site.example");
        // The last answer says that it is.
        until("the last answer", || {
            let answer = connection.exchange(get()).unwrap();
            assert_eq!(answer.status, 200);
            answer.has("connection")
        });
        assert!(connection.exchange(get()).is_err(), "it was");
        until_lived(&gateway, 1);
        let mut raw = frames::open(&gateway.site, &[]);
        let (_, _, _, payload) = frames::read_until(&mut raw, GOAWAY);
        assert_eq!(payload[4..8], [0; 4], "no error");
        drop(raw);
        until_lived(&gateway, 2);
    });
}

#[test]
fn what_is_under_way_when_a_connection_has_lived_long_enough_is_finished() {
    let gateway = with_large_asset(&only("life_ms = 400\ndrain_ms = 100"));
    attack(&gateway, || {
        // Many times as long as both together.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(format!("GET {LARGE} HTTP/1.1\r\nhost: site.example\r\n\r\n")));
        raw.hear_slowly(LENGTH, LENGTH / 150);
        assert!(!raw.until_closed().is_empty(), "the head's length is left");
        until_lived(&gateway, 1);
    });
}

#[test]
fn what_is_asked_for_after_the_end_of_a_connection_s_life_is_refused_and_the_rest_finished() {
    let gateway = with_large_asset(&only("life_ms = 400\ndrain_ms = 100"));
    let ask = |stream, path| frame(HEADERS, END_STREAM | END_HEADERS, stream, &frames::get(path));
    attack(&gateway, || {
        // A client that never says that it has heard of the end.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &[0x10, 0, 0, 0])));
        assert!(raw.say(ask(1, LARGE)));
        let (mut heard, mut stream, mut refused) = (0, 1, None);
        while heard < LENGTH {
            stream += 2;
            let more = |stream| frame(WINDOW_UPDATE, 0, stream, &[0, 2, 0, 0]);
            raw.say_slowly([[more(1), ask(stream, "/nothing"), more(stream)].concat()]);
            let allowed = LENGTH.min(heard + 0x2_0000);
            while heard < allowed {
                let (kind, _, of, payload) = frames::read(&mut raw);
                match kind {
                    DATA if of == 1 => heard += payload.len(),
                    RST_STREAM => refused = Some(payload),
                    _ => {}
                }
            }
        }
        assert_eq!(refused, Some(vec![0, 0, 0, 7]), "to be asked for again elsewhere");
        raw.until_closed();
        until_lived(&gateway, 1);
    });
}

#[test]
fn a_head_in_frames_that_comes_slowly_is_given_up() {
    let gateway = Gateway::start_live(&only("head_ms = 400"), &[]);
    let head = frames::get("/");
    attack(&gateway, || {
        // A HEADERS that is not the last of its head, and half a HEADERS.
        let open = frame(HEADERS, END_STREAM, 1, &head);
        for part in [&open[..], &open[..20]] {
            let mut raw = frames::open(&gateway.site, &[]);
            assert!(raw.say(part));
            raw.until_reset();
        }
        let raw = frames::open(&gateway.site, &[]);
        let many = std::iter::repeat_n(frame(CONTINUATION, 0, 1, b""), 10_000).flatten();
        raw.drip_until_closed(open.into_iter().chain(many));
        gateway.until_ended("slow_head", 3);
    });
}

#[test]
fn who_takes_no_frames_is_given_up() {
    let gateway = with_large_asset(&only("progress_ms = 400"));
    attack(&gateway, || {
        // A window of nothing, and never more (RFC 9113, 6.9.2).
        let request = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get(LARGE));
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        assert!(raw.say(&request));
        raw.until_reset();
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
        gateway.until_ended("slow_reader", 3);
        raw.until_reset();
    });
}

/// The descriptors with which the site listener has 10,000 connections.
const ENOUGH: u64 = 16_000;

#[test]
fn many_idle_connections_leave_room_for_others() {
    // As many as there may be, or a tenth where the system does not grant the descriptors for them.
    let most = if descriptors() < ENOUGH { 1000 } else { 10_000 };
    let gateway = Gateway::start_live(&only(&format!("connections = {most}")), &[]);
    let before = resident_kib(gateway.pid());
    let mut idle = Vec::new();
    for number in 0..most {
        // As many from one address as one may have.
        let source = Ipv4Addr::from_bits(0x7f01_0000 + u32::try_from(number / 200).unwrap());
        let mut raw = Raw::open(&gateway.site.coming_from(source));
        if number % 2 == 0 {
            assert!(raw.say(HEALTH));
        }
        idle.push(raw);
    }
    // Those who asked are answered, and none is closed to make room for another that fits in.
    for raw in idle.iter_mut().step_by(2) {
        assert_eq!(raw.hear(12), b"HTTP/1.1 200");
    }
    let open = "colonnade_connections_open{listener=\"site\"}";
    until("every place is taken", || {
        gateway.count(open) == u64::try_from(most).unwrap()
    });
    // That is the connections' alone: what else there is was there before, or is little.
    let each = (resident_kib(gateway.pid()) - before) * 1024 / u64::try_from(most).unwrap();
    assert!(each <= 32 * 1024, "{each} bytes each");
    // Who has said nothing was never served, so it counts as refused.
    let silent = "colonnade_connections_refused_total{listener=\"site\",cause=\"all\"}";
    let made_room = || gateway.ended("crowded") + gateway.count(silent);
    assert_eq!(made_room(), 0);
    attack(&gateway, || {
        for _ in 0..100 {
            assert_eq!(gateway.get("/").status, 200);
        }
    });
    // A place that was made is used again by who comes next: two visitors at a time need few.
    let few = u64::try_from(most / 2).unwrap();
    assert!((1..few).contains(&made_room()), "{}", made_room());
    // Who was idle for less long has not noticed.
    let youngest = idle.last_mut().unwrap();
    assert!(youngest.say(HEALTH));
    assert_eq!(youngest.hear(12), b"HTTP/1.1 200");
}

/// A request whose answer ends with `ok\n`.
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n";
