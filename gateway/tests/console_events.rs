//! Server-sent events of the admin API.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{
    Gateway, Release, Request, TOKEN, authorized, authorized_by, data_frames, token, wait_until,
};

/// Events ten times per second instead of every five seconds.
pub(crate) const FREQUENT: &str = "[limits]\nmin_rate_window_ms = 300\n";

pub(crate) const EVENTS: &str = "/api/v1/events";

/// An open stream.
pub(crate) struct EventStream(BufReader<TcpStream>);

/// A server-sent event.
#[derive(Debug, Default)]
pub(crate) struct Received {
    id: String,
    name: String,
    data: Value,
}

impl EventStream {
    /// Opens a stream. Returns the status if it is refused.
    pub(crate) fn open(gateway: &Gateway, request: Request) -> Result<Self, u16> {
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

    /// Opens a stream that begins after an event.
    fn resume(gateway: &Gateway, id: &str) -> Result<Self, u16> {
        let request = Request::new("GET", EVENTS).header("last-event-id", id);
        Self::open(gateway, authorized(request))
    }

    /// The next event; `None` after the end.
    pub(crate) fn next(&mut self) -> Option<Received> {
        let mut received = Received::default();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("id", id)) => received.id = id.to_owned(),
                Some(("event", name)) => received.name = name.to_owned(),
                Some(("data", data)) => received.data = serde_json::from_str(data).unwrap(),
                // The end of a chunked body.
                None if line == "0" => return None,
                None if line.is_empty() && !received.data.is_null() => return Some(received),
                _ => {}
            }
        }
    }

    /// The next event that is no ping.
    fn next_event(&mut self) -> Received {
        let mut received = std::iter::from_fn(|| self.next());
        received
            .find(|received| received.name.is_empty())
            .expect("an event")
    }

    /// Reads to the end. A stream that goes on has far more events.
    pub(crate) fn expect_end(&mut self) {
        let has_ended = (0..100).any(|_| self.next().is_none());
        assert!(has_ended, "the stream goes on");
    }
}

/// The types of events.
fn types<'e>(events: impl IntoIterator<Item = &'e Value>) -> Vec<&'e str> {
    let types = events.into_iter().map(|event| event["type"].as_str().unwrap());
    types.collect()
}

#[test]
fn stream_sends_events_whole_and_resumes() {
    let gateway = Gateway::start_live("", &[]);
    let mut stream = EventStream::start(&gateway);
    let first = stream.next().unwrap();
    assert_eq!((&*first.name, &first.data), ("ping", &json!({})));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let published = stream.next_event();
    assert_eq!(published.data["type"], "release.published");
    let by = "name of token-for-everything";
    assert_eq!(
        published.data["data"],
        json!({ "name": "legal", "version": "1.0.0", "by": by })
    );
    drop(stream);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.admin_change("/api/v1/rollback", &json!({}));
    let mut stream = EventStream::resume(&gateway, &published.id).unwrap();
    let missed = [stream.next_event(), stream.next_event()].map(|received| received.data);
    assert_eq!(types(&missed), ["deployment.changed"; 2]);
    let history = gateway.admin_get("/api/v1/history?limit=2")["entries"].clone();
    assert_eq!(
        (&missed[0]["data"], &missed[1]["data"]),
        (&history[1], &history[0])
    );
    // What happens from now on follows.
    gateway.admin_change("/api/v1/previews", &json!({ "deployment": 1 }));
    assert_eq!(stream.next_event().data["data"]["action"], "preview");
    assert_eq!(EventStream::resume(&gateway, "latest").err(), Some(400));
}

#[test]
fn audit_log_has_each_call_once_for_auditors() {
    let gateway = Gateway::start_live("[telemetry]\nlog_admin_client_ip = true\n", &[]);
    let mut all = EventStream::start(&gateway);
    let legal_team = authorized_by("token-to-deploy-legal", Request::new("GET", EVENTS));
    let mut of_team = EventStream::open(&gateway, legal_team).unwrap();
    let refused = Request::new("POST", "/api/v1/rollback").body("{\"reason\":\"too slow\"}");
    assert_eq!(
        gateway.admin_request_as("token-to-deploy-legal", refused).status,
        403
    );
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let expected = ["admin.request", "release.published", "deployment.changed"];
    let sent = expected.map(|_| all.next_event().data);
    assert_eq!(types(&sent), expected);
    assert_eq!(of_team.next_event().data["type"], "release.published");
    // The site was published before. Of one second, calls come before changes.
    let log = gateway.admin_get("/api/v1/audit")["events"].clone();
    let events = log.as_array().unwrap();
    let mut logged = types(events);
    logged.sort_unstable();
    let [changed, published] = ["deployment.changed", "release.published"];
    assert_eq!(
        logged,
        ["admin.request", changed, changed, published, published, published]
    );
    assert!(sent[1..].iter().all(|event| events.contains(event)), "{events:?}");
    let entry = events.iter().find(|event| event["type"] == "admin.request");
    let entry = &entry.unwrap()["data"];
    let fields = ["by", "action", "target", "outcome", "status", "cause", "reason"];
    let values = fields.map(|field| entry[field].clone());
    let by = "name of token-to-deploy-legal";
    let expected: [Value; 7] = [by, "rollback", "*", "refused", "", "forbidden", "too slow"].map(Value::from);
    for (index, (value, expected)) in values.iter().zip(&expected).enumerate() {
        assert!(index == 4 && *value == 403 || value == expected, "{entry}");
    }
    // Only the log has addresses.
    let names: Vec<&String> = entry.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 8, "{names:?}");
    let page = gateway.admin_get("/api/v1/audit?limit=4");
    let next = page["next"].as_str().unwrap();
    let rest = gateway.admin_get(&format!("/api/v1/audit?after={next}"));
    let pages = [&page, &rest].map(|page| page["events"].as_array().unwrap().as_slice());
    assert_eq!(json!(pages.concat()), log);
    let next = rest["next"].as_str().unwrap();
    let page = gateway.admin_get(&format!("/api/v1/audit?after={next}"));
    assert_eq!(page, json!({ "events": [], "next": next }));
    for (token, target, status) in [
        ("token-to-deploy-legal", "/api/v1/audit", 403),
        (TOKEN, "/api/v1/audit?after=latest", 400),
        (TOKEN, "/api/v1/audit?before=1", 400),
    ] {
        let response = gateway.admin_request_as(token, Request::new("GET", target));
        assert_eq!(response.status, status, "{target}");
    }
    // Another process, and a backup, have it, too.
    let again = gateway.kill_and_restart("");
    assert_eq!(
        again.admin_get("/api/v1/audit")["events"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
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
