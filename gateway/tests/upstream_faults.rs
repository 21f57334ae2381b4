//! Faults of upstreams: what the visitor gets, one log line, and a metric, within a bounded time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::support::frames::{self, HEADERS, RST_STREAM};
use crate::support::{
    Gateway, Raw, RawUpstream, Request, Upstream, deploy_with_queries, read_head, upstream_table,
};

/// A page with one query, of the upstream in its path.
const PAGE: &str =
    "export default { queries: (key) => ({ a: `/api/${key}/x` }), data: (key, results) => results };";

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// A body with the transfer coding `chunked`.
const CHUNKS: &str = "5\r\nhello\r\n0\r\n\r\n";

/// What an upstream does with a request.
enum Fault {
    /// Nothing listens.
    Closed,
    /// The name does not exist.
    UnknownName,
    /// There is no TLS.
    NoTls,
    /// It sends these bytes and closes the connection.
    Sends(String),
    /// It sends these bytes and no more.
    Hangs(String),
    /// It sends these bytes without end.
    Floods(&'static str),
}

impl Fault {
    /// Starts the upstream. Returns its base URL.
    fn start(self) -> String {
        let upstream = RawUpstream::start();
        let origin = upstream.origin();
        match self {
            Self::Closed => return "http://127.0.0.1:1".to_owned(),
            Self::UnknownName => return "https://upstream.invalid".to_owned(),
            Self::NoTls => {
                upstream.serve_bytes(|mut stream| {
                    let _ = stream.write_all(HEAD.as_bytes());
                });
                return origin.replace("http://", "https://");
            }
            Self::Sends(bytes) => upstream.respond_always(bytes),
            Self::Hangs(bytes) => upstream.serve(move |mut stream| {
                let _ = stream.write_all(bytes.as_bytes());
                let _ = stream.read(&mut [0]);
            }),
            Self::Floods(bytes) => upstream.serve(move |mut stream| {
                let many = bytes.repeat(1000);
                while stream.write_all(many.as_bytes()).is_ok() {}
            }),
        }
        origin
    }
}

/// Responses of upstreams that are invalid.
fn invalid_responses() -> Vec<(&'static str, String)> {
    let with = |fields: &str, body: &str| format!("{HEAD}{fields}\r\n\r\n{body}");
    let chunked_with_length = "transfer-encoding: chunked\r\ncontent-length: 3\r\ncache-control: max-age=60";
    let old_version = format!("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{CHUNKS}");
    let switches = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    let unknown_status = "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n";
    vec![
        ("closes", String::new()),
        ("rubbish", "what is this\r\n\r\n".to_owned()),
        (
            "two-lengths",
            with("content-length: 4\r\ncontent-length: 5", "abcde"),
        ),
        ("list-of-lengths", with("content-length: 5, 5", "abcde")),
        ("chunked-with-length", with(chunked_with_length, CHUNKS)),
        ("other-coding", with("transfer-encoding: gzip, chunked", CHUNKS)),
        ("chunked-in-old-version", old_version),
        ("unknown-status", unknown_status.to_owned()),
        ("switches", switches.to_owned()),
        ("many-headers", with("x: y\r\n".repeat(200).trim_end(), "")),
        ("long-header", with(&format!("x: {}", "y".repeat(200_000)), "")),
    ]
}

/// Each fault with the status that visitors get, and the outcome in metrics and log. After 200 the response ends early.
fn faults() -> Vec<(&'static str, Fault, u16, &'static str)> {
    let sends = |text: &str| Fault::Sends(format!("{HEAD}{text}"));
    let hangs = |text: &str| Fault::Hangs(text.to_owned());
    let half = format!("{HEAD}content-length: 100\r\n\r\n{{\"half\":");
    let hints = Fault::Floods("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    let hint = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17);
    let many_hints = Fault::Sends(format!("{hint}{HEAD}content-length: 0\r\n\r\n"));
    let redirect = "HTTP/1.1 302 Found\r\nlocation: https://evil.example/\r\ncontent-length: 0\r\n\r\n";
    let redirects = Fault::Sends(redirect.to_owned());
    let endless = Fault::Floods("HTTP/1.1 200 OK\r\n\r\n");
    let endless_header = Fault::Floods("HTTP/1.1 200 OK\r\nx: ");
    let large = sends("content-length: 10485761\r\n\r\nabc");
    let half_chunk = sends("transfer-encoding: chunked\r\n\r\n5\r\nab");
    let bad_chunk = sends("transfer-encoding: chunked\r\n\r\nx\r\n");
    let mut faults = vec![
        ("closed", Fault::Closed, 502, "connect_failed"),
        ("unknown-name", Fault::UnknownName, 502, "connect_failed"),
        ("no-tls", Fault::NoTls, 502, "connect_failed"),
        ("no-response", hangs(""), 504, "timed_out"),
        ("half-head", hangs(HEAD), 504, "timed_out"),
        ("informational", hints, 502, "invalid_response"),
        ("many-informational", many_hints, 502, "invalid_response"),
        ("endless-header", endless_header, 502, "invalid_response"),
        ("redirects", redirects, 502, "redirect_rejected"),
        ("large", large, 502, "response_too_large"),
        ("endless", endless, 200, "response_too_large"),
        ("stalls", hangs(&half), 200, "timed_out"),
        ("short", Fault::Sends(half), 200, "broken"),
        ("half-chunk", half_chunk, 200, "broken"),
        ("bad-chunk", bad_chunk, 200, "broken"),
    ];
    let invalid = invalid_responses().into_iter();
    faults.extend(invalid.map(|(name, bytes)| (name, Fault::Sends(bytes), 502, "invalid_response")));
    faults
}

/// Sends a request over HTTP/1.0, whose responses end with the connection, and returns the bytes of the response.
fn get(gateway: &Gateway, path: &str, is_broken: bool) -> Vec<u8> {
    let mut raw = Raw::open(&gateway.site);
    raw.send(format!("GET {path} HTTP/1.0\r\nhost: site.example\r\n\r\n"));
    if is_broken {
        raw.read_until_reset()
    } else {
        raw.read_until_closed()
    }
}

#[test]
fn each_fault_gets_status_log_line_and_metric() {
    let mut tables = vec!["[render]\nquery_deadline_ms = 60000\n".to_owned()];
    let mut expected = Vec::new();
    for (name, fault, status, outcome) in faults() {
        tables.push(format!(
            "[upstreams.{name}]\npath = \"/api/{name}\"\nurls = [\"{}\"]\nmax_retries = 0\nconnect_timeout_ms = 10000\n\
             total_timeout_ms = {}\n",
            fault.start(),
            if outcome == "timed_out" { 300 } else { 20_000 },
        ));
        expected.push((name, status, outcome));
    }
    let healthy = Upstream::json("{}");
    tables.push(format!(
        "[upstreams.healthy]\npath = \"/api/healthy\"\nurls = [\"{}\"]\n",
        healthy.origin()
    ));
    let gateway = Gateway::start_with(&tables.concat(), &[]);
    for &(name, status, outcome) in &expected {
        let received = get(&gateway, &format!("/api/{name}/x?marked-query"), status == 200);
        let text = String::from_utf8_lossy(&received);
        // What was sent before a reset may be lost.
        let is_expected = text.starts_with(&format!("HTTP/1.0 {status} "))
            || text.starts_with(&format!("HTTP/1.1 {status} "))
            || (status == 200 && text.is_empty());
        assert!(is_expected, "{name}: {}", &text[..text.len().min(1000)]);
        if status != 200 {
            let (_, body) = text.split_once("\r\n\r\n").unwrap();
            let body: Value = serde_json::from_str(body).unwrap();
            assert_eq!(
                body,
                json!({ "error": "This isn’t available right now. Please try again." })
            );
        }
        let sample =
            format!("colonnade_upstream_requests_total{{upstream=\"{name}\",outcome=\"{outcome}\"}}");
        let failed =
            gateway.wait_for_event(|line| line["event"] == "upstream_failed" && line["upstream"] == name);
        assert_eq!(failed["cause"], outcome, "{name}: {failed}");
        let error = match name {
            "informational" | "many-informational" => "more than 16 informational responses",
            "no-response" | "half-head" => "the response did not arrive in time",
            _ => failed["error"].as_str().unwrap(),
        };
        assert_eq!(failed["error"], error, "{name}");
        let id = failed["request_id"].clone();
        gateway.wait_for_event(|line| {
            line["event"] == "request"
                && line["request_id"] == id
                && line["upstream"] == name
                && line["status"] == status
        });
        assert_eq!(gateway.metric(&sample), 1, "{name}");
        // Other upstreams are not affected.
        assert_eq!(gateway.get("/api/healthy").status, 200);
    }
    let output = gateway.output();
    let failures = output.matches("\"event\":\"upstream_failed\"").count();
    assert_eq!(failures, faults().len(), "{output}");
    assert!(
        !output.contains("marked-query") && !output.contains("evil.example"),
        "{output}"
    );
    // A page whose query meets the fault is complete, and so is another one.
    deploy_with_queries(&gateway, PAGE);
    for (name, _, outcome) in expected {
        let page = gateway.get(&format!("/live/{name}"));
        let status = if outcome == "timed_out" { 504 } else { 502 };
        let result = json!({ "a": { "ok": false, "status": status } });
        assert_eq!(page.boot()["view"]["data"], result, "{name}");
        assert_eq!(
            (page.status, page.header("cache-control")),
            (200, "no-store, no-transform"),
            "{name}"
        );
        let other = gateway.get("/live/healthy");
        assert_eq!(
            other.boot()["view"]["data"],
            json!({ "a": { "ok": true, "value": {} } }),
            "{name}"
        );
    }
    assert!(!gateway.output().contains("\"event\":\"panic\""));
}

#[test]
fn broken_response_resets_http2_stream_but_not_connection() {
    let upstream = RawUpstream::start();
    let origin = upstream.origin();
    upstream.respond_always(format!("{HEAD}content-length: 100\r\n\r\npart"));
    let table = format!("[upstreams.short]\npath = \"/api/short\"\nurls = [\"{origin}\"]\nmax_retries = 0\n");
    let gateway = Gateway::start_with(&table, &[]);
    let mut raw = frames::open(&gateway.site, &[]);
    let request = |stream, path| frames::request(stream, path);
    assert!(raw.send(request(1, "/api/short")));
    assert_eq!(frames::read_until(&mut raw, RST_STREAM).2, 1);
    assert!(raw.send(request(3, "/healthz")));
    let (_, _, stream, block) = frames::read_until(&mut raw, HEADERS);
    assert_eq!((stream, &*frames::status(&block)), (3, "200"));
}

#[test]
fn connection_of_old_version_is_not_used_again() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"POST\"]";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let get = b"GET /api/events HTTP/1.1\r\nhost: a\r\n\r\n";
    // Its body has no length, so that only its own framing says where it ends.
    let post = b"POST /api/events HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut visitor = gateway.site.connect();
    visitor.write_all(get).unwrap();
    let (mut first, _) = upstream.accept_request();
    first
        .write_all(b"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok")
        .unwrap();
    let head = read_head(&mut visitor).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    visitor.read_exact(&mut [0; 2]).unwrap();
    visitor.write_all(&[post, CHUNKS.as_bytes()].concat()).unwrap();
    let (mut second, head) = upstream.accept_request();
    assert!(head.contains("\r\ntransfer-encoding: chunked\r\n"), "{head}");
    let mut body = [0; CHUNKS.len()];
    second.read_exact(&mut body).unwrap();
    assert_eq!(body, CHUNKS.as_bytes());
    assert_closed(&mut first);
}

#[test]
fn bytes_after_content_length_reach_no_visitor() {
    let good = format!("{HEAD}content-length: 4\r\n\r\ngood");
    let evil = good.replace("good", "evil");
    let both = format!("{good}{evil}");
    for (keepalive_timeout_ms, rounds) in [
        // With the response, or once the connection is idle.
        (604_800_000, [(&both, ""), (&good, &*evil)]),
        // No other request is ever sent on a connection without keep-alive, whatever it still brings.
        (0, [(&good, ""), (&good, "")]),
    ] {
        let upstream = RawUpstream::start();
        let keys = format!("keepalive_timeout_ms = {keepalive_timeout_ms}");
        let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], &keys), &[]);
        for (first, late) in rounds {
            std::thread::scope(|scope| {
                let visitor = scope.spawn(|| gateway.get("/api/events").text());
                let (mut backend, _) = upstream.accept_request();
                // In one write, so that the gateway gets the bytes at once.
                backend.write_all(first.as_bytes()).unwrap();
                assert_eq!(visitor.join().unwrap(), "good", "{keys}: {first}, {late}");
                // The connection is idle, and its next request would get these bytes.
                let _ = backend.write_all(late.as_bytes());
                assert_closed(&mut backend);
            });
        }
    }
}

