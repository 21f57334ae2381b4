//! HTTP/2 floods and invalid frames: each closes its connection and affects no other client.

use serde_json::Value;

use crate::support::frames::{
    self, ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, frame,
};
use crate::support::{Gateway, Raw, attack, only_limits, wait_until};

/// Sends `start`, then `repeated` until the gateway closes the connection with this cause.
fn assert_endless_flood_closes(gateway: &Gateway, cause: &str, start: &[u8], repeated: &[u8]) {
    attack(gateway, || {
        let before = gateway.closed_connections(cause);
        let mut raw = frames::open(&gateway.site, &[]);
        assert!(raw.send(start));
        raw.send_until_closed(repeated);
        gateway.wait_for_closed_connections(cause, before + 1);
    });
}

/// The configured limit on control frames per connection.
const LIMITS: &str = "http2_max_control_frames_per_minute = 20";

/// A number of frames below the limit, together with the client's initial SETTINGS.
const FEW: usize = 5;

/// A number of frames above the limit, however slow the test is: the limit refills within one minute.
const MANY: usize = 60;

/// Asserts that a few frames have no effect and that many close the connection as a flood.
fn assert_flood_closes(gateway: &Gateway, what: &str, start: &[u8], repeated: &[u8]) {
    attack(gateway, || {
        let before = gateway.closed_connections("control_frame_flood");
        let mut raw = frames::open(&gateway.site, &[]);
        assert!(raw.send([start, &repeated.repeat(FEW)].concat()), "{what}");
        let last = frames::request(101, "/healthz");
        assert!(raw.send(last));
        while frames::read_until(&mut raw, HEADERS).2 != 101 {}
        raw.send(repeated.repeat(MANY));
        raw.read_until_closed();
        let closed = || gateway.closed_connections("control_frame_flood");
        wait_until(what, || closed() > before);
        assert_eq!(closed(), before + 1, "{what}");
    });
}

#[test]
fn control_frame_flood_closes_connection() {
    let gateway = Gateway::start_live(&only_limits(LIMITS), &[]);
    let none: &[u8] = b"";
    let upload = frame(HEADERS, END_HEADERS, 1, &frames::post_report());
    // A zero window that the client opens byte by byte.
    let window = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let blocked = [window, frames::request(1, "/")].concat();
    for (what, start, repeated) in [
        ("PING", none, frame(PING, 0, 0, &[0; 8])),
        ("SETTINGS", none, frame(SETTINGS, 0, 0, b"")),
        (
            "long SETTINGS",
            none,
            frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0xff, 0xff].repeat(100)),
        ),
        ("PRIORITY", none, frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 0])),
        ("PRIORITY_UPDATE", none, frame(0x10, 0, 0, b"\0\0\0\x01u=1")),
        ("an unknown type", none, frame(0xbb, 0, 0, b"")),
        ("empty DATA", &upload, frame(DATA, 0, 1, b"")),
        // Padding does not count as data.
        ("DATA with padding", &upload, frame(DATA, PADDED, 1, &[255; 256])),
        ("DATA with no padding", &upload, frame(DATA, PADDED, 1, &[0])),
        (
            "a window byte by byte",
            &blocked,
            frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
        ),
        (
            "WINDOW_UPDATE by 1",
            none,
            frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]),
        ),
        (
            "WINDOW_UPDATE by 256",
            none,
            frame(WINDOW_UPDATE, 0, 0, &[0, 0, 1, 0]),
        ),
        (
            "WINDOW_UPDATE by 64 KiB",
            none,
            frame(WINDOW_UPDATE, 0, 0, &[0, 1, 0, 0]),
        ),
    ] {
        assert_flood_closes(&gateway, what, start, &repeated);
    }
}

