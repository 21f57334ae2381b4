//! Server-sent events of the admin API.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{
    Gateway, Release, Request, TOKEN, authorized, authorized_by, data_frames, token, wait_until,
};

/// Events ten times per second instead of every five seconds.
const FREQUENT: &str = "[limits]\nmin_rate_window_ms = 300\n";

const EVENTS: &str = "/api/v1/events";

/// An open stream.
struct EventStream(BufReader<TcpStream>);

impl EventStream {
    /// Opens a stream. Returns the status if it is refused.
    fn open(gateway: &Gateway, request: Request) -> Result<Self, u16> {
        let mut stream = gateway.admin.connect();
        stream
            .write_all(&request.into_bytes(gateway.admin.address()))
            .unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(stream.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        if status == 200 {
            assert!(head.contains("content-type: text/event-stream"), "{head}");
            Ok(Self(stream))
        } else {
            Err(status)
        }
    }

    fn start(gateway: &Gateway) -> Self {
        Self::open(gateway, authorized(Request::new("GET", EVENTS))).unwrap()
    }

    /// The data of the next event; `None` after the end.
    fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // The end of a chunked body.
            if line == "0\r\n" {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Reads to the end. A stream that goes on has far more events.
    fn expect_end(&mut self) {
        let has_ended = (0..100).any(|_| self.next().is_none());
        assert!(has_ended, "the stream goes on");
    }
}

#[test]
fn stream_reports_changes_and_publishes() {
    let gateway = Gateway::start_live("", &[]);
    let mut stream = EventStream::start(&gateway);
    let first = stream.next().unwrap();
    assert_eq!(first["revision"], 1);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let events = || stream.next().unwrap();
    let published = std::iter::repeat_with(events)
        .take(100)
        .find(|event| event["entry"] != first["entry"]);
    assert_eq!(published.expect("an event for the publish")["revision"], 1);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let has_changed = (0..100).any(|_| stream.next().unwrap()["revision"] == 2);
    assert!(has_changed, "no event for the deploy");
}

#[test]
fn stream_needs_a_token() {
    let gateway = Gateway::start();
    let refused = EventStream::open(&gateway, Request::new("GET", EVENTS));
    assert_eq!(refused.err(), Some(401));
}

#[test]
fn stream_ends_with_its_session() {
    let gateway = Gateway::start_with(FREQUENT, &[]);
    let response = gateway.admin_request(Request::new("POST", "/api/v1/session"));
    let (cookie, _) = response.header("set-cookie").split_once(';').unwrap();
    let with_cookie = |method, target| {
        let request = Request::new(method, target).header("cookie", cookie);
        request.header("sec-fetch-site", "same-origin")
    };
    let mut stream = EventStream::open(&gateway, with_cookie("GET", EVENTS)).unwrap();
    for _ in 0..3 {
        assert!(stream.next().is_some());
    }
    let response = gateway.send_admin(with_cookie("DELETE", "/api/v1/session"));
    assert_eq!(response.status, 204);
    stream.expect_end();
}

#[test]
fn number_of_streams_of_a_token_is_bounded() {
    let gateway = Gateway::start_with(FREQUENT, &[]);
    let streams: Vec<EventStream> = (0..16).map(|_| EventStream::start(&gateway)).collect();
    let another = || EventStream::open(&gateway, authorized(Request::new("GET", EVENTS)));
    assert_eq!(another().err(), Some(503));
    let legal = authorized_by("token-to-deploy-legal", Request::new("GET", EVENTS));
    let of_other_token = EventStream::open(&gateway, legal);
    assert!(of_other_token.is_ok());
    assert_eq!(gateway.admin_get("/api/v1/gateway")["streams"], 17);
    // A client that leaves makes room.
    drop(streams);
    wait_until("a stream can be opened", || another().is_ok());
}

#[test]
fn number_of_streams_is_bounded() {
    let tokens = ["first", "second", "third", "fourth", "last"];
    let configuration = tokens.map(|name| token(name, &["*"], &["publish"])).concat();
    let gateway = Gateway::start_with(&configuration, &[]);
    let open = |token| EventStream::open(&gateway, authorized_by(token, Request::new("GET", EVENTS)));
    let streams: Vec<EventStream> = (0..64).map(|number| open(tokens[number / 16]).unwrap()).collect();
    assert_eq!(open("last").err(), Some(503));
    drop(streams);
    wait_until("a stream can be opened", || open("last").is_ok());
}

#[test]
fn shutdown_ends_streams() {
    // Only the end of the stream lets the gateway exit in time.
    let extra = format!("{FREQUENT}drain_timeout_ms = 86400000\nshutdown_delay_ms = 0\n");
    let mut gateway = Gateway::start_with(&extra, &[]);
    let mut stream = EventStream::start(&gateway);
    assert!(stream.next().is_some());
    gateway.signal("TERM");
    stream.expect_end();
    drop(stream);
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn idle_stream_keeps_minimum_rate_over_http2() {
    let gateway = Gateway::start_with(FREQUENT, &[]);
    let authorization = format!("Bearer {TOKEN}");
    let headers = [("authorization", &*authorization)];
    // Several times as long as the window of the minimum rate.
    let frames = data_frames(gateway.admin, EVENTS, &headers, 20);
    assert!(frames.iter().all(|frame| frame.starts_with(b"retry: ")));
}