#[test]
fn post_after_end_of_idle_connection_is_sent_once() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"POST\"]\nkeepalive_timeout_ms = 604800000";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let good = format!("{HEAD}content-length: 4\r\n\r\ngood");
    // The endpoint ends the connection, or sends bytes that belong to no response.
    for late in ["", &*good.replace("good", "evil")] {
        std::thread::scope(|scope| {
            let visitor = scope.spawn(|| gateway.get("/api/events").text());
            let (mut idle, _) = upstream.accept_request();
            idle.write_all(good.as_bytes()).unwrap();
            assert_eq!(visitor.join().unwrap(), "good");
            idle.write_all(late.as_bytes()).unwrap();
            idle.shutdown(Shutdown::Write).unwrap();
            let post = Request::new("POST", "/api/events").header("sec-fetch-site", "same-origin");
            let visitor = scope.spawn(|| gateway.site.send(post.body("once")).text());
            let (mut new, _) = upstream.accept_request();
            let mut body = [0; 4];
            new.read_exact(&mut body).unwrap();
            new.write_all(good.as_bytes()).unwrap();
            assert_eq!((&body, &*visitor.join().unwrap()), (b"once", "good"));
            assert_closed(&mut idle);
            // The next one gets no connection from this round.
            new.shutdown(Shutdown::Both).unwrap();
        });
    }
}

