//! Slow, unreachable and misbehaving sign-up backends, and backend connections.

use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::support::{Backend, CLOSED_ORIGIN, Client, Dns, Gateway, Reply, Request, Response};

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
    sign_up_at(&gateway.site)
}

fn sign_up_at(site: &Client) -> Response {
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 });
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    site.send(request.body(body.to_string()))
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
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(
        backend.received().len(),
        1,
        "the gateway must send exactly one request"
    );
    (response.status, response.json())
}

fn unreachable(status: u16) -> (u16, Value) {
    (
        status,
        json!({ "error": "Signup failed. Please try again.", "unreachable": true }),
    )
}

fn html(status: u16) -> Reply {
    Reply::Response(status, "text/html", "<html><h1>Oops</h1></html>".to_owned())
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
fn missing_backend_configuration_returns_503() {
    let response = sign_up(&Gateway::start());
    assert_eq!((response.status, response.json()), unreachable(503));
}

#[test]
fn closed_backend_connection_returns_502() {
    assert_eq!(outcome(Reply::Close), unreachable(502));
    assert_eq!(outcome(Reply::Truncated), unreachable(502));
    assert_eq!(
        outcome(Reply::Raw("HTTP/1.1 200 OK\r\ncontent-".to_owned())),
        unreachable(502)
    );
    assert_eq!(
        outcome(Reply::Raw("rubbish\r\n\r\n".to_owned())),
        unreachable(502)
    );
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
    let response = sign_up_at(&gateway.site.with_timeout(Duration::from_secs(10)));
    assert_eq!((response.status, response.json()), unreachable(504));
}

#[test]
fn endless_backend_response_returns_502() {
    assert_eq!(outcome(Reply::Endless), unreachable(502));
}

#[test]
fn backend_response_other_than_json_object_returns_502() {
    for status in [200, 400, 404, 500, 503] {
        assert_eq!(outcome(html(status)), unreachable(502), "{status}");
        assert_eq!(
            outcome(Reply::json(status, &json!(["x"]))),
            unreachable(502),
            "{status}"
        );
        assert_eq!(
            outcome(Reply::Response(status, "application/json", String::new())),
            unreachable(502),
            "{status}"
        );
    }
    for value in [json!("created"), json!(true), Value::Null, json!(1)] {
        assert_eq!(outcome(Reply::json(200, &value)), unreachable(502), "{value}");
    }
}

#[test]
fn backend_2xx_with_json_object_is_success() {
    for status in [200, 201, 202] {
        assert_eq!(
            outcome(Reply::json(status, &json!({ "id": 7 }))),
            (200, json!({})),
            "{status}"
        );
    }
    // The body decides, not its content type.
    let mislabeled = Reply::Response(200, "text/plain", json!({ "redirectUrl": "/in" }).to_string());
    assert_eq!(outcome(mislabeled), (200, json!({ "redirectUrl": "/in" })));
}

#[test]
fn backend_error_and_status_are_forwarded() {
    for status in [400, 401, 403, 409, 422, 429, 500, 503] {
        let response = json!({ "error": "That address is taken.", "trace": "at line 1" });
        assert_eq!(
            outcome(Reply::json(status, &response)),
            (status, json!({ "error": "That address is taken." }))
        );
    }
}

#[test]
fn backend_error_without_message_gets_default() {
    for response in [
        json!({}),
        json!({ "error": "" }),
        json!({ "error": { "code": 1 } }),
        json!({ "message": "x" }),
    ] {
        let expected = json!({ "error": "Signup failed. Please try again." });
        assert_eq!(
            outcome(Reply::json(500, &response)),
            (500, expected),
            "{response}"
        );
    }
}

#[test]
fn long_backend_error_is_truncated() {
    let (status, response) = outcome(Reply::json(400, &json!({ "error": "é".repeat(5_000) })));
    assert_eq!(
        (status, response["error"].as_str().unwrap().chars().count()),
        (400, 500)
    );
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
