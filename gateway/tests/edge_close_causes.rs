//! Connection close causes: each closed connection is counted by cause, and client faults are logged.

use serde_json::Value;

use crate::support::frames::{
    self, CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, frame,
};
use crate::support::{Gateway, Raw, Request, attack};

/// Log events of connections that were closed because of a client fault.
fn events(gateway: &Gateway) -> Vec<Value> {
    let output = gateway.output();
    let events = output.lines().filter_map(|line| serde_json::from_str(line).ok());
    events
        .filter(|event: &Value| event["event"] == "connection_closed")
        .collect()
}

/// Sends `bytes` and asserts that the connection closes with this cause, counted and logged once.
fn assert_closed_and_logged(gateway: &Gateway, cause: &str, mut raw: Raw, bytes: impl AsRef<[u8]>) {
    let (counted, logged) = (gateway.closed_connections(cause), events(gateway).len());
    raw.send(bytes);
    raw.read_until_closed();
    gateway.wait_for_closed_connections(cause, counted + 1);
    // By the time this request is logged, the close event is logged.
    let next = gateway.get("/healthz");
    gateway.request_event(&next);
    let events = events(gateway);
    assert_eq!(events.len(), logged + 1, "{events:?}");
    let event = &events[logged];
    assert_eq!(
        (&event["cause"], &event["listener"]),
        (&cause.into(), &"site".into())
    );
    assert_eq!((event.get("suppressed"), event.get("client_ip")), (None, None));
}

#[test]
fn malformed_requests_are_counted_and_logged() {
    let gateway = Gateway::start_live("", &[]);
    let too_many_fields = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(200));
    let invalid_chunk = "POST /_report HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\n\
                  content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nx\r\n";
    attack(&gateway, || {
        for bytes in [
            "what is this\r\n\r\n",
            "GET / HTTP/1.1\r\n: y\r\n\r\n",
            // Two lengths, which hyper alone would accept.
            "GET / HTTP/1.1\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n",
            // The start of a TLS handshake.
            "\x16\x03\x01\x02\0\x01\0\x01\r\n\r\n",
            &too_many_fields,
            invalid_chunk,
        ] {
            assert_closed_and_logged(&gateway, "protocol_error", Raw::open(&gateway.site), bytes);
        }
        for bytes in [
            frame(DATA, 0, 0, b"x"),
            frame(HEADERS, END_HEADERS, 2, &frames::get("/")),
            frame(CONTINUATION, 0, 1, b""),
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xff, 0xff, 0xff, 0x0f]),
        ] {
            let raw = frames::open(&gateway.site, &[]);
            assert_closed_and_logged(&gateway, "protocol_error", raw, bytes);
        }
    });
}

#[test]
fn http2_floods_are_counted_and_logged() {
    let gateway = Gateway::start_live(
        "[limits]\nhttp2_max_control_frames_per_minute = 10\nhttp2_max_resets_per_minute = 10\n",
        &[],
    );
    let pings = frame(PING, 0, 0, &[0; 8]).repeat(20);
    let resets: Vec<u8> = (0..20)
        .flat_map(|number| {
            let request = frames::request(2 * number + 1, "/");
            [request, frame(RST_STREAM, 0, 2 * number + 1, &[0, 0, 0, 8])].concat()
        })
        .collect();
    // Window overflows: hyper resets each stream and counts the resets.
    let window_overflows: Vec<u8> = (0..20)
        .flat_map(|number| frames::request_forcing_reset(2 * number + 1))
        .collect();
    let more = frame(CONTINUATION, 0, 1, b"").repeat(100);
    let continued = [frame(HEADERS, END_STREAM, 1, &frames::get("/")), more].concat();
    attack(&gateway, || {
        for (cause, bytes) in [
            ("control_frame_flood", pings),
            ("control_frame_flood", window_overflows),
            ("control_frame_flood", continued),
            ("rapid_reset", resets),
        ] {
            assert_closed_and_logged(&gateway, cause, frames::open(&gateway.site, &[]), bytes);
        }
    });
}

#[test]
fn client_disconnect_is_counted_but_not_logged() {
    let gateway = Gateway::start_live("", &[]);
    let before = gateway.closed_connections("normal");
    // Disconnect in the middle of a head, of a body and of a response, and after a complete response.
    let mut head = Raw::open(&gateway.site);
    assert!(head.send("GET / HT"));
    let mut body = Raw::open(&gateway.site);
    assert!(body.send(
        "POST /_report HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\n\
                      content-type: application/json\r\ncontent-length: 9\r\n\r\n{"
    ));
    let mut response = frames::open(&gateway.site, &[(4, 0)]);
    assert!(response.send(frames::request(1, "/")));
    frames::read_until(&mut response, HEADERS);
    assert_eq!(gateway.get("/").status, 200);
    drop((head, body, response));
    gateway.wait_for_closed_connections("normal", before + 4);
    assert_eq!(events(&gateway), Vec::<Value>::new());
}

#[test]
fn connection_fault_log_is_rate_limited() {
    let gateway = Gateway::start_live("[telemetry]\nlog_client_ip = true\n", &[]);
    attack(&gateway, || {
        for _ in 0..500 {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.send("what is this\r\n\r\n"));
            raw.read_until_closed();
        }
    });
    gateway.wait_for_closed_connections("protocol_error", 500);
    // By the time this request is logged, all close events are logged.
    let last = gateway.site.send(Request::new("GET", "/healthz"));
    gateway.request_event(&last);
    let events = events(&gateway);
    assert!((60..500).contains(&events.len()), "{}", events.len());
    assert_eq!(events[0]["client_ip"], "127.0.0.1");
    let logged = u64::try_from(events.len()).unwrap();
    let suppressed: u64 = events
        .iter()
        .filter_map(|event| event["suppressed"].as_u64())
        .sum();
    assert!(logged + suppressed <= 500);
}
