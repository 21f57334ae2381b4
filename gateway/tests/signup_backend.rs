//! Slow, unreachable and misbehaving sign-up backends, and backend connections.

use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::support::{Backend, CLOSED_ORIGIN, Dns, Gateway, Reply, Request, Response};

fn gateway(backend: &str) -> Gateway {
    gateway_with(backend, "")
}

fn table(backend: &str, keys: &str) -> String {
    format!(
        "[signup]\nbackend = \"{backend}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}"
    )
}

fn gateway_with(backend: &str, more: &str) -> Gateway {
    let extra = table(backend, more);
    // The gateway must ignore proxies in the environment: they would see visitors' input.
    let variables = [
        ("KEY", "the-key"),
        ("HTTP_PROXY", "http://127.0.0.1:1"),
        ("ALL_PROXY", "http://127.0.0.1:1"),
    ];
    Gateway::start_with(&extra, &variables)
}

fn sign_up(gateway: &Gateway) -> Response {
    gateway.site.send(Request::sign_up())
}

/// The status and body of a sign-up with this backend reply.
fn outcome(reply: Reply) -> (u16, Value) {
    // Only replies that must time out get a short timeout.
    let timeout = if matches!(reply, Reply::Stall | Reply::Drip) {
        300
    } else {
        20_000
    };
    let backend = Backend::start(reply);
    let gateway = gateway_with(&backend.origin(), &format!("total_timeout_ms = {timeout}\n"));
    let response = sign_up(&gateway);
    let outcome = (response.status, response.json());
    assert_response(&response, &outcome, "the only one");
    assert_eq!(backend.received().len(), 1, "exactly one request");
    outcome
}

fn assert_response(response: &Response, expected: &(u16, Value), what: &str) {
    assert_eq!((response.status, response.json()), *expected, "{what}");
    assert_eq!(response.header("cache-control"), "no-store", "{what}");
    assert_eq!(response.header("content-type"), "application/json", "{what}");
}

fn unreachable(status: u16) -> (u16, Value) {
    (
        status,
        json!({ "error": "Signup failed. Please try again.", "unreachable": true }),
    )
}

#[test]
fn refused_backend_connection_returns_502() {
    let gateway = gateway(CLOSED_ORIGIN);
    let response = sign_up(&gateway);
    assert_eq!((response.status, response.json()), unreachable(502));
    let event = gateway.wait_for_event(|line| line["event"] == "signup_backend_unreachable");
    assert!(event["cause"].as_str().unwrap().contains("refused"), "{event}");
}

#[test]
fn each_backend_reply_gets_its_response() {
    let object = |status, value: &Value| Reply::json(status, value);
    let text = |status, media_type, text: &str| Reply::Response(status, media_type, text.to_owned());
    let raw = |text: &str| Reply::Raw(text.to_owned());
    let long = |length| json!({ "error": "é".repeat(length) });
    let welcome = json!({ "redirectUrl": "/in" });
    let mut cases = vec![
        ("closes", Reply::Close, unreachable(502)),
        ("truncates", Reply::Truncated, unreachable(502)),
        (
            "half a head",
            raw("HTTP/1.1 200 OK\r\ncontent-"),
            unreachable(502),
        ),
        ("rubbish", raw("rubbish\r\n\r\n"), unreachable(502)),
        ("endless", Reply::Endless, unreachable(502)),
        ("a long error", object(400, &long(5_000)), (400, long(500))),
        // The body decides, not its content type.
        (
            "mislabeled",
            text(200, "text/plain", &welcome.to_string()),
            (200, welcome),
        ),
    ];
    for status in [200, 400, 404, 500, 503] {
        cases.push((
            "HTML",
            text(status, "text/html", "<h1>Oops</h1>"),
            unreachable(502),
        ));
        cases.push(("an array", object(status, &json!(["x"])), unreachable(502)));
        cases.push(("nothing", text(status, "application/json", ""), unreachable(502)));
    }
    for value in [json!("created"), json!(true), Value::Null, json!(1)] {
        cases.push(("no object", object(200, &value), unreachable(502)));
    }
    for status in [200, 201, 202] {
        cases.push(("success", object(status, &json!({ "id": 7 })), (200, json!({}))));
    }
    let taken = json!({ "error": "That address is taken.", "trace": "at line 1" });
    for status in [400, 401, 403, 409, 422, 429, 500, 503] {
        let expected = json!({ "error": "That address is taken." });
        cases.push(("an error", object(status, &taken), (status, expected)));
    }
    for error in [
        json!({}),
        json!({ "error": "" }),
        json!({ "error": { "code": 1 } }),
        json!({ "message": "x" }),
    ] {
        let expected = json!({ "error": "Signup failed. Please try again." });
        cases.push(("no message", object(500, &error), (500, expected)));
    }
    let backend = Backend::start(Reply::Close);
    let keys = "total_timeout_ms = 20000\nrate_limit_per_client_per_minute = 1000\nbreaker_failure_threshold = 1000\n";
    let gateway = gateway_with(&backend.origin(), keys);
    for (number, (what, reply, expected)) in (1..).zip(cases) {
        backend.set_reply(reply);
        assert_response(&sign_up(&gateway), &expected, &format!("{number}: {what}"));
        assert_eq!(backend.received().len(), number, "{what}: exactly one request");
    }
}