#[test]
fn unsolicited_ping_ack_flood_is_logged_once() {
    let gateway = Gateway::start_live(&only_limits(LIMITS), &[]);
    assert_flood_closes(&gateway, "PING with ACK", b"", &frame(PING, ACK, 0, &[0; 8]));
    // By the time this request is logged, the close event is logged.
    let next = gateway.get("/healthz");
    gateway.request_event(&next);
    let output = gateway.output();
    // Every event of the gateway has a name, so a line without one comes from a library.
    let events = output.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["event"]
            .as_str()
            .unwrap_or_else(|| panic!("{line}"))
            .to_owned()
    });
    assert_eq!(events.filter(|event| event == "connection_closed").count(), 1);
}

#[test]
fn window_update_per_response_is_allowed() {
    let gateway = Gateway::start_live(&only_limits(LIMITS), &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..MANY {
            let stream = 2 * u32::try_from(number).unwrap() + 1;
            let request = frames::request(stream, "/healthz");
            assert!(raw.send(request));
            let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
            assert_eq!(frames::status(&block), "200");
            let (_, _, _, data) = frames::read_until(&mut raw, DATA);
            let more = u32::try_from(data.len()).unwrap().to_be_bytes();
            assert!(raw.send(frame(WINDOW_UPDATE, 0, stream, &more)));
            assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &more)));
        }
    });
}

#[test]
fn goaway_flood_closes_connection() {
    let gateway = Gateway::start_live(&only_limits(LIMITS), &[]);
    // A request without a response yet; otherwise the first GOAWAY would close the connection.
    let start = frame(HEADERS, END_HEADERS, 1, &frames::post_report());
    assert_endless_flood_closes(
        &gateway,
        "control_frame_flood",
        &start,
        &frame(GOAWAY, 0, 0, &[0; 8]),
    );
}

#[test]
fn continuation_flood_closes_connection() {
    let gateway = Gateway::start_live("", &[]);
    let start = frame(HEADERS, END_STREAM, 1, &frames::get("/"));
    assert_endless_flood_closes(
        &gateway,
        "control_frame_flood",
        &start,
        &frame(CONTINUATION, 0, 1, b""),
    );
    let field = frames::block(&[("x", &"a".repeat(16_000))]);
    assert_endless_flood_closes(
        &gateway,
        "control_frame_flood",
        &start,
        &frame(CONTINUATION, 0, 1, &field),
    );
}

#[test]
fn rapid_reset_closes_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..1_000_000 {
            let stream = 2 * number + 1;
            let request = frames::request(stream, "/");
            let reset = frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]);
            if !raw.send([request, reset].concat()) {
                gateway.wait_for_closed_connections("rapid_reset", 1);
                return;
            }
        }
        panic!("the gateway never closes the connection");
    });
}

#[test]
fn induced_stream_resets_close_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..1_000_000 {
            if !raw.send(frames::request_forcing_reset(2 * number + 1)) {
                // Not before the limit on resets is reached.
                assert!(number >= 100, "{number}");
                gateway.wait_for_closed_connections("control_frame_flood", 1);
                return;
            }
        }
        panic!("the gateway never closes the connection");
    });
}

#[test]
fn response_to_upload_waits_when_connection_ends() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        // The window has room for one byte of the response. The reset that stops the upload waits behind the others.
        let mut raw = frames::open(&gateway.site, &[(4, 1)]);
        assert!(raw.send(frame(HEADERS, END_HEADERS, 1, &frames::refused_upload())));
        let (_, _, _, data) = frames::read_until(&mut raw, DATA);
        assert_eq!(data.len(), 1);
        assert!(raw.send(frame(PING, 0, 0, b"short")));
        gateway.wait_for_closed_connections("protocol_error", 1);
    });
}

#[test]
fn oversized_headers_return_431() {
    let gateway = Gateway::start_live("[limits]\nmax_header_kib = 8\n", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        let mut head = frames::get("/");
        head.extend(frames::block(&[("x", &"a".repeat(9000))]));
        assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, &head)));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!(frames::status(&block), "431");
    });
}

