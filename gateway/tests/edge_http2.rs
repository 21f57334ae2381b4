//! HTTP/2 floods: each ends its connection, and no other visitor notices.

use serde_json::Value;

use crate::support::frames::{
    self, ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, frame,
};
use crate::support::{Gateway, Raw, attack, only};

/// Says what comes first, and then the same until the gateway closes the connection, for this cause.
fn without_end(gateway: &Gateway, cause: &str, start: &[u8], again: &[u8]) {
    attack(gateway, || {
        let before = gateway.ended(cause);
        let mut raw = frames::open(&gateway.site, &[]);
        assert!(raw.say(start));
        raw.say_until_closed(again);
        gateway.until_ended(cause, before + 1);
    });
}

/// What the gateways here allow a connection of frames that carry nothing.
const ALLOWED: &str = "control_frames = 20";

/// So many are no flood, with the SETTINGS that every client begins with.
const FEW: usize = 5;

/// So many are one, however slow the test is: in a minute there may be as many again as at once.
const MANY: usize = 60;

/// A few frames must change nothing; many must end the connection, for the flood that they are.
fn flood(gateway: &Gateway, start: &[u8], again: &[u8]) {
    attack(gateway, || {
        let before = gateway.ended("flood");
        let mut raw = frames::open(&gateway.site, &[]);
        assert!(raw.say([start, &again.repeat(FEW)].concat()));
        let last = frame(HEADERS, END_STREAM | END_HEADERS, 101, &frames::get("/healthz"));
        assert!(raw.say(last));
        while frames::read_until(&mut raw, HEADERS).2 != 101 {}
        raw.say(again.repeat(MANY));
        raw.until_closed();
        gateway.until_ended("flood", before + 1);
    });
}

#[test]
fn a_flood_of_frames_that_carry_nothing_ends_the_connection() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    for again in [
        frame(PING, 0, 0, &[0; 8]),
        frame(SETTINGS, 0, 0, b""),
        frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0xff, 0xff].repeat(100)),
        frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 0]),
        frame(0x10, 0, 0, b"\0\0\0\x01u=1"),
        frame(0xbb, 0, 0, b""),
    ] {
        flood(&gateway, b"", &again);
    }
}

#[test]
fn a_flood_of_answers_to_pings_that_nobody_sent_ends_the_connection_and_is_one_line_of_the_log() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    flood(&gateway, b"", &frame(PING, ACK, 0, &[0; 8]));
    // What is logged now comes after it.
    let next = gateway.get("/healthz");
    gateway.event_of(&next);
    let output = gateway.output();
    // Each event of the gateway has a name, and nothing else writes the log.
    let events = output.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["event"]
            .as_str()
            .unwrap_or_else(|| panic!("{line}"))
            .to_owned()
    });
    assert_eq!(events.filter(|event| event == "connection_ended").count(), 1);
}

#[test]
fn a_flood_of_empty_data_ends_the_connection() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    let head = frames::block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "site.example"),
        (":path", "/_report"),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ]);
    let start = frame(HEADERS, END_HEADERS, 1, &head);
    flood(&gateway, &start, &frame(DATA, 0, 1, b""));
    // Padding is nothing.
    flood(&gateway, &start, &frame(DATA, PADDED, 1, &[255; 256]));
    flood(&gateway, &start, &frame(DATA, PADDED, 1, &[0]));
}

#[test]
fn an_answer_that_is_let_come_by_the_byte_ends_the_connection() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    // A window of nothing, of which every byte has to be allowed.
    let window = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let request = frame(HEADERS, END_STREAM | END_HEADERS, 1, &frames::get("/"));
    let start = [window, request].concat();
    flood(&gateway, &start, &frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]));
}

#[test]
fn a_flood_of_windows_for_which_nothing_was_sent_ends_the_connection() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    for more in [1, 256, 65_536] {
        flood(
            &gateway,
            b"",
            &frame(WINDOW_UPDATE, 0, 0, &u32::to_be_bytes(more)),
        );
    }
}

#[test]
fn windows_that_are_opened_after_each_answer_are_no_flood() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..MANY {
            let stream = 2 * u32::try_from(number).unwrap() + 1;
            let request = frame(
                HEADERS,
                END_STREAM | END_HEADERS,
                stream,
                &frames::get("/healthz"),
            );
            assert!(raw.say(request));
            let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
            assert_eq!(frames::status(&block), "200");
            let (_, _, _, data) = frames::read_until(&mut raw, DATA);
            let more = u32::try_from(data.len()).unwrap().to_be_bytes();
            assert!(raw.say(frame(WINDOW_UPDATE, 0, stream, &more)));
            assert!(raw.say(frame(WINDOW_UPDATE, 0, 0, &more)));
        }
    });
}

#[test]
fn a_flood_of_ends_that_are_none_ends_the_connection() {
    let gateway = Gateway::start_live(&only(ALLOWED), &[]);
    // Whose answer is waited for, or the first would be the end.
    let start = frame(HEADERS, END_HEADERS, 1, &frames::post_report());
    without_end(&gateway, "flood", &start, &frame(GOAWAY, 0, 0, &[0; 8]));
}

#[test]
fn a_flood_of_continuations_ends_the_connection() {
    let gateway = Gateway::start_live("", &[]);
    let start = frame(HEADERS, END_STREAM, 1, &frames::get("/"));
    without_end(&gateway, "flood", &start, &frame(CONTINUATION, 0, 1, b""));
    let field = frames::block(&[("x", &"a".repeat(16_000))]);
    without_end(&gateway, "flood", &start, &frame(CONTINUATION, 0, 1, &field));
}