#[test]
fn slow_backend_returns_504() {
    assert_eq!(outcome(Reply::Stall), unreachable(504));
    assert_eq!(
        outcome(Reply::Drip),
        unreachable(504),
        "the timeout includes the body"
    );
}

#[test]
fn backend_connect_timeout_returns_504() {
    // The accept queue is full, so the system drops further connection attempts.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let listener = runtime.unwrap().block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        socket.listen(0).unwrap().into_std().unwrap()
    });
    let address = listener.local_addr().unwrap();
    let _queued = TcpStream::connect(address).unwrap();
    let keys = "connect_timeout_ms = 200\ntotal_timeout_ms = 600000\n";
    let gateway = Gateway::start_with(&table(&format!("http://{address}"), keys), &[("KEY", "the-key")]);
    // This client timeout is far below the total timeout.
    let client = gateway.site.with_timeout(Duration::from_secs(10));
    let response = client.send(Request::sign_up());
    assert_eq!((response.status, response.json()), unreachable(504));
}

#[test]
fn backend_http_redirect_is_not_followed() {
    let elsewhere = Backend::start(Reply::json(200, &json!({ "redirectUrl": "/in" })));
    let moved = |body: &str| {
        let location = elsewhere.origin();
        let length = body.len();
        Reply::Raw(format!(
            "HTTP/1.1 307 Moved\r\nlocation: {location}/functions/v1/signup\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    };
    assert_eq!(outcome(moved("")), unreachable(502));
    let (status, response) = outcome(moved("{\"error\":\"Moved.\"}"));
    assert_eq!((status, response), (502, json!({ "error": "Moved." })));
    assert!(
        elsewhere.received().is_empty(),
        "visitors' input must reach only the configured backend"
    );
}

#[test]
fn zero_keepalive_opens_one_connection_per_signup() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway_with(&backend.origin(), "keepalive_timeout_ms = 0\n");
    for _ in 0..10 {
        assert_eq!(sign_up(&gateway).status, 200);
    }
    assert_eq!(backend.connections(), 10);
}

#[test]
fn backend_connection_is_reused() {
    for more in ["", "keepalive_timeout_ms = 60000\n"] {
        let backend = Backend::start(Reply::json(200, &json!({})));
        let gateway = gateway_with(&backend.origin(), more);
        for _ in 0..10 {
            assert_eq!(sign_up(&gateway).status, 200);
        }
        // A sign-up may start before the previous connection is back in the pool.
        assert!(backend.connections() < 10, "{more:?}");
    }
}

#[test]
fn backend_connection_closes_after_keepalive_timeout() {
    for more in ["keepalive_timeout_ms = 100\n", ""] {
        let backend = Backend::start(Reply::json(200, &json!({})));
        let gateway = gateway_with(&backend.origin(), more);
        for number in 1..=2 {
            assert_eq!(sign_up(&gateway).status, 200);
            backend.wait_for_closed_connections(number);
        }
        assert_eq!(backend.connections(), 2);
    }
}

#[test]
fn connection_close_from_backend_prevents_reuse() {
    let closing = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    for reply in [
        Reply::Raw(closing.to_owned()),
        // The backend announces the close but keeps the connection open.
        Reply::Response(200, "application/json\r\nconnection: close", "{}".to_owned()),
    ] {
        let backend = Backend::start(reply);
        let gateway = gateway_with(&backend.origin(), "keepalive_timeout_ms = 60000\n");
        for _ in 0..3 {
            assert_eq!(sign_up(&gateway).status, 200);
        }
        assert_eq!(backend.connections(), 3);
    }
}

#[test]
fn recovered_backend_is_used_again() {
    let backend = Backend::start(Reply::Close);
    let gateway = gateway_with(&backend.origin(), "total_timeout_ms = 3000\n");
    assert_eq!(sign_up(&gateway).status, 502);
    backend.set_reply(Reply::json(200, &json!({})));
    assert_eq!(sign_up(&gateway).status, 200);
    backend.set_reply(Reply::Stall);
    assert_eq!(sign_up(&gateway).status, 504);
    backend.set_reply(Reply::json(200, &json!({})));
    assert_eq!(sign_up(&gateway).status, 200);
}

#[test]
fn backend_with_link_local_address_is_refused() {
    let dns = Dns::new();
    let variables = dns.variables();
    let variables = variables.iter().map(|(name, value)| (*name, &**value));
    let variables: Vec<_> = variables.chain([("KEY", "the-key")]).collect();
    let gateway = Gateway::start_with(&table("http://link-local.localhost:1", ""), &variables);
    assert_eq!(sign_up(&gateway).status, 502);
    let failed = gateway.wait_for_event(|line| line["event"] == "signup_backend_unreachable");
    let cause = failed["cause"].to_string();
    assert!(
        cause.contains("neither link-local nor that of a metadata service"),
        "{failed}"
    );
}