/// Asserts that the gateway closes a connection.
fn assert_closed(backend: &mut TcpStream) {
    let closed = backend.read(&mut [0]);
    assert!(matches!(closed, Ok(0)) || is_reset(&closed), "{closed:?}");
}

fn is_reset(read: &std::io::Result<usize>) -> bool {
    matches!(read, Err(error) if error.kind() == ErrorKind::ConnectionReset)
}

#[test]
fn circuit_breaker_spares_upstream_and_visitors_until_probe_succeeds() {
    let raw = RawUpstream::start();
    let address = raw.address();
    drop(raw);
    let table = format!(
        "[upstreams.events]\npath = \"/api/events\"\nurls = [\"http://{address}\"]\nmax_retries = 0\n\
         breaker_failure_threshold = 3\nbreaker_open_seconds = 1\n\
         [upstreams.forms]\npath = \"/api/forms\"\nurls = [\"http://{address}\"]\nmethods = [\"GET\", \"POST\"]\n\
         max_retries = 0\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n"
    );
    let gateway = Gateway::start_with(&table, &[]);
    let state = |state: &str| {
        gateway.metric(&format!(
            "colonnade_upstream_circuit_breaker_state{{upstream=\"events\",state=\"{state}\"}}"
        ))
    };
    for _ in 0..3 {
        assert_eq!(gateway.get("/api/events").status, 502);
    }
    gateway.wait_for_event(|line| line["event"] == "upstream_circuit_opened" && line["upstream"] == "events");
    // An upload is rejected before its body is received.
    assert_eq!(gateway.get("/api/forms").status, 502);
    let mut upload = gateway.site.connect();
    write!(
        upload,
        "POST /api/forms HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\ncontent-length: 2\r\n\r\na"
    )
    .unwrap();
    let head = read_head(&mut upload).unwrap();
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    // Once a second, a probe fails with 502.
    crate::support::wait_until("the circuit is open", || {
        let response = gateway.get("/api/events");
        response.status == 503 && response.header("retry-after") == "1" && state("open") == 1
    });
    let _upstream = Upstream::start_on(address, |_| http::Response::new(b"up".to_vec()));
    crate::support::wait_until("the upstream is probed", || {
        gateway.get("/api/events").status == 200
    });
    gateway.wait_for_event(|line| line["event"] == "upstream_circuit_closed");
    assert_eq!((state("open"), state("closed")), (0, 1));
}