#[test]
fn taking_requests_back_as_fast_as_they_are_made_ends_the_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..1_000_000 {
            let stream = 2 * number + 1;
            let request = frame(HEADERS, END_STREAM | END_HEADERS, stream, &frames::get("/"));
            let reset = frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]);
            if !raw.say([request, reset].concat()) {
                gateway.until_ended("resets", 1);
                return;
            }
        }
        panic!("the gateway listens for ever");
    });
}

#[test]
fn making_the_gateway_reset_requests_ends_the_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        for number in 0..1_000_000 {
            if !raw.say(frames::to_be_reset(2 * number + 1)) {
                // Not before it had reset as many as it may.
                assert!(number >= 100, "{number}");
                gateway.until_ended("flood", 1);
                return;
            }
        }
        panic!("the gateway listens for ever");
    });
}

#[test]
fn a_head_that_is_too_much_is_refused() {
    let gateway = Gateway::start_live("[limits]\nhead_kib = 8\n", &[]);
    attack(&gateway, || {
        let mut raw = frames::open(&gateway.site, &[]);
        let mut head = frames::get("/");
        head.extend(frames::block(&[("x", &"a".repeat(9000))]));
        assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, 1, &head)));
        let (_, _, _, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!(frames::status(&block), "431");
    });
}

#[test]
fn a_head_of_too_many_fields_is_refused_and_others_on_the_connection_go_on() {
    for (limits, most) in [("", 100), ("[limits]\nheaders = 20\n", 20)] {
        let gateway = Gateway::start_live(limits, &[]);
        attack(&gateway, || {
            for client in [&gateway.site, &gateway.admin] {
                let mut raw = frames::open(client, &[]);
                // Where a request leads is told in no field (RFC 9113, 8.3).
                for (stream, fields, expected) in [(1, most, "200"), (3, most + 1, "431"), (5, most, "200")] {
                    let fields = frames::block(&[("x", "y")]).repeat(fields);
                    let head = [frames::get("/healthz"), fields].concat();
                    assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, stream, &head)));
                    let (_, _, of, block) = frames::read_until(&mut raw, HEADERS);
                    assert_eq!((of, frames::status(&block).as_str()), (stream, expected));
                }
            }
            // What had begun before is finished.
            let mut raw = frames::open(&gateway.site, &[]);
            let fields = frames::block(&[("x", "y")]).repeat(most + 1);
            let head = [frames::get("/"), fields].concat();
            assert!(raw.say(frame(HEADERS, END_HEADERS, 1, &frames::post_report())));
            assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, 3, &head)));
            assert_eq!(frames::read_until(&mut raw, HEADERS).2, 3);
            assert!(raw.say(frame(DATA, END_STREAM, 1, b"[]")));
            assert_eq!(frames::read_until(&mut raw, HEADERS).2, 1);
        });
    }
}

#[test]
fn cookies_in_fields_of_their_own_are_one_field() {
    let gateway = Gateway::start_live("", &[]);
    let mut raw = frames::open(&gateway.site, &[]);
    for (stream, others, expected) in [(1, 99, "200"), (3, 100, "431")] {
        let fields = [
            frames::get("/healthz"),
            frames::block(&[("cookie", "a=b")]).repeat(150),
            frames::block(&[("x", "y")]).repeat(others),
        ];
        assert!(raw.say(frame(HEADERS, END_STREAM | END_HEADERS, stream, &fields.concat())));
        let (_, _, of, block) = frames::read_until(&mut raw, HEADERS);
        assert_eq!((of, frames::status(&block).as_str()), (stream, expected));
    }
}

#[test]
fn no_more_requests_at_a_time_than_there_are_streams() {
    let gateway = Gateway::start_live("[limits]\nstreams = 3\n", &[]);
    attack(&gateway, || {
        // Answers wait for a window, so each request stays.
        let mut raw = frames::open(&gateway.site, &[(4, 0)]);
        for stream in [1, 3, 5, 7] {
            assert!(raw.say(frame(
                HEADERS,
                END_STREAM | END_HEADERS,
                stream,
                &frames::get("/")
            )));
        }
        let (_, _, stream, code) = frames::read_until(&mut raw, RST_STREAM);
        assert_eq!((stream, code), (7, vec![0, 0, 0, 7]), "refused");
    });
}

#[test]
fn what_is_no_frame_ends_the_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let mut ended = 0;
        for wrong in [
            frame(DATA, 0, 0, b"x"),
            frame(HEADERS, END_HEADERS, 0, &frames::get("/")),
            frame(HEADERS, END_HEADERS, 2, &frames::get("/")),
            frame(CONTINUATION, 0, 1, b""),
            frame(SETTINGS, 0, 0, &[0, 2, 0, 0, 0, 2]),
            frame(PING, 0, 0, b"short"),
            // Only the first is owed.
            frame(SETTINGS, ACK, 0, b"").repeat(2),
            // A PUSH_PROMISE, which is no client's to send.
            frame(5, END_HEADERS, 1, &[0, 0, 0, 2]),
            frame(DATA, 0, 1, &vec![0; 20_000]),
            // An index that no table has (RFC 7541, 2.3.3).
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xff, 0xff, 0xff, 0x0f]),
        ] {
            let mut raw = frames::open(&gateway.site, &[]);
            raw.say(&wrong);
            let said = raw.until_closed();
            assert!(
                said.is_empty() || frames::kinds(&said).contains(&GOAWAY),
                "{wrong:?}"
            );
            ended += 1;
            gateway.until_ended("malformed", ended);
        }
        let mut raw = Raw::open(&gateway.site);
        raw.say([frames::PREFACE, b"GET / HTTP/1.1\r\n\r\n"].concat());
        raw.until_closed();
    });
}
