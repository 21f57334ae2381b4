//! Connections that end: each is counted by its cause, and the log tells of those whose client was at fault.

use serde_json::Value;

use crate::support::frames::{
    self, CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, frame,
};
use crate::support::{Gateway, Raw, Request, attack};

/// The events of connections that ended for a fault of their client.
fn events(gateway: &Gateway) -> Vec<Value> {
    let output = gateway.output();
    let events = output.lines().filter_map(|line| serde_json::from_str(line).ok());
    events
        .filter(|event: &Value| event["event"] == "connection_ended")
        .collect()
}

/// Says something wrong, and what is right before it; the connection must end, counted and logged by this cause.
fn wrong(gateway: &Gateway, cause: &str, mut raw: Raw, said: impl AsRef<[u8]>) {
    let (counted, logged) = (gateway.ended(cause), events(gateway).len());
    raw.say(said);
    raw.until_closed();
    gateway.until_ended(cause, counted + 1);
    // What is logged now comes after it.
    let next = gateway.get("/healthz");
    gateway.event_of(&next);
    let events = events(gateway);
    assert_eq!(events.len(), logged + 1, "{events:?}");
    let event = &events[logged];
    assert_eq!(
        (&event["cause"], &event["listener"]),
        (&cause.into(), &"site".into())
    );
    assert_eq!((&event["unlogged"], event.get("address")), (&0.into(), None));
}

#[test]
fn what_is_no_http1_is_counted_and_logged() {
    let gateway = Gateway::start_live("", &[]);
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(200));
    let chunks = "POST /functions/v1/signup HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\n\
                  content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nx\r\n";
    attack(&gateway, || {
        for said in [
            "what is this\r\n\r\n",
            "GET / HTTP/1.1\r\n: y\r\n\r\n",
            // Two lengths, which hyper would take.
            "GET / HTTP/1.1\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n",
            // The beginning of a TLS handshake.
            "\x16\x03\x01\x02\0\x01\0\x01\r\n\r\n",
            &many,
            chunks,
        ] {
            wrong(&gateway, "malformed", Raw::open(&gateway.site), said);
        }
    });
}

#[test]
fn what_is_no_http2_is_counted_and_logged() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for said in [
            frame(DATA, 0, 0, b"x"),
            frame(HEADERS, END_HEADERS, 2, &frames::get("/")),
            frame(CONTINUATION, 0, 1, b""),
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xff, 0xff, 0xff, 0x0f]),
        ] {
            wrong(&gateway, "malformed", frames::open(&gateway.site, &[]), said);
        }
    });
}

#[test]
fn floods_are_counted_and_logged() {
    let gateway = Gateway::start_live("[limits]\ncontrol_frames = 10\nresets = 10\n", &[]);
    let pings = frame(PING, 0, 0, &[0; 8]).repeat(20);
    let resets: Vec<u8> = (0..20)
        .flat_map(|number| {
            let request = frame(
                HEADERS,
                END_STREAM | END_HEADERS,
                2 * number + 1,
                &frames::get("/"),
            );
            [request, frame(RST_STREAM, 0, 2 * number + 1, &[0, 0, 0, 8])].concat()
        })
        .collect();
    // Windows that are too large: hyper resets each, and counts.
    let wrongs: Vec<u8> = (0..20)
        .flat_map(|number| frames::to_be_reset(2 * number + 1))
        .collect();
    let more = frame(CONTINUATION, 0, 1, b"").repeat(100);
    let continued = [frame(HEADERS, END_STREAM, 1, &frames::get("/")), more].concat();
    attack(&gateway, || {
        for (cause, said) in [
            ("flood", pings),
            ("flood", wrongs),
            ("flood", continued),
            ("resets", resets),
        ] {
            wrong(&gateway, cause, frames::open(&gateway.site, &[]), said);
        }
    });
}

#[test]
fn who_leaves_is_at_no_fault() {
    let gateway = Gateway::start_live("", &[]);
    let before = gateway.ended("closed");
    // In the middle of a head, of a body, of an answer; and after a whole one.
    let mut head = Raw::open(&gateway.site);
    assert!(head.say("GET / HT"));
    let mut body = Raw::open(&gateway.site);
    assert!(body.say(
        "POST /_report HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\n\
                      content-type: application/json\r\ncontent-length: 9\r\n\r\n{"
    ));
    let mut answer = frames::open(&gateway.site, &[(4, 0)]);
    assert!(answer.say(frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get("/"))));
    frames::read_until(&mut answer, HEADERS);
    assert_eq!(gateway.get("/").status, 200);
    drop((head, body, answer));
    gateway.until_ended("closed", before + 4);
    assert_eq!(events(&gateway), Vec::<Value>::new());
}

#[test]
fn very_many_faults_are_counted_and_few_are_logged() {
    let gateway = Gateway::start_live("[telemetry]\naddresses = true\n", &[]);
    for _ in 0..500 {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say("what is this\r\n\r\n"));
        raw.until_closed();
    }
    gateway.until_ended("malformed", 500);
    // What is logged now comes after all of them.
    let last = gateway.site.send(Request::new("GET", "/healthz"));
    gateway.event_of(&last);
    let events = events(&gateway);
    assert!((60..500).contains(&events.len()), "{}", events.len());
    assert_eq!(events[0]["address"], "127.0.0.1");
    let logged = u64::try_from(events.len()).unwrap();
    let unlogged: u64 = events.iter().filter_map(|event| event["unlogged"].as_u64()).sum();
    assert!(logged + unlogged <= 500);
}