#[test]
fn too_many_header_fields_reject_only_that_stream() {
    for (limits, limit) in [("", 100), ("[limits]\nmax_header_fields = 20\n", 20)] {
        let gateway = Gateway::start_live(limits, &[]);
        attack(&gateway, || {
            for client in [&gateway.site, &gateway.admin] {
                let mut raw = frames::open(client, &[]);
                // Pseudo-header fields do not count (RFC 9113, section 8.3).
                for (stream, fields, expected) in
                    [(1, limit, "200"), (3, limit + 1, "431"), (5, limit, "200")]
                {
                    let fields = frames::block(&[("x", "y")]).repeat(fields);
                    let head = [frames::get("/healthz"), fields].concat();
                    assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, stream, &head)));
                    let (_, _, of, block) = frames::read_until(&mut raw, HEADERS);
                    assert_eq!((of, frames::status(&block).as_str()), (stream, expected));
                }
            }
            // A request that began earlier completes.
            let mut raw = frames::open(&gateway.site, &[]);
            let fields = frames::block(&[("x", "y")]).repeat(limit + 1);
            let head = [frames::get("/"), fields].concat();
            assert!(raw.send(frame(HEADERS, END_HEADERS, 1, &frames::post_report())));
            assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, 3, &head)));
            assert_eq!(frames::read_until(&mut raw, HEADERS).2, 3);
            assert!(raw.send(frame(DATA, END_STREAM, 1, b"[]")));
            assert_eq!(frames::read_until(&mut raw, HEADERS).2, 1);
        });
    }
}

#[test]
fn split_cookie_fields_count_as_one() {
    let gateway = Gateway::start_live("", &[]);
    let mut raw = frames::open(&gateway.site, &[]);
    for (stream, others, expected) in [(1, 99, "200"), (3, 100, "431")] {
        let fields = [
            frames::get("/healthz"),
            frames::block(&[("cookie", "a=b")]).repeat(150),
            frames::block(&[("x", "y")]).repeat(others),
        ];
        assert!(raw.send(frame(HEADERS, END_STREAM | END_HEADERS, stream, &fields.concat())));
        let (_, _, of, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!((of, frames::status(&block).as_str()), (stream, expected));
    }
}

#[test]
fn excess_stream_is_refused() {
    let gateway = Gateway::start_live("[limits]\nhttp2_max_concurrent_streams = 3\n", &[]);
    attack(&gateway, || {
        // The zero window keeps every response in flight.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        for stream in [1, 3, 5, 7] {
            assert!(raw.send(frames::request(stream, "/")));
        }
        let (_, _, stream, code) = frames::read_until(&mut raw, RST_STREAM);
        assert_eq!((stream, code), (7, vec![0, 0, 0, 7]), "REFUSED_STREAM");
    });
}

#[test]
fn invalid_frame_closes_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut closed = 0;
        for invalid in [
            frame(DATA, 0, 0, b"x"),
            frame(HEADERS, END_HEADERS, 0, &frames::get("/")),
            frame(HEADERS, END_HEADERS, 2, &frames::get("/")),
            frame(CONTINUATION, 0, 1, b""),
            frame(SETTINGS, 0, 0, &[0, 2, 0, 0, 0, 2]),
            frame(PING, 0, 0, b"short"),
            // Only one ACK is expected.
            frame(SETTINGS, ACK, 0, b"").repeat(2),
            // A PUSH_PROMISE, which clients must not send.
            frame(5, END_HEADERS, 1, &[0, 0, 0, 2]),
            frame(DATA, 0, 1, &vec![0; 20_000]),
            // An index outside the tables (RFC 7541, section 2.3.3).
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xff, 0xff, 0xff, 0x0f]),
        ] {
            let mut raw = frames::open(&gateway.site, &[]);
            raw.send(&invalid);
            let received = raw.read_until_closed();
            assert!(
                received.is_empty() || frames::kinds(&received).contains(&GOAWAY),
                "{invalid:?}"
            );
            closed += 1;
            gateway.wait_for_closed_connections("protocol_error", closed);
        }
        let mut raw = Raw::open(&gateway.site);
        raw.send([frames::PREFACE, b"GET / HTTP/1.1\r\n\r\n"].concat());
        raw.read_until_closed();
    });
}
